import { anySignal } from './compat.js'
import { sleep } from './dom.js'

/* Calls the service, which is one level above the page, wherever that is; at a domain of the bot the page says where. */

const service = new URL(document.documentElement.dataset.service ?? '../', location.href)

/**
 * The service rejected a request, so the chat cannot continue as it is. `code` is for this page, `message` for a
 * person.
 */
export class Refusal extends Error {
  constructor(status, { code, message }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** There was no response, or a proxy reported that the service is away, perhaps for some seconds. */
export class Unreachable extends Error {
  constructor(message, seconds = 0) {
    super(message)
    this.seconds = seconds
  }
}

const away = [408, 429, 502, 503, 504]

/** Maximum `Retry-After`, in seconds, and maximum attempts for a request that was rate limited. */
const MAX_RETRY_AFTER_SECONDS = 10
const attempts = 5

const secondsOf = (value) => Number(value ?? Number.POSITIVE_INFINITY)

/** Visitors who were rate limited together do not retry together. */
const spread = (seconds) => seconds * 1000 * (1 + Math.random())

/** Sends a request. `tell` receives the parts of the response before it is complete. */
async function ask(method, path, { body, signal, tell, headers: own }) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers, answer } = await fetchAnswer(method, path, { body, signal, tell, headers: own })
    if (status < 400) return answer
    const wait = secondsOf(headers.get('Retry-After'))
    if (status === 429 && wait <= MAX_RETRY_AFTER_SECONDS && attempt < attempts) {
      await sleep(spread(wait), signal)
      continue
    }
    if (away.includes(status)) throw new Unreachable(`The service answered ${status}`)
    throw new Refusal(status, answer?.issues?.[0] ?? answer ?? {})
  }
}

const eventStream = 'text/event-stream'

async function fetchAnswer(method, path, { body, signal, tell, headers: own }) {
  const request = {
    method,
    headers: {
      Accept: tell ? `${eventStream}, application/json` : 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...own,
    },
    ...(body && { body: JSON.stringify(body) }),
    credentials: 'omit',
    signal: anySignal(signal, AbortSignal.timeout(150_000)),
  }
  const url = new URL(path, service)
  const response = await reach(() => fetch(url, request), signal)
  const { status, headers } = response
  if (tell && headers.get('Content-Type')?.startsWith(eventStream)) {
    return { headers, ...(await readEvents(response.body, signal, tell)) }
  }
  return { status, headers, answer: await reach(() => response.json(), signal) }
}

/** Runs `work` and reports its failure as a missing connection. Errors of the page itself are not. */
async function reach(work, signal) {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    throw new Unreachable(String(error))
  }
}

/** Reads server-sent events as they come. The last one contains the response. */
async function readEvents(stream, signal, tell) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { done, value } = await reach(() => reader.read(), signal)
    if (done) throw new Unreachable('The answer broke off')
    const parts = (rest + value).split('\n\n')
    rest = parts.pop()
    for (const part of parts) {
      const line = part.split('\n').find((each) => each.startsWith('data: '))
      if (!line) continue
      const event = JSON.parse(line.slice('data: '.length))
      if (event.type === 'answer') return { status: 200, answer: event.answer }
      if (event.type === 'error') return { status: event.status, answer: event.error }
      tell(event)
    }
  }
}

const pauses = [500, 1_000, 2_000, 4_000]

/** Repeats `work` while `mayPass` says that its error may pass. */
async function repeat(work, signal, mayPass = (error) => error instanceof Unreachable) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error, attempt) || attempt >= pauses.length) throw error
      await sleep(Math.max(pauses[attempt], spread(error.seconds ?? 0)), signal)
    }
  }
}

/** Returns a random key of visible characters; `randomUUID` exists over https alone. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/**
 * Starts a chat. Retries with the same key get the response of the first request. `begin` returns the listener of an
 * attempt.
 */
