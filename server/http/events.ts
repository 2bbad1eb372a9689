import type express from 'express'
import type { Operation } from '../../contract/operation.ts'
import type { HttpResponse } from './response.ts'

/*
 * Responses as server-sent events. A running turn does not wait for the reader: one that is slow or closes the
 * connection misses events, and gets the same response by repeating the request.
 */

const mediaType = 'text/event-stream'
/** So much may wait for a reader; what comes then is left out, since the last event has it all. */
const MAX_WAITING_BYTES = 262_144
/** Maximum time without an event, in milliseconds, since proxies close silent connections. */
const KEEPALIVE_INTERVAL_MS = 15_000

/** True if the caller accepts events and the operation has them. */
export function acceptsEvents({ success }: Operation, request: express.Request): boolean {
  if (success.otherMedia?.mediaType !== mediaType) return false
  return (request.headers.accept ?? '').split(',').some((part) => {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return type === mediaType && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
  })
}

export class Events {
  readonly #response: express.Response
  #isOpen = false
  #beating: NodeJS.Timeout | undefined

  constructor(response: express.Response) {
    this.#response = response
  }

  /** From now on the answer is a stream, unless it is refused before its first event. */
  open(): (event: { type: string }) => void {
    this.#isOpen = true
    this.#beating ??= setInterval(() => this.#write(': still here\n\n'), KEEPALIVE_INTERVAL_MS).unref()
    return (event) => this.#write(eventText(event))
  }

  /** Sends the answer as the last event; false where it is to be sent as it is. */
  end(answer: HttpResponse): boolean {
    clearInterval(this.#beating)
    const isRefused = answer.status >= 400
    if (!this.#isOpen || (isRefused && !this.#response.headersSent)) return false
    const body = JSON.parse(textOf(answer.body)) as unknown
    const last = isRefused
      ? { type: 'error', status: answer.status, error: body }
      : { type: 'answer', answer: body }
    this.#writeHead(answer.headers)
    this.#response.end(eventText(last))
    return true
  }

  /** Stops the stream after a failure of the handler. */
  stop(): void {
    clearInterval(this.#beating)
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableLength > MAX_WAITING_BYTES) return
    this.#writeHead({})
    this.#response.write(text)
  }

  #writeHead(headers: Record<string, string>): void {
    if (this.#response.headersSent) return
    this.#response.statusCode = 200
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value)
    this.#response.setHeader('Content-Type', `${mediaType}; charset=utf-8`)
    this.#response.setHeader('Cache-Control', 'no-store, no-transform')
    // Proxies that collect answers send this one as it comes.
    this.#response.setHeader('X-Accel-Buffering', 'no')
    this.#response.flushHeaders()
  }
}

function eventText(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function textOf(body: HttpResponse['body']): string {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) return Buffer.concat(body).toString('utf8')
  throw new Error('A stream of text is no event')
}
