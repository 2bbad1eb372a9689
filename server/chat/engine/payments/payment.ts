/*
 * Payments on the page of the vendor, or in its form. A chat continues only once the service has read from the vendor
 * that its payment succeeded, as it was requested. No message of a visitor counts as paid.
 */
import { asObject, asString, filledText, type JsonObject, webUrl } from '../../../json/access.ts'
import { sendPlainText } from '../bubbles.ts'
import { currentFrame, type Execution, log } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { resultBotOf } from '../frames.ts'
import { isEmailAddress } from '../inputs/contact.ts'
import { type Reading, toReading } from '../inputs/reading.ts'
import { readingLanguage, sentencesOf } from '../language.ts'
import type { InputToShow } from '../types.ts'
import { fill } from '../variables.ts'
import { isCurrency, readAmount, showAmount } from './amounts.ts'
import type { OpenPayment } from './open-payment.ts'
import {
  type Account,
  type Checkout,
  expireCheckout,
  type Failure,
  findAccount,
  openCheckout,
  readCheckout,
} from './stripe.ts'

const DEFAULT_CURRENCY = 'USD'
const DEFAULT_ANSWER = 'Success'
/** Maximum characters of a name and of a value that the vendor stores. */
const MAX_NAME_CHARACTERS = 250
const MAX_METADATA_CHARACTERS = 500

type ShownPayment = Pick<InputToShow, 'payment' | 'runtimeOptions'>

/**
 * Opens the payment of an input, or finds the one that it has; null where none can be made: the chat has ended then.
 * `options` are those of the block, filled.
 */
export async function showPayment(
  run: Execution,
  block: Block,
  options: JsonObject,
): Promise<ShownPayment | null> {
  const currency = (filledText(asString(options.currency)?.trim()) ?? DEFAULT_CURRENCY).toUpperCase()
  if (!isCurrency(currency)) return endUnpaid(run, block, `"${currency}" is no currency`)
  const amount = readAmount(textOf(options.amount), currency)
  if ('problem' in amount) return endUnpaid(run, block, amount.problem)
  const credentialsId = filledText(options.credentialsId)
  if (credentialsId === undefined) return endUnpaid(run, block, 'it has no credentials')
  const { units } = amount
  const earlier = run.state.payment
  const isOfBlock = earlier !== undefined && isAskedBy(run, block, earlier)
  // Before the account is looked up: it may have been deleted since the visitor paid.
  if (isOfBlock && earlier.units === units && earlier.currency === currency) {
    if (earlier.credentialsId === credentialsId) return toShow(run, earlier)
  }
  const account = await findAccount(run, credentialsId)
  if (typeof account === 'string') return endUnpaid(run, block, account)
  if (earlier !== undefined) {
    const problem = await closeEarlier(run, block, earlier)
    if (problem === 'paid' && isOfBlock) return endPaid(run)
    if (problem !== undefined && problem !== 'paid') return endUnpaid(run, block, problem)
  }
  return openPayment(run, block, account, options, units, currency)
}

async function openPayment(
  run: Execution,
  block: Block,
  account: Account,
  options: JsonObject,
  units: number,
  currency: string,
): Promise<ShownPayment | null> {
  const { sessionId, formUrl } = run.effects.checkout
  const { credentialsId, isLive, publicKey } = account
  const kind = formUrl !== undefined && publicKey !== undefined ? 'form' : 'page'
  const number = (run.state.paymentCount ?? 0) + 1
  const form = formOf(run, block, options, { units, currency, number })[kind]
  const opened = await openCheckout(run, account, kind, `${sessionId} ${number}`, form)
  if ('problem' in opened) return endUnpaid(run, block, opened.problem, opened.details)
  const isAsAsked = opened.amount === units && opened.currency === currency && opened.isLive === isLive
  const { clientSecret } = opened
  const ofForm = kind === 'form' && { form: { publicKey: publicKey ?? '', clientSecret } }
  // The page reads the keys from the session: an address with keys would allow others to request money there.
  const url = kind === 'form' ? `${formUrl}#${sessionId}` : opened.url
  const canBePaid = kind === 'form' ? clientSecret !== '' : webUrl(url) !== null
  if (!isAsAsked || !canBePaid) {
    if (opened.status === 'open') await expireCheckout(run, account, { id: opened.id, ...ofForm })
    const reason =
      opened.isLive === isLive
        ? 'Stripe has opened another payment than was asked for'
        : 'the keys are of the other mode than the chat needs'
    return endUnpaid(run, block, reason)
  }
  const { botId } = currentFrame(run)
  run.state.paymentCount = number
  run.state.payment = {
    botId,
    blockId: block.id,
    id: opened.id,
    url,
    reference: sessionId,
    units,
    currency,
    isLive,
    credentialsId,
    ...ofForm,
  }
  return toShow(run, run.state.payment)
}

