/** Service accounts of Google, which get tokens for a signed assertion. */
import { createHash, createSign } from 'node:crypto'
import { asObject, asString, filledText, type JsonObject } from '../json/access.ts'

const SCOPE = 'https://www.googleapis.com/auth/spreadsheets'
const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token'
export const TOKEN_LIFETIME_SECONDS = 3_600

export function accountOf(credentials: JsonObject) {
  const {
    client_email: email,
    private_key: privateKey,
    token_uri: tokenUri,
  } = asObject(credentials.serviceAccount)
  const key = createHash('sha256')
    .update(JSON.stringify([email, privateKey, tokenUri]))
    .digest('base64url')
  return {
    email: asString(email) ?? '',
    privateKey: asString(privateKey) ?? '',
    tokenUri: filledText(tokenUri) ?? TOKEN_ADDRESS,
    key,
  }
}

/** The form that gets a token at the address of the account; null if its private key is none. */
export function tokenForm(
  { email, privateKey, tokenUri }: ReturnType<typeof accountOf>,
  now: Date,
): Record<string, string> | null {
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
