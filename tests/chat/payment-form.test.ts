import { describe, expect, test } from '@jest/globals'
import type { Effects, Message } from '../../server/chat/engine/types.ts'
import { ask, bot, chat, idOf, type Part, set, text, type World } from '../support/chat.ts'
import { type DoubleIntent, type StripeDouble, stripeDouble } from '../support/stripe.ts'

/* Payments in the form of the vendor, on hosts that serve chats alone. */

const keys = {
  live: { secretKey: 'sk_live_secret', publicKey: 'pk_live_1' },
  test: { secretKey: 'sk_test_secret', publicKey: 'pk_test_1' },
}
const checkout = {
  sessionId: 'session1',
  returnUrl: 'https://chats.example.com/chat/~payment',
  formUrl: 'https://chats.example.com/chat/~pay',
}

function payment(options: object = {}): Part {
  return {
    type: 'payment input',
    options: {
      credentialsId: 'c',
      currency: 'EUR',
      amount: '{{Amount}}',
      variableId: idOf('Paid'),
      labels: { success: 'Thank you' },
      ...options,
    },
  }
}

function world(stripe: StripeDouble, more: World = {}): World {
  return { reply: stripe.reply, findCredentials: async () => keys, checkout, ...more }
}

const paying = (part: Part = payment()) =>
  bot({ g: [set('Amount', '29.90'), part, text('and on'), ask()] }, { variables: ['Amount', 'Paid'] })

const idIn = (stripe: StripeDouble, index = 0) => [...stripe.intents.keys()][index] as string

test('a payment in the form of the vendor leads back to the result, and the page gets the data of the form', async () => {
  const stripe = stripeDouble()
  const additionalInformation = {
    description: 'Ticket for {{Amount}}',
    email: 'ada@example.com',
    name: 'Ada',
  }
  const client = await chat(paying(payment({ additionalInformation })), world(stripe))
  const id = idIn(stripe)
  expect(client.outcome.input).toMatchObject({
    type: 'payment input',
    payment: { id, url: 'https://chats.example.com/chat/~pay#session1', amount: '€29.90' },
    runtimeOptions: { paymentIntentSecret: `${id}_secret_1`, amountLabel: '€29.90', publicKey: 'pk_live_1' },
  })
  expect(JSON.stringify(client.outcome.input)).not.toContain('sk_live')
  const [asked] = stripe.asked
  expect(asked).toMatchObject({
    method: 'POST',
    path: '/v1/payment_intents',
    headers: {
      authorization: 'Bearer sk_live_secret',
      'idempotency-key': expect.stringMatching(/^[\da-f]{64}$/),
    },
  })
  expect(asked?.form).toEqual({
    amount: '2990',
    currency: 'eur',
    'automatic_payment_methods[enabled]': 'true',
    description: 'Ticket for 29.90',
    receipt_email: 'ada@example.com',
    'metadata[session]': 'session1',
    'metadata[result]': 'result1',
    'metadata[bot]': 'bot1',
    'metadata[block]': 'g.1',
    'metadata[number]': '1',
    'metadata[name]': 'Ada',
    'metadata[form]': 'true',
  })
  expect(stripe.checkouts.size).toBe(0)
})

test.each<[string, World]>([
  ['on the host of the members', { checkout: { sessionId: 'session1', returnUrl: checkout.returnUrl } }],
  ['without a public key', { findCredentials: async () => ({ live: { secretKey: 'sk_live_secret' } }) }],
])('a payment %s takes the page of the vendor', async (_, more) => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe, more))
  expect(client.outcome.input?.runtimeOptions).toBeUndefined()
  expect(client.outcome.input?.payment?.url).toContain('https://checkout.stripe.com/')
  expect([stripe.intents.size, stripe.checkouts.size]).toEqual([0, 1])
})

test('a preview shows the form with the keys of the test mode', async () => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe, { options: { resultId: null } }))
  expect(client.outcome.input?.runtimeOptions?.publicKey).toBe('pk_test_1')
  expect([...stripe.intents.values()].map(({ livemode }) => livemode)).toEqual([false])
})

test('a chat continues once the vendor confirms the payment of its form', async () => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe))
  stripe.pay(idIn(stripe))
  await client.say()
  expect(client.texts()).toEqual(['and on'])
  expect(client.value('Paid')).toBe('Thank you')
  const logged = client.logged('€29.90 was paid')
  expect(logged).toMatchObject({ status: 'success', isInternal: true })
  expect(`${logged?.description} ${logged?.details}`).toContain(idIn(stripe))
})

test.each<[string, Message | null]>([
  ['nothing', null],
  ['Success', 'Success'],
  ['the label', 'Thank you'],
])('a chat with an unpaid form stays when the visitor says %s', async (_, message) => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe))
  const first = client.outcome.input
  await client.say(message)
  expect(client.texts()).toEqual([expect.stringContaining('not arrived')])
  expect(client.outcome.input).toEqual(first)
  expect(stripe.intents.size).toBe(1)
})

