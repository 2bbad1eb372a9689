/** Tokens of accounts of Google, for its APIs. */
import { LRUCache } from 'lru-cache'
import { pick } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { accountOf, TOKEN_LIFETIME_SECONDS } from '../../../../outbound/google-account.ts'
import type { Execution } from '../../execution.ts'
import { failCall, type VendorCall } from './call.ts'
import { reportStatus, sendRequest } from './send.ts'

/** A token is renewed before it ends, so that none ends under way. */
const TOKEN_MARGIN_MS = 300_000

const MAX_CACHED_TOKEN_CHARACTERS = 1_000_000

export const tokens = new LRUCache<string, { token: string; renewAt: number }>({
  maxSize: MAX_CACHED_TOKEN_CHARACTERS,
  sizeCalculation: ({ token }, key) => key.length + token.length,
})

/**
 * Returns a token of the account; null if there is none, and the log then says why. `missing` is the entry for a
 * response without one.
 */
export async function accessToken(run: Execution, made: VendorCall, missing: string): Promise<string | null> {
  const { key, tokenUri, form: formAt } = accountOf(made.call.credentials)
  const known = tokens.get(key)
  if (known !== undefined && performance.now() < known.renewAt) return known.token
  const { title } = made.row
  const form = formAt(made.call.now)
  if (form === null) {
    failCall(run, made.block, `${title}: the private key of the credentials cannot be used`)
    return null
  }
  const atTokens = { ...made, call: { ...made.call, base: tokenUri } }
  const response = await sendRequest(run, atTokens, { path: '', form })
  if (response === null) return null
  if (isRevoked(response.body) && made.call.credentials.oauth !== undefined) {
    const description = `${title}: Google takes the consent of the account no longer, connect it again`
    failCall(run, made.block, description, 'invalid_grant', made.action.context)
    return null
  }
  if (response.status >= 400) {
    reportStatus(run, made, response)
    return null
  }
  const token = pick(response.body, 'access_token')
  if (typeof token !== 'string') {
    failCall(run, made.block, missing)
    return null
  }
  const seconds = Number(pick(response.body, 'expires_in') ?? TOKEN_LIFETIME_SECONDS)
  tokens.set(key, { token, renewAt: performance.now() + seconds * 1_000 - TOKEN_MARGIN_MS })
  return token
}

function isRevoked(body: unknown): boolean {
  return pick(body, 'error') === 'invalid_grant'
}

export function forgetToken({ call }: VendorCall): void {
  tokens.delete(accountOf(call.credentials).key)
}
