import { setTimeout as sleep } from 'node:timers/promises'
import { distribute, migrateDatabase } from '../../../server/db/migrate.ts'
import { type Cluster, type ClusterNode, hasCluster, startCluster } from '../../support/cluster.ts'
import { promise } from '../run.ts'
import { type Visited, visit } from '../visitors.ts'
import { ask, type Fault, onlyStatuses, type Setting, some, times } from './fault.ts'

/* A cluster grows, is upgraded, and loses its nodes. */

const DATABASE = 'served'
/** The extension of the release before, which the newest library can still make. */
const OLD_VERSION = '13.2-1'

async function onCluster(work: (cluster: Cluster) => Promise<string>): Promise<string> {
  if (!hasCluster) return 'NOT RUN: CITUS_BIN does not name the programs of a PostgreSQL with Citus'
  const cluster = await startCluster()
  try {
    return await work(cluster)
  } finally {
    await cluster.stop()
  }
}

async function distributed(cluster: Cluster, name: string, version?: string): Promise<string> {
  const url = await cluster.createDatabase(name, version)
  await migrateDatabase(url)
  await distribute(url)
  return url
}

/** Has visitors chat with bots of a cluster while `work` breaks something. */
async function underVisitors(
  setting: Setting,
  cluster: Cluster,
  work: (visited: Visited) => Promise<string>,
  version?: string,
): Promise<string> {
  const databaseUrl = await distributed(cluster, DATABASE, version)
  return visit(setting, { databaseUrl }, work)
}

const newDatabases: Fault = {
  id: 'F29',
  what: 'new databases of a cluster are distributed',
  run: (setting) =>
    onCluster(async (cluster) => {
      const count = some(setting, 20)
      for (let place = 0; place < count; place++) await distributed(cluster, `made_${place}`)
      // Again, as after an upgrade.
      for (let place = 0; place < count; place++) {
        await distribute(`postgres://postgres@127.0.0.1:${cluster.coordinator.port}/made_${place}`)
      }
      return `${count} of ${count}, twice each`
    }),
}

const growth: Fault = {
  id: 'F30',
  what: 'a node is added to a cluster and shards are moved while visitors answer',
  run: (setting) =>
    onCluster((cluster) =>
      underVisitors(setting, cluster, async ({ goOn, bot }) => {
        const query = (statement: string) => cluster.query(cluster.coordinator.port, DATABASE, statement)
        const start = performance.now()
        await query(`SELECT citus_add_node('127.0.0.1', ${cluster.spare.port})`)
        const added = performance.now()
        await query('SELECT citus_rebalance_start()')
        await query('SELECT citus_rebalance_wait()')
        const moved = performance.now()
        await goOn()
        const [{ count }] = await query(
          `SELECT count(*)::int FROM citus_shards WHERE nodeport = ${cluster.spare.port} AND table_name = 'bots'::regclass`,
        )
        promise(count > 0, 'No shard was moved to the new node')
        // The shard of a bot under way, there and back.
        for (let turn = 0; turn < some(setting, 4); turn++) {
          await query(
            `SELECT citus_move_shard_placement(s.shardid, '127.0.0.1', s.nodeport, '127.0.0.1',
              CASE s.nodeport WHEN ${cluster.spare.port} THEN ${cluster.workers[0]?.port} ELSE ${cluster.spare.port} END)
            FROM citus_shards s WHERE s.shardid = get_shard_id_for_distribution_column('bots', '${bot.id}')`,
          )
          await goOn()
        }
        return `added in ${Math.round(added - start)} ms, ${count} shards of bots moved in ${Math.round(moved - added)} ms`
      }),
    ),
}

const lostNodes: Fault = {
  id: 'F31',
  what: 'a worker and the coordinator of a cluster are killed under visitors',
  run: (setting) =>
    onCluster((cluster) =>
      underVisitors(setting, cluster, async ({ goOn }) => {
        const kills = some(setting, 5)
        const killed = async (node: ClusterNode) => {
          node.kill()
          await sleep(200 + setting.random.below(1_500))
          node.start()
          await goOn()
        }
        for (let kill = 0; kill < kills; kill++) await killed(setting.random.one(cluster.workers))
        for (let kill = 0; kill < kills; kill++) await killed(cluster.coordinator)
        return `${kills} kills of workers, ${kills} of the coordinator`
      }),
    ),
}

const clusterUpgrade: Fault = {
  id: 'F32',
  what: 'the extension of a cluster is upgraded: until it is, callers get 503',
  run: (setting) =>
    onCluster(async (cluster) => {
      const [citus] = await cluster.query(
        cluster.coordinator.port,
        'postgres',
        `SELECT default_version AS newest FROM pg_available_extensions WHERE name = 'citus'`,
      )
      if (citus?.newest === OLD_VERSION)
        return `NOT RUN: it upgrades from ${OLD_VERSION}, so it needs Citus 14`
      return underVisitors(
        setting,
        cluster,
        async ({ installation, goOn, bot }) => {
          const nodes = [cluster.coordinator, ...cluster.workers]
          const begun = await ask(installation, 0, 'POST', `/api/v1/bots/${bot.publicId}/startChat`, {})
          onlyStatuses([begun], [200])
          for (const { port } of nodes) {
            await cluster.query(
              port,
              'postgres',
              `ALTER DATABASE ${DATABASE} RESET citus.enable_version_checks`,
            )
          }
          for (const node of nodes) node.restart()
          const { workspaceId } = installation
          const answers = (
            await times(some(setting, 10, 2), (place) =>
              Promise.all([
                ask(installation, place, 'GET', '/v1/workspaces'),
                ask(installation, place, 'GET', `/v1/bots?workspaceId=${workspaceId}`),
                ask(installation, place, 'GET', `/v1/bots/${bot.id}/results`),
                ask(installation, place, 'POST', `/api/v1/bots/${bot.publicId}/startChat`, {}),
                ask(installation, place, 'POST', `/api/v1/sessions/${begun.body.sessionId}/continueChat`, {
                  message: 'Hi',
                }),
                ask(installation, place, 'GET', '/readyz'),
              ]),
            )
          ).flat()
          onlyStatuses(answers, [503])
          for (const { port } of nodes) await cluster.query(port, DATABASE, 'ALTER EXTENSION citus UPDATE')
          await cluster.query(cluster.coordinator.port, DATABASE, 'CALL citus_finish_citus_upgrade()')
          const there = performance.now()
          await goOn()
          return `${answers.length} × 503 in between; visitors went on within ${Math.round(performance.now() - there)} ms`
        },
        OLD_VERSION,
      )
    }),
}

export const clusterFaults = [newDatabases, growth, lostNodes, clusterUpgrade]
