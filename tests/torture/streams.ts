import { readFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, bot } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { createDatabase } from '../support/server.ts'
import { send } from './client.ts'
import { install, type Member } from './installation.ts'
import { promise } from './run.ts'

/*
 * Streams of events that are open at one process: their memory, their work while nothing happens, and the places they
 * leave.
 */

const MAX_STREAM_MEGABYTES = 100
const PLACES = 8
const STREAMS_PER_ADDRESS = 100
const SETTLE_MS = 5_000
const IDLE_MS = 20_000
const TICKS_PER_SECOND = 100

/** Opens `total` streams of chats that people handle; gives what they take in words. */
export async function holdStreams(total: number): Promise<string> {
  const database = await createDatabase()
  const installation = await install({
    databaseUrl: database.url,
    processes: 1,
    variables: { TRUST_PROXY: '1', CONCURRENT_REQUESTS: String(PLACES) },
  })
  const [member] = installation.members as [Member]
  const pid = member.program?.pid ?? 0
  const { token, workspaceId } = installation
  const streams: http.ClientRequest[] = []
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send(member.url, method, path, { token, body })
    promise(answer.status && answer.status < 300, `${path} was answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  try {
    const { id: _, ...document } = storable(bot({ Start: [ask()] }))
    const { bot: made } = await api('POST', '/v1/bots', {
      workspaceId,
      bot: { ...document, name: 'Streams' },
    })
    await api('POST', `/v1/bots/${made.id}/publish`, {})
    const { publicId } = (await api('GET', `/v1/bots/${made.id}`)).bot
    const sessionIds: string[] = []
    for (let number = 0; number < total; number++)
      sessionIds.push((await api('POST', `/api/v1/bots/${publicId}/startChat`, {})).sessionId)
    await installation.database.query(
      `UPDATE chat_sessions SET handled_by = 'waiting', handled_since = now()`,
    )
    await sleep(SETTLE_MS)
    const before = memoryOf(pid)
    const opened: (number | undefined)[] = []
    // As many at once as there are places: a stream has one until it is open.
    for (let from = 0; from < total; from += PLACES) {
      const these = sessionIds.slice(from, from + PLACES)
      const address = Math.floor(from / (STREAMS_PER_ADDRESS - PLACES))
      opened.push(...(await Promise.all(these.map((id) => openStream(member.url, id, address, streams)))))
    }
    promise(
      opened.every((status) => status === 200),
      `Streams were answered ${[...new Set(opened)]}`,
    )
    await sleep(SETTLE_MS)
    const begunTicks = ticksOf(pid)
    await sleep(IDLE_MS)
    const share = ((ticksOf(pid) - begunTicks) / TICKS_PER_SECOND / (IDLE_MS / 1_000)) * 100
    const took = memoryOf(pid) - before
    promise(took < MAX_STREAM_MEGABYTES, `${total} streams take ${took} MB`)
    const asked = await Promise.all(
      Array.from({ length: PLACES }, () => send(member.url, 'GET', `/v1/bots/${made.id}`, { token })),
    )
    promise(
      asked.every(({ status }) => status === 200),
      'Streams hold places of requests',
    )
    const slowest = Math.round(Math.max(...asked.map(({ start, end }) => end - start)))
    return `${total} open streams take ${took} MB, ${share.toFixed(1)} % of a core while nothing happens, and none of ${PLACES} places: as many requests at once took ${slowest} ms at most`
  } finally {
    for (const stream of streams) stream.destroy()
    await installation.stop()
    await database.drop()
  }
}

/** Opens a stream, and reads it for as long as it is there. Resolves with the status once its first event has come. */
function openStream(url: string, sessionId: string, address: number, streams: http.ClientRequest[]) {
  return new Promise<number | undefined>((resolve) => {
    const headers = { accept: 'text/event-stream', 'x-forwarded-for': `10.0.0.${address}` }
    const request = http.get(
      `${url}/api/v1/sessions/${sessionId}/events`,
      { agent: false, headers },
      (response) => {
        response.on('data', () => resolve(response.statusCode)).on('error', () => {})
        response.on('end', () => resolve(response.statusCode))
      },
    )
    request.on('error', () => resolve(undefined))
    streams.push(request)
  })
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}

/** Clock ticks that a process has worked. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
