import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { send } from './client.ts'

/**
 * A load balancer as plain as they get: asks each process every 100 ms whether it is ready, sends a request to one that
 * was, in turn, and never sends one twice.
 */
export async function balance(urls: string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const agent = new http.Agent({ keepAlive: true })
  const isReady = new Map<string, boolean>()
  const probe = async (url: string) => {
    const { status, isUnsent } = await send(url, 'GET', '/readyz', { patience: 1_000 })
    // A process that responds slowly, on a busy machine, stays in service.
    if (status !== undefined || isUnsent) isReady.set(url, status === 200)
  }
  await Promise.all(urls.map(probe))
  const probing = setInterval(() => void Promise.all(urls.map(probe)), 100)
  let turn = 0
  const server = http.createServer((request, response) => {
    const living = urls.filter((url) => isReady.get(url))
    const url = living[turn++ % Math.max(1, living.length)]
    if (url === undefined) return void response.writeHead(502).end('Nobody is ready')
    const { method, headers, url: path } = request
    const passed = http.request(url + path, { method, headers, agent }, (answer) => {
      const { connection: _, 'keep-alive': __, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 502, rest)
      answer.pipe(response)
    })
    passed.on('error', (error) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end(error.message)
    })
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      clearInterval(probing)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}
