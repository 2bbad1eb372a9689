import { service } from './service.ts'

/*
 * The token that requests are sent with: of the signed-in session, renewed before it expires and held in memory
 * alone, or a pasted one, which is stored for this tab and shared with the pages of results and of the reference.
 */

const key = 'token'
const RENEWAL_MARGIN_MS = 60_000

/** There is neither a session nor a pasted token, or it is no longer valid. */
export class SignedOutError extends Error {}

let pasted: string | undefined
let issued: { token: string; renewAt: number } | undefined
let renewing: Promise<string> | undefined

function storage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

function pastedToken(): string | undefined {
  pasted ??= storage()?.getItem(key) ?? undefined
  return pasted
}

export const hasPastedToken = () => pastedToken() !== undefined

export function pasteToken(token: string) {
  pasted = token
  try {
    storage()?.setItem(key, token)
  } catch {
    // Without room the token lives as long as the page.
  }
}

export function forgetToken() {
  pasted = undefined
  issued = undefined
  storage()?.removeItem(key)
}

/** Returns a valid token, or throws `SignedOutError`. */
export async function currentToken(): Promise<string> {
  const own = pastedToken()
  if (own !== undefined) return own
  if (issued && performance.now() < issued.renewAt) return issued.token
  renewing ??= renew().finally(() => {
    renewing = undefined
  })
  return renewing
}

/** Drops a token of the session that was rejected, so that the next request gets a new one. */
export function expireToken() {
  issued = undefined
}

async function renew(): Promise<string> {
  const response = await fetch(new URL('session/token', service), { method: 'POST' })
  // An installation without sessions has no such path.
  if (response.status === 401 || response.status === 404) throw new SignedOutError('Nobody is signed in')
  if (!response.ok) throw new Error(await problemOf(response))
  const { token, expiresAt } = (await response.json()) as { token: string; expiresAt: string }
  const lifetime =
    new Date(expiresAt).getTime() - new Date(response.headers.get('Date') ?? expiresAt).getTime()
  issued = { token, renewAt: performance.now() + Math.max(lifetime - RENEWAL_MARGIN_MS, 0) }
  return token
}

/** Message of the first issue, which names the setting to change. */
async function problemOf(response: Response): Promise<string> {
  const { issues } = (await response.json().catch(() => ({}))) as { issues?: { message?: string }[] }
  return issues?.[0]?.message ?? `The service answered ${response.status}`
}

/** Ends the session, and forgets a pasted token. */
export async function signOut() {
  const isPasted = hasPastedToken()
  forgetToken()
  if (isPasted) return location.reload()
  await fetch(new URL('sign-out', service), { method: 'POST' })
  location.assign(new URL('sign-in', service))
}

export function signInUrl(): string {
  const url = new URL('sign-in', service)
  url.searchParams.set('returnTo', location.pathname + location.search + location.hash)
  return url.href
}
