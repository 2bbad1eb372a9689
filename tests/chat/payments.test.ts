import { describe, expect, test } from '@jest/globals'
import { continueFlow, startFlow } from '../../server/chat/engine/engine.ts'
import { readAmount, showAmount } from '../../server/chat/engine/payments/amounts.ts'
import type { Effects, Message, TurnOutcome } from '../../server/chat/engine/types.ts'
import { MAX_SIGNATURE_AGE_SECONDS, signatureProblem } from '../../server/payments/signature.ts'
import fc from '../kit/fast-check.ts'
import { ask, bot, chat, idOf, type Part, quietEffects, set, text, type World } from '../support/chat.ts'
import { runs } from '../support/runs.ts'
import { type StripeDouble, signatureOf, stripeDouble } from '../support/stripe.ts'

/* Payments: amounts, the input against a double of its vendor, and the signatures of the vendor's messages. */

describe('an amount', () => {
  test.each<[string, string, number]>([
    ['30', 'EUR', 3_000],
    [' 29.90 ', 'USD', 2_990],
    ['0.1', 'EUR', 10],
    ['1.005', 'EUR', 101],
    ['0.30000000000000004', 'EUR', 30],
    ['10.0049999999999999999999', 'EUR', 1_000],
    ['500', 'JPY', 500],
    ['500.5', 'KRW', 501],
    ['1', 'VND', 1],
    ['5.124', 'KWD', 5_120],
    ['5.125', 'KWD', 5_130],
    ['1', 'TND', 1_000],
    ['40.6', 'ISK', 4_100],
    ['5', 'UGX', 500],
    ['5.4', 'UGX', 500],
    ['1000', 'HUF', 100_000],
    ['9999999999', 'IDR', 999_999_999_900],
  ])('by value and currency (%s %s) is so many of the smallest unit', (given, currency, units) => {
    expect(readAmount(given, currency)).toEqual({ units })
  })

  test.each<[string, string]>([
    ['', 'has no amount'],
    ['1,50', 'is no number: write it like 30 or 29.90'],
    ['1 000', 'is no number'],
    ['€30', 'is no number'],
    ['1e3', 'is no number'],
    ['NaN', 'is no number'],
    ['Infinity', 'is no number'],
    ['-5', 'is negative'],
    ['-0', 'is negative'],
    ['0', 'is too small'],
    ['0.004', 'is too small'],
    ['10000000000', 'is too large'],
    ['9'.repeat(40), 'is no number'],
  ])('given as "%s" has the reason that it cannot be paid', (given, reason) => {
    expect(readAmount(given, 'EUR')).toEqual({ problem: expect.stringContaining(reason) })
  })

  test('is shown with the decimals of its currency', () => {
    const shown = [
      showAmount(3_000, 'EUR', 'en'),
      showAmount(500, 'JPY', 'en'),
      showAmount(5_120, 'KWD', 'en'),
      showAmount(4_100, 'ISK', 'en'),
      showAmount(3_000, 'EUR', 'de'),
    ].map((each) => each.replaceAll('\u00a0', ' '))
    expect(shown).toEqual(['€30.00', '¥500', 'KWD 5.120', 'ISK 41', '30,00 €'])
  })
})

const keys = { live: { secretKey: 'sk_live_secret' }, test: { secretKey: 'sk_test_secret' } }
const variables = ['Amount', 'Paid', 'Question']

function payment(options: object = {}, more: Part = {}): Part {
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
    ...more,
  }
}

function world(stripe: StripeDouble, more: World = {}): World {
  return {
    reply: stripe.reply,
    findCredentials: async (id, type) => (id === 'c' && type === 'stripe' ? keys : null),
    ...more,
  }
}

const paying = (part: Part = payment()) =>
  bot({ g: [set('Amount', '29.90'), part, text('and on'), ask()] }, { variables, name: 'Shop' })

/** The only payment that the vendor has. */
const idIn = (stripe: StripeDouble, index = 0) => [...stripe.checkouts.keys()][index] as string

