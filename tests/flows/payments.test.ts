import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { type App, startApp } from '../support/app.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'
import { logsOf, type Published, publish, reply, textsOf } from '../support/chats.ts'
import { runs } from '../support/runs.ts'
import { signatureOf, startStripe } from '../support/stripe.ts'
import { makeWorld, type Site } from '../support/world.ts'
import { randomOf } from '../torture/random.ts'

/* Payments through the service: visitors, and the messages of the vendor. */

let stripe: Awaited<ReturnType<typeof startStripe>>
let app: App
let here: Site
let there: Site
let hook: string
let shop: Published

const SECRET = 'whsec_of_the_live_mode'
const CHATS = { Host: 'chats.example.org' }

beforeAll(async () => {
  stripe = await startStripe()
  app = await startApp({
    config: {
      OUTBOUND_ALLOWED_HOSTS: [stripe.host],
      PUBLIC_URL: 'https://bots.example.com',
      CHAT_URL: 'https://chats.example.org',
    },
  })
  ;({ here, there } = await makeWorld(app))
  ;({ hook, shop } = await openShop(here))
})

afterAll(async () => {
  await app.stop()
  await stripe.stop()
})

async function openShop(site: Site) {
  const { credentials } = await app.client.ok('createCredentials', {
    as: site.member,
    params: { workspaceId: site.workspaceId },
    body: {
      type: 'stripe',
      name: 'Shop',
      data: {
        live: { secretKey: 'sk_live_1', publicKey: 'pk_live_1', webhookSecret: SECRET },
        test: { secretKey: 'sk_test_1', webhookSecret: 'whsec_of_the_test_mode' },
        baseUrl: stripe.url,
      },
    },
  })
  const payment: Part = {
    id: 'pay',
    type: 'payment input',
    options: { credentialsId: credentials.id, amount: '10', currency: 'EUR', variableId: idOf('Paid') },
  }
  const flow = bot({ g: [payment, text('Thank you'), ask()] }, { variables: ['Paid'] })
  return {
    hook: `${app.url}/hooks/stripe/${site.workspaceId}/${credentials.id}`,
    shop: await publish(app, site, flow),
  }
}

async function tell(
  id: string,
  type = 'checkout.session.completed',
  { to = hook, secret = SECRET, body = stripe.event(type, id), at = app.clock.now(), signature = '' } = {},
) {
  const response = await fetch(to, {
    method: 'POST',
    headers: { 'stripe-signature': signature || signatureOf(secret, body, at) },
    body,
  })
  return { status: response.status, body: await response.json() }
}

/** A chat at the payment; `headers` with the host of chats get the form. */
async function begin(headers: Record<string, string> = {}) {
  const started = await app.client.ok('startChat', {
    params: { publicId: shop.publicId },
    headers,
    body: {},
  })
  return { ...started, id: started.input?.payment?.id as string, resultId: started.resultId as string }
}

const session = (sessionId: string) => app.client.ok('getSession', { params: { sessionId } })

const paymentsOf = async (resultId: string) =>
  (await logsOf(app, shop.id, resultId, here.member)).filter(({ description }) =>
    description.includes('was paid'),
  )

test('a message of the vendor continues a chat whose visitor has left, once', async () => {
  const { sessionId, id, resultId } = await begin()
  stripe.pay(id)
  const told = await Promise.all([1, 2, 3].map(() => tell(id)))
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200])
  const { turns, revision } = await session(sessionId)
  expect(revision).toBe(2)
  expect(JSON.stringify(turns)).toContain('Thank you')
  // The page asks as it comes back, and gets the same turn.
  const step = await app.client.ok('continueChat', {
    params: { sessionId },
    body: { message: null, revision: 1 },
  })
  expect(textsOf(step)).toEqual(['Thank you'])
  expect(await paymentsOf(resultId)).toMatchObject([
    { status: 'success', description: `€10.00 was paid: pi_${id}` },
  ])
})

