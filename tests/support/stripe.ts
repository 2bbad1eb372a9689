import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'

/*
 * The vendor of payments with its state: checkout sessions and payments of its form that are opened, read, ended and
 * paid, idempotency keys, its messages, and ways to fail. Requests hold against its published mock, see
 * tests/flows/payments.test.ts.
 */

type Json = Record<string, unknown>

export interface DoubleCheckout {
  id: string
  url: string
  livemode: boolean
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  amount_total: number
  currency: string
  client_reference_id: string
  metadata: Record<string, string>
  success_url: string
  payment_intent: { id: string; status: string } | null
}

/** A payment in the form of the vendor. */
export interface DoubleIntent {
  id: string
  object: 'payment_intent'
  client_secret: string
  livemode: boolean
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'
  amount: number
  currency: string
  metadata: Record<string, string>
}

/** Failure of a request: `lost` after it took effect, `down` before. */
export type Failure = 'lost' | 'down' | { status: number; body: Json }

export interface StripeDouble {
  checkouts: Map<string, DoubleCheckout>
  intents: Map<string, DoubleIntent>
  /** Origin of the pages on which visitors pay. */
  pages: string
  /** Every request, with its form. */
  asked: { method: string; path: string; form: Record<string, string>; headers: Record<string, unknown> }[]
  /** Failures of the next requests; undefined for one that goes well. */
  failures: (Failure | undefined)[]
  /** Ids of the checkout sessions and payments of the form that were paid, in order: the money that was moved. */
  charges: string[]
  /** The visitor pays on the page of the vendor or in its form; false if nothing can be paid there. */
  pay(id: string, outcome?: 'paid' | 'processing' | 'failed'): boolean
  /** A bank confirms or declines what was `processing`. */
  settle(id: string, isPaid: boolean): void
  expire(id: string): void
  /** The id that the log of a result has for a payment. */
  chargeOf(id: string): string
  /** True while a bank confirms it. */
  isPending(id: string): boolean
  reply(request: OutboundRequest): OutboundResponse
  /** The body of a message about a payment. */
  event(type: string, id: string): string
}

let doubles = 0

