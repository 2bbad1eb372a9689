import { databaseError, sqlState } from './errors.ts'

/** Thrown if the database works and still rejected a write. */
export class Unavailable extends Error {}

/**
 * Errors that Citus reports as its own when a node fails during a statement or is upgraded: its texts and those of
 * libpq.
 */
const lostNode =
  /^(failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction|failed to assign \d+ task|could not find an available connection|writing to worker nodes is not currently allowed)|SSL SYSCALL error|SSL connection has been closed|server closed the connection|connection not open|could not (send|receive) data|no connection to the server|loaded Citus library version differs|cannot execute a distributed query from a query on a shard/

/** A statement for a primary at a server that is none yet or no longer, and the other way around. */
const otherRole = /recovery is (not )?in progress/

const socketErrors =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/

/**
 * True if the database is unreachable, overloaded or read-only: connection failures (08, 57P0x, 28 and 3D000 while one
 * is made, socket errors, a lost node), sessions that it ended (25P03, 25P04), too many connections or no space (53),
 * cancelled statements and locks that took too long, conflicts that were not resolved, and read-only mode.
 */
export function isUnavailable(error: unknown, state = sqlState(error)): boolean {
  if (error instanceof Unavailable) return true
  if (state && /^(08|53|57P0|57014|55P03|40001|40P01|25006|25P03|25P04|28|3D000)/.test(state)) return true
  if (state && socketErrors.test(state)) return true
  const words = databaseError(error)?.message ?? ''
  if (state === 'XX000' && lostNode.test(words)) return true
  if (state === '55000' && otherRole.test(words)) return true
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/.test(
      error.message,
    )
  )
}
