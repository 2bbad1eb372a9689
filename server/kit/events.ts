import type express from 'express'
import type { Operation } from '../../contract/kit/operation.ts'
import { eventStream, type HttpResponse, LARGE_BODY_BYTES, waitForDrain, writeLarge } from './response.ts'
import type { Budget } from './shares/budget.ts'

/*
 * Responses as server-sent events. A running turn does not wait for the reader: one that is slow or closes the
 * connection misses events, and gets the same response by repeating the request.
 */

/** Maximum bytes that wait for a reader. Further events are dropped, since the last event has the whole state. */
const MAX_WAITING_BYTES = 262_144
/** Maximum time without an event, in milliseconds, since proxies close silent connections. */
const KEEPALIVE_INTERVAL_MS = 15_000

/** True if the caller accepts events and the operation has them. */
export function acceptsEvents({ success }: Operation, request: express.Request): boolean {
  if (success.otherMedia?.mediaType !== eventStream) return false
  return (request.headers.accept ?? '').split(',').some((part) => {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return type === eventStream && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
  })
}

export class Events {
  readonly #response: express.Response
  #isOpen = false
  #beating: NodeJS.Timeout | undefined

  constructor(response: express.Response) {
    this.#response = response
  }

  /** Makes the response a stream, unless the request is rejected before the first event. */
  open(): (event: { type: string }) => void {
    this.#isOpen = true
    this.#beating ??= setInterval(() => this.#write(': still here\n\n'), KEEPALIVE_INTERVAL_MS).unref()
    return (event) => this.#write(eventText(event))
  }

  /** Sends the response as the last event; false if it has to be sent as it is. */
  end(answer: HttpResponse): boolean {
    clearInterval(this.#beating)
    const isRejected = answer.status >= 400
    if (!this.#isOpen || (isRejected && !this.#response.headersSent)) return false
    const body = JSON.parse(textOf(answer.body)) as unknown
    const last = isRejected
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
    writeStreamHead(this.#response)
  }
}

function writeStreamHead(response: express.Response) {
  response.setHeader('Content-Type', `${eventStream}; charset=utf-8`)
  response.setHeader('Cache-Control', 'no-store, no-transform')
  // Proxies that buffer responses send this one as it comes.
  response.setHeader('X-Accel-Buffering', 'no')
  response.flushHeaders()
}

/** Responses that go on until their reader leaves. A process that stops does not wait for them. */
const endless = new WeakSet<object>()

export const isEndless = (response: object): boolean => endless.has(response)

/**
 * Sends events as they come, each once the reader has taken the one before. Where the budget has no room for a large
 * one, the stream ends, and its reader connects again.
 */
export async function sendEvents(
  response: express.Response,
  pieces: AsyncIterable<string>,
  budget: Budget,
): Promise<void> {
  const events = pieces[Symbol.asyncIterator]()
  const close = () => void events.return?.()
  endless.add(response)
  response.once('close', close)
  try {
    if (response.destroyed || response.req.method === 'HEAD') return
    for (let next = await events.next(); !next.done && !response.destroyed; next = await events.next()) {
      if (!response.headersSent) writeStreamHead(response)
      if (!(await writeEvents(response, next.value, budget))) return
    }
  } finally {
    response.off('close', close)
    close()
    if (!response.headersSent && !response.destroyed && response.req.method === 'HEAD')
      writeStreamHead(response)
    // A failure after the head can only end the stream; its reader then reconnects.
    if (response.headersSent) response.end()
  }
}

/** False where there is no room. */
async function writeEvents(response: express.Response, text: string, budget: Budget): Promise<boolean> {
  if (text.length < LARGE_BODY_BYTES) {
    if (!response.write(text)) await waitForDrain(response)
    return true
  }
  const bytes = Buffer.from(text)
  const { owner, tenant = '' } = response.locals
  const holding = budget.open(owner ?? tenant, () => response.destroy())
  try {
    if (!holding.add(bytes.length)) return false
    await writeLarge(response, bytes, holding)
    return true
  } finally {
    holding.end()
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
