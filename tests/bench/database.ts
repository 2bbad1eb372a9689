import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'

/** A PostgreSQL server of our own, or the one of DATABASE_URL. */
export interface DatabaseServer {
  /** Makes an empty database and gives its URL. */
  create(): Promise<string>
  /** Ends the server, or removes what was made on it. */
  remove(): Promise<void>
}

export async function openDatabaseServer(folder: string): Promise<DatabaseServer> {
  const given = process.env.DATABASE_URL
  // As the service starts it, except that checkpoints do not fall into the middle of a round.
  const settings = { max_wal_size: '8GB', checkpoint_timeout: '1h' }
  const embedded = given ? undefined : await startEmbeddedPostgres({ dataDirectory: folder, settings })
  const base = embedded?.url ?? (given as string)
  const made: string[] = []
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: base })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  return {
    async create() {
      const name = `bench_${Date.now()}_${made.length}`
      await run(`CREATE DATABASE ${name}`)
      made.push(name)
      const url = new URL(base)
      url.pathname = `/${name}`
      return url.toString()
    },
    async remove() {
      if (embedded) return embedded.stop()
      for (const name of made) await run(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** The fields of /proc/PID/stat behind the name, which may have spaces. */
const statOf = (pid: string) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')

/**
 * Says how many milliseconds of CPU time all processes of the server that a connection leads to have taken. For Linux,
 * with the server on this machine.
 */
export async function databaseTime(client: pg.Client): Promise<() => number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const server = statOf(String(rows[0].pid))[1] as string
  return () => {
    let sum = 0
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (statOf(pid)[1] !== server) continue
        sum += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      } catch {
        // It has ended meanwhile.
      }
    }
    // User and system time of children that have ended, in hundredths of a second.
    const [user, system] = statOf(server).slice(13, 15)
    return sum + 10 * (Number(user) + Number(system))
  }
}
