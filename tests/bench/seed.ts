import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type FlowDocument, makeDocument } from './documents.ts'
import type { Target } from './processes.ts'

/*
 * Fills a database through the service that runs on it, and with SQL where there is much to fill: of columns only
 * those are named that every release has, so that an earlier one can be measured too.
 */

/** Records that the operations use. */
export interface Seed {
  token: string
  workspaceId: string
  /** Bots by the size of their documents, in KB. */
  bots: Record<3 | 5 | 27 | 1000, string>
  /** The entity tag of the bot of 27 KB; undefined where the release has none. */
  etag: string | undefined
  /** Bots by the number of their results. */
  crowded: string
  quiet: string
  /** Published; what chats run on. */
  publicId: string
  /** The same in a workspace with an endpoint for all events; undefined if the release has no endpoints. */
  watchedId: string | undefined
  /** One that asks a language model for every answer; undefined where the release runs none. */
  modelId: string | undefined
  /** Chats of which each connection has one of its own. */
  sessionIds: string[]
  /** Cursor of the page after half of the crowded bot's results, for the service and for the others. */
  deepCursor: { signed: string; plain: string }
}

export const CROWD = Number(process.env.RESULTS ?? 1_000_000)
/** As many chats as there are in a busy hour. */
const SESSIONS = 20_000
const PAGE = 50

interface Given {
  url: string
  /** `host:port` of models and receivers of events. */
  receiver: string
  connections: number
}