export function startChat(publicId, { body, key, signal, begin }) {
  const path = `api/v1/bots/${encodeURIComponent(publicId)}/startChat`
  const headers = { 'Idempotency-Key': key }
  // While the first request is still under way, its repeats are conflicts.
  const mayPass = (error, attempt) =>
    error instanceof Unreachable || (error instanceof Refusal && error.status === 409 && attempt > 0)
  return repeat(() => ask('POST', path, { body, headers, signal, tell: begin() }), signal, mayPass)
}

/** A chat as it is now: what was said, and what it waits for. */
export function getSession(sessionId, signal) {
  return ask('GET', `api/v1/sessions/${encodeURIComponent(sessionId)}`, { signal })
}

/** Events of a chat since one of them. */
export function newEvents(sessionId, after, signal) {
  return ask('GET', `api/v1/sessions/${encodeURIComponent(sessionId)}/events?after=${after}`, { signal })
}

export function eventsUrl(sessionId, after) {
  return new URL(`api/v1/sessions/${encodeURIComponent(sessionId)}/events?after=${after}`, service)
}

/** Maximum `Retry-After`, in seconds, after which an upload that was rate limited is retried. */
const MAX_UPLOAD_RETRY_AFTER_SECONDS = 60

/** Uploads a file for a chat, and retries while there is no response. `progress` receives the share that is sent. */
export function uploadFile(sessionId, file, fileName, signal, progress) {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/uploads?${new URLSearchParams({ fileName })}`
  const url = new URL(path, service)
  const mayPass = (error) => error instanceof Unreachable && error.seconds <= MAX_UPLOAD_RETRY_AFTER_SECONDS
  return repeat(() => sendFile(url, file, signal, progress), signal, mayPass)
}

function sendFile(url, file, signal, progress) {
  return new Promise((resolve, reject) => {
    // Only this kind of request reports its progress.
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      progress(total === 0 ? 0 : loaded / total),
    )
    request.addEventListener('error', () => reject(new Unreachable('The file did not arrive')))
    request.addEventListener('abort', () => reject(signal.reason))
    request.addEventListener('load', () => {
      const { status, response } = request
      const wait = request.getResponseHeader('Retry-After')
      if (status === 200 && response?.upload) resolve(response.upload)
      // A page instead of the response comes from an intermediary, such as the Wi-Fi of a hotel.
      else if (status < 400) reject(new Unreachable('The answer is not of the service'))
      else if (away.includes(status))
        reject(new Unreachable(`The service answered ${status}`, Number(wait ?? 0)))
      else reject(new Refusal(status, response?.issues?.[0] ?? response ?? { message: String(status) }))
    })
    signal.throwIfAborted()
    const abort = () => request.abort()
    signal.addEventListener('abort', abort, { once: true })
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    request.send(file)
  })
}

/**
 * Sends a reply until there is a response. The revision gives a repeated reply the response of the first one. While
 * the first one is still running, a repeated one may be a conflict, which is retried too. `begin` returns the
 * listener of an attempt.
 */
export function continueChat(sessionId, body, signal, begin) {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/continueChat`
  const mayPass = (error, attempt) =>
    error instanceof Unreachable || (error instanceof Refusal && error.status === 409 && attempt > 0)
  return repeat(() => ask('POST', path, { body, signal, tell: begin() }), signal, mayPass)
}

/** Characters that the service takes of a part of a log entry. */
const MAX_LOG_CHARACTERS = 10_000

/** Sends log entries to the authors of the bot. Nothing waits for it, and it may fail. */
export function saveLogs(sessionId, entries) {
  const clientLogs = entries.map((entry) =>
    Object.fromEntries(
      Object.entries(entry).map(([name, text]) => [name, String(text).slice(0, MAX_LOG_CHARACTERS)]),
    ),
  )
  const path = `api/v2/sessions/${encodeURIComponent(sessionId)}/clientLogs`
  ask('POST', path, { body: { clientLogs }, signal: AbortSignal.timeout(30_000) }).catch(() => {})
}