/** Reads the status of the payment that the input waits for from the vendor. */
export async function readPayment(run: Execution, block: Block): Promise<Reading> {
  const payment = run.state.payment
  const sentences = sentencesOf(run)
  const retryMessage = filledText(block.options.retryMessageContent) ?? sentences.notPaid
  if (payment === undefined || !isAskedBy(run, block, payment)) return { kind: 'invalid', retryMessage }
  const account = await findAccount(run, payment.credentialsId)
  const read = typeof account === 'string' ? { problem: account } : await readCheckout(run, account, payment)
  if ('problem' in read) {
    report(run, block, `The payment ${payment.id} could not be checked: ${read.problem}`, read)
    return { kind: 'invalid', retryMessage: sentences.paymentUnknown }
  }
  if (!agrees(payment, read)) {
    const description = `The payment ${payment.id} does not count: it is not the one that was asked for`
    const { clientSecret: _, ...shown } = read
    report(run, block, description, { details: JSON.stringify(shown) })
    return { kind: 'invalid', retryMessage }
  }
  if (read.paymentStatus === 'paid') {
    delete run.state.payment
    logPaid(run, block, 'success', payment, read)
    const label = filledText(asObject(block.options.labels).success)
    return toReading(label === undefined ? DEFAULT_ANSWER : await fill(run, label))
  }
  const hasFailed = ['requires_payment_method', 'canceled'].includes(read.payment.status)
  if (read.status === 'complete' && !hasFailed) {
    log(run, 'info', `The payment ${payment.id} is being confirmed`, { context: block.id, isInternal: true })
    run.state.payment = { ...payment, isPending: true }
    return { kind: 'invalid', retryMessage: sentences.paymentPending }
  }
  // Nothing can be paid there any more: the input opens another payment.
  if (read.status !== 'open') delete run.state.payment
  else if (payment.isPending) run.state.payment = { ...payment, isPending: false }
  return { kind: 'invalid', retryMessage }
}

/** Ends a payment that another one replaces. `paid` if it was made all the same; else why it may still be made. */
async function closeEarlier(
  run: Execution,
  block: Block,
  payment: OpenPayment,
): Promise<'paid' | string | undefined> {
  const account = await findAccount(run, payment.credentialsId)
  if (typeof account === 'string') return `the payment before cannot be ended: ${account}`
  let read: Checkout | Failure = await readCheckout(run, account, payment)
  if (!('problem' in read) && read.status === 'open') {
    const expired = await expireCheckout(run, account, payment)
    // It was made at the same time.
    read =
      'problem' in expired && expired.status === 400 ? await readCheckout(run, account, payment) : expired
  }
  if ('problem' in read) {
    // Keys of another account do not know it.
    if (read.status !== 404) return `the payment before cannot be ended: ${read.problem}`
  } else if (read.status === 'open') return 'the payment before cannot be ended'
  else if (read.status === 'complete') {
    logPaid(run, block, 'error', payment, read)
    delete run.state.payment
    return 'paid'
  }
  delete run.state.payment
  return undefined
}

function isAskedBy(run: Execution, block: Block, payment: OpenPayment): boolean {
  return payment.blockId === block.id && payment.botId === currentFrame(run).botId
}

function agrees(payment: OpenPayment, read: Checkout): boolean {
  return (
    read.id === payment.id &&
    read.amount === payment.units &&
    read.currency === payment.currency &&
    read.isLive === payment.isLive &&
    read.sessionId === payment.reference
  )
}

function toShow(run: Execution, { id, url, units, currency, form }: OpenPayment): ShownPayment {
  const amount = showAmount(units, currency, readingLanguage(run) ?? 'en')
  const payment = { id, url, amount }
  if (form === undefined) return { payment }
  const { publicKey, clientSecret } = form
  return { payment, runtimeOptions: { paymentIntentSecret: clientSecret, amountLabel: amount, publicKey } }
}