/** Fills the empty database of a service that has just been started for the first time; one bot has so many results. */
export async function seed(
  service: Target,
  { url, receiver, connections }: Given,
  results = CROWD,
): Promise<Seed> {
  const depth = results / 2
  const token = /botb_pat_\w+/.exec(await readFile(service.log, 'utf8'))?.[0]
  if (!token) throw new Error(`The service has shown no token: see ${service.log}`)
  const api = callOn(service, token)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { workspaces } = await api('GET', '/v1/workspaces')
    const workspaceId = workspaces[0].id as string
    const add = async (name: string, document: FlowDocument, workspace = workspaceId) => {
      const { bot } = await api('POST', '/v1/bots', { workspaceId: workspace, bot: { name, ...document } })
      return bot.id as string
    }
    const publish = async (id: string) => {
      await api('POST', `/v1/bots/${id}/publish`)
      const { bot } = await api('GET', `/v1/bots/${id}`)
      return bot.publicId as string
    }

    const sizes = [3, 5, 27, 1000] as const
    const bots = {} as Seed['bots']
    for (const size of sizes) bots[size] = await add(`${size} KB`, makeDocument(size * 1000))
    const crowded = await add('Crowded', makeDocument(5000))
    const quiet = await add('Quiet', makeDocument(5000))
    for (let at = 0; at < 1000; at++) await add(`Bot ${at}`, makeDocument(at % 2 === 0 ? 3000 : 27_000))
    const publicId = await publish(await add('Published', makeDocument(5000)))
    const watchedId = await watched(api, receiver, async (id) =>
      publish(await add('Watched', makeDocument(5000), id)),
    )
    // While the table is nearly empty, PostgreSQL plans to read all of it. A copy has no data, so none may wait to be sent,
    // even if the copied delivery still does.
    if (watchedId !== undefined) {
      await client.query(
        `INSERT INTO webhook_deliveries
        SELECT seeded.* FROM webhook_deliveries d, generate_series(1, ${SESSIONS}) n, jsonb_populate_record(d,
          jsonb_build_object('subject', 'seeded-' || n, 'id', 'seeded-' || n, 'is_delivered', true,
            'next_attempt_at', NULL, 'leased_until', NULL)) AS seeded`,
      )
    }
    const modelId = await withModel(api, workspaceId, receiver, async (document) =>
      publish(await add('With a model', document)),
    )
    const answer = await fetch(`http://127.0.0.1:${service.port}/v1/bots/${bots[27]}`, {
      headers: { Authorization: `Bearer ${token}` },
    })

    const now = new Date()
    await addResults(client, quiet, 1000, [1, 1000], now)
    // A page that ends at the depth, so that the service itself writes the cursor.
    const around: Stretch = [depth - PAGE + 1, depth + 1]
    await addResults(client, crowded, results, around, now)
    const page = await api('GET', `/v1/bots/${crowded}/results?limit=${PAGE}`)
    const end = page.results.at(-1)
    await addResults(client, crowded, results, [1, around[0] - 1], now)
    await addResults(client, crowded, results, [around[1] + 1, results], now)

    await addChats(api, client, publicId)
    const sessionIds: string[] = []
    for (let at = 0; at < connections; at++) sessionIds.push((await startChat(api, publicId)).sessionId)
    // Far below none, since more are saved than a chat may have.
    const counted = await client.query(
      "SELECT FROM information_schema.columns WHERE table_name = 'chat_sessions' AND column_name = 'client_logs'",
    )
    if (counted.rowCount === 1) await client.query('UPDATE chat_sessions SET client_logs = -1000000000')

    await client.query('VACUUM (ANALYZE, FREEZE)')
    await rollUp(api, client, crowded)
    // Once more, since days were counted: nothing is dirty, and no round pays for the seeding.
    await client.query('VACUUM (ANALYZE, FREEZE)')
    await client.query('CHECKPOINT').catch(() => {})
    return {
      token,
      workspaceId,
      bots,
      etag: answer.headers.get('etag') ?? undefined,
      crowded,
      quiet,
      publicId,
      watchedId,
      modelId,
      sessionIds,
      deepCursor: {
        signed: page.nextCursor,
        plain: `${Date.parse(end.createdAt)}.${end.id}`,
      },
    }
  } finally {
    await client.end()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what any operation of any release answers
type Call = (method: string, path: string, body?: object) => Promise<any>

export function callOn({ port }: Target, token?: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.ok) return response.json()
    throw Object.assign(
      new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`),
      {
        status: response.status,
      },
    )
  }
}

/** Undefined if an earlier release does not know the request. */
const unlessUnknown = (error: { status?: number }) => {
  if (error.status !== 400 && error.status !== 404 && error.status !== 405) throw error
  return undefined
}

/** A workspace whose events are sent to the receiver, and what is made in it. */
async function watched<Made>(
  api: Call,
  receiver: string,
  make: (workspaceId: string) => Promise<Made>,
): Promise<Made | undefined> {
  const { workspace } = await api('POST', '/v1/workspaces', { name: 'Watched' })
  const endpoints = `/v1/workspaces/${workspace.id}/webhookEndpoints`
  const made = await api('POST', endpoints, { url: `http://${receiver}/events` }).catch(unlessUnknown)
  return made && make(workspace.id)
}

/** A bot that asks the model of the receiver. */
async function withModel<Made>(
  api: Call,
  workspaceId: string,
  receiver: string,
  make: (document: FlowDocument) => Promise<Made>,
): Promise<Made | undefined> {
  const given = await api('POST', `/v1/workspaces/${workspaceId}/credentials`, {
    type: 'openai',
    name: 'Model',
    data: { apiKey: 'none', baseUrl: `http://${receiver}/v1` },
  }).catch(unlessUnknown)
  if (!given) return undefined
  const document = makeDocument(5000)
  const [group] = document.groups as { blocks: object[] }[]
  // A bot of one group, to which each answer leads back.
  const model = {
    id: 'model',
    type: 'openai',
    options: {
      credentialsId: given.credentials.id,
      action: 'Create chat completion',
      model: 'model-1',
      messages: [{ role: 'user', content: '{{Answer 0}}' }],
      responseMapping: [{ item: 'Message content', variableId: 'variable-1' }],
    },
  }
  const shown = {
    id: 'shown',
    type: 'text',
    content: { richText: [{ type: 'p', children: [{ text: '{{Answer 1}}' }] }] },
  }
  const [, input] = group?.blocks ?? []
  return make({
    ...document,
    groups: [
      { ...group, blocks: [input as object] },
      {
        id: 'group-1',
        title: 'Model',
        graphCoordinates: { x: 400, y: 0 },
        blocks: [model, { ...shown, outgoingEdgeId: 'edge-1' }],
      },
    ],
    edges: [
      { id: 'edge-start', from: { eventId: 'event-start' }, to: { groupId: 'group-0' } },
      { id: 'edge-0', from: { blockId: 'input-0' }, to: { groupId: 'group-1' } },
      { id: 'edge-1', from: { blockId: 'shown' }, to: { groupId: 'group-0' } },
    ],
    variables: (document.variables as object[]).slice(0, 2),
  })
}

type Stretch = [first: number, last: number]

/** Results over the last 400 days, each started and with three answers; two of three are completed. */
async function addResults(client: pg.Client, botId: string, count: number, stretch: Stretch, now: Date) {
  if (stretch[0] > stretch[1]) return
  const series = `
    SELECT n, to_char(n, 'FM00000000000000000000000000') AS id,
      date_trunc('milliseconds', $5::timestamptz - n * (interval '400 days' / $2::int)) AS at
    FROM generate_series($3::int, $4::int) AS n`
  const values = [botId, count, ...stretch, now.toISOString()]
  await client.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, id, json_build_array(
        json_build_object('id', 'variable-0', 'name', 'Answer 0', 'value', 'Value of result ' || n),
        json_build_object('id', 'variable-1', 'name', 'Answer 1', 'value', 'ada' || n || '@example.com')
      ), true, n % 3 > 0, false, at, at
    FROM (${series}) series ORDER BY n DESC`,
    values,
  )
  await client.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, id, seq, 'input-' || seq, 'Answer ' || seq || ' of result ' || n || ', in a few words', at
    FROM (${series}) series, generate_series(0, 2) AS seq ORDER BY n DESC, seq`,
    values,
  )
}

