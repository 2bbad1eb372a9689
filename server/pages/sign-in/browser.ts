import express from 'express'
import { findBrowserSession } from '../../access/browser-sessions.ts'
import type { Config } from '../../config.ts'
import type { Services } from '../../context.ts'
import { isPrivateName } from '../../hosts/visited.ts'
import { basePathOf } from '../../kit/paths.ts'

/*
 * Requests of browsers that carry cookies. Only these pages take cookies; the interface takes tokens alone. Every change
 * needs an origin of the service, so that no page of another site can cause one.
 */

/** Serves a path beside the contract, by GET with HEAD, and by POST. */
export type Serve = (path: string, get?: express.RequestHandler, post?: express.RequestHandler) => void

/** Bytes of a form. */
export const MAX_FORM_BYTES = 8 * 1024

const MAX_FORM_FIELDS = 10

type CookieName = 'session' | 'sign-in' | 'openid' | 'google'

/** Over TLS, cookies with this prefix come from this host alone: no other one of the domain can set them. */
function fullName(name: CookieName, publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}

export function readCookie(
  { headers }: express.Request,
  name: CookieName,
  publicUrl: string,
): string | undefined {
  const wanted = `${fullName(name, publicUrl)}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) || undefined
}

/** Values need no encoding. Without `maxAgeMs` the cookie is removed. */
export function setCookie(
  response: express.Response,
  name: CookieName,
  publicUrl: string,
  value: string,
  maxAgeMs: number,
) {
  const isOverTls = publicUrl.startsWith('https:')
  response.cookie(fullName(name, publicUrl), value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isOverTls,
    path: '/',
    maxAge: maxAgeMs,
    encode: String,
  })
}

export function clearCookie(response: express.Response, name: CookieName, publicUrl: string) {
  setCookie(response, name, publicUrl, '', 0)
}

/** The session of the browser that sent a request; undefined if it is not signed in. */
export async function sessionOf(
  request: express.Request,
  { db, now, publicUrl }: Pick<Services, 'db' | 'now' | 'publicUrl'>,
) {
  const cookie = readCookie(request, 'session', publicUrl())
  return cookie === undefined ? undefined : findBrowserSession(db, cookie, now())
}

/**
 * True if a page of the service sent the request. Browsers set these headers, and no page can. A page of others that
 * leads its own name to this machine has a name that is neither in the configuration nor of a network of its own.
 */
export function isOfOwnPage(
  { headers }: express.Request,
  publicUrl: string,
  { OWN_HOSTS }: Pick<Config, 'OWN_HOSTS'>,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin = '' } = headers
  if (!URL.canParse(origin)) return false
  const own = new URL(publicUrl)
  if (origin === own.origin) return true
  // Without TLS, people also use other names of the machine.
  const { host, hostname } = new URL(origin)
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  const isKnown = isPrivateName(name) || OWN_HOSTS.includes(name) || name === own.hostname
  return own.protocol === 'http:' && host === headers.host && isKnown
}

/**
 * Names the setting that would make the sender a page of the service; undefined where it looks foreign. It names the
 * origin only where the request went to its host, which Express takes from a trusted proxy.
 */
export function missingSetting(
  { headers, host: visited }: express.Request,
  publicUrl: string,
): string | undefined {
  const { origin = '', 'sec-fetch-site': site } = headers
  if (!URL.canParse(origin) || (site !== undefined && site !== 'same-origin')) return undefined
  const { origin: opened, protocol, host, hostname } = new URL(origin)
  if (opened === 'null') return undefined
  if (host !== visited)
    return site && `${wrongSetting} Set PUBLIC_URL to the address at which people open the service`
  const takesOwnHosts = protocol === 'http:' && publicUrl.startsWith('http:') && host === headers.host
  const others = takesOwnHosts ? `, or OWN_HOSTS=${hostname} beside it` : ''
  return `${wrongSetting} If people open the service at ${opened}, set PUBLIC_URL=${opened}${others}`
}

const wrongSetting = 'PUBLIC_URL is not the address of this page.'

const MAX_PATH_CHARACTERS = 2_000

/**
 * A path of the service to go to, as a browser would read it; undefined for anything else. Browsers read backslashes as
 * slashes and leave out line breaks, and two slashes at the beginning lead to another host.
 */
export function ownPath(value: string | null | undefined, publicUrl: string): string | undefined {
  if (!value || value.length > MAX_PATH_CHARACTERS || !value.startsWith('/')) return undefined
  const own = new URL(publicUrl).origin
  if (!URL.canParse(value, own)) return undefined
  const { origin, pathname, search, hash } = new URL(value, own)
  if (origin !== own || pathname.startsWith('//')) return undefined
  if (!pathname.startsWith(`${basePathOf(publicUrl)}/`)) return undefined
  return pathname + search + hash
}

/** Members start here. */
export function startPath(publicUrl: string): string {
  return `${basePathOf(publicUrl)}/bots`
}

/** Parameters in the address of a request. */
export function queryOf({ url }: express.Request): URLSearchParams {
  return new URLSearchParams(url.replace(/^[^?]*/, ''))
}

const parseForm = express.urlencoded({
  extended: false,
  limit: MAX_FORM_BYTES,
  parameterLimit: MAX_FORM_FIELDS,
  inflate: false,
})

/** The fields of a form; undefined if the body is none. */
export async function readForm(
  request: express.Request,
  response: express.Response,
): Promise<Record<string, unknown> | undefined> {
  const error = await new Promise((resolve) => parseForm(request, response, resolve))
  return error ? undefined : ((request.body as Record<string, unknown> | undefined) ?? {})
}
