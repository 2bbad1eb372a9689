import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, until } from './process.ts'

/* A real PgBouncer in transaction mode in front of a database server, for tests of what that takes away. */

export const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0

/** Variables of a service behind a pooler that keeps no names of statements, whatever its version. */
export const pooledVariables = { DATABASE_NAMED_STATEMENTS: 'false', DATABASE_SESSION_SETTINGS: 'false' }

export interface Pooler {
  /** The address of a database of the server, through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/** Starts one that has `size` connections for all who ask for a database. */
export async function startPooler(server: string, size = 10): Promise<Pooler> {
  const { hostname, port: target, username, password } = new URL(server)
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'bots-pooler-'))
  const file = join(folder, 'pgbouncer.ini')
  // It rejects an empty one.
  const known = password && ` password=${decodeURIComponent(password)}`
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${target || 5432} user=${decodeURIComponent(username)}${known}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 2000
`,
  )
  // It refuses to run as root, and the other account has to read the file.
  await chmod(folder, 0o755)
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...account, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void ended.then(() => (said ||= 'it ended'))
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  await until('the pooler listens', async () => child.exitCode !== null || (await answers()))
  if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${said}`)
  return {
    through(url) {
      const pooled = new URL(url)
      pooled.hostname = '127.0.0.1'
      pooled.port = String(port)
      return pooled.toString()
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