const startChat = (api: Call, publicId: string) => api('POST', `/api/v1/bots/${publicId}/startChat`, {})

/** Copies of one chat that was answered once, with whatever columns its tables have. */
async function addChats(api: Call, client: pg.Client, publicId: string) {
  const { sessionId, resultId } = await startChat(api, publicId)
  await api('POST', `/api/v1/sessions/${sessionId}/continueChat`, { message: 'Good, thank you' })
  const copy = async (table: string, column: string, id: string) => {
    const { rows } = await client.query('SELECT to_regclass($1) AS name', [table])
    if (rows[0].name === null) return
    await client.query(
      `INSERT INTO ${table} SELECT copy.* FROM ${table} original, generate_series(1, ${SESSIONS}) n,
        LATERAL jsonb_populate_record(original, jsonb_build_object('${column}', 'seeded-' || n)) copy
      WHERE original.${column} = $1`,
      [id],
    )
  }
  await copy('chat_sessions', 'id', sessionId)
  await copy('chat_turns', 'session_id', sessionId)
  await copy('results', 'id', resultId)
  await copy('result_answers', 'result_id', resultId)
  await copy('result_transcripts', 'result_id', resultId)
}

/**
 * Waits until the days of a large bot are counted, and their blocks, as the service does it after the first look at
 * them.
 */
async function rollUp(api: Call, client: pg.Client, botId: string) {
  // With ten million results this may time out, but the bot is noted all the same.
  await api('GET', `/v1/bots/${botId}/analytics/stats`).catch((error) => {
    if (error.status !== 503) throw error
  })
  // Earlier releases do not count blocks.
  const blocks = await client.query(
    "SELECT FROM information_schema.columns WHERE table_name = 'bot_stats_daily' AND column_name = 'blocks_epoch'",
  )
  const counted =
    blocks.rowCount === 1 ? 'computed_epoch = epoch AND blocks_epoch = epoch' : 'computed_epoch = epoch'
  for (const deadline = Date.now() + 600_000; ; await sleep(200)) {
    const { rows } = await client.query(
      `SELECT count(*)::int AS days FROM bot_stats_daily WHERE bot_id = $1 AND ${counted}`,
      [botId],
    )
    if (rows[0].days >= 399) return
    if (Date.now() > deadline) throw new Error(`Only ${rows[0].days} days of the large bot were counted`)
  }
}