export function stripeDouble(): StripeDouble {
  doubles += 1
  const prefix = `cs${doubles}`
  const byKey = new Map<string, { form: string; body: Json }>()
  const double: StripeDouble = {
    checkouts: new Map(),
    intents: new Map(),
    pages: 'https://checkout.stripe.com',
    asked: [],
    failures: [],
    charges: [],
    pay(id, outcome = 'paid') {
      const intent = double.intents.get(id)
      if (intent) return payIntent(intent, outcome)
      const checkout = double.checkouts.get(id)
      if (checkout?.status !== 'open' || outcome === 'failed') return false
      checkout.status = 'complete'
      checkout.payment_intent = {
        id: `pi_${id}`,
        status: outcome === 'paid' ? 'succeeded' : 'processing',
      }
      if (outcome === 'paid') {
        checkout.payment_status = 'paid'
        double.charges.push(id)
      }
      return true
    },
    settle(id, isPaid) {
      const intent = double.intents.get(id)
      if (intent) {
        intent.status = isPaid ? 'succeeded' : 'requires_payment_method'
        if (isPaid) double.charges.push(id)
        return
      }
      const checkout = double.checkouts.get(id) as DoubleCheckout
      checkout.payment_intent = {
        id: `pi_${id}`,
        status: isPaid ? 'succeeded' : 'requires_payment_method',
      }
      if (!isPaid) return
      checkout.payment_status = 'paid'
      double.charges.push(id)
    },
    chargeOf: (id) => (double.intents.has(id) ? id : `pi_${id}`),
    isPending: (id) =>
      (double.intents.get(id) ?? double.checkouts.get(id)?.payment_intent)?.status === 'processing',
    expire(id) {
      const intent = double.intents.get(id)
      if (intent) {
        intent.status = 'canceled'
        return
      }
      ;(double.checkouts.get(id) as DoubleCheckout).status = 'expired'
    },
    reply({ url, method, headers, body }) {
      const { pathname, searchParams } = new URL(url)
      const form = Object.fromEntries(new URLSearchParams(String(body ?? '')))
      double.asked.push({ method, path: pathname, form, headers })
      const failure = double.failures.shift()
      if (failure === 'down') return { ok: false, reason: 'network', message: 'The connection broke' }
      if (typeof failure === 'object') return json(failure.body, failure.status)
      const given = { ...form, ...Object.fromEntries(searchParams) }
      const { status, answer } = pathname.startsWith('/v1/payment_intents')
        ? handleIntent(method, pathname, given, headers)
        : handle(method, pathname, form, headers)
      if (failure === 'lost') return { ok: false, reason: 'network', message: 'The connection broke' }
      return json(answer, status)
    },
    event(type, id) {
      const intent = double.intents.get(id)
      if (intent) return eventOf(type, id, intent.livemode, { ...intent })
      const checkout = double.checkouts.get(id)
      const livemode = checkout?.livemode ?? true
      const object = { ...checkout, payment_intent: checkout?.payment_intent?.id ?? null }
      return eventOf(type, id, livemode, object)
    },
  }

  function payIntent(intent: DoubleIntent, outcome: 'paid' | 'processing' | 'failed') {
    if (intent.status !== 'requires_payment_method' || outcome === 'failed') return false
    intent.status = outcome === 'paid' ? 'succeeded' : 'processing'
    if (outcome === 'paid') double.charges.push(intent.id)
    return true
  }

  function handleIntent(method: string, path: string, form: Record<string, string>, headers: Json) {
    const key = String(headers.authorization)
    const livemode = key.includes('_live_')
    const [, id, action] = /^\/v1\/payment_intents(?:\/([^/]+)(?:\/(cancel|confirm))?)?$/.exec(path) ?? []
    if (id === undefined) return openIntent(method, form, `${key} ${headers['idempotency-key']}`, livemode)
    const intent = double.intents.get(id)
    if (intent === undefined || intent.livemode !== livemode) return failed(404, 'resource_missing')
    // The key of pages opens nothing without the secret of the payment.
    const isOfPage = key.includes('pk_')
    if (isOfPage && form.client_secret !== intent.client_secret) return failed(401, 'secret_invalid')
    if (action === undefined) return { status: 200, answer: { ...intent } }
    if (intent.status !== 'requires_payment_method') return failed(400, 'payment_intent_unexpected_state')
    if (action === 'confirm' && form.payment_method === 'declined') {
      const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' }
      return { status: 402, answer: { error } }
    }
    if (action === 'confirm') payIntent(intent, form.payment_method === 'bank' ? 'processing' : 'paid')
    else intent.status = 'canceled'
    return { status: 200, answer: { ...intent } }
  }

  function openIntent(method: string, form: Record<string, string>, key: string, livemode: boolean) {
    const amount = Number(form.amount)
    const rejected = rejectionOf(method, amount)
    if (rejected) return rejected
    const text = JSON.stringify(form)
    const earlier = byKey.get(key)
    if (earlier !== undefined && earlier.form !== text) return failed(400, 'idempotency_error')
    if (earlier !== undefined) return { status: 200, answer: earlier.body }
    const id = `pi${doubles}_${livemode ? 'live' : 'test'}_${double.intents.size + 1}`
    const intent: DoubleIntent = {
      id,
      object: 'payment_intent',
      client_secret: `${id}_secret_1`,
      livemode,
      status: 'requires_payment_method',
      amount,
      currency: String(form.currency),
      metadata: metadataIn(form),
    }
    double.intents.set(id, intent)
    byKey.set(key, { form: text, body: { ...intent } })
    return { status: 200, answer: { ...intent } }
  }

  function handle(method: string, path: string, form: Record<string, string>, headers: Json) {
    const livemode = String(headers.authorization).includes('_live_')
    const [, id, action] = /^\/v1\/checkout\/sessions(?:\/([^/]+)(?:\/(expire))?)?$/.exec(path) ?? []
    if (id === undefined) {
      const key = `${headers.authorization} ${headers['idempotency-key']}`
      return open(method, form, key, livemode)
    }
    const checkout = double.checkouts.get(id)
    if (checkout === undefined || checkout.livemode !== livemode) return failed(404, 'resource_missing')
    if (action === undefined) return { status: 200, answer: { ...checkout } }
    if (checkout.status !== 'open') return failed(400, 'checkout_session_not_open')
    checkout.status = 'expired'
    return { status: 200, answer: { ...checkout } }
  }

  function open(method: string, form: Record<string, string>, key: string, livemode: boolean) {
    const amount = Number(form['line_items[0][price_data][unit_amount]'])
    const rejected = rejectionOf(method, amount)
    if (rejected) return rejected
    const text = JSON.stringify(form)
    const earlier = byKey.get(key)
    if (earlier !== undefined && earlier.form !== text) return failed(400, 'idempotency_error')
    if (earlier !== undefined) return { status: 200, answer: earlier.body }
    const id = `${prefix}_${livemode ? 'live' : 'test'}_${double.checkouts.size + 1}`
    const checkout: DoubleCheckout = {
      id,
      url: `${double.pages}/c/pay/${id}`,
      livemode,
      status: 'open',
      payment_status: 'unpaid',
      amount_total: amount,
      currency: String(form['line_items[0][price_data][currency]']),
      client_reference_id: String(form.client_reference_id),
      metadata: metadataIn(form),
      success_url: String(form.success_url),
      payment_intent: null,
    }
    double.checkouts.set(id, checkout)
    byKey.set(key, { form: text, body: { ...checkout } })
    return { status: 200, answer: { ...checkout } }
  }

  return double
}

