import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * One spreadsheet of Google with its quota, over HTTP: the routes that the service uses, and ways to fail.
 */

/** `lost`: it takes effect, and has no response. `dropped`: neither. */
type Failure = number | 'lost' | 'dropped'

export interface SheetsDouble {
  host: string
  url: string
  rows: string[][]
  /** Paths of all requests for tokens and of sheets. */
  asked: string[]
  /** Failures of the next requests that write. */
  failures: Failure[]
  /** Seconds of `Retry-After` in a rejection. */
  retryAfter: number | undefined
  /** Requests of a minute; those beyond are rejected. */
  quota: number
  /** Called before a request that writes takes effect, or fails. */
  beforeRequest: (() => unknown) | undefined
  /** A request with this text in a cell is rejected. */
  poison: string | undefined
  /** False once the consent of the account is taken back. */
  isGranted: boolean
  stop(): Promise<void>
}

const MINUTE_MS = 60_000

/** Data of credentials for the double. */
export const sheetsAccount = ({ url }: SheetsDouble) => ({
  oauth: { refreshToken: 'refresh', clientId: 'client', clientSecret: 'secret', tokenUri: `${url}/token` },
  baseUrl: url,
})

export async function startSheets(rows: string[][]): Promise<SheetsDouble> {
  let calledAt: number[] = []
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value))
    const fail = (status: number) =>
      send(
        status,
        { error: { message: `failure ${status}` } },
        double.retryAfter === undefined ? {} : { 'retry-after': String(double.retryAfter) },
      )
    const { pathname } = new URL(request.url ?? '', 'http://x')
    const path = decodeURIComponent(pathname.replace('/v4/spreadsheets/s1', ''))
    double.asked.push(path)
    if (path === '/token') {
      if (!double.isGranted) return send(400, { error: 'invalid_grant' })
      return send(200, { access_token: 'token', expires_in: 3_599 })
    }
    calledAt = calledAt.filter((at) => performance.now() - at < MINUTE_MS)
    if (calledAt.length >= double.quota) return fail(429)
    calledAt.push(performance.now())
    if (path === '') return send(200, { sheets: [{ properties: { sheetId: 7, title: 'Answers' } }] })
    if (path === "/values/'Answers'") return send(200, { values: double.rows })
    if (path === "/values/'Answers'!1:1") return send(200, { values: double.rows.slice(0, 1) })
    if (request.method === 'GET') return fail(404)
    const failure = double.failures.shift()
    await double.beforeRequest?.()
    if (typeof failure === 'number') return fail(failure)
    if (failure === 'dropped') return void request.socket.destroy()
    if (double.poison !== undefined && body.includes(double.poison)) return fail(400)
    const given = JSON.parse(body)
    let reply = {}
    if (path === "/values/'Answers'!A1:append") {
      double.rows.push(...given.values)
      reply = { updates: { updatedRows: given.values.length } }
    } else if (path === '/values:batchUpdate') {
      for (const { range, values } of given.data) {
        const [, column = '', row = ''] = /!([A-Z])(\d+)$/.exec(range) ?? []
        const cells = double.rows[Number(row) - 1] as string[]
        cells[column.charCodeAt(0) - 65] = values[0][0]
      }
    } else return fail(404)
    if (failure === 'lost') return void request.socket.destroy()
    send(200, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const double: SheetsDouble = {
    host,
    url: `http://${host}`,
    rows,
    asked: [],
    failures: [],
    retryAfter: undefined,
    quota: Number.POSITIVE_INFINITY,
    beforeRequest: undefined,
    poison: undefined,
    isGranted: true,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}