/** With it the owner of the bot finds the charge from the result; the metadata lead from the charge to the result. */
function logPaid(
  run: Execution,
  block: Block,
  status: 'success' | 'error',
  payment: OpenPayment,
  read: Checkout,
): void {
  const amount = showAmount(payment.units, payment.currency, 'en')
  const charge = filledText(read.payment.id) ?? payment.id
  const state = read.paymentStatus === 'paid' ? 'was paid' : 'is being confirmed'
  const description =
    status === 'success'
      ? `${amount} was paid: ${charge}`
      : `${amount} ${state} after the chat had asked for another payment: ${charge}`
  const ofPage = payment.form === undefined && { checkoutSession: payment.id }
  const details = { ...ofPage, paymentIntent: read.payment.id, units: payment.units }
  log(run, status, description, {
    context: block.id,
    details: { ...details, currency: payment.currency, isLive: payment.isLive },
    isInternal: true,
  })
}

function endUnpaid(run: Execution, block: Block, reason: string, details?: string): null {
  sendPlainText(run, sentencesOf(run).noPayment)
  report(run, block, `The chat was ended at a payment: ${reason}`, { details })
  run.isAborted = true
  return null
}

function endPaid(run: Execution): null {
  sendPlainText(run, sentencesOf(run).paidBefore)
  run.isAborted = true
  return null
}

function report(
  run: Execution,
  block: Block,
  description: string,
  { details }: { details?: string | undefined },
) {
  log(run, 'error', description, {
    context: block.id,
    isInternal: true,
    ...(details !== undefined && { details }),
  })
}

/** Forms of the requests that open the payment: on the page of the vendor, and in its form. */
function formOf(
  run: Execution,
  block: Block,
  options: JsonObject,
  { units, currency, number }: { units: number; currency: string; number: number },
): Record<'page' | 'form', Record<string, string>> {
  const { sessionId, returnUrl } = run.effects.checkout
  const { description, name, email, phoneNumber, address } = asObject(options.additionalInformation)
  const frame = currentFrame(run)
  const mail = textOf(email).trim()
  const metadata = {
    session: sessionId,
    result: frame.resultId ?? '',
    bot: resultBotOf(run.frames) ?? frame.botId,
    block: block.id,
    number: String(number),
    name: textOf(name),
    phone: textOf(phoneNumber),
    address: Object.values(asObject(address)).map(textOf).filter(Boolean).join(', '),
  }
  const given = Object.entries(metadata).filter(([, value]) => value !== '')
  const short = given.map(([key, value]): [string, string] => [key, value.slice(0, MAX_METADATA_CHARACTERS)])
  const what = textOf(description).trim()
  const described = what.slice(0, MAX_METADATA_CHARACTERS)
  const isMailable = isEmailAddress(mail)
  return {
    page: {
      mode: 'payment',
      client_reference_id: sessionId,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': currency.toLowerCase(),
      'line_items[0][price_data][unit_amount]': String(units),
      'line_items[0][price_data][product_data][name]':
        (what || textOf(frame.flowIndex.flow.name).trim()).slice(0, MAX_NAME_CHARACTERS) || 'Payment',
      // The vendor fills in the id.
      success_url: `${returnUrl}?payment={CHECKOUT_SESSION_ID}`,
      cancel_url: returnUrl,
      ...(what !== '' && { 'payment_intent_data[description]': described }),
      ...(isMailable && { customer_email: mail, 'payment_intent_data[receipt_email]': mail }),
      ...Object.fromEntries(short.map(([key, value]) => [`metadata[${key}]`, value])),
      ...Object.fromEntries(short.map(([key, value]) => [`payment_intent_data[metadata][${key}]`, value])),
    },
    form: {
      amount: String(units),
      currency: currency.toLowerCase(),
      'automatic_payment_methods[enabled]': 'true',
      ...(what !== '' && { description: described }),
      ...(isMailable && { receipt_email: mail }),
      ...Object.fromEntries(short.map(([key, value]) => [`metadata[${key}]`, value])),
      // Distinguishes it from the payment behind a page of the vendor, which has a session of its own.
      'metadata[form]': 'true',
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : (asString(value) ?? '')
}
