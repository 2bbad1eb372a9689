import { fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { attacks, type Means } from './attacks.ts'
import { openDatabaseServer } from './database.ts'
import { makeDocument } from './documents.ts'
import { Processes, serviceVariables, type Target } from './processes.ts'
import { median, quantile } from './rounds.ts'
import { callOn } from './seed.ts'
import { makeTokens } from './tokens.ts'

/*
 * One caller beside another who takes all that the default limits allow: what the first one's requests take alone and
 * beside each attack, how many are rejected, the memory of the process, and how long until all is as before. Words name
 * attacks; without any, all are tried. Run `npm run build` before.
 */

const QUIET_PHASE_MS = 5_000
const ATTACK_MS = 12_000
/** Maximum wait for the end of an attack, in milliseconds. */
const AFTER_MS = 60_000
const PAUSE_MS = 50
/** Bounds for a victim: a multiple of its quiet median, and the memory of the process in MB. */
const MAX_TIMES = 3
const MAX_MEMORY_MB = 600
const MEGABYTE = 1024 * 1024

const wanted = process.argv.slice(2)
const say = (text: string) => process.stdout.write(`${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'bots-bench-'))
const processes = new Processes(folder)
/** Takes ten seconds for each request. */
const slow = createServer((_request, response) => void setTimeout(() => response.end('{}'), 10_000))
await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
const slowHost = `127.0.0.1:${(slow.address() as AddressInfo).port}`
/** A name server that answers nothing. */
const silent = createSocket('udp4')
await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
/** Loaded into the service: names that bots and endpoints have are asked of that one. */
const useSilent = `
  import dns from 'node:dns/promises'
  import { syncBuiltinESMExports } from 'node:module'
  dns.Resolver = class extends dns.Resolver {
    constructor(options) {
      super(options)
      this.setServers(['127.0.0.1:${silent.address().port}'])
    }
  }
  syncBuiltinESMExports()`
const database = await openDatabaseServer(folder)
try {
  await run()
} finally {
  await processes.stop()
  await database.remove()
  slow.closeAllConnections()
  slow.close()
  silent.close()
  await rm(folder, { recursive: true, force: true })
}

async function run() {
  const url = await database.create()
  const [victim, attacker] = (await makeTokens(url, 2)) as [string, string]
  const unlimited = serviceVariables(url, slowHost)
  const { RATE_LIMIT: _, ...limited } = unlimited
  const start = (name: string, variables: Record<string, string> = limited) => {
    const preload = `data:text/javascript,${encodeURIComponent(useSilent)}`
    const args = ['--enable-source-maps', '--import', preload, 'dist/server/main.js']
    return processes.server(name, args, variables, { path: '/readyz' })
  }
  // It makes more in two seconds than a caller may.
  const filler = await start('filler', unlimited)
  const means = await makeMeans(filler, attacker, url)
  const own = await makeVictim(filler, victim)
  await filler.stop()
  const client = new pg.Client({ connectionString: url })
  // A failed run stops the server before this connection; the reason of the failure must stay visible.
  client.on('error', () => {})
  await client.connect()

  say(
    '| Attack | Median alone, ms | Beside it, ms | Times | p99 alone, ms | Beside it, ms | Refused | Memory at rest, most, 60 s later, MB | Normal again after, s | The attacker got |',
  )
  say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |')
  let isFair = true
  for (const name of Object.keys(attacks).filter((each) => wanted.length === 0 || wanted.includes(each))) {
    // Each meets a process of its own, whose memory is its own doing.
    await client.query('DELETE FROM webhook_deliveries; DELETE FROM webhook_outbox')
    const target = await start(name.replaceAll(' ', '-'))
    isFair = (await beside(name, target, own, { ...means, port: target.port })) && isFair
    await target.stop()
  }
  await client.end()
  say(
    isFair
      ? 'All as promised.'
      : `Not as promised: more than ${MAX_TIMES} times, refused, or ${MAX_MEMORY_MB} MB.`,
  )
  if (!isFair) process.exitCode = 1
}

interface Victim {
  token: string
  botId: string
  publicId: string
}

interface Reads {
  times: number[]
  refused: number
}

async function beside(name: string, target: Target, victim: Victim, means: Means): Promise<boolean> {
  await ask(target, victim, 2_000, () => true)
  const alone = await ask(target, victim, QUIET_PHASE_MS, () => true)
  const atRest = (await target.usage()).memory
  let most = atRest
  const watching = setInterval(() => {
    void target.usage().then(({ memory }) => {
      most = Math.max(most, memory)
    })
  }, 500)
  const child = fork(fileURLToPath(new URL('attacks.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ATTACK: name, MEANS: JSON.stringify(means) },
  })
  await sleep(2_000)
  const amid = await ask(target, victim, ATTACK_MS, () => true)
  child.send('stop')
  const [got] = (await once(child, 'message')) as [Record<string, number>]
  child.kill('SIGKILL')
  const ended = performance.now()
  const quiet = median(alone.times)
  const last: number[] = []
  await ask(target, victim, AFTER_MS, (time) => {
    last.push(time)
    return last.length < 20 || median(last.slice(-20)) > 1.5 * quiet
  })
  const normalAfter = (performance.now() - ended) / 1000
  const isHeld = async () => (await target.usage()).memory > atRest + 100 * MEGABYTE
  while (performance.now() - ended < AFTER_MS && (await isHeld())) await sleep(1_000)
  clearInterval(watching)
  const later = (await target.usage()).memory
  const times = median(amid.times) / quiet
  const ms = (value: number) => value.toFixed(1)
  const mb = (bytes: number) => Math.round(bytes / MEGABYTE)
  say(
    `| ${name} | ${ms(quiet)} | ${ms(median(amid.times))} | ${times.toFixed(1)} | ${ms(quantile(alone.times, 0.99))} | ${ms(quantile(amid.times, 0.99))} | ${amid.refused} of ${amid.times.length} | ${mb(atRest)}, ${mb(most)}, ${mb(later)} | ${normalAfter.toFixed(1)} | ${JSON.stringify(got).replaceAll('"', '')} |`,
  )
  return times <= MAX_TIMES && amid.refused === 0 && mb(most) <= MAX_MEMORY_MB
}

/** Reads, writes and chats in turn, one after the other, for so long or while `goesOn` says so of each time. */
async function ask(
  { port }: Target,
  victim: Victim,
  milliseconds: number,
  goesOn: (time: number) => boolean,
): Promise<Reads> {
  const reads: Reads = { times: [], refused: 0 }
  const headers = { Authorization: `Bearer ${victim.token}` }
  const json = { 'Content-Type': 'application/json' }
  const base = `http://127.0.0.1:${port}`
  const requests = [
    () => fetch(`${base}/v1/bots/${victim.botId}`, { headers }),
    () => fetch(`${base}/v1/bots/${victim.botId}/results`, { headers }),
    () =>
      fetch(`${base}/api/v1/bots/${victim.publicId}/startChat`, {
        method: 'POST',
        headers: json,
        body: '{}',
      }),
  ]
  let isOver = false
  for (let at = 0, end = performance.now() + milliseconds; performance.now() < end && !isOver; at++) {
    const begun = performance.now()
    const response = await (requests[at % requests.length] as () => Promise<Response>)()
    await response.arrayBuffer()
    const time = performance.now() - begun
    reads.times.push(time)
    if (!response.ok) reads.refused++
    isOver = !goesOn(time)
    await sleep(PAUSE_MS)
  }
  return reads
}

/** A bot that asks for a word and then does what the blocks do. */
function asking(blocks: object[], variables: object[] = []) {
  return {
    version: '6.1',
    events: [{ id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 }, outgoingEdgeId: 'e' }],
    edges: [{ id: 'e', from: { eventId: 'start' }, to: { groupId: 'g' } }],
    groups: [
      {
        id: 'g',
        title: 'Start',
        graphCoordinates: { x: 0, y: 0 },
        blocks: [{ id: 'ask', type: 'text input', options: {} }, ...blocks],
      },
    ],
    variables,
    theme: {},
    settings: {},
  }
}

