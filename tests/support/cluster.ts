import { execFileSync } from 'node:child_process'
import { appendFile, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { serverAccount } from '../../server/db/embedded/programs.ts'
import { freePort } from './process.ts'
import { onNode } from './server.ts'

/*
 * A Citus cluster of its own, to be killed, upgraded and to grow. CITUS_BIN is the folder of a PostgreSQL that has
 * Citus.
 */

const bin = process.env.CITUS_BIN

export const hasCluster = bin !== undefined

const settings = `
shared_preload_libraries = 'citus'
citus.propagate_set_commands = 'local'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
max_locks_per_transaction = 256
unix_socket_directories = ''
fsync = off
`

export interface ClusterNode {
  port: number
  start(): void
  /** Ends it and all of its connections at once, as a loss of power does. */
  kill(): void
  restart(): void
}

export interface Cluster {
  coordinator: ClusterNode
  /** Those of the cluster; the last one is not part of it until it is added. */
  workers: ClusterNode[]
  spare: ClusterNode
  /** A database on all nodes, the spare one too, that knows coordinator and workers; returns its address. */
  createDatabase(name: string, version?: string): Promise<string>
  query(port: number, database: string, statement: string): Promise<pg.QueryResult['rows']>
  stop(): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'bots-cluster-'))
  const account = await serverAccount(folder)
  if (account) await chown(folder, account.uid, account.gid)
  // libpq looks for certificates in the home directory.
  const options = { ...account, env: { LC_ALL: 'C.UTF-8', HOME: folder }, stdio: 'ignore' as const }
  const run = (program: string, ...words: string[]) =>
    void execFileSync(join(String(bin), program), words, options)

  async function startNode(name: string): Promise<ClusterNode> {
    const data = join(folder, name)
    await mkdir(data)
    if (account) await chown(data, account.uid, account.gid)
    run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8')
    const port = await freePort()
    await appendFile(join(data, 'postgresql.conf'), `${settings}port = ${port}\n`)
    const control = (...words: string[]) =>
      run('pg_ctl', '-w', '-D', data, '-l', join(folder, `${name}.log`), ...words)
    const kill = () => control('-m', 'immediate', 'stop')
    const start = () => control('start')
    start()
    return { port, start, kill, restart: () => control('-m', 'fast', 'restart') }
  }

  const coordinator = await startNode('coordinator')
  const workers = [await startNode('worker-1'), await startNode('worker-2')]
  const spare = await startNode('worker-3')

  const stopNodes = () => {
    for (const node of [coordinator, ...workers, spare]) {
      try {
        node.kill()
      } catch {
        // It was killed and not started again.
      }
    }
  }
  // An interrupted run leaves no servers behind.
  process.on('exit', stopNodes)

  const addressOf = (port: number, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const query = (port: number, database: string, statement: string) =>
    onNode(addressOf(port, database), undefined, statement)

  return {
    coordinator,
    workers,
    spare,
    query,
    async createDatabase(name, version) {
      const of = version === undefined ? '' : ` VERSION '${version}'`
      for (const { port } of [coordinator, ...workers, spare]) {
        await query(port, 'postgres', `CREATE DATABASE ${name}`)
        if (of) await query(port, 'postgres', `ALTER DATABASE ${name} SET citus.enable_version_checks = off`)
        await query(port, name, `CREATE EXTENSION citus${of}`)
      }
      await query(
        coordinator.port,
        name,
        `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
      )
      for (const { port } of workers)
        await query(coordinator.port, name, `SELECT citus_add_node('127.0.0.1', ${port})`)
      return addressOf(coordinator.port, name)
    },
    async stop() {
      process.off('exit', stopNodes)
      stopNodes()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
