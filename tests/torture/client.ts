import http from 'node:http'

/** An answer, or the lack of one. */
export interface Answer {
  /** Undefined where the connection broke or nothing came in time: then it may have been done or not. */
  status: number | undefined
  /** True if no process listened, so that the request has certainly not been done. */
  isUnsent: boolean
  headers: http.IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
  /** When it was sent and answered, in milliseconds of one clock that never goes back. */
  start: number
  end: number
}

export interface Sent {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  /** Timeout of a request, in milliseconds. */
  patience?: number
}

const agent = new http.Agent({ keepAlive: true })

/** Closes connections to processes that have ended, whose ports others may get. */
export function hangUp() {
  agent.destroy()
}

/** Sends one request, once: no library that might send it again. */
export function send(url: string, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { token, body, patience = 8_000 } = sent
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
    ...sent.headers,
  }
  const start = performance.now()
  return new Promise((resolve) => {
    const lost = (error?: NodeJS.ErrnoException) =>
      resolve({
        status: undefined,
        isUnsent: error?.code === 'ECONNREFUSED',
        headers: {},
        text: '',
        body: undefined,
        start,
        end: performance.now(),
      })
    const request = http.request(url + path, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', lost)
      response.on('close', () => {
        if (!response.complete) return lost()
        const text = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.includes('json')
        const { statusCode: status, headers } = response
        const body = isJson && text !== '' ? JSON.parse(text) : undefined
        resolve({ status, isUnsent: false, headers, text, body, start, end: performance.now() })
      })
    })
    const timer = setTimeout(() => request.destroy(), patience)
    request.on('error', lost).on('close', () => clearTimeout(timer))
    request.end(bytes)
  })
}

/** Returns true if a response leaves the outcome of the request open: the request has to be sent again. */
export function isUnsettled({ status, body }: Answer): boolean {
  const isBusy = status === 409 && body?.issues?.[0]?.code === 'in_progress'
  return status === undefined || status === 503 || status === 429 || isBusy
}