test.each<[string, Partial<DoubleIntent>]>([
  ['another amount', { amount: 100 }],
  ['another currency', { currency: 'jpy' }],
  ['the test mode', { livemode: false }],
  ['another session', { metadata: { session: 'session2' } }],
])('a chat does not continue when %s was paid in its form', async (_, values) => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe))
  stripe.pay(idIn(stripe))
  Object.assign(stripe.intents.get(idIn(stripe)) as object, values)
  await client.say('Paid')
  expect(client.texts()).toEqual([expect.stringMatching(/not arrived|not known/)])
  expect(client.outcome.logs).toMatchObject([{ status: 'error' }])
  expect(JSON.stringify(client.outcome.logs)).not.toContain('_secret_')
})

test('the log of a vendor error has no secret of the payment', async () => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe))
  const body = { error: { payment_intent: { client_secret: 'pi_1_secret_1' } } }
  stripe.failures.push({ status: 402, body })
  await client.say('Paid')
  expect(client.logged('could not be checked: Stripe answered 402')).toBeDefined()
  expect(JSON.stringify(client.outcome.logs)).not.toContain('_secret_')
})

test('a chat waits while a bank confirms, and after a decline the same form is shown again', async () => {
  for (const isPaid of [true, false]) {
    const stripe = stripeDouble()
    const client = await chat(paying(), world(stripe))
    stripe.pay(idIn(stripe), 'processing')
    await client.say()
    expect(client.texts()).toEqual([expect.stringContaining('being confirmed')])
    expect(client.outcome.state?.payment?.isPending).toBe(true)
    stripe.settle(idIn(stripe), isPaid)
    await client.say()
    if (isPaid) {
      expect(client.texts()).toEqual(['and on'])
      continue
    }
    expect(client.texts()).toEqual([expect.stringContaining('not arrived')])
    expect(client.outcome.input?.payment?.id).toBe(idIn(stripe))
    expect(client.outcome.state?.payment?.isPending).toBe(false)
    stripe.pay(idIn(stripe))
    await client.say()
    expect(client.texts()).toEqual(['and on'])
  }
})

test('a payment that has ended at the vendor is replaced by another one', async () => {
  const stripe = stripeDouble()
  const client = await chat(paying(), world(stripe))
  stripe.expire(idIn(stripe))
  await client.say()
  expect(client.outcome.input?.payment?.id).toBe(idIn(stripe, 1))
})

test('a form whose response was lost is opened again as the same payment', async () => {
  const stripe = stripeDouble()
  stripe.failures.push('lost', { status: 500, body: {} })
  const client = await chat(paying(), world(stripe))
  expect(client.outcome.input?.payment?.id).toBe(idIn(stripe))
  expect(stripe.intents.size).toBe(1)
})

test('keys of the other mode end the chat, and leave no open payment', async () => {
  const stripe = stripeDouble()
  const findCredentials: Effects['findCredentials'] = async () => ({
    live: { ...keys.test, publicKey: 'pk_live_1' },
  })
  const client = await chat(paying(), world(stripe, { findCredentials }))
  expect(client.texts()).toEqual([expect.stringContaining('nothing was paid')])
  expect([...stripe.intents.values()].map(({ status }) => status)).toEqual(['canceled'])
})

describe('a form that is shown again', () => {
  const growing = () => {
    const events = [{ id: 'e', type: 'command', options: { command: 'more', resumeAfter: true }, to: 'more' }]
    const groups = {
      g: [set('Amount', '10'), payment(), text('and on'), ask()],
      more: [set('Amount', '20')],
    }
    return bot(groups, { variables: ['Amount', 'Paid'], events })
  }

  test('with another amount cancels the earlier payment, which cannot be paid then', async () => {
    const stripe = stripeDouble()
    const client = await chat(growing(), world(stripe))
    await client.say({ type: 'command', command: 'more' })
    expect(client.outcome.input?.payment).toMatchObject({ id: idIn(stripe, 1), amount: '€20.00' })
    expect(stripe.pay(idIn(stripe))).toBe(false)
    stripe.pay(idIn(stripe, 1))
    await client.say()
    expect(client.texts()).toEqual(['and on'])
  })

  test.each(['paid', 'processing'] as const)(
    'with another amount after the first was %s ends the chat, so that no visitor pays twice',
    async (outcome) => {
      const stripe = stripeDouble()
      const client = await chat(growing(), world(stripe))
      stripe.pay(idIn(stripe), outcome)
      await client.say({ type: 'command', command: 'more' })
      expect(client.texts()).toEqual([expect.stringContaining('nothing is paid twice')])
      expect(client.logged(idIn(stripe))).toMatchObject({ status: 'error' })
      expect([client.outcome.state, stripe.intents.size]).toEqual([null, 1])
    },
  )
})
