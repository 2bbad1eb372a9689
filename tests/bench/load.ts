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
  /** `{sessionId}` is replaced by one of `sessionIds`, another one for each connection. */
  target: string
  sessionIds?: string[]
  /** `{number}` is replaced by one that no other request has. */
  headers: Record<string, string>
  body?: string
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
      const target = load.target.replace('{sessionId}', load.sessionIds?.[at] ?? '')
      return { ...connection, next: numbered(toRequest(load.method, target, load.headers, load.body)) }
    }),
  )
  const latencies: number[] = []
  const start = performance.now()
  const end = start + load.milliseconds
  await Promise.all(
    connections.map(async ({ send, next }) => {
      for (let at = performance.now(); at < end; ) {
        await send(next())
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
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`${name}: ${value.replace('{number}', NUMBER)}`)
  }
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

const NUMBER = '{number of it}'.padEnd(20)
let number = Date.now() * 1000

/** The same request again and again, each time with another number where it has one. */
function numbered(request: Buffer): () => Buffer {
  const at = request.indexOf(NUMBER)
  if (at < 0) return () => request
  return () => {
    request.write(String(number++).padStart(NUMBER.length, '0'), at, 'latin1')
    return request
  }
}

interface Connection {
  /** Anything but success is an error. */
  send(request: Buffer): Promise<void>
  close(): void
}

/** End of a body in chunks. */
const END = Buffer.from('\r\n0\r\n\r\n')

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let done: () => void = () => {}
  let fail: (error: Error) => void = () => {}
  let missing = 0
  let isStream = false
  let tail = Buffer.alloc(0)

  const finish = () => {
    isStream = false
    tail = Buffer.alloc(0)
    done()
  }
  const stream = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-END.length)
    if (tail.equals(END)) finish()
  }
  socket.on('data', (chunk) => {
    if (isStream) return stream(chunk)
    let rest = chunk
    if (missing === 0) {
      const end = chunk.indexOf('\r\n\r\n')
      // Every server sends its head in one piece.
      if (end < 0) return fail(new Error('The head of an answer was incomplete'))
      const head = chunk.toString('latin1', 0, end)
      const status = /^HTTP\/1.1 (200|201|304) /.exec(head)?.[1]
      const length = status === '304' ? '0' : /content-length: *(\d+)/i.exec(head)?.[1]
      isStream = /transfer-encoding: *chunked/i.test(head)
      if (status === undefined || (length === undefined && !isStream)) {
        return fail(new Error(`${head}\n${chunk.toString('utf8', end + 4, end + 600)}`))
      }
      rest = chunk.subarray(end + 4)
      if (isStream) return stream(rest)
      missing = Number(length)
    }
    missing -= rest.length
    if (missing === 0) finish()
    else if (missing < 0) fail(new Error('An answer was longer than it said'))
  })
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail(new Error('The server closed a connection')))
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        ;[done, fail] = [resolve, reject]
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