describe('a payment input', () => {
  test('opens a payment with everything that leads back to the result', async () => {
    const stripe = stripeDouble()
    const information = {
      description: 'Ticket for {{Amount}}',
      email: 'ada@example.com',
      name: 'Ada',
      phoneNumber: '+44',
      address: { city: 'London', country: 'UK' },
    }
    const client = await chat(paying(payment({ additionalInformation: information })), world(stripe))
    const id = idIn(stripe)
    expect(client.outcome.input).toMatchObject({
      type: 'payment input',
      payment: { id, url: `https://checkout.stripe.com/c/pay/${id}`, amount: '€29.90' },
    })
    const [asked] = stripe.asked
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer sk_live_secret',
      'idempotency-key': expect.stringMatching(/^[\da-f]{64}$/),
    })
    const metadata = {
      session: 'session1',
      result: 'result1',
      bot: 'bot1',
      block: 'g.1',
      number: '1',
      name: 'Ada',
      phone: '+44',
      address: 'London, UK',
    }
    const inBoth = Object.entries(metadata).flatMap(([key, value]) => [
      [`metadata[${key}]`, value],
      [`payment_intent_data[metadata][${key}]`, value],
    ])
    expect(asked?.form).toEqual({
      mode: 'payment',
      client_reference_id: 'session1',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '2990',
      'line_items[0][price_data][product_data][name]': 'Ticket for 29.90',
      'payment_intent_data[description]': 'Ticket for 29.90',
      customer_email: 'ada@example.com',
      'payment_intent_data[receipt_email]': 'ada@example.com',
      success_url: 'https://bots.example.com/chat/~payment?payment={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://bots.example.com/chat/~payment',
      ...Object.fromEntries(inBoth),
    })
  })

  test('continues once the vendor confirms the payment, and stores the charge with the result', async () => {
    const stripe = stripeDouble()
    const client = await chat(paying(), world(stripe))
    stripe.pay(idIn(stripe))
    await client.say()
    expect(client.texts()).toEqual(['and on'])
    expect(client.value('Paid')).toBe('Thank you')
    expect(client.answers).toMatchObject([{ blockId: 'g.1', content: 'Thank you' }])
    const logged = client.logged('€29.90 was paid')
    expect(logged).toMatchObject({ status: 'success', isInternal: true, context: 'g.1' })
    expect(`${logged?.description} ${logged?.details}`).toContain(`pi_${idIn(stripe)}`)
  })

  test.each<[string, Message | null]>([
    ['nothing', null],
    ['Success', 'Success'],
    ['the label', 'Thank you'],
    ['an object', { type: 'text', text: 'succeeded' }],
    ['a recording', { type: 'audio', url: 'https://x.test/a.mp3' }],
  ])('does not continue while nothing was paid, when the visitor says %s', async (_, message) => {
    const stripe = stripeDouble()
    const client = await chat(paying(payment({ retryMessageContent: 'Not for {{Amount}}' })), world(stripe))
    const first = client.outcome.input
    await client.say(message)
    expect(client.texts()).toEqual(['Not for 29.90'])
    expect(client.outcome.input).toEqual(first)
    expect(client.value('Paid')).toBeUndefined()
    expect(stripe.checkouts.size).toBe(1)
  })

  test.each<[string, (stripe: StripeDouble) => void]>([
    ['another amount', (stripe) => change(stripe, { amount_total: 100 })],
    ['another currency', (stripe) => change(stripe, { currency: 'jpy' })],
    ['the test mode', (stripe) => change(stripe, { livemode: false })],
    ['another session', (stripe) => change(stripe, { client_reference_id: 'session2' })],
  ])('does not continue when %s was paid', async (_, alter) => {
    const stripe = stripeDouble()
    const client = await chat(paying(), world(stripe))
    stripe.pay(idIn(stripe))
    alter(stripe)
    await client.say('Paid')
    expect(client.texts()).toEqual([expect.stringMatching(/not arrived|not known/)])
    expect(client.outcome.logs).toMatchObject([{ status: 'error' }])
  })

  test('waits while a bank confirms, continues after that, and asks anew after a decline', async () => {
    for (const isPaid of [true, false]) {
      const stripe = stripeDouble()
      const client = await chat(paying(), world(stripe))
      stripe.pay(idIn(stripe), 'processing')
      await client.say()
      expect(client.texts()).toEqual([expect.stringContaining('being confirmed')])
      expect(client.outcome.input?.payment?.id).toBe(idIn(stripe))
      stripe.settle(idIn(stripe), isPaid)
      await client.say()
      if (isPaid) {
        expect(client.texts()).toEqual(['and on'])
        continue
      }
      expect(client.texts()).toEqual([expect.stringContaining('not arrived')])
      expect(client.outcome.input?.payment?.id).toBe(idIn(stripe, 1))
      stripe.pay(idIn(stripe, 1))
      await client.say()
      expect(client.texts()).toEqual(['and on'])
    }
  })

  test('opens another payment once the first one has expired', async () => {
    const stripe = stripeDouble()
    const client = await chat(paying(), world(stripe))
    stripe.expire(idIn(stripe))
    await client.say()
    expect(client.outcome.input?.payment?.id).toBe(idIn(stripe, 1))
  })

  test('stays at the input while the vendor or the credentials are unavailable, and continues later', async () => {
    const stripe = stripeDouble()
    let found: object | null = keys
    const findCredentials: Effects['findCredentials'] = async () => found as never
    const client = await chat(paying(), world(stripe, { findCredentials }))
    stripe.pay(idIn(stripe))
    stripe.failures.push('down', 'down', 'down')
    await client.say()
    expect(client.texts()).toEqual([expect.stringContaining('not known yet')])
    expect(client.logged('could not be checked: Stripe did not answer')).toBeDefined()
    found = null
    await client.say()
    expect(client.texts()).toEqual([expect.stringContaining('not known yet')])
    found = keys
    await client.say()
    expect(client.texts()).toEqual(['and on'])
  })

  test('sends a request again whose response was lost, under the same key', async () => {
    const stripe = stripeDouble()
    stripe.failures.push('lost', { status: 500, body: {} })
    const client = await chat(paying(), world(stripe))
    expect(client.outcome.input?.payment?.id).toBe(idIn(stripe))
    expect(stripe.checkouts.size).toBe(1)
    expect(new Set(stripe.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test.each<[string, Part, World, string]>([
    ['no credentials', payment({ credentialsId: undefined }), {}, 'it has no credentials'],
    ['unknown credentials', payment({ credentialsId: 'd' }), {}, 'no credentials "d" of type stripe'],
    ['no amount', payment({ amount: '' }), {}, 'it has no amount'],
    ['a wrong amount', payment({ amount: '1,50' }), {}, '"1,50" is no number'],
    ['a negative amount', payment({ amount: '-1' }), {}, 'is negative'],
    ['an amount that the vendor finds too small', payment({ amount: '0.01' }), {}, 'Stripe answered 400'],
    ['an amount that the vendor finds too large', payment({ amount: '1000000' }), {}, 'Stripe answered 400'],
    ['a wrong currency', payment({ currency: 'Euro' }), {}, '"EURO" is no currency'],
    [
      'no keys of the live mode',
      payment(),
      { findCredentials: async () => ({ test: keys.test }) },
      'no keys of the live mode',
    ],
    [
      'keys of the other mode',
      payment(),
      { findCredentials: async () => ({ live: keys.test }) },
      'of the other mode',
    ],
    [
      'credentials that cannot be read',
      payment(),
      { findCredentials: () => Promise.reject(new Error('No key')) },
      'cannot be read: No key',
    ],
  ])('ends the chat with %s, and never continues', async (_, part, more, reason) => {
    const stripe = stripeDouble()
    const client = await chat(paying(part), world(stripe, more))
    expect(client.texts()).toEqual([expect.stringContaining('nothing was paid')])
    expect(client.outcome).toMatchObject({ state: null, isCompleted: false })
    expect(client.logged(reason)).toMatchObject({ status: 'error', isInternal: true })
    expect(JSON.stringify(client.outcome)).not.toContain('secret')
    expect([...stripe.checkouts.values()].filter(({ status }) => status === 'open')).toEqual([])
  })

  test('in a preview uses the keys of the test mode alone', async () => {
    const stripe = stripeDouble()
    const options = { resultId: null }
    const client = await chat(paying(), world(stripe, { options }))
    expect(client.outcome.input?.payment?.id).toContain('_test_')
    stripe.pay(idIn(stripe))
    await client.say()
    expect(client.texts()).toEqual(['and on'])
    for (const found of [{ live: keys.live }, { live: keys.live, test: keys.live }]) {
      const findCredentials: Effects['findCredentials'] = async () => found
      const rejected = await chat(paying(), world(stripe, { options, findCredentials }))
      expect(rejected.texts()).toEqual([expect.stringContaining('nothing was paid')])
    }
    expect(
      [...stripe.checkouts.values()].filter(({ livemode, status }) => livemode && status === 'open'),
    ).toEqual([])
  })

  describe('shown again', () => {
    /** Each `more` makes the amount larger, and comes back to the input. */
    const growing = () => {
      const events = [
        { id: 'e', type: 'command', options: { command: 'more', resumeAfter: true }, to: 'more' },
        { id: 'f', type: 'command', options: { command: 'look', resumeAfter: true }, to: 'look' },
      ]
      const groups = {
        g: [set('Amount', '10'), payment(), text('and on'), ask()],
        more: [set('Amount', '20')],
        look: [text('Looking')],
      }
      return bot(groups, { variables, events })
    }

    test('with the same amount is the same payment', async () => {
      const stripe = stripeDouble()
      const client = await chat(growing(), world(stripe))
      const first = client.outcome.input
      await client.say({ type: 'command', command: 'look' })
      expect(client.texts()).toEqual(['Looking'])
      expect(client.outcome.input).toEqual(first)
      expect(stripe.asked).toHaveLength(1)
    })

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

    test('with another amount after it was paid ends the chat, so that no visitor pays twice', async () => {
      const stripe = stripeDouble()
      const client = await chat(growing(), world(stripe))
      stripe.pay(idIn(stripe))
      await client.say({ type: 'command', command: 'more' })
      expect(client.texts()).toEqual([expect.stringContaining('nothing is paid twice')])
      expect(client.outcome.state).toBeNull()
      expect(
        client.logged(`was paid after the chat had asked for another payment: pi_${idIn(stripe)}`),
      ).toBeDefined()
      expect(stripe.checkouts.size).toBe(1)
    })

    test('in a loop is a payment of its own each time', async () => {
      const stripe = stripeDouble()
      const flow = bot({ g: [set('Amount', '10'), payment({}, { to: 'g' })] }, { variables })
      const client = await chat(flow, world(stripe))
      for (const index of [0, 1, 2]) {
        expect(client.outcome.input?.payment?.id).toBe(idIn(stripe, index))
        stripe.pay(idIn(stripe, index))
        await client.say()
      }
      expect(stripe.charges).toHaveLength(3)
    })
  })
})

function change(stripe: StripeDouble, values: object): void {
  Object.assign(stripe.checkouts.get(idIn(stripe)) as object, values)
}

/*
 * Many chats of two payments, with responses that are lost at the vendor and at the visitor, turns that are run again
 * from an earlier state as after a killed process, and visitors who say what they want.
 */
test('many chats let no visitor pass unpaid, and charge none twice', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant('pay' as const) },
    { weight: 3, arbitrary: fc.constant('check' as const) },
    { weight: 2, arbitrary: fc.constant('say' as const) },
    { weight: 1, arbitrary: fc.constant('process' as const) },
    { weight: 1, arbitrary: fc.constant('settle' as const) },
    { weight: 1, arbitrary: fc.constant('refuse' as const) },
    { weight: 1, arbitrary: fc.constant('expire' as const) },
    { weight: 2, arbitrary: fc.constant('killed' as const) },
    { weight: 2, arbitrary: fc.constant('lost' as const) },
    { weight: 1, arbitrary: fc.constant('down' as const) },
  )
  const flow = bot(
    {
      g: [
        payment({ amount: '10' }),
        text('one'),
        payment({ amount: '20' }, { id: 'second' }),
        text('two'),
        ask(),
      ],
    },
    { variables },
  )
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      number += 1
      const stripe = stripeDouble()
      const effects = effectsOf(stripe, `session${number}`, number % 2 === 0)
      const first = await startFlow(flow, { resultId: `r${number}` }, effects)
      if (first.rejection) throw new Error(first.rejection.message)
      let state = first.state
      const passed: string[] = first.messages.length > 0 ? ['one'] : []
      const paidAtVendor = (units: number) =>
        stripe.charges.filter((id) => {
          const amount = stripe.intents.get(id)?.amount ?? stripe.checkouts.get(id)?.amount_total
          return amount === units
        })
      const take = async (message: Message | null, isKilled: boolean) => {
        if (state === null) return
        const outcome = await continueFlow(flow, structuredClone(state), message, {}, effects)
        if (outcome.rejection) throw new Error(outcome.rejection.message)
        // A killed process has written nothing: the next one begins where this one did.
        if (isKilled) return
        state = outcome.state
        for (const said of wordsOf(outcome)) passed.push(said)
      }
      for (const each of steps) {
        const open = state?.payment?.id ?? ''
        if (each === 'pay') stripe.pay(open)
        else if (each === 'process') stripe.pay(open, 'processing')
        else if (each === 'settle' || each === 'refuse') {
          if (stripe.isPending(open)) stripe.settle(open, each === 'settle')
        } else if (each === 'expire') {
          const { status } = stripe.intents.get(open) ?? stripe.checkouts.get(open) ?? {}
          if (status === 'open' || status === 'requires_payment_method') stripe.expire(open)
        } else if (each === 'lost' || each === 'down') stripe.failures = [each]
        else await take(each === 'say' ? 'Success' : null, each === 'killed')
      }
      expect(passed.filter((said) => said === 'one').length).toBeLessThanOrEqual(paidAtVendor(1_000).length)
      expect(passed.filter((said) => said === 'two').length).toBeLessThanOrEqual(paidAtVendor(2_000).length)
      expect(paidAtVendor(1_000).length).toBeLessThanOrEqual(1)
      expect(paidAtVendor(2_000).length).toBeLessThanOrEqual(1)
    }),
    { numRuns: runs(150, 10_000) },
  )
})

