/** The connections to the database: maximum waits for them, and the removal of dead ones. */
import type { Socket } from 'node:net'
import pg from 'pg'

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

/** Connections whose limit for locks is shorter than that of the pool, in milliseconds. */
const shortened = new WeakMap<object, number>()

/** The limit for locks that a connection has in place of its default, in milliseconds. */
export const shortenedLockTimeout = (client: object): number | undefined => shortened.get(client)

/**
 * A pool in which a request that needs several connections, one after the other, waits for all of them about as long as
 * it may wait for one. A caller has probably waited before, for as long as the last wait was. A caller that waited long
 * for a connection waits for a row only for the time that is left.
 */
export class Pool extends pg.Pool {
  private lastWait = 0

  // biome-ignore lint/suspicious/noExplicitAny: a promise without a callback, nothing with one, as pg has it
  override connect(done?: Connected): any {
    if (!done) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (error ? reject(error) : resolve(client)))
      })
    }
    const { options } = this
    const limit = options.connectionTimeoutMillis ?? 0
    if (this.idleCount > 0 || this.totalCount < options.max) {
      this.lastWait = 0
      return super.connect((error, client, release) => {
        if (client) this.limitLocks(client, 0)
        done(error, client, release)
      })
    }
    const start = performance.now()
    // Read once, at the beginning of the wait.
    options.connectionTimeoutMillis = Math.max(limit / 8, limit - this.lastWait)
    super.connect((error, client, release) => {
      if (client) {
        this.lastWait = performance.now() - start
        this.limitLocks(client, this.lastWait)
      }
      done(error, client, release)
    })
    options.connectionTimeoutMillis = limit
  }

  /** Sent ahead of the first statement of the caller. A limit of the pooler's role is not touched. */
  private limitLocks(client: pg.PoolClient, waited: number) {
    const limit = this.options.lock_timeout
    if (!limit) return
    if (waited > limit / 2) {
      const left = Math.round(Math.max(limit / 8, limit - waited))
      shortened.set(client, left)
      client.query(`set lock_timeout = ${left}`, () => {})
    } else if (shortened.delete(client)) {
      client.query(`set lock_timeout = ${limit}`, () => {})
    }
  }
}

/** Interval between checks of the connections, in milliseconds. */
const CHECK_INTERVAL_MS = 500

/**
 * A frozen server cannot enforce its own limit, and a silent network brings no response: a connection is closed when
 * a statement waits and no byte has come for `limit` milliseconds, and with it all others that were silent for as
 * long, since no request should have to wait to find them silent too. One timer checks all: a timer for each query,
 * as in pg, retains the rows of the query until the whole heap is collected, which costs more than the query. Checks
 * are counted instead of time, so that a process that was stopped does not close good connections.
 */
export function giveUpSilent(pool: pg.Pool, limit: number) {
  interface Seen {
    bytesRead: number
    /** Looks since something came, and of those the last ones at which a statement waited. */
    quiet: number
    waiting: number
  }
  const clients = new Map<Watched, Seen>()
  const most = Math.ceil(limit / CHECK_INTERVAL_MS)
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    let isSilent = false
    for (const [{ connection, readyForQuery }, seen] of clients) {
      const { bytesRead } = connection.stream
      if (bytesRead !== seen.bytesRead) Object.assign(seen, { bytesRead, quiet: 0, waiting: 0 })
      seen.quiet++
      seen.waiting = readyForQuery ? 0 : seen.waiting + 1
      isSilent ||= seen.waiting > most
    }
    if (!isSilent) return
    for (const [{ connection }, { quiet }] of clients) {
      if (quiet > most) connection.stream.destroy(new Error('Query read timeout'))
    }
  }

  pool.on('connect', (connected) => {
    const client = connected as unknown as Watched
    clients.set(client, { bytesRead: 0, quiet: 0, waiting: 0 })
    timer ??= setInterval(look, CHECK_INTERVAL_MS).unref()
    connected.once('end', () => {
      clients.delete(client)
      if (clients.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  })
}

/** Properties of a connection in pg that its types lack. */
interface Watched {
  connection: { stream: Socket }
  readyForQuery: boolean
}
