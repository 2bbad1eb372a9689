import { execFileSync } from 'node:child_process'
import { chmod, chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../server/db/embedded/index.ts'
import { newDataFolder, postmasterOf, until } from './process.ts'
import { onNode } from './server.ts'

/*
 * A database server with a streaming standby, both the embedded PostgreSQL. Their folders go with `endProcesses`. The
 * standby begins as a copy of the stopped primary, since the package brings no pg_basebackup.
 */

export interface Pair {
  primaryUrl: string
  standbyUrl: string
  /** Runs a statement on the standby. */
  onStandby(statement: string): Promise<Record<string, unknown>[]>
  /** The standby continues receiving, and shows nothing of it. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Waits until the standby shows all that the primary has. */
  caughtUp(): Promise<void>
  killStandby(): Promise<void>
  startStandby(): Promise<void>
  /** Ends the primary at once, as a loss of power does. */
  losePrimary(): Promise<void>
  stop(): Promise<void>
}

/** Copies keep the owners of files, for which Windows has no words. */
export const canCopy = process.platform !== 'win32'

export async function startPair(): Promise<Pair> {
  const [first, second] = [await newDataFolder(), await newDataFolder()]
  const settings = { fsync: 'off' }
  await (await startEmbeddedPostgres({ dataDirectory: first, settings })).stop()
  execFileSync('cp', ['-a', join(first, 'postgres'), second])
  const data = join(second, 'postgres/data')
  // It has a port of its own, and its command line names the primary.
  await rm(join(data, 'postmaster.opts'))
  const signal = join(data, 'standby.signal')
  await writeFile(signal, '')
  const { uid, gid } = await stat(join(data, 'PG_VERSION'))
  await chown(signal, uid, gid)
  await chmod(second, 0o711)
  const primary = await startEmbeddedPostgres({ dataDirectory: first, settings })
  const { port, username, password } = new URL(primary.url)
  const follow = `host=127.0.0.1 port=${port} user=${username} password=${password}`
  const start = () =>
    startEmbeddedPostgres({ dataDirectory: second, settings: { ...settings, primary_conninfo: follow } })
  let standby = await start()

  const ask = (url: string, statement: string) => onNode(url, undefined, statement)
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    onStandby: (statement) => ask(standby.url, statement),
    async pause() {
      await ask(standby.url, 'SELECT pg_wal_replay_pause()')
      await until('the standby pauses', async () => {
        const [row] = await ask(standby.url, 'SELECT pg_get_wal_replay_pause_state() AS state')
        return row.state === 'paused'
      })
    },
    resume: async () => void (await ask(standby.url, 'SELECT pg_wal_replay_resume()')),
    async caughtUp() {
      const [{ position }] = await ask(primary.url, 'SELECT pg_current_wal_flush_lsn()::text AS position')
      await until('the standby has it all', async () => {
        const statement = `SELECT pg_last_wal_replay_lsn() >= '${position}' AS is_there`
        return (await ask(standby.url, statement))[0].is_there
      })
    },
    async killStandby() {
      // Whoever holds it would start it again.
      await standby.stop()
      const pid = await postmasterOf(second)
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      await until('the standby is gone', async () => (await postmasterOf(second)) === undefined)
    },
    async startStandby() {
      standby = await start()
    },
    async losePrimary() {
      const pid = await postmasterOf(first)
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      await primary.stop()
    },
    async stop() {
      await standby.stop()
      await primary.stop()
    },
  }
}
