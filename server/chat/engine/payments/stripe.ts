/** Requests to the vendor of payments. Each is repeated a few times where no response comes. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripe } from '../../../../contract/bot-document/blocks/vendors/stripe.ts'
import { asObject, asString, filledText, type JsonObject, parseJson } from '../../../json/access.ts'
import { withText } from '../../../outbound/response-body.ts'
import { withoutSecrets } from '../../../outbound/secrets.ts'
import { trimSlashes } from '../../../outbound/trim-slashes.ts'
import {
  computeRemainingMilliseconds,
  type Execution,
  isPreview,
  spendOutboundCall,
  waitFor,
} from '../execution.ts'

/** Shapes of requests and responses stay those of this version, whatever the account has chosen. */
const API_VERSION = '2024-09-30.acacia'
const REQUEST_TIMEOUT_MS = 20_000
const MAX_ATTEMPTS = 3
const FIRST_BACKOFF_MS = 100

/** The keys of one mode, and the address that they go to. */
export interface Account {
  credentialsId: string
  isLive: boolean
  secretKey: string
  /** Absent where the form of the vendor cannot be shown. */
  publicKey?: string | undefined
  base: string
}

/** A payment on the page of the vendor or in its form, as far as the service reads it. */
export interface Checkout {
  id: string
  /** Page of the vendor; empty for its form. */
  url: string
  /** For the form of the vendor; empty for its page. */
  clientSecret: string
  isLive: boolean
  /** `open` can be paid; `complete` may still be confirmed, see `paymentStatus`. */
  status: string
  paymentStatus: string
  amount: number
  currency: string
  sessionId: string
  payment: { id: string; status: string }
}

/** Nothing came of a request; the reason is for the log. */
export interface Failure {
  problem: string
  /** Absent where no response came, 0 where nothing was sent. */
  status?: number
  details?: string
}

/** The keys for the mode of the chat; a text says why there are none. */
export async function findAccount(run: Execution, credentialsId: string): Promise<Account | string> {
  let data: JsonObject | null
  try {
    data = await run.effects.findCredentials(credentialsId, stripe.type)
  } catch (error) {
    return `its credentials cannot be read: ${(error as Error).message}`
  }
  if (data === null) return `the workspace has no credentials "${credentialsId}" of type ${stripe.type}`
  const isLive = !isPreview(run)
  const { secretKey: given, publicKey } = asObject(isLive ? data.live : data.test)
  const secretKey = filledText(given)
  if (secretKey === undefined) {
    return isLive
      ? 'its credentials have no keys of the live mode'
      : 'its credentials have no keys of the test mode, and a preview uses no others'
  }
  const base = trimSlashes(filledText(asString(data.baseUrl)?.trim()) ?? stripe.base ?? '')
  return { credentialsId, isLive, secretKey, publicKey: filledText(publicKey), base }
}

/** A payment is made on the page of the vendor, or in its form. */
type Kind = 'page' | 'form'

interface Payment {
  id: string
  form?: object | undefined
}

const kindOf = ({ form }: Payment): Kind => (form === undefined ? 'page' : 'form')

const paths = { page: '/v1/checkout/sessions', form: '/v1/payment_intents' }

/** Opens a payment. The same form under the same name is the same payment, however often it is sent. */
export function openCheckout(
  run: Execution,
  account: Account,
  kind: Kind,
  name: string,
  form: Record<string, string>,
): Promise<Checkout | Failure> {
  const key = createHash('sha256')
    .update(JSON.stringify([name, form]))
    .digest('hex')
  return request(run, account, kind, '', { form, key })
}

export function readCheckout(
  run: Execution,
  account: Account,
  payment: Payment,
): Promise<Checkout | Failure> {
  const query = payment.form === undefined ? '?expand[]=payment_intent' : ''
  return request(run, account, kindOf(payment), `/${encodeURIComponent(payment.id)}${query}`)
}

/** Ends a payment that was not made; a failure with a status where it cannot be ended any more. */
export function expireCheckout(
  run: Execution,
  account: Account,
  payment: Payment,
): Promise<Checkout | Failure> {
  const action = payment.form === undefined ? 'expire' : 'cancel'
  return request(run, account, kindOf(payment), `/${encodeURIComponent(payment.id)}/${action}`, { form: {} })
}