test('a message about a payment that its chat has accepted already changes nothing', async () => {
  const { sessionId, id, resultId } = await begin()
  stripe.pay(id)
  await reply(app, sessionId, 'Paid', 1)
  expect((await tell(id)).status).toBe(200)
  expect((await session(sessionId)).revision).toBe(2)
  expect(await paymentsOf(resultId)).toHaveLength(1)
})

test('a payment for a chat that has ended is stored with its result, once', async () => {
  const { sessionId, id, resultId } = await begin()
  await app.client.ok('updateChat', {
    as: here.member,
    params: { botId: shop.id, sessionId },
    body: { isOver: true },
  })
  stripe.pay(id)
  await Promise.all([tell(id), tell(id)])
  await tell(id)
  expect(await paymentsOf(resultId)).toMatchObject([
    { status: 'error', description: `€10.00 was paid while the chat did not wait for it: pi_${id}` },
  ])
})

test('a bank that confirms or declines later continues the chat', async () => {
  for (const isPaid of [true, false]) {
    const { sessionId, id } = await begin()
    stripe.pay(id, 'processing')
    await tell(id)
    expect((await session(sessionId)).revision).toBe(1)
    stripe.settle(id, isPaid)
    await tell(
      id,
      isPaid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed',
    )
    const { revision, input } = await session(sessionId)
    expect(revision).toBe(2)
    expect(input?.payment?.id === id).toBe(false)
    expect(input?.type).toBe(isPaid ? 'text input' : 'payment input')
  }
})

test('a message that says paid, where the vendor says unpaid, continues nothing', async () => {
  const { sessionId, id } = await begin()
  const body = stripe.event('checkout.session.completed', id).replace('"unpaid"', '"paid"')
  await tell(id, undefined, { body })
  const { input, turns } = await session(sessionId)
  expect(input?.payment?.id).toBe(id)
  expect(JSON.stringify(turns)).not.toContain('Thank you')
})

test('a message is sent again until the vendor could be asked about the payment', async () => {
  const { sessionId, id } = await begin()
  stripe.pay(id)
  stripe.failures.push('down', 'down', 'down')
  expect((await tell(id)).status).toBe(503)
  expect(JSON.stringify((await session(sessionId)).turns)).not.toContain('Thank you')
  expect((await tell(id)).status).toBe(200)
  expect(JSON.stringify((await session(sessionId)).turns)).toContain('Thank you')
})

test('a message is sent again until members give the chat back', async () => {
  const { sessionId, id, resultId } = await begin()
  const steer = (body: object) =>
    app.client.ok('updateChat', { as: here.member, params: { botId: shop.id, sessionId }, body })
  await steer({ handledBy: 'member' })
  stripe.pay(id)
  expect((await tell(id)).status).toBe(503)
  expect(await paymentsOf(resultId)).toEqual([])
  await steer({ handledBy: 'bot' })
  expect((await tell(id)).status).toBe(200)
  expect(await paymentsOf(resultId)).toMatchObject([{ status: 'success' }])
})

test('a message about a payment of the form continues a chat whose visitor has left, once', async () => {
  const { sessionId, id, resultId, input } = await begin(CHATS)
  expect(input?.runtimeOptions?.publicKey).toBe('pk_live_1')
  stripe.pay(id)
  const told = await Promise.all([1, 2, 3].map(() => tell(id, 'payment_intent.succeeded')))
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200])
  const { turns, revision } = await session(sessionId)
  expect([revision, JSON.stringify(turns)]).toEqual([2, expect.stringContaining('Thank you')])
  expect(await paymentsOf(resultId)).toMatchObject([
    { status: 'success', description: `€10.00 was paid: ${id}` },
  ])
})

test('a payment of the form for a chat that has ended is stored with its result, once', async () => {
  const { sessionId, id, resultId } = await begin(CHATS)
  await app.client.ok('updateChat', {
    as: here.member,
    params: { botId: shop.id, sessionId },
    body: { isOver: true },
  })
  stripe.pay(id)
  for (let time = 0; time < 2; time += 1) await tell(id, 'payment_intent.succeeded')
  expect(await paymentsOf(resultId)).toMatchObject([
    { status: 'error', description: `€10.00 was paid while the chat did not wait for it: ${id}` },
  ])
})

