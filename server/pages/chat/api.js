import { sleep } from './dom.js'

/* Talks to the service. It lies one step above the page, wherever that is. */

const service = new URL('../', location.href)

/** The service refused: the chat cannot go on as it is. `code` says why to this page, `message` to a person. */
export class Refusal extends Error {
  constructor(status, { code, message }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Nobody answered, or somebody on the way said that the service is away. */
export class Unreachable extends Error {}

const away = [408, 429, 502, 503, 504]

/** How long, in seconds, and how often the page waits by itself when too many have asked. */
const patience = 10
const attempts = 5

/** `tell` is told what there is of the answer before it is whole. */
async function ask(method, path, body, signal, tell) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers, answer } = await fetchAnswer(method, path, body, signal, tell)
    if (status < 400) return answer
    const wait = Number(headers.get('Retry-After') ?? Number.POSITIVE_INFINITY)
    if (status === 429 && wait <= patience && attempt < attempts) {
      // Nothing was done. Who was refused at once with others does not come back at once with them.
      await sleep(wait * 1000 * (1 + Math.random()), signal)
      continue
    }
    if (away.includes(status)) throw new Unreachable(`The service answered ${status}`)
    throw new Refusal(status, answer.issues?.[0] ?? answer)
  }
}

const eventStream = 'text/event-stream'

async function fetchAnswer(method, path, body, signal, tell) {
  const timeout = AbortSignal.timeout(150_000)
  try {
    const response = await fetch(new URL(path, service), {
      method,
      headers: {
        Accept: tell ? `${eventStream}, application/json` : 'application/json',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      credentials: 'omit',
      signal: AbortSignal.any([signal, timeout]),
    })
    const { status, headers } = response
    if (tell && headers.get('Content-Type')?.startsWith(eventStream)) {
      return { headers, ...(await readEvents(response.body, tell)) }
    }
    return { status, headers, answer: await response.json() }
  } catch (error) {
    signal.throwIfAborted()
    throw new Unreachable(String(error))
  }
}

/** Reads server-sent events as they come. The last one has the answer. */
async function readEvents(stream, tell) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { done, value } = await reader.read()
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

export function startChat(publicId, body, signal, tell) {
  return ask('POST', `api/v1/bots/${encodeURIComponent(publicId)}/startChat`, body, signal, tell)
}

/** A chat as it is now: what was said, and what it waits for. */
export function getSession(sessionId, signal) {
  return ask('GET', `api/v1/sessions/${encodeURIComponent(sessionId)}`, undefined, signal)
}

/** Uploads a file for a chat, and gives what the service says of it. `progress` gets the share that is through. */
export function uploadFile(sessionId, file, fileName, signal, progress) {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/uploads?${new URLSearchParams({ fileName })}`
  return new Promise((resolve, reject) => {
    // Only this kind of request tells how far it is.
    const request = new XMLHttpRequest()
    request.open('POST', new URL(path, service))
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      progress(total === 0 ? 0 : loaded / total),
    )
    request.addEventListener('error', () => reject(new Unreachable('The file did not arrive')))
    request.addEventListener('abort', () => reject(signal.reason))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status === 200) resolve(response.upload)
      else reject(new Refusal(status, response?.issues?.[0] ?? response ?? { message: String(status) }))
    })
    signal.throwIfAborted()
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

const pauses = [500, 1_000, 2_000, 4_000]

/**
 * Sends a reply until it is answered. The revision makes a repeated reply get the answer of the first one; while
 * the first one is still being worked on, the repeated one may be a conflict, so that is tried again too.
 * `begin` gives who is told of each attempt.
 */
export async function continueChat(sessionId, body, signal, begin) {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/continueChat`
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask('POST', path, body, signal, begin())
    } catch (error) {
      const mayPass =
        error instanceof Unreachable || (error instanceof Refusal && error.status === 409 && attempt > 0)
      if (!mayPass || attempt >= pauses.length) throw error
      await sleep(pauses[attempt], signal)
    }
  }
}

/** Tells the authors of the bot what went wrong. Nobody waits for it, and it may fail. */
export function saveLogs(sessionId, clientLogs) {
  const signal = AbortSignal.timeout(30_000)
  ask('POST', `api/v2/sessions/${encodeURIComponent(sessionId)}/clientLogs`, { clientLogs }, signal).catch(
    () => {},
  )
}