function metadataIn(form: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      const [, inner] = /^metadata\[(\w+)\]$/.exec(name) ?? []
      return inner === undefined ? [] : [[inner, value]]
    }),
  )
}

function rejectionOf(method: string, amount: number) {
  if (method !== 'POST') return failed(404, 'unknown_route')
  if (!Number.isInteger(amount)) return failed(400, 'parameter_invalid_integer')
  if (amount < 50) return failed(400, 'amount_too_small')
  return amount > 99_999_999 ? failed(400, 'amount_too_large') : undefined
}

function eventOf(type: string, id: string, livemode: boolean, object: Json): string {
  return JSON.stringify({ id: `evt_${id}`, type, livemode, created: 1_773_144_000, data: { object } })
}

function failed(status: number, code: string) {
  return { status, answer: { error: { code, message: `The payment failed: ${code}` } } as Json }
}

function json(body: unknown, status = 200): OutboundResponse {
  return {
    ok: true,
    status,
    contentType: 'application/json',
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  }
}

/** The header with which the vendor signs a message. */
export function signatureOf(secret: string, body: string, at: Date): string {
  const time = Math.floor(at.getTime() / 1_000)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return `t=${time},v1=${signature}`
}

/** The double as a server, for chats that are run by the service. */
export async function startStripe(): Promise<
  StripeDouble & { host: string; url: string; stop(): Promise<void> }
> {
  const double = stripeDouble()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const [, paid] = /^\/c\/pay\/(\w+)/.exec(String(request.url)) ?? []
      if (paid !== undefined && request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/html' })
        return response.end('<form method="post"><button>Pay now</button></form>')
      }
      if (paid !== undefined) {
        double.pay(paid)
        const back = double.checkouts.get(paid)?.success_url.replace('{CHECKOUT_SESSION_ID}', paid)
        return response.writeHead(303, { location: back }).end()
      }
      const reply = double.reply({
        url: `http://stripe${request.url}`,
        method: String(request.method),
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(pieces).toString(),
        milliseconds: 1,
      })
      if (!reply.ok) return request.socket.destroy()
      response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  double.pages = `http://${host}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return Object.assign(double, { host, url: `http://${host}`, stop })
}
