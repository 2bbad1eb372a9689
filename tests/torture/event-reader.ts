import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/process.ts'
import type { Said } from './people-history.ts'

/* A client of the events of a session, as a browser is one: it comes back with the last id that it has. */

const RECONNECT_DELAY_MS = 200

interface Event {
  type: string
  id: string
  turns?: unknown[]
  said?: unknown[]
  step?: { messages: unknown[] }
}

interface EventReader {
  /** Everything that was said, in the order of its events. */
  said: Said[]
  /** Waits until the event with this id, or one after it, has come. */
  until(id: string): Promise<void>
  stop(): void
}

/** Reads events from the beginning of a session. `urlOf` gives the process for each connection. */
export function readEvents(
  urlOf: () => string,
  sessionId: string,
  saidOf: (turn: never) => Said,
): EventReader {
  const said: Said[] = []
  let lastId = '0.0'
  let isStopped = false
  let request: http.ClientRequest | undefined
  const take = ({ type, id, turns = [], said: own = [], step }: Event) => {
    lastId = id
    const shown =
      type === 'turn'
        ? [...own, ...(step?.messages ?? []).map((message) => ({ role: 'bot', message }))]
        : turns
    said.push(...shown.map((turn) => saidOf(turn as never)))
  }
  const connect = () =>
    new Promise<void>((resolve) => {
      let text = ''
      request = http.get(
        `${urlOf()}/api/v1/sessions/${sessionId}/events`,
        { agent: false, headers: { accept: 'text/event-stream', 'last-event-id': lastId } },
        (response) => {
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
            for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
              const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
              text = text.slice(end + 2)
              if (data) take(JSON.parse(data))
            }
          })
          response.on('close', resolve).on('error', () => resolve())
        },
      )
      request.on('error', () => resolve())
    })
  void (async () => {
    while (!isStopped) {
      await connect()
      await sleep(RECONNECT_DELAY_MS)
    }
  })()
  const isBehind = (id: string) => {
    const [revision = 0, ordinal = 0] = id.split('.').map(Number)
    const [ownRevision = 0, ownOrdinal = 0] = lastId.split('.').map(Number)
    return ownRevision < revision || ownOrdinal < ordinal
  }
  return {
    said,
    until: (id) => until('the stream has everything', () => !isBehind(id)),
    stop() {
      isStopped = true
      request?.destroy()
    },
  }
}