test('a card that is declined in the form changes nothing, a bank that declines later asks again', async () => {
  const { sessionId, id } = await begin(CHATS)
  await tell(id, 'payment_intent.payment_failed')
  expect((await session(sessionId)).revision).toBe(1)
  stripe.pay(id, 'processing')
  await reply(app, sessionId, 'Paid', 1)
  stripe.settle(id, false)
  await tell(id, 'payment_intent.payment_failed')
  const { revision, input } = await session(sessionId)
  expect([revision, input?.payment?.id]).toEqual([3, id])
  stripe.pay(id)
  await tell(id, 'payment_intent.succeeded')
  expect((await session(sessionId)).input?.type).toBe('text input')
})

test('a message about the charge behind a page of the vendor is not accepted for a form', async () => {
  const { sessionId, id, resultId } = await begin()
  stripe.pay(id)
  const { metadata } = stripe.checkouts.get(id) ?? {}
  const object = { id: `pi_${id}`, object: 'payment_intent', status: 'succeeded', amount: 1000, metadata }
  const body = JSON.stringify({ type: 'payment_intent.succeeded', livemode: true, data: { object } })
  expect((await tell(id, undefined, { body })).status).toBe(200)
  expect((await session(sessionId)).revision).toBe(1)
  expect(await paymentsOf(resultId)).toEqual([])
})

describe('a message of the vendor is rejected', () => {
  test.each<[string, number, () => ReturnType<typeof tell>]>([
    ['without a signature', 400, () => tell('x', undefined, { signature: 'nothing' })],
    ['with that of another secret', 400, () => tell('x', undefined, { secret: 'whsec_2' })],
    [
      'when it is old',
      400,
      () => tell('x', undefined, { at: new Date(app.clock.now().getTime() - 302_000) }),
    ],
    ['for unknown credentials', 404, () => tell('x', undefined, { to: `${hook.slice(0, -1)}~` })],
    [
      'for credentials of another workspace',
      404,
      () => tell('x', undefined, { to: hook.replace(here.workspaceId, there.workspaceId) }),
    ],
  ])('%s', async (_, status, send) => {
    expect(await send()).toMatchObject({ status, body: { issues: [{ message: expect.any(String) }] } })
  })

  test('with more bytes than the table says', async () => {
    const most = boundNamed('MAX_HOOK_BYTES')
    expect((await tell('x', undefined, { body: ' '.repeat(most) })).status).toBe(200)
    expect((await tell('x', undefined, { body: ' '.repeat(most + 1) })).status).toBe(413)
  })
})

test.each(['', '{', '[]', '{"type":"checkout.session.completed"}', '{"type":"__proto__","data":null}'])(
  'a signed message of any form is accepted and ignored (%j)',
  async (body) => {
    expect((await tell('x', undefined, { body })).status).toBe(200)
  },
)

test('a message of another account cannot name results of this workspace', async () => {
  const { id, resultId } = await begin()
  stripe.pay(id)
  const { hook: theirs } = await openShop(there)
  expect((await tell(id, undefined, { to: theirs })).status).toBe(200)
  expect(await paymentsOf(resultId)).toEqual([])
})

test('a message of the test mode does not count for a payment of the live mode', async () => {
  const { sessionId, id } = await begin()
  stripe.pay(id)
  expect((await tell(id, undefined, { secret: 'whsec_of_the_test_mode' })).status).toBe(200)
  expect((await session(sessionId)).revision).toBe(1)
})

test('a preview pays with the keys of the test mode', async () => {
  const { sessionId, input } = await app.client.ok('startPreview', {
    as: here.member,
    params: { botId: shop.id },
  })
  expect(input?.payment?.id).toContain('_test_')
  stripe.pay(input?.payment?.id as string)
  expect(textsOf(await reply(app, sessionId, 'Paid', 1))).toEqual(['Thank you'])
})

const readPage = (path: string, headers: object = {}) =>
  request(app.server)
    .get(path)
    .set({ Accept: 'text/html', ...headers })