async function request(
  run: Execution,
  { base, secretKey }: Account,
  kind: Kind,
  path: string,
  { form, key }: { form?: Record<string, string>; key?: string } = {},
): Promise<Checkout | Failure> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(run, { base, secretKey, kind, path, form, key })
    const mayPass =
      'problem' in answer &&
      (answer.status === undefined || answer.status === 409 || answer.status === 429 || answer.status >= 500)
    if (!mayPass || attempt === MAX_ATTEMPTS) return answer
    const delayMs = FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + run.effects.random())
    if (delayMs > computeRemainingMilliseconds(run)) return answer
    await waitFor(run, sleep(delayMs))
  }
}

interface Sent extends Pick<Account, 'base' | 'secretKey'> {
  kind: Kind
  path: string
  form: Record<string, string> | undefined
  key: string | undefined
}

async function send(
  run: Execution,
  { base, secretKey, kind, path, form, key }: Sent,
): Promise<Checkout | Failure> {
  if (!(await spendOutboundCall(run))) return { problem: 'one turn may not call out more often', status: 0 }
  const response = await waitFor(
    run,
    run.effects.httpRequest({
      url: `${base}${paths[kind]}${path}`,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'stripe-version': API_VERSION,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
      milliseconds: Math.max(1, Math.min(REQUEST_TIMEOUT_MS, computeRemainingMilliseconds(run))),
      redirects: 'none',
    }),
  )
  const read = withText(response)
  if (!read.ok) {
    const problem = 'Stripe did not answer'
    return read.reason === 'refused'
      ? { problem, status: 0, details: read.message }
      : { problem, details: read.message }
  }
  if (read.status >= 400) {
    // Errors repeat the payment, with what its form may be opened with.
    const words = read.text.replaceAll(/("client_secret"\s*:\s*")[^"]*/g, '$1…')
    const details = withoutSecrets(secretKey, words)
    return { problem: `Stripe answered ${read.status}`, status: read.status, details }
  }
  const body = asObject(parseJson(read.text))
  const checkout = kind === 'page' ? toCheckout(body) : toFormPayment(body)
  return checkout ?? { problem: 'Stripe answered with something else than a payment', status: read.status }
}

function toCheckout(given: JsonObject): Checkout | undefined {
  const { id, status, payment_status: paymentStatus, amount_total: amount, currency, livemode } = given
  if (typeof id !== 'string' || typeof amount !== 'number' || typeof livemode !== 'boolean') return undefined
  const intent = given.payment_intent
  return {
    id,
    url: asString(given.url) ?? '',
    clientSecret: '',
    isLive: livemode,
    status: asString(status) ?? '',
    paymentStatus: asString(paymentStatus) ?? '',
    amount,
    currency: (asString(currency) ?? '').toUpperCase(),
    sessionId: asString(given.client_reference_id) ?? '',
    payment:
      typeof intent === 'string'
        ? { id: intent, status: '' }
        : { id: asString(asObject(intent).id) ?? '', status: asString(asObject(intent).status) ?? '' },
  }
}

/** In the words of the page, which has one status for that it can be paid and one for that it was. */
function toFormPayment(given: JsonObject): Checkout | undefined {
  const { id, amount, currency, livemode, client_secret: clientSecret } = given
  const status = asString(given.status) ?? ''
  if (typeof id !== 'string' || typeof amount !== 'number' || typeof livemode !== 'boolean') return undefined
  const isComplete = status === 'succeeded' || status === 'processing'
  return {
    id,
    url: '',
    clientSecret: asString(clientSecret) ?? '',
    isLive: livemode,
    status: isComplete ? 'complete' : status === 'canceled' ? 'expired' : 'open',
    paymentStatus: status === 'succeeded' ? 'paid' : 'unpaid',
    amount,
    currency: (asString(currency) ?? '').toUpperCase(),
    sessionId: asString(asObject(given.metadata).session) ?? '',
    payment: { id, status },
  }
}
