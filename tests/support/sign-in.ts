import { createPageToken, startBrowserSession } from '../../server/access/browser-sessions.ts'
import { transact } from '../../server/db/client.ts'
import type { App } from './app.ts'
import type { Caller } from './client.ts'

/* A browser with a signed-in user, without the pages for that. */

export interface SignedIn {
  /** The value of the cookie. */
  cookie: string
  /** The header of its requests. */
  headers: { Cookie: string }
}

export async function signIn(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  { id }: { id: string },
  userAgent = 'Test',
): Promise<SignedIn> {
  const cookie = await transact(db, (tx) =>
    startBrowserSession(tx, id, { cookie: undefined, userAgent }, clock.now()),
  )
  return { cookie, headers: { Cookie: `session=${cookie}` } }
}

/** The token of a page in this browser. */
export async function pageTokenOf({ db, clock }: Pick<App, 'db' | 'clock'>, cookie: string): Promise<Caller> {
  const made = await createPageToken(db, cookie, clock.now())
  if (!made) throw new Error('The session has ended')
  return { token: made.token }
}

interface Sent {
  method?: 'GET' | 'POST'
  form?: Record<string, string>
  headers?: Record<string, string>
}

/** A browser with cookies of its own, as far as the service can tell. */
export function newBrowser(base: string) {
  const jar = new Map<string, string>()
  return {
    jar,
    async send(path: string, { method = 'POST', form, headers = {} }: Sent = {}) {
      const response = await fetch(`${base}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(method === 'POST' ? { Origin: base, 'Sec-Fetch-Site': 'same-origin' } : {}),
          Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...headers,
        },
        ...(form ? { body: new URLSearchParams(form) } : {}),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      const location = response.headers.get('location')
      return { status: response.status, location, text: await response.text(), headers: response.headers }
    },
    get(path: string) {
      return this.send(path, { method: 'GET' })
    },
  }
}
