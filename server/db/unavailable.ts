import { sqlState } from './errors.ts'

/** Thrown where the database works and still did not take what was to be written. */
export class Unavailable extends Error {}

/** What Citus says, as of an error of its own, when a node goes away under a statement: its words and those of libpq. */
const lostNode =
  /^(failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction)|SSL SYSCALL error|SSL connection has been closed|server closed the connection|connection not open|could not (send|receive) data|no connection to the server|loaded Citus library version differs/

/**
 * Whether the database is unreachable, overloaded or refuses to write: connection failures (08, 57P0x,
 * socket errors, a lost node), too many connections or no space (53), cancelled statements and locks that took
 * too long, conflicts that did not resolve, and read-only mode.
 */
export function isUnavailable(error: unknown, state = sqlState(error)): boolean {
  if (error instanceof Unavailable) return true
  if (state && /^(08|53|57P0|57014|55P03|40001|40P01|25006)/.test(state)) return true
  if (state && /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/.test(state))
    return true
  if (state === 'XX000' && error instanceof Error && lostNode.test(error.message)) return true
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/.test(
      error.message,
    )
  )
}
