import { createHmac, timingSafeEqual } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type * as Client from 'openid-client'
import type { Logger } from 'pino'
import { name as nameSchema } from '../../contract/kit/fields.ts'
import { email as emailSchema } from '../../contract/members.ts'
import type { Config } from '../config.ts'
import { type Database, transact } from '../db/client.ts'
import { users } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { createSecret } from './browser-sessions.ts'
import { type Browser, signInProven } from './sign-in-links.ts'

/*
 * Sign-in by OpenID Connect: code flow with PKCE. State, nonce and verifier follow from the secret in the browser's
 * cookie, so that nothing is stored for strangers and only the browser that began a sign-in can finish it.
 */

/** Minutes in which people sign in at the provider. */
export const OPENID_MINUTES = 15

/** Seconds to wait for each response of the provider. */
const PROVIDER_TIMEOUT_SECONDS = 5

/** Configuration of the provider is read again after this time. */
const METADATA_TIMEOUT_MS = 60 * 60_000

/** Clocks of provider and service may differ by so much. */
const CLOCK_TOLERANCE_SECONDS = 30

/** Maximum concurrent sign-ins that wait for the provider. */
export const MAX_OPENID_AT_ONCE = 50

/** Reasons why a sign-in fails. */
export type OpenidRejection = 'ended' | 'declined' | 'unavailable' | 'unverified' | 'not allowed'

export interface Openid {
  /** The host of the provider, for the button. */
  host: string
  /** The address at the provider that a browser with this secret goes to. */
  begin(secret: string, callback: string, now: Date): Promise<URL | OpenidRejection>
  /** The person who came back with this secret to `url`, which is the callback with the query of the provider. */
  identify(secret: string, url: URL, now: Date): Promise<Person | OpenidRejection>
}

interface Person {
  email: string
  name: string | null
}

type Options = Pick<Config, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ALLOWED_DOMAINS'>

/** The configured provider; undefined if there is none. */
export function openOpenid(options: Options, log: Logger): Openid | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: secret = '' } = options
  if (issuer === undefined) return undefined
  const domains = options.OIDC_ALLOWED_DOMAINS
  let known: { found: Promise<Client.Configuration>; readAt: number } | undefined
  let underWay = 0

  /** The provider's own description, which simultaneous sign-ins share. One that fails is read anew. */
  function findProvider(client: typeof Client): Promise<Client.Configuration> {
    const at = performance.now()
    if (known && at - known.readAt < METADATA_TIMEOUT_MS) return known.found
    const found = client.discovery(
      new URL(issuer as string),
      clientId,
      {
        [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      },
      authenticate(client),
      {
        timeout: PROVIDER_TIMEOUT_SECONDS,
        // The configuration takes http for this machine alone.
        execute: issuer?.startsWith('http:') ? [client.allowInsecureRequests] : [],
      },
    )
    known = { found, readAt: at }
    found.catch(() => {
      if (known?.found === found) known = undefined
    })
    return found
  }

  /** Sends the client's secret as providers expect it by default, or in the body where they take nothing else. */
  function authenticate(client: typeof Client): Client.ClientAuth {
    const inHeader = client.ClientSecretBasic(secret)
    const inBody = client.ClientSecretPost(secret)
    return (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported
      const isBodyOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
      return (isBodyOnly ? inBody : inHeader)(server, ...rest)
    }
  }

  async function ask<Value>(
    run: (client: typeof Client) => Promise<Value>,
  ): Promise<Value | OpenidRejection> {
    if (underWay >= MAX_OPENID_AT_ONCE) return 'unavailable'
    underWay++
    const client = await import('openid-client')
    try {
      return await run(client)
    } catch (error) {
      return rejectionOf(client, error as Error, log)
    } finally {
      underWay--
    }
  }

  return {
    host: new URL(issuer).host,

    begin: (secret, callback, now) =>
      ask(async (client) => {
        const attempt = `${now.getTime().toString(36)}.${createSecret()}`
        const provider = await findProvider(client)
        return client.buildAuthorizationUrl(provider, {
          redirect_uri: callback,
          scope: 'openid email profile',
          state: `${attempt}.${derive(secret, 'state', attempt)}`,
          nonce: derive(secret, 'nonce', attempt),
          code_challenge: await client.calculatePKCECodeChallenge(derive(secret, 'verifier', attempt)),
          code_challenge_method: 'S256',
        })
      }),

    async identify(secret, url, now) {
      const state = url.searchParams.get('state') ?? ''
      const attempt = state.slice(0, state.lastIndexOf('.'))
      const begun = Number.parseInt(attempt, 36)
      if (!isEqual(state, `${attempt}.${derive(secret, 'state', attempt)}`)) return 'ended'
      if (now.getTime() - begun >= OPENID_MINUTES * 60_000) return 'ended'
      return ask(async (client) => {
        const provider = await findProvider(client)
        const tokens = await client.authorizationCodeGrant(provider, url, {
          pkceCodeVerifier: derive(secret, 'verifier', attempt),
          expectedState: state,
          expectedNonce: derive(secret, 'nonce', attempt),
          idTokenExpected: true,
        })
        const claims = tokens.claims() as Client.IDToken
        const isComplete = claims.email !== undefined && claims.email_verified !== undefined
        const person = isComplete
          ? claims
          : await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
        return readPerson(person, domains)
      })
    },
  }
}

/** A value for one attempt that only the holder of the secret can make. */
function derive(secret: string, purpose: string, attempt: string): string {
  return createHmac('sha256', secret).update(`${purpose} ${attempt}`).digest('base64url')
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Messages of the library name no tokens, its causes do. */
function rejectionOf(client: typeof Client, error: Error, log: Logger): OpenidRejection {
  if (error instanceof client.AuthorizationResponseError) return 'declined'
  // Providers revoke tokens when their code comes again.
  if (error instanceof client.WWWAuthenticateChallengeError) return 'ended'
  const { code } = error as { code?: string }
  const reason = error instanceof client.ResponseBodyError ? error.error : error.message
  if (reason === 'invalid_grant') return 'ended'
  log.warn({ code, reason }, 'the OpenID Connect provider could not be used')
  return endings.has(code ?? '') ? 'ended' : 'unavailable'
}

/** Responses that belong to another sign-in, or to none. */
const endings = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
])

function readPerson(
  { email, email_verified, name }: Client.UserInfoResponse | Client.IDToken,
  domains: readonly string[],
): Person | OpenidRejection {
  // Some providers send a text.
  const isVerified = email_verified === true || (email_verified as unknown) === 'true'
  if (typeof email !== 'string' || !isVerified) return 'unverified'
  const address = emailSchema.safeParse(email).data?.toLowerCase()
  if (address === undefined) return 'not allowed'
  const domain = address.slice(address.indexOf('@') + 1)
  if (domains.length > 0 && !domains.includes(domain)) return 'not allowed'
  return { email: address, name: nameSchema('', '').safeParse(name).data ?? null }
}

/**
 * Signs a person in; returns the value of the cookie. `mayCreate`: a user is made where the address has none. Undefined
 * if there is no user, or one that is disabled.
 */
export async function signInPerson(
  db: Database,
  { email, name }: Person,
  { mayCreate, browser }: { mayCreate: boolean; browser: Pick<Browser, 'cookie' | 'userAgent'> },
  now: Date,
): Promise<string | undefined> {
  return transact(db, async (tx) => {
    if (mayCreate) {
      await tx
        .insert(users)
        .values({ id: newId(now), email, name, createdAt: now, updatedAt: now })
        .onConflictDoNothing()
    }
    const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
    return user && signInProven(tx, user.id, browser, now)
  })
}
