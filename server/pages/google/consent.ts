import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { pick } from '../../../contract/bot-document/blocks/vendors/vendor.ts'
import type { Services } from '../../context.ts'
import { MS_PER_MINUTE } from '../../durations.ts'
import { asObject, asString, filledText, parseJson } from '../../json/access.ts'
import { withText } from '../../outbound/response-body.ts'
import { encodeRequest } from '../../outbound/vendor-request.ts'

/*
 * Consent of a person to use their account of Google: code flow with PKCE. State and verifier follow from a secret in
 * the cookie of the browser and a key of the installation, so that nothing is stored and no other browser can finish
 * it.
 */

/** Minutes in which a person consents. */
export const CONSENT_MINUTES = 10

const TOKEN_TIMEOUT_MS = 10_000

/** Types of credentials that a consent makes, with the scope that their blocks need. */
export const consentScopes = {
  'google sheets': 'https://www.googleapis.com/auth/spreadsheets',
  gmail: 'https://www.googleapis.com/auth/gmail.modify',
} as const

export type ConsentType = keyof typeof consentScopes

export interface Attempt {
  userId: string
  workspaceId: string
  type: ConsentType
  /** Those that get a new consent; null for new ones. */
  credentialsId: string | null
}

type Tools = Pick<Services, 'config' | 'cursorKey' | 'chat' | 'log'>

/** Reasons why no account is connected. */
export type ConsentRejection = 'ended' | 'declined' | 'incomplete' | 'misconfigured' | 'unavailable'

export interface Consent {
  /** Without the client, whose secret stays in the configuration. */
  data: { oauth: { refreshToken: string } }
  /** Address of the account, if Google says it. */
  email: string | undefined
}

/** True if the installation has a client of Google. */
export function hasGoogleClient({ config }: Pick<Services, 'config'>): boolean {
  return config.GOOGLE_CLIENT_ID !== undefined
}

/** The address at Google that a browser with this secret goes to. */
export function consentAddress(
  { config, cursorKey }: Tools,
  secret: string,
  attempt: Attempt,
  callback: string,
  now: Date,
): string {
  const text = Buffer.from(JSON.stringify({ ...attempt, at: now.getTime() })).toString('base64url')
  const verifier = derive(cursorKey, secret, 'verifier', text)
  const address = new URL(config.GOOGLE_AUTHORIZATION_URL)
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: config.GOOGLE_CLIENT_ID ?? '',
    redirect_uri: callback,
    scope: `openid https://www.googleapis.com/auth/userinfo.email ${consentScopes[attempt.type]}`,
    // Google gives a refresh token for these two alone.
    access_type: 'offline',
    prompt: 'consent',
    state: `${text}.${derive(cursorKey, secret, 'state', text)}`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  return address.href
}

/** The attempt that this browser began with a state; undefined for any other state, and for one that is too old. */
export function readAttempt(
  { cursorKey }: Pick<Services, 'cursorKey'>,
  secret: string,
  state: string,
  now: Date,
): Attempt | undefined {
  const [text = '', signature = ''] = state.split('.')
  const expected = Buffer.from(derive(cursorKey, secret, 'state', text))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const { at, ...attempt } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Attempt & { at: number }
  const age = now.getTime() - at
  return age >= 0 && age < CONSENT_MINUTES * MS_PER_MINUTE ? attempt : undefined
}

/** The reason for an error with which Google sends a browser back. A person declines by one of them alone. */
export function readConsentError({ log }: Pick<Tools, 'log'>, error: string): ConsentRejection {
  if (error === 'access_denied') return 'declined'
  log.warn({ reason: error.slice(0, 100) }, 'Google gave no code for a consent')
  return error === 'temporarily_unavailable' || error === 'server_error' ? 'unavailable' : 'misconfigured'
}

/** Redeems the code that Google gave for an attempt. It does that once. */
export async function redeemConsent(
  { config, cursorKey, chat, log }: Tools,
  secret: string,
  { state, code, type }: { state: string; code: string; type: ConsentType },
  callback: string,
): Promise<Consent | ConsentRejection> {
  const { GOOGLE_CLIENT_ID: clientId = '', GOOGLE_CLIENT_SECRET: clientSecret = '' } = config
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: derive(cursorKey, secret, 'verifier', state.split('.')[0] ?? ''),
  }
  const received = await chat.httpRequest({
    ...(await encodeRequest(config.GOOGLE_TOKEN_URL, { path: '', form })),
    milliseconds: TOKEN_TIMEOUT_MS,
    redirects: 'none',
  })
  const response = withText(received)
  if (!response.ok) {
    log.warn({ reason: response.message }, 'Google gave no tokens for a consent')
    return 'unavailable'
  }
  const body = asObject(parseJson(response.text))
  if (response.status >= 400) {
    const reason = asString(body.error)?.slice(0, 100)
    if (reason === 'invalid_grant') return 'ended'
    log.warn({ status: response.status, reason }, 'Google gave no tokens for a consent')
    return response.status < 500 && response.status !== 429 ? 'misconfigured' : 'unavailable'
  }
  const refreshToken = filledText(body.refresh_token)
  const granted = asString(body.scope)?.split(' ') ?? []
  // People can untick permissions that a client requests.
  if (refreshToken === undefined || !granted.includes(consentScopes[type])) return 'incomplete'
  return { data: { oauth: { refreshToken } }, email: emailOf(body.id_token) }
}

/** Read without its signature: it comes from Google itself, and is a name for people alone. */
function emailOf(idToken: unknown): string | undefined {
  const [, payload = ''] = asString(idToken)?.split('.') ?? []
  return filledText(pick(parseJson(Buffer.from(payload, 'base64url').toString()), 'email'))
}

/** A value for one attempt that only this installation and the holder of the secret can make together. */
function derive(key: Buffer, secret: string, purpose: string, attempt: string): string {
  return createHmac('sha256', key)
    .update(`google consent ${secret} ${purpose} ${attempt}`)
    .digest('base64url')
}
