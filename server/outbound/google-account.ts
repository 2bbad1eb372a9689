/** Accounts of Google: service accounts get tokens for a signed assertion, those of people for a refresh token. */
import { createHash, createSign } from 'node:crypto'
import { asObject, asString, filledText, type JsonObject } from '../json/access.ts'

const SCOPE = 'https://www.googleapis.com/auth/spreadsheets'
/** Address of Google that gives tokens. */
export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'
export const TOKEN_LIFETIME_SECONDS = 3_600

export interface GoogleAccount {
  /** A digest that is unique to the account. */
  key: string
  /** Address that gives tokens. */
  tokenUri: string
  /** The form that gets a token there; null if the private key of the account is none. */
  form: (now: Date) => Record<string, string> | null
}

/** The OAuth client of the installation. */
interface InstalledClient {
  GOOGLE_CLIENT_ID?: string | undefined
  GOOGLE_CLIENT_SECRET?: string | undefined
  GOOGLE_TOKEN_URL: string
}

/**
 * Completes credentials of a person who agreed with the client of the installation, whose secret is sent only to the
 * address of the configuration. Others stay as they are.
 */
export function withInstalledClient(
  data: JsonObject,
  { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_TOKEN_URL: tokenUri }: InstalledClient,
): JsonObject {
  const { refreshToken, clientId } = asObject(data.oauth)
  if (data.oauth === undefined || clientId !== undefined) return data
  const client = { clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET, tokenUri }
  return { ...data, oauth: { refreshToken, ...client } }
}

export function accountOf(credentials: JsonObject): GoogleAccount {
  return credentials.oauth === undefined
    ? serviceAccount(asObject(credentials.serviceAccount))
    : personalAccount(asObject(credentials.oauth))
}

function personalAccount({ refreshToken, clientId, clientSecret, tokenUri }: JsonObject): GoogleAccount {
  const form = {
    grant_type: 'refresh_token',
    refresh_token: asString(refreshToken) ?? '',
    client_id: asString(clientId) ?? '',
    client_secret: asString(clientSecret) ?? '',
  }
  return {
    key: digestOf([form, tokenUri]),
    tokenUri: filledText(tokenUri) ?? GOOGLE_TOKEN_URL,
    form: () => form,
  }
}

function serviceAccount({
  client_email: email,
  private_key: privateKey,
  token_uri: given,
}: JsonObject): GoogleAccount {
  const tokenUri = filledText(given) ?? GOOGLE_TOKEN_URL
  return {
    key: digestOf([email, privateKey, given]),
    tokenUri,
    form: (now) => assertionForm(asString(email) ?? '', asString(privateKey) ?? '', tokenUri, now),
  }
}

function assertionForm(email: string, privateKey: string, tokenUri: string, now: Date) {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const iat = Math.floor(now.getTime() / 1_000)
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat, exp: iat + TOKEN_LIFETIME_SECONDS }
  // A JSON Web Token with RS256.
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  try {
    const signature = createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')
    const assertion = `${signed}.${signature}`
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
  } catch {
    return null
  }
}

function digestOf(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
