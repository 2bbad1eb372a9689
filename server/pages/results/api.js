import { sleep } from '../../chat/files/dom.js'
import { keptToken } from '../../chat/files/token.js'

/* Calls the public interface of the service, by addresses relative to the page, with the token of this tab. */

const service = new URL('./', location.href)

let typed

/** The typed token, else the one that is stored for the tab. It is stored once the service has accepted it. */
export const token = {
  get: () => typed ?? keptToken.get(),
  set(value) {
    typed = value
  },
  keep: () => typed !== undefined && keptToken.set(typed),
  forget() {
    typed = undefined
    keptToken.forget()
  },
}

/** The service rejected a request; `message` says why to a person. */
export class Refusal extends Error {
  constructor(status, { message, issues }) {
    super(issues?.[0]?.message ?? message ?? `The service answered ${status}`)
    this.status = status
  }
}

const away = [429, 502, 503, 504]
const pauses = [500, 1_000, 2_000, 4_000, 8_000]
/** Maximum `Retry-After`, in seconds, after which a request that was rate limited is retried. */
const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Returns `read` of a response. Retries if there was none, since reading changes nothing. Undefined or empty values
 * of `query` are left out.
 */
export async function ask(path, query, signal, read = (response) => response.json()) {
  const url = new URL(path, service)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, value)
  }
  for (let attempt = 0; ; attempt += 1) {
    let wait = pauses[attempt]
    try {
      const headers = { Authorization: `Bearer ${token.get()}` }
      const response = await fetch(url, { headers, credentials: 'omit', signal })
      if (response.ok) return await read(response)
      const refusal = new Refusal(response.status, await response.json().catch(() => ({})))
      const seconds = Number(response.headers.get('Retry-After') ?? 0)
      if (!away.includes(response.status) || seconds > MAX_RETRY_AFTER_SECONDS) throw refusal
      if (wait === undefined) throw refusal
      wait = Math.max(wait, seconds * 1_000)
    } catch (error) {
      if (error instanceof Refusal || signal.aborted) throw error
      if (wait === undefined) throw new Error('The service did not answer. Is there a connection?')
    }
    await sleep(wait, signal)
  }
}

/** The path of something that belongs to a bot. */
export const ofBot = (botId, rest) => `v1/bots/${encodeURIComponent(botId)}/${rest}`

/** Files may be readable by members only: a link alone would not send the token. */
export function isOfService(url) {
  return url.startsWith(new URL('files/', service).href)
}
