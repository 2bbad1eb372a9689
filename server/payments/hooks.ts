import type express from 'express'
import type { Issue } from '../../contract/errors.ts'
import { botOfSession, decodeState } from '../chat/sessions/codec.ts'
import { findSession } from '../chat/sessions/read-session.ts'
import type { Services } from '../context.ts'
import { asObject, asString, type JsonObject, parseJson } from '../json/access.ts'
import { dispatch } from '../kit/dispatch.ts'
import { readBytes } from '../kit/request.ts'
import { sendProblem } from '../kit/response.ts'
import { tryCredentials } from '../workspaces/credentials.ts'
import { isBotOf, notePayment } from './note.ts'
import { signatureProblem } from './signature.ts'

/*
 * Messages of the vendor of payments: they let a chat continue although its visitor has closed the page. Each may
 * come several times, late and in any order, so that a chat reads its payment from the vendor again. A message that
 * could not be handled gets an error response, and the vendor repeats it.
 */

type Serve = (path: string, get?: express.RequestHandler, post?: express.RequestHandler) => void

/** Bytes of a message. Those about payments have some 5,000. */
export const MAX_HOOK_BYTES = 262_144

export function servePaymentHooks(serve: Serve, services: Services): void {
  serve('/hooks/stripe/:workspaceId/:credentialsId', undefined, async (request, response) => {
    const { workspaceId, credentialsId } = request.params as { workspaceId: string; credentialsId: string }
    const body = await readBytes(request, MAX_HOOK_BYTES)
    if (body === undefined) {
      const message = `A message has at most ${MAX_HOOK_BYTES} bytes`
      return sendProblem(response, 'PAYLOAD_TOO_LARGE', [{ path: ['body'], code: 'too_big', message }])
    }
    const secrets = await readSecrets(services, workspaceId, credentialsId)
    if (secrets === 'unreadable') return sendProblem(response, 'SERVICE_UNAVAILABLE')
    if (secrets.length === 0) return sendProblem(response, 'NOT_FOUND', [noSecret])
    const header = request.get('stripe-signature')
    const checked = secrets.map(({ secret, isLive }) => ({
      isLive,
      problem: signatureProblem(header, body, secret, services.now()),
    }))
    const signed = checked.find(({ problem }) => problem === undefined)
    if (signed === undefined) {
      const message = checked[0]?.problem ?? ''
      const path = ['header', 'stripe-signature']
      return sendProblem(response, 'BAD_REQUEST', [{ path, code: 'invalid_value', message }])
    }
    const event = asObject(parseJson(body.toString()))
    const isHandled =
      event.livemode !== signed.isLive || (await handleEvent(request, services, workspaceId, event))
    if (isHandled) response.json({ received: true })
    else sendProblem(response, 'SERVICE_UNAVAILABLE')
  })
}

const noSecret: Issue = {
  path: ['path', 'credentialsId'],
  code: 'unknown_credentials',
  message: 'The workspace has no credentials of type stripe with this id and a webhookSecret',
}

async function readSecrets(
  services: Services,
  workspaceId: string,
  credentialsId: string,
): Promise<{ secret: string; isLive: boolean }[] | 'unreadable'> {
  const found = await tryCredentials(services, workspaceId, credentialsId)
  if (found === 'unreadable') return found
  if (found?.type !== 'stripe') return []
  const { live, test } = asObject(found.data)
  return [
    { secret: asString(asObject(live).webhookSecret) ?? '', isLive: true },
    { secret: asString(asObject(test).webhookSecret) ?? '', isLive: false },
  ].filter(({ secret }) => secret !== '')
}

/** Outcomes of payments by the type of the message. Other messages are of no interest. */
const outcomes: Record<string, 'completed' | 'paid' | 'failed'> = {
  'checkout.session.completed': 'completed',
  'checkout.session.async_payment_succeeded': 'paid',
  'checkout.session.async_payment_failed': 'failed',
  'payment_intent.succeeded': 'paid',
  'payment_intent.payment_failed': 'failed',
}

/** False if the message has to come again. */
async function handleEvent(
  request: express.Request,
  services: Services,
  workspaceId: string,
  event: JsonObject,
): Promise<boolean> {
  const type = asString(event.type) ?? ''
  const outcome = Object.hasOwn(outcomes, type) ? outcomes[type] : undefined
  const payment = asObject(asObject(event.data).object)
  const { session: sessionId, result: resultId, bot, form } = asObject(payment.metadata)
  const id = asString(payment.id)
  const isOfForm = type.startsWith('payment_intent.')
  const isPaid = isOfForm ? payment.status === 'succeeded' : payment.payment_status === 'paid'
  if (outcome === undefined || id === undefined || typeof sessionId !== 'string') return true
  // A payment on the page of the vendor is announced by its checkout session.
  if (isOfForm && form !== 'true') return true
  // A bank has still to confirm it.
  if (outcome === 'completed' && !isPaid) return true
  const botId = botOfSession(sessionId)
  if (botId === undefined || !(await isBotOf(services.db, workspaceId, botId))) return true
  for (let attempt = 1, isAnswered = false; ; attempt += 1) {
    const session = await findSession(services.db, services.chat, sessionId, services.now())
    const state = session && decodeState(session)
    const isWaiting = state?.payment?.id === id && state.waiting?.blockId === state.payment.blockId
    if (!session || !isWaiting) break
    // The vendor did not respond, the chat is busy, or members handle it: a later message completes the payment.
    if (isAnswered || attempt > 2 || session.handledBy !== null) return !isPaid
    // A card was declined, and the visitor is still at the form.
    if (isOfForm && outcome === 'failed' && !state.payment?.isPending) return true
    const target = `/api/v1/sessions/${encodeURIComponent(sessionId)}/continueChat`
    const body = { message: null, revision: session.revision }
    const { status } = await dispatch(request, { method: 'POST', target, body })
    // The chat has ended meanwhile.
    if (status === 404) break
    // After 409 its visitor was faster.
    if (status !== 200 && status !== 409) return false
    isAnswered = status === 200
  }
  if (!isPaid || typeof resultId !== 'string' || typeof bot !== 'string') return true
  if (bot !== botId && !(await isBotOf(services.db, workspaceId, bot))) return true
  await notePayment(services.db, { botId: bot, resultId }, { id, ...paymentOf(event, payment) })
  return true
}

function paymentOf(event: JsonObject, payment: JsonObject) {
  const isOfForm = payment.object === 'payment_intent'
  const { payment_intent: intent, currency } = payment
  const units = isOfForm ? payment.amount : payment.amount_total
  const intentId = isOfForm ? asString(payment.id) : (asString(intent) ?? asString(asObject(intent).id))
  return {
    paymentIntent: intentId ?? '',
    units: typeof units === 'number' ? units : 0,
    currency: (asString(currency) ?? '').toUpperCase(),
    isLive: event.livemode === true,
    at: new Date((typeof event.created === 'number' ? event.created : 0) * 1_000),
  }
}
