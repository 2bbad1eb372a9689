import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/*
 * A way to PostgreSQL that can be slow, silent, shut, or cut between a statement and its answer. It knows as much of
 * the protocol as that takes: where a request to the database ends, and where the answer to it.
 */

/** `before`: the statement does not reach the database. `after`: it was run, and its answer gets lost. */
export type Cut = 'before' | 'after'

/** Bytes of a request for TLS, which comes before a connection starts. */
const START = 8

export class DatabaseProxy {
  /** Asked whenever a request to the database is complete: whether and how the connection breaks there. */
  cut: ((request: 'commit' | 'statement') => Cut | undefined) | undefined
  /** Milliseconds by which the next bytes are late, in either direction. */
  delay: (() => number) | undefined
  /** Number of connections that were cut. */
  cuts = 0
  private readonly sockets = new Set<Socket>()
  private readonly server
  private port: number

  /** Listens on `port` of this machine once it is opened; 0 takes a free one. */
  constructor(
    /** Address to which new connections are forwarded. */
    public target: URL,
    port = 0,
  ) {
    this.port = port
    this.server = createServer((near) => this.join(near))
  }

  /** The address of the database through this proxy. */
  get url(): string {
    const through = new URL(this.target)
    through.hostname = '127.0.0.1'
    through.port = String(this.port)
    return through.toString()
  }

  async open() {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.server.address() as AddressInfo).port
  }

  /** Connections stay, but nothing comes through them. New ones are as ever. */
  freeze() {
    for (const socket of this.sockets) socket.pause()
  }

  thaw() {
    for (const socket of this.sockets) socket.resume()
  }

  /** Cuts all connections. */
  reset() {
    for (const socket of this.sockets) socket.destroy()
  }

  /** Nothing listens, and connections are cut. */
  async shut() {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.reset()
    await closed
  }

  private join(near: Socket) {
    const far = connect(Number(this.target.port || 5432), this.target.hostname)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      this.sockets.add(socket.setNoDelay(true))
      socket
        .on('error', () => {})
        .on('close', () => {
          this.sockets.delete(socket)
          end()
        })
    }
    const toFar = this.lateWriter(far)
    const toNear = this.lateWriter(near)
    const requests = new Requests()
    let isLost = false
    near.on('data', (bytes) => {
      for (const { frame, request } of requests.read(bytes)) {
        const cut = request && this.cut?.(request)
        if (cut) this.cuts++
        if (cut === 'before') return end()
        isLost ||= cut === 'after'
        toFar(frame)
      }
    })
    far.on('data', (bytes) => {
      if (!isLost) toNear(bytes)
      else if (isReady(bytes)) end()
    })
  }

  /** Writes to a socket, late if that is wanted, and never in another order. */
  private lateWriter(socket: Socket): (bytes: Buffer) => void {
    const waiting: { bytes: Buffer; due: number }[] = []
    const write = () => {
      for (let next = waiting[0]; next; next = waiting[0]) {
        const left = next.due - performance.now()
        if (left > 0) return void setTimeout(write, left)
        waiting.shift()
        if (!socket.destroyed) socket.write(next.bytes)
      }
    }
    return (bytes) => {
      waiting.push({ bytes, due: performance.now() + (this.delay?.() ?? 0) })
      if (waiting.length === 1) write()
    }
  }
}

/** Returns true if these bytes end a response: ReadyForQuery says that the database waits for the next query. */
function isReady(bytes: Buffer): boolean {
  return bytes.length >= 6 && bytes.readUInt32BE(bytes.length - 5) === 5 && bytes.at(-6) === 0x5a
}

/** Takes what a client sends apart, and says where a request is complete: at a Query or a Sync. */
class Requests {
  private rest = Buffer.alloc(0)
  private hasStarted = false

  read(bytes: Buffer): { frame: Buffer; request?: 'commit' | 'statement' }[] {
    const found: ReturnType<Requests['read']> = []
    this.rest = Buffer.concat([this.rest, bytes])
    for (;;) {
      const lead = this.hasStarted ? 1 : 0
      if (this.rest.length < lead + 4) return found
      const length = lead + this.rest.readUInt32BE(lead)
      if (this.rest.length < length) return found
      const frame = this.rest.subarray(0, length)
      this.rest = this.rest.subarray(length)
      const letter = this.hasStarted ? String.fromCharCode(frame[0] as number) : ''
      // Shorter ones ask for TLS.
      this.hasStarted ||= length > START
      if (letter === 'Q' && /^commit/i.test(frame.toString('latin1', 5, 11))) {
        found.push({ frame, request: 'commit' })
      } else found.push({ frame, request: letter === 'Q' || letter === 'S' ? 'statement' : undefined })
    }
  }
}
