import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * Servers that the service calls while it is measured: a language model that streams one sentence in pieces, and a
 * receiver of events. Both respond at once.
 */

const PIECES = 24

const piece = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })}\n\n`
const last = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const said = Array.from({ length: PIECES }, (_, at) => piece(`word ${at} `))

export interface Receiver {
  /** `host:port` */
  host: string
  stop(): void
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      if (!request.url?.startsWith('/v1/')) return response.writeHead(204).end()
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for (const each of said) response.write(each)
      response.end(last)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
