import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ask, bot } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { addressOf, freePort, newDataFolder, type Service, startService, until } from '../support/process.ts'
import { type Answer, hangUp, isUnsettled, send } from './client.ts'
import type { Random } from './random.ts'
import { promise } from './run.ts'

/*
 * Visitors answer, and their result is deleted 0 to 10 ms after each answer was sent, while one of two processes is
 * killed again and again. Afterwards none of their texts is in a table or a file, and nothing of a result was posted
 * after its
 * `results.deleted`.
 */

/** Every text of a visitor begins with it. */
const SECRET = 'confided'

const flow = storable(
  bot({ Start: [ask('One'), ask('Two'), ask('Three')] }, { variables: ['One', 'Two', 'Three', 'Four'] }),
)

interface Receiver {
  host: string
  /** Ids of results of which something was posted after `results.deleted`. */
  late: string[]
  posted: Record<string, number>
  close(): void
}

/** Takes events, and notes what comes after the deletion of its result. */
async function receive(): Promise<Receiver> {
  const deleted = new Set<string>()
  const late: string[] = []
  const posted: Record<string, number> = {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    // Its process may be killed on the way.
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString())
    posted[type] = (posted[type] ?? 0) + 1
    if (type.startsWith('result.') && deleted.has(data.id)) late.push(`${type} ${data.id}`)
    if (type === 'results.deleted') for (const id of data.resultIds ?? []) deleted.add(id)
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    late,
    posted,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Deletes `total` results, `width` at a time; gives what came of it in words. */
export async function deleteUnderKills(
  { total, width = 20, killEveryMs = 3_000 }: { total: number; width?: number; killEveryMs?: number },
  random: Random,
): Promise<string> {
  const receiver = await receive()
  const DATA_DIR = await newDataFolder()
  const ports = [String(await freePort()), String(await freePort())]
  const start = (PORT: string) =>
    startService({ DATA_DIR, PORT, LOG_LEVEL: 'info', OUTBOUND_ALLOWED_HOSTS: receiver.host })
  const first = await start(ports[0] as string)
  const services: (Service | undefined)[] = [first, await start(ports[1] as string)]
  const token = first.token ?? ''
  const url = (place: number) => `http://127.0.0.1:${ports[place % 2]}`
  const isOver = new AbortController()

  /** Sends a request until it has an outcome, to one process after the other. */
  async function settle(place: number, method: string, path: string, sent: Parameters<typeof send>[3] = {}) {
    for (let attempt = 0; ; attempt++) {
      const answer = await send(url(place + attempt), method, path, sent)
      if (!isUnsettled(answer)) return answer
      await sleep(50)
    }
  }
  const api = async (method: string, path: string, body?: object) => {
    const answer = await settle(0, method, path, { token, body })
    promise(answer.status && answer.status < 300, `${path} was answered ${answer.status}: ${answer.text}`)
    return answer.body
  }

  const { workspaces } = await api('GET', '/v1/workspaces')
  const workspaceId = workspaces[0].id
  const endpoint = { url: `http://${receiver.host}/hook` }
  await api('POST', `/v1/workspaces/${workspaceId}/webhookEndpoints`, endpoint)
  const { id: _, ...document } = flow
  const made = await api('POST', '/v1/bots', { workspaceId, bot: { ...document, name: 'Deleted' } })
  const botId = made.bot.id
  await api('POST', `/v1/bots/${botId}/publish`, {})
  const { publicId } = (await api('GET', `/v1/bots/${botId}`)).bot

  const waits: number[] = []
  const statuses: Record<string, number> = {}
  const note = ({ status }: Answer) => {
    const name = String(status ?? 'lost')
    statuses[name] = (statuses[name] ?? 0) + 1
  }

  async function visit(nth: number) {
    const secret = `${SECRET}-${nth}-${randomUUID()}`
    const started = await settle(nth, 'POST', `/api/v1/bots/${publicId}/startChat`, {
      headers: { 'Idempotency-Key': randomUUID() },
      body: { prefilledVariables: { Four: `${secret} prefilled` } },
    })
    promise(started.status === 200, `A start was answered ${started.status}: ${started.text}`)
    const { sessionId, resultId } = started.body
    if (nth % 10 === 0)
      await fetch(`${url(nth)}/api/v1/sessions/${sessionId}/uploads?fileName=note.txt`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: `${secret} uploaded`,
      }).catch(() => undefined)
    // One answer that is written, and one that is on its way when the deletion comes.
    if (nth % 2 === 0)
      note(
        await send(url(nth), 'POST', `/api/v1/sessions/${sessionId}/continueChat`, {
          body: { message: `${secret} first` },
        }),
      )
    const answered = send(url(nth), 'POST', `/api/v1/sessions/${sessionId}/continueChat`, {
      body: { message: `${secret} second` },
    })
    const wait = random.float() * 10
    waits.push(wait)
    await sleep(wait)
    const path = `/v1/bots/${botId}/results?resultIds=${resultId}`
    const deleted = await settle(nth + 1, 'DELETE', path, { token })
    promise(deleted.status === 200, `A deletion was answered ${deleted.status}: ${deleted.text}`)
    note(await answered)
  }

  let kills = 0
  async function killAgainAndAgain() {
    while (!isOver.signal.aborted) {
      await sleep(killEveryMs, undefined, { signal: isOver.signal }).catch(() => {})
      if (isOver.signal.aborted) return
      const place = kills++ % 2
      services[place]?.signal('SIGKILL')
      await services[place]?.ended
      services[place] = await start(ports[place] as string)
    }
  }

  const database = new pg.Pool({ connectionString: await addressOf(DATA_DIR), max: 2 })
  database.on('error', () => {})
  /** A connection may break as those of the service do. */
  const query = async (text: string) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await database.query(text)
      } catch (error) {
        if (attempt === 20) throw error
        await sleep(500)
      }
    }
  }
  try {
    const killing = killAgainAndAgain()
    let next = 0
    const visitors = Array.from({ length: width }, async () => {
      while (next < total) await visit(next++)
    })
    // A visit that fails ends the trial, and with it a process that is being started: the failure of the visit counts.
    await Promise.all([Promise.all(visitors).finally(() => isOver.abort()), killing])

    const left = async (text: string) => Number((await query(text)).rows[0].count)
    // The later passes of the erasure, without their waits: nothing is under way any more once the first are done.
    await until('everything is erased', async () => {
      await query(`UPDATE result_erasures SET due_at = now() WHERE passes > 0`)
      await query(`UPDATE uploads SET remove_at = now() WHERE remove_at > now()`)
      return (
        (await left('SELECT count(*) FROM result_erasures')) + (await left('SELECT count(*) FROM purges')) ===
        0
      )
    })
    await until('everything is posted', async () => {
      await query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at > now()`)
      return (
        (await left('SELECT count(*) FROM webhook_outbox')) +
          (await left('SELECT count(*) FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL')) +
          (await left('SELECT count(*) FROM uploads')) ===
        0
      )
    })

    const found = await textsIn(database, SECRET)
    promise(Object.keys(found).length === 0, `Texts are left in ${JSON.stringify(found)}`)
    // Encoded columns show no text, so there must be no row.
    for (const table of [
      'results',
      'result_answers',
      'result_logs',
      'result_transcripts',
      'chat_sessions',
      'chat_turns',
    ])
      promise((await left(`SELECT count(*) FROM ${table}`)) === 0, `Rows are left in ${table}`)
    promise(
      (await left('SELECT count(*) FROM bot_idempotency_keys WHERE body IS NOT NULL')) +
        (await left('SELECT count(*) FROM bot_idempotency_responses')) ===
        0,
      'Responses of keys are left',
    )
    const folder = join(DATA_DIR, 'files')
    const kept = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
    const files = kept
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(SECRET))
    promise(files.length === 0, `${files.length} files are left`)
    for (const service of services)
      promise(!service?.output().includes(SECRET), 'A text of a visitor is in the log')
    promise(
      receiver.late.length === 0,
      `Posted after results.deleted: ${receiver.late.slice(0, 5).join(', ')}`,
    )
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
    return `${total} results deleted ${mean.toFixed(1)} ms after their answers on average, ${kills} kills, answers ${JSON.stringify(
      statuses,
    )}, posted ${JSON.stringify(receiver.posted)}, nothing left, nothing posted late`
  } finally {
    isOver.abort()
    await database.end()
    receiver.close()
    hangUp()
  }
}

/** Tables with the number of rows that have a text, as it is or in bytes. */
async function textsIn(database: pg.Pool, text: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  const { rows } = await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  const hex = Buffer.from(text).toString('hex')
  for (const { tablename } of rows) {
    const { rows } = await database.query(
      `SELECT count(*)::int FROM "${tablename}" t WHERE t::text LIKE $1 OR t::text LIKE $2`,
      [`%${text}%`, `%${hex}%`],
    )
    if (rows[0].count > 0) found[tablename] = rows[0].count
  }
  return found
}