function wordsOf({ messages }: TurnOutcome): string[] {
  const said = JSON.stringify(messages)
  return ['one', 'two'].filter((word) => said.includes(`"${word}"`))
}

function effectsOf(stripe: StripeDouble, sessionId: string, hasForm: boolean): Effects {
  const effects = quietEffects()
  const formUrl = 'https://chats.example.com/chat/~pay'
  return {
    ...effects,
    // No wait between attempts.
    random: () => -0.5,
    checkout: { ...effects.checkout, sessionId, ...(hasForm && { formUrl }) },
    findCredentials: async () => ({ live: { ...keys.live, publicKey: 'pk_live_1' } }),
    httpRequest: async (request) => stripe.reply(request),
  }
}

describe('a message of the vendor', () => {
  const now = new Date('2026-03-10T12:00:00.000Z')
  const body = '{"id":"evt_1"}'
  const check = (header: string | undefined, sent = body, secret = 'whsec_1') =>
    signatureProblem(header, Buffer.from(sent), secret, now)
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

  test('is accepted with a signature of its secret, also beside others', () => {
    expect(check(signatureOf('whsec_1', body, now))).toBeUndefined()
    const [time, own] = signatureOf('whsec_1', body, now).split(',')
    expect(check(`${time},v1=${'0'.repeat(64)},v0=old,${own}`)).toBeUndefined()
    expect(check(signatureOf('whsec_1', body, ago(MAX_SIGNATURE_AGE_SECONDS)))).toBeUndefined()
  })

  test.each<[string, string | undefined, string]>([
    ['no signature', undefined, 'Expected a header'],
    ['half a signature', 't=1773144000', 'Expected a header'],
    ['no time', 'v1=00', 'Expected a header'],
    ['that of another secret', signatureOf('whsec_2', body, now), 'not that of the body'],
    ['that of another body', signatureOf('whsec_1', '{}', now), 'not that of the body'],
    ['an old one', signatureOf('whsec_1', body, ago(MAX_SIGNATURE_AGE_SECONDS + 1)), '301 seconds old'],
    ['one of the future', signatureOf('whsec_1', body, ago(-MAX_SIGNATURE_AGE_SECONDS - 1)), 'seconds old'],
    ['letters that are no digits', 't=1773144000,v1=ä', 'not that of the body'],
  ])('is rejected with %s', (_, header, reason) => {
    expect(check(header)).toContain(reason)
  })
})
