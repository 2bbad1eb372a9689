import http from 'node:http'
import { Duplex } from 'node:stream'
import type express from 'express'

/*
 * Requests of a handler to other operations. Each goes over a connection within the process and is treated as a
 * request from outside: the same limits, checks, rejections, log lines and audit entries.
 */

/** Headers that identify the caller and its address. */
const forwarded = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']

/** A request to another operation; `target` is its path with the query, `body` is sent as JSON. */
export interface InnerRequest {
  method: string
  target: string
  headers?: Record<string, string>
  body?: unknown
}

export interface InnerResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
}

/** Sends a request to another operation, in the name of the caller. */
export type Dispatch = (request: InnerRequest) => Promise<InnerResponse>

/** Sends a request in the name of the sender of another one, and waits for the complete response. */
export function dispatch(
  origin: express.Request,
  { method, target, headers = {}, body }: InnerRequest,
): Promise<InnerResponse> {
  const server = origin.app.locals.server as http.Server
  const [near, far] = connect(origin.socket.remoteAddress)
  server.emit('connection', far)
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const own = Object.fromEntries(
    forwarded.flatMap((name) => {
      const value = origin.headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const request = http.request({
    createConnection: () => near as never,
    method,
    path: target,
    headers: {
      ...own,
      ...headers,
      'X-Request-Id': origin.res?.locals.requestId as string,
      Connection: 'close',
      ...(bytes && { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
    },
  })
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode as number,
          headers: response.headers as Record<string, string>,
          text: Buffer.concat(pieces).toString(),
        }),
      )
    })
    request.end(bytes)
  })
}

/** Two ends of a connection without a socket. */
function connect(remoteAddress: string | undefined): [Duplex, Duplex] {
  const ends: Duplex[] = []
  const createEnd = (other: 0 | 1) =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        ends[other]?.push(chunk)
        done()
      },
      final(done) {
        ends[other]?.push(null)
        done()
      },
      destroy(error, done) {
        // A connection that one side closes is over for the other one.
        ends[other]?.destroy()
        done(error)
      },
    })
  ends.push(createEnd(1), createEnd(0))
  const [near, far] = ends as [Duplex, Duplex]
  return [near, Object.assign(far, { remoteAddress })]
}
