import { Agent, type ClientRequest, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * One caller who takes all that the default limits allow, in a process of its own: told what to do in its environment,
 * it goes on until it is killed.
 */

/** Means of an attacker: a token, a workspace, and bots made for the attack. */
export interface Means {
  port: number
  token: string
  workspaceId: string
  /** A published bot that asks a service which takes ten seconds, one that compares long lists. */
  slow: string
  lists: string
  /** A bot of 2 MB in the version before the last, with results of 8 MB. */
  large: string
  /**
   * One that asks a name which no server answers, one that takes files, one whose answers 20 slow endpoints are told.
   */
  unnamed: string
  files: string
  told: string
  /** One with results of 2 MB each, one of which a key is 200,000 letters. */
  long: string
  deep: string
  /** Workspaces with 20 endpoints each, at names that no server answers and at slow receivers. */
  unnamedEndpoints: string
  slowEndpoints: string[]
}

/** As many at once as one token, or one address without a token, may have. */
const AT_ONCE = 20
/** Other people have another address. */
const ADDRESS = '127.0.0.2'

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, localAddress: ADDRESS })

function send({ port, token }: Means, method: string, path: string, body?: string, isAnonymous = false) {
  return new Promise<{ status: number; text: string }>((resolve) => {
    const headers = {
      ...(isAnonymous ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    }
    const asked: ClientRequest = request(
      { agent, host: '127.0.0.1', port, method, path, headers },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece) => pieces.push(piece))
        response.once('close', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
        )
      },
    )
    asked.once('error', () => resolve({ status: 0, text: '' }))
    asked.end(body)
  })
}

/** Responses by status; a connection that reads nothing counts when it is opened. */
const answers: Record<string, number> = {}
const count = (what: string | number) => {
  answers[what] = (answers[what] ?? 0) + 1
}

/** Repeats the work on each connection, with a short pause after a rejection. */
async function again(work: () => Promise<{ status: number }>) {
  const loops = Array.from({ length: AT_ONCE }, async () => {
    for (;;) {
      const { status } = await work()
      count(status)
      if (status === 429 || status === 503 || status === 0) await sleep(100)
    }
  })
  await Promise.all(loops)
}

async function turn(means: Means, publicId: string, message = 'Go') {
  const begun = await send(means, 'POST', `/api/v1/bots/${publicId}/startChat`, '{}', true)
  if (begun.status !== 200) return begun
  const { sessionId } = JSON.parse(begun.text)
  for (;;) {
    const path = `/api/v1/sessions/${sessionId}/continueChat`
    const answered = await send(means, 'POST', path, JSON.stringify({ message }), true)
    if (answered.status !== 429) return answered
    await sleep(500)
  }
}

/** A new bot, whose events go to all endpoints of its workspace. */
const change = (means: Means, workspaceId: string) =>
  send(means, 'POST', '/v1/bots', JSON.stringify({ workspaceId, bot: { name: 'Told' } }))

/** Connections over which a file of a chat comes byte by byte. */
async function uploadSlowly(means: Means) {
  const begun = await send(means, 'POST', `/api/v1/bots/${means.files}/startChat`, '{}', true)
  const { sessionId } = JSON.parse(begun.text)
  await send(means, 'POST', `/api/v1/sessions/${sessionId}/continueChat`, '{"message":"Go"}', true)
  const lines = [
    `POST /api/v1/sessions/${sessionId}/uploads?fileName=a.txt HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/octet-stream',
    'Content-Length: 1000',
  ]
  await reopen(means, (socket) => {
    socket.resume().write(`${lines.join('\r\n')}\r\n\r\nx`)
    const timer = setInterval(() => socket.write('x'), 1_000)
    socket.once('close', () => clearInterval(timer))
  })
}

/** Connections that send this and read nothing, each anew when it is closed. */
async function unread(means: Means, bytes: string) {
  await reopen(means, (socket) => socket.pause().write(bytes))
}

/** Connections that are used this way, each opened anew when it is closed. */
async function reopen(means: Means, use: (socket: Socket) => void) {
  const open = async () => {
    for (;;) {
      count('opened')
      const socket = connect({ port: means.port, host: '127.0.0.1', localAddress: ADDRESS })
      socket.on('error', () => {})
      use(socket)
      await new Promise((resolve) => socket.once('close', resolve))
      await sleep(100)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, open))
}

const head = (means: Means, line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${means.token}`, ...more, '', ''].join(
    '\r\n',
  )

const zones = Intl.supportedValuesOf('timeZone')
let zone = 0
let workspace = 0
const longAnswer = 'long '.repeat(20_000)

export const attacks: Record<string, (means: Means) => Promise<void>> = {
  'slow requests of one bot': (means) => again(() => turn(means, means.slow)),
  'comparing lists': (means) => again(() => turn(means, means.lists)),
  'checks of a 2 MB bot': (means) => again(() => send(means, 'GET', `/v1/bots/${means.large}/check`)),
  'long answers': (means) => again(() => send(means, 'GET', `/v1/bots/${means.large}/results?limit=100`)),
  'wrong bodies': (means) => {
    const body = `{"workspaceId":"${means.workspaceId}","bot":{"groups":[${'{"id":1},'.repeat(250_000)}{}]}}`
    return again(() => send(means, 'POST', '/v1/bots', body))
  },
  'unread responses': (means) => unread(means, head(means, `GET /v1/bots/${means.large}`)),
  'held bodies': (means) =>
    unread(
      means,
      `${head(means, 'POST /v1/bots', 'Content-Type: application/json', 'Content-Length: 4000000')}${' '.repeat(3_900_000)}`,
    ),
  'converted reads': (means) =>
    again(() => send(means, 'GET', `/v1/bots/${means.large}?migrateToLatestVersion=true`)),
  'time zones': (means) =>
    again(() => {
      zone = (zone + 1) % zones.length
      const name = encodeURIComponent(String(zones[zone]))
      return send(
        means,
        'GET',
        `/v1/bots/${means.large}/analytics/stats?timeFilter=last7Days&timeZone=${name}`,
      )
    }),
  'searches that find nothing': (means) =>
    again(() => send(means, 'GET', `/v1/bots/${means.large}/results?answerContains=nobody`)),
  'searches of long results': (means) =>
    again(() => send(means, 'GET', `/v1/bots/${means.long}/results?answerContains=nobody`)),
  exports: (means) => again(() => send(means, 'GET', `/v1/bots/${means.large}/resultsExport?format=csv`)),
  'checks with long paths': (means) => again(() => send(means, 'GET', `/v1/bots/${means.deep}/check`)),
  'slow uploads': uploadSlowly,
  'blocks that ask a silent name server': (means) => again(() => turn(means, means.unnamed)),
  'endpoints at a silent name server': (means) => again(() => change(means, means.unnamedEndpoints)),
  'slow receivers': (means) =>
    again(() => change(means, means.slowEndpoints[workspace++ % means.slowEndpoints.length] as string)),
  'long answers for many endpoints': (means) => again(() => turn(means, means.told, longAnswer)),
}

if (process.env.ATTACK) {
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send?.(answers))
  await attacks[process.env.ATTACK]?.(JSON.parse(String(process.env.MEANS)))
}
