import { connect } from 'node:net'

/*
 * The client, in a process of its own: as many connections as it is told, each sending its next request when
 * the last one is answered. It speaks just enough HTTP for what the servers send, so that it takes little of
 * the machine away from them.
 */

export interface Load {
  port: number
  connections: number
  milliseconds: number
  method: string
  /** `{sessionId}` is replaced by one of `sessionIds`, or by the id that `setup` gives, one for each connection. */
  target: string
  sessionIds?: string[]
  headers: Record<string, string>
  body?: string
  setup?: { method: string; target: string; body: string }
}

export interface Outcome {
  requests: number
  seconds: number
  /** Milliseconds of every request. */
  latencies: number[]
}

process.on('message', (load: Load) => {
  run(load).then(
    (outcome) => process.send?.(outcome),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit())

async function run(load: Load): Promise<Outcome> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, async (_, at) => {
      const connection = await open(load.port)
      let sessionId = load.sessionIds?.[at] ?? ''
      if (load.setup) {
        const { method, target, body } = load.setup
        const text = await connection.send(toRequest(method, target, load.headers, body), true)
        sessionId = JSON.parse(text).sessionId
      }
      const target = load.target.replace('{sessionId}', sessionId)
      return { ...connection, request: toRequest(load.method, target, load.headers, load.body) }
    }),
  )
  const latencies: number[] = []
  const start = performance.now()
  const end = start + load.milliseconds
  await Promise.all(
    connections.map(async ({ send, request }) => {
      for (let at = performance.now(); at < end; ) {
        await send(request)
        const now = performance.now()
        latencies.push(now - at)
        at = now
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  for (const { close } of connections) close()
  return { requests: latencies.length, seconds, latencies }
}

function toRequest(method: string, target: string, headers: Record<string, string>, body?: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

interface Connection {
  /** Gives the body where it is wanted. Anything but success is an error. */
  send(request: Buffer, wanted?: boolean): Promise<string>
  close(): void
}

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let done: (body: string) => void = () => {}
  let fail: (error: Error) => void = () => {}
  let wantsBody = false
  let head = ''
  let body: Buffer[] = []
  let missing = 0

  const finish = () => {
    const text = wantsBody ? Buffer.concat(body).toString() : ''
    body = []
    head = ''
    done(text)
  }
  socket.on('data', (chunk) => {
    let rest = chunk
    if (missing === 0) {
      const end = chunk.indexOf('\r\n\r\n')
      // Every server sends its head in one piece.
      if (end < 0) return fail(new Error('The head of an answer was incomplete'))
      head = chunk.toString('latin1', 0, end)
      const length = /content-length: *(\d+)/i.exec(head)?.[1]
      if (!/^HTTP\/1.1 20[01] /.test(head) || length === undefined) {
        return fail(new Error(`${head}\n${chunk.toString('utf8', end + 4, end + 600)}`))
      }
      rest = chunk.subarray(end + 4)
      missing = Number(length)
    }
    missing -= rest.length
    if (wantsBody || missing < 0) body.push(rest)
    if (missing === 0) finish()
    else if (missing < 0) fail(new Error('An answer was longer than it said'))
  })
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail(new Error('The server closed a connection')))
  return {
    send: (request, wanted = false) =>
      new Promise((resolve, reject) => {
        ;[done, fail, wantsBody] = [resolve, reject, wanted]
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
