import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabaseServer } from './database.ts'
import { Processes } from './processes.ts'
import { startReceiver } from './receiver.ts'

/** A database server, a receiver of events and a folder for the logs of processes; `close` ends and removes all. */
export async function openWorkbench() {
  const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
  const processes = new Processes(folder)
  const receiver = await startReceiver()
  const server = await openDatabaseServer(folder)
  return {
    processes,
    receiver,
    server,
    async close() {
      receiver.stop()
      await processes.stop()
      await server.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