async function makeMeans(target: Target, token: string, url: string): Promise<Means> {
  const api = callOn(target, token)
  const { workspace } = await api('POST', '/v1/workspaces', { name: 'Attacker' })
  const add = async (name: string, document: object, workspaceId = workspace.id) =>
    (await api('POST', '/v1/bots', { workspaceId, bot: { name, ...document } })).bot.id as string
  /** A workspace with 20 endpoints. */
  const addTold = async (urlOf: (at: number) => string, types?: string[]) => {
    const { workspace } = await api('POST', '/v1/workspaces', { name: 'Told' })
    for (let at = 0; at < 20; at++)
      await api('POST', `/v1/workspaces/${workspace.id}/webhookEndpoints`, { url: urlOf(at), types })
    return workspace.id as string
  }
  const publish = async (id: string) => {
    await api('POST', `/v1/bots/${id}/publish`)
    return (await api('GET', `/v1/bots/${id}`)).bot.publicId as string
  }
  const call = {
    id: 'call',
    type: 'Webhook',
    options: { timeout: 60, webhook: { url: `http://${slowHost}/` } },
  }
  const list = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => `item ${at}`))
  const comparisons = Array.from({ length: 100 }, (_, at) => ({
    id: `c${at}`,
    variableId: 'list',
    comparisonOperator: 'Contains',
    value: `{{Other}} ${at}`,
  }))
  const lists = asking(
    [
      ...['list', 'other'].map((variableId) => ({
        id: `set-${variableId}`,
        type: 'Set variable',
        options: { variableId, expressionToEvaluate: list, isCode: true },
      })),
      {
        id: 'if',
        type: 'Condition',
        items: [{ id: 'i', content: { logicalOperator: 'OR', comparisons } }],
      },
    ],
    [
      { id: 'list', name: 'List' },
      { id: 'other', name: 'Other' },
    ],
  )
  const large = await add('Large', { version: '6', ...makeDocument(2_000_000) })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'result-' || n, json_build_array(json_build_object('id', 'v', 'name', 'V', 'value', repeat('x', 80000))),
      true, false, false, now() - n * interval '1 minute', now() FROM generate_series(1, 1000) n`,
    [large],
  )
  await client.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, 'result-' || n, 0, 'b', repeat('an answer ', 2000), now() FROM generate_series(1, 1000) n`,
    [large],
  )
  const long = await add('Long', { version: '6.1', ...makeDocument(5_000) })
  await client.query(
    `INSERT INTO results (bot_id, id, variables, has_started, is_completed, is_archived, created_at, updated_at)
    SELECT $1, 'result-' || n, '[]', true, false, false, now() - n * interval '1 minute', now() FROM generate_series(1, 200) n`,
    [long],
  )
  await client.query(
    `INSERT INTO result_answers (bot_id, result_id, seq, block_id, content, created_at)
    SELECT $1, 'result-' || n, seq, 'b', repeat('long ', 50000), now()
    FROM generate_series(1, 200) n, generate_series(0, 7) seq`,
    [long],
  )
  await client.end()
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`a${at}VariableId`, 'x']))
  const slowReceiver = (at: number) => `http://${slowHost}/${at}`
  const told = await addTold(slowReceiver, ['result.answered'])
  return {
    unnamed: await publish(
      await add(
        'Unnamed',
        asking([{ ...call, options: { ...call.options, webhook: { url: 'http://silent.example.com/' } } }]),
      ),
    ),
    files: await publish(await add('Files', asking([{ id: 'file', type: 'file input', options: {} }]))),
    told: await publish(await add('Told', asking([]), told)),
    long,
    deep: await add(
      'Deep',
      asking([{ id: 'deep', type: 'Code', options: { content: '1', ['k'.repeat(200_000)]: unknown } }]),
    ),
    unnamedEndpoints: await addTold((at) => `https://silent-${at}.example.com/`),
    slowEndpoints: await Promise.all(Array.from({ length: 5 }, () => addTold(slowReceiver))),
    port: target.port,
    token,
    workspaceId: workspace.id,
    slow: await publish(await add('Slow', asking([call]))),
    lists: await publish(await add('Lists', lists)),
    large,
  }
}

async function makeVictim(target: Target, token: string): Promise<Victim> {
  const api = callOn(target, token)
  const { workspace } = await api('POST', '/v1/workspaces', { name: 'Victim' })
  const document = { version: '6.1', ...makeDocument(5_000) }
  const { bot } = await api('POST', '/v1/bots', {
    workspaceId: workspace.id,
    bot: { name: 'Own', ...document },
  })
  await api('POST', `/v1/bots/${bot.id}/publish`)
  const { publicId } = (await api('GET', `/v1/bots/${bot.id}`)).bot
  return { token, botId: bot.id, publicId }
}
