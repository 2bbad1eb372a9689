import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/*
 * Responses that are sent before the body of their request was read. Some callers read a response only after they
 * have sent the whole body, so the rest of it is read and dropped, within bounds.
 */

/** Maximum length of an unread body whose connection stays; a longer one, or one in chunks, ends it. */
export const MAX_DRAINED_BYTES = 256 * 1024

/** Maximum bytes that are read and dropped after a response that ends its connection. */
const MAX_LINGER_BYTES = 64 * 1024 * 1024

/** Time for which they are read, in milliseconds: at most, and without a byte. */
const MAX_LINGER_MS = 10_000
const MAX_LINGER_SILENCE_MS = 2_000

/** Interval at which bytes and time are checked, in milliseconds. */
const LINGER_CHECK_MS = 100

/** Decides about the rest of a body, right before the head of the response is written. */
export function settleBody(request: IncomingMessage, response: ServerResponse) {
  if (request.complete || !hasBody(request)) return
  const { headers, socket } = request
  const isShort = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= MAX_DRAINED_BYTES
  // The parser of Node drops data that comes together with the end of a body, if its request wanted an upgrade. A
  // caller that waits for permission may or may not send the body, so the start of its next request is unknown.
  if (!isShort || headers.upgrade !== undefined || headers.expect !== undefined)
    response.setHeader('Connection', 'close')
  // Node calls it behind a response that ends the connection. An immediate close would reset the connection before
  // the caller has read the response.
  const gently = () => {
    request.resume()
    closeGently(socket)
  }
  socket.destroySoon = gently
  // A pipelined request may have set its own meanwhile.
  request.once('close', () => {
    if (socket.destroySoon === gently) Reflect.deleteProperty(socket, 'destroySoon')
  })
}

/** Ends a connection behind its last bytes, and destroys it a little later, for its caller to read them. */
export function closeGently(socket: Duplex, last = '') {
  // A connection within the process loses nothing.
  if (!(socket instanceof Socket)) return void socket.end(last)
  const start = performance.now()
  const before = socket.bytesRead
  socket.end(last)
  socket.setTimeout(MAX_LINGER_SILENCE_MS)
  const timer = setInterval(() => {
    if (performance.now() - start > MAX_LINGER_MS || socket.bytesRead - before > MAX_LINGER_BYTES)
      socket.destroy()
  }, LINGER_CHECK_MS).unref()
  socket.once('close', () => clearInterval(timer))
}

/** True if the head of a request announces a body. A body of no bytes counts as none, whatever its other headers. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
