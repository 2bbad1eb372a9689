import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type DatabaseServer, openDatabaseServer } from './database.ts'
import { Processes, serviceVariables, type Target } from './processes.ts'
import { startReceiver } from './receiver.ts'
import { quantile } from './rounds.ts'
import { CROWD, callOn, type Seed, seed } from './seed.ts'

/*
 * Measures the growth of the cost of a request with the data. The same service runs on two databases: one with
 * RESULTS results of one bot and 100,000 bots, the other as the benchmark fills it, with 30,000 results. Requests go
 * to small and large in alternation, one at a time, so that other load on the machine affects both alike.
 */

const BOTS = 100_000
const SMALL_RESULTS = 30_000
const TIMES = Number(process.env.TIMES ?? 200)
const SAMPLE = 200

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const say = (text: string) => process.stderr.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const processes = new Processes(folder)
const receiver = await startReceiver()
let database: DatabaseServer | undefined
try {
  await run()
} finally {
  receiver.stop()
  await processes.stop()
  await database?.remove()
  await rm(folder, { recursive: true, force: true })
}
process.exit()

interface Side {
  target: Target
  seeded: Seed
  /** Ids of some of its bots, of 3 and 27 KB. */
  sample: string[]
}

async function openSide(server: DatabaseServer, name: string, results: number, bots: number): Promise<Side> {
  const url = await server.create()
  const variables = serviceVariables(url, receiver.host)
  const start = (name: string) =>
    processes.server(name, ['--enable-source-maps', 'dist/server/main.js'], variables, { path: '/readyz' })
  say(`Filling the ${name} database`)
  const filler = await start(`${name}-filler`)
  const seeded = await seed(filler, { url, receiver: receiver.host, connections: 1 }, results)
  const api = callOn(filler, seeded.token)
  for (const id of [seeded.quiet, seeded.crowded]) await api('POST', `/v1/bots/${id}/publish`)
  await filler.stop()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  if (bots > 0) await copyBots(client, seeded.workspaceId, bots)
  await client.query('VACUUM (ANALYZE)')
  const { rows } = await client.query(
    `SELECT id FROM bots WHERE name ~ '^Bot [0-9]*[02468]$' ORDER BY md5(id) LIMIT ${SAMPLE}`,
  )
  await client.end()
  return { target: await start(name), seeded, sample: rows.map(({ id }) => id as string) }
}

/** Bots like those of 3 KB that are there, with whatever columns their tables have. */
async function copyBots(client: pg.Client, workspaceId: string, count: number) {
  const originals = `(SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM bots
    WHERE workspace_id = $1 AND name ~ '^Bot [0-9]*[02468]$' AND id !~ '^0{10}')`
  for (const [table, column] of [
    ['bots', 'id'],
    ['bot_drafts', 'bot_id'],
  ]) {
    await client.query(
      `INSERT INTO ${table} SELECT copy.* FROM generate_series(1, ${count}) n
        JOIN ${originals} chosen ON chosen.place = n % (SELECT count(*) FROM ${originals} every)
        JOIN ${table} original ON original.${column} = chosen.id,
        LATERAL jsonb_populate_record(original,
          jsonb_build_object('${column}', to_char(n, 'FM00000000000000000000000000'))) copy`,
      [workspaceId],
    )
  }
}

/** Milliseconds until the answer was there, of which nothing is kept. */
function timeOf({ target, seeded }: Side, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const headers = { Authorization: `Bearer ${seeded.token}` }
    const asked = get({ agent, host: '127.0.0.1', port: target.port, path, headers }, (response) => {
      response.resume()
      response.once('error', reject).once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun)
        else reject(new Error(`${path} answers ${response.statusCode}`))
      })
    })
    asked.once('error', reject)
  })
}

interface Asked {
  side: Side
  path: (time: number) => string
}

async function compare(title: string, small: Asked, large: Asked, times = TIMES) {
  const took: Record<'small' | 'large', number[]> = { small: [], large: [] }
  for (let time = -Math.min(times, 20); time < times; time++) {
    const at = time < 0 ? time + 20 : time
    const [one, other] = [await timeOf(small.side, small.path(at)), await timeOf(large.side, large.path(at))]
    if (time < 0) continue
    took.small.push(one)
    took.large.push(other)
  }
  const [one, other] = [quantile(took.small, 0.5), quantile(took.large, 0.5)]
  const cells = [title, one.toFixed(2), other.toFixed(2), (other / one).toFixed(2)]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

async function run() {
  database = await openDatabaseServer(folder)
  const few = await openSide(database, 'small', SMALL_RESULTS, 0)
  const many = await openSide(database, 'large', CROWD, BOTS)
  const at = (side: Side, path: string): Asked => ({ side, path: () => path })
  const { crowded, quiet, deepCursor, workspaceId } = many.seeded
  const results = `/v1/bots/${crowded}/results`
  const fewResults = `/v1/bots/${few.seeded.crowded}/results`
  const deep = `${results}?cursor=${deepCursor.signed}`
  const number = (value: number) => value.toLocaleString('en')
  const count = number(CROWD)
  process.stdout.write('| | Small, ms | Large, ms | Times as long |\n| --- | --: | --: | --: |\n')
  await compare(
    `First page of ${count} results to one of ${number(SMALL_RESULTS)}`,
    at(few, fewResults),
    at(many, results),
  )
  await compare(`Page at depth ${number(CROWD / 2)} to the first`, at(many, results), at(many, deep))
  const completed = 'status=completed'
  await compare(
    'The same of completed ones',
    at(many, `${results}?${completed}`),
    at(
      many,
      `${results}?${completed}&createdBefore=${new Date(Date.now() - 200 * 86_400_000).toISOString()}`,
    ),
  )
  const rare = 'answerContains=nobody'
  await compare(
    `An answer nobody gave, of ${count} to ${number(SMALL_RESULTS)}`,
    at(few, `${fewResults}?${rare}`),
    at(many, `${results}?${rare}`),
    Math.min(TIMES, 50),
  )
  for (const kind of ['stats', 'blocks']) {
    const path = (id: string) => `/v1/bots/${id}/analytics/${kind}`
    await compare(
      `analytics/${kind}, all time, of ${count} to 1,000`,
      at(many, path(quiet)),
      at(many, path(crowded)),
    )
  }
  const some = (side: Side): Asked => ({ side, path: (time) => `/v1/bots/${side.sample[time % SAMPLE]}` })
  await compare(`Get bot among ${number(BOTS)} to among 1,000`, some(few), some(many))
  await compare(
    `First page of ${number(BOTS)} bots to one of 1,000`,
    at(few, `/v1/bots?workspaceId=${few.seeded.workspaceId}`),
    at(many, `/v1/bots?workspaceId=${workspaceId}`),
  )
  const before = (await many.target.usage()).memory
  const exportOf = (id: string) => `/v1/bots/${id}/resultsExport`
  const short = await timeOf(many, exportOf(quiet))
  const long = await timeOf(many, exportOf(crowded))
  const after = (await many.target.usage()).memory
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  process.stdout.write(
    `\nAn export of 1,000 results takes ${short.toFixed(0)} ms, of ${count} ${(long / 1000).toFixed(1)} s; memory ` +
      `${megabytes(before)} MB before and ${megabytes(after)} MB after it.\n`,
  )
}