test('the page with the form is on hosts that serve chats alone, and allows the vendor', async () => {
  const form = await readPage('/chat/~pay', CHATS)
  expect([form.status, form.headers['content-security-policy']]).toEqual([
    200,
    expect.stringMatching(/script-src 'self' https:\/\/js\.stripe\.com .*frame-ancestors 'none'/),
  ])
  const own = await readPage('/chat/~pay')
  expect([own.status, own.headers['content-security-policy']]).toEqual([
    404,
    expect.not.stringContaining('stripe'),
  ])
})

test('the page of a bot allows the vendor where the bot has a payment input, on the host of chats alone', async () => {
  const path = `/chat/${shop.publicId}`
  const policyOf = async (headers?: object) =>
    (await readPage(path, headers)).headers['content-security-policy']
  expect(await policyOf(CHATS)).toContain("script-src 'self' https://js.stripe.com")
  expect(await policyOf()).not.toContain('stripe')
})

test('the page to return to has the language of the visitor', async () => {
  const response = await fetch(`${app.url}/chat/~payment?payment=cs_1`, {
    headers: { 'accept-language': 'de' },
  })
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(await response.text()).toContain('Zurück zum Chat')
})

/** Sends one of the messages that the vendor has for such a payment. */
function tellAbout(id: string, random: ReturnType<typeof randomOf>) {
  const types = stripe.intents.has(id)
    ? ['payment_intent.succeeded', 'payment_intent.payment_failed', 'payment_intent.processing']
    : ['completed', 'async_payment_succeeded', 'async_payment_failed'].map(
        (each) => `checkout.session.${each}`,
      )
  return tell(id, random.one(types))
}

/*
 * Chats whose visitors pay or do not, say anything and send it twice, while responses of the vendor are lost and its
 * messages come in any order and several times.
 */
test('no visitor of many chats passes unpaid, and every charge is found from its result', async () => {
  const random = randomOf(50)
  const talk = async () => {
    const { sessionId, resultId, id: first } = await begin(random.chance(0.5) ? CHATS : {})
    // The vendor was away.
    if (first === undefined) return
    let revision = 1
    let id = first
    const ids = [first]
    for (let step = 0; step < 6; step += 1) {
      const deed = random.one([
        'pay',
        'say',
        'twice',
        'tell',
        'tell',
        'lose',
        'processing',
        'settle',
      ] as const)
      if (deed === 'pay') stripe.pay(id)
      else if (deed === 'processing') stripe.pay(id, 'processing')
      else if (deed === 'settle' && stripe.isPending(id)) stripe.settle(id, random.chance(0.7))
      else if (deed === 'lose') stripe.failures.push(random.one(['lost', 'down'] as const))
      else if (deed === 'tell') {
        await tellAbout(random.one(ids), random)
      } else {
        const body = { message: random.one([null, 'Success', 'paid']), revision }
        const send = () => app.client.call('continueChat', { params: { sessionId }, body })
        await Promise.all(deed === 'twice' ? [send(), send()] : [send()])
      }
      const now = await session(sessionId)
      revision = now.revision
      id = now.input?.payment?.id ?? id
      if (!ids.includes(id)) ids.push(id)
      const isPast = JSON.stringify(now.turns).includes('Thank you')
      const charged = ids.filter((each) => stripe.charges.includes(each))
      expect(charged.length).toBeLessThanOrEqual(1)
      if (isPast) expect(charged).toHaveLength(1)
    }
    const charged = ids.filter((each) => stripe.charges.includes(each))
    for (const each of charged) {
      const type = stripe.intents.has(each) ? 'payment_intent.succeeded' : undefined
      // The vendor sends a message again that was not taken.
      for (let nth = 0; nth < 10 && (await tell(each, type)).status !== 200; nth += 1);
    }
    const found = (await paymentsOf(resultId)).filter(({ description }) =>
      charged.some((each) => description.includes(stripe.chargeOf(each))),
    )
    expect(found).toHaveLength(charged.length)
  }
  const chats = runs(16, 10_000)
  for (let done = 0; done < chats; done += 8) await Promise.all(Array.from({ length: 8 }, talk))
}, 3_600_000)
