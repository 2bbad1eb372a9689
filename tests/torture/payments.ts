import { ask, bot, set, text } from '../support/chat.ts'
import { storable } from '../support/chats.ts'
import { createDatabase } from '../support/server.ts'
import { type StripeDouble, signatureOf, startStripe } from '../support/stripe.ts'
import { install, type Member } from './installation.ts'
import type { Random } from './random.ts'
import { Caller, count, promise, type Run } from './run.ts'

/*
 * Chats whose visitors pay, on the page of the vendor or in its form, or say that they have; who send everything again,
 * change the amount, and pay in tabs that they have left open. Responses of the vendor are lost, its messages come in
 * any order and several times, and processes are killed, also while they wait for it. Nobody passes unpaid, nobody is
 * charged twice, and every charge is found from its result, once.
 */

const SECRET = 'whsec_torture'
const PASSED = 'Thank you'
const CHATS = 'chats.example.org'
const MAX_STEPS = 9

function flowOf(credentialsId: string) {
  const payment = {
    id: 'pay',
    type: 'payment input',
    options: { credentialsId, amount: '{{Amount}}', currency: 'EUR' },
  }
  const groups = {
    g: [set('Amount', '10'), payment, text(`${PASSED} for {{Amount}}`), ask()],
    more: [set('Amount', '20')],
  }
  const events = [{ id: 'e', type: 'command', options: { command: 'more', resumeAfter: true }, to: 'more' }]
  return storable(bot(groups, { variables: ['Amount'], events }))
}

interface Shop {
  run: Run
  stripe: StripeDouble
  botId: string
  publicId: string
  hook: string
}

/** Has `total` chats, `width` at once, while processes are killed so many times; gives what was seen in words. */
export async function payUnderKills(
  { total, width, kills }: { total: number; width: number; kills: number },
  random: Random,
): Promise<string> {
  const stripe = await startStripe()
  const database = await createDatabase()
  const installation = await install({
    databaseUrl: database.url,
    processes: 3,
    variables: {
      OUTBOUND_ALLOWED_HOSTS: stripe.host,
      ENCRYPTION_KEY: Buffer.alloc(32, 'key').toString('base64'),
      PUBLIC_URL: 'https://bots.example.com',
      CHAT_URL: `https://${CHATS}`,
      SHUTDOWN_TIMEOUT: '5',
    },
  })
  const run: Run = { installation, answers: 0, counts: {}, isOver: false }
  const begun = performance.now()
  try {
    const shop = await openShop(run, stripe, stripe.url)
    const killer = breakAway(
      run,
      stripe,
      { kills, every: Math.max(1, Math.floor(total / (kills + 1))) },
      random,
    )
    let next = 0
    const lane = async () => {
      while (next < total) {
        const number = next++
        await talk(shop, random.part(number + 1))
        count(run, 'chats')
        stripe.asked.length = 0
      }
    }
    await Promise.all(Array.from({ length: width }, lane))
    await killer.stop()
    const sum = Object.entries(run.counts).map(([what, times]) => `${what} ${times}`)
    const took = Math.round((performance.now() - begun) / 1_000)
    return `${total} chats in ${took} s, ${stripe.charges.length} charges, ${run.answers} answers (${sum.join(', ')}): nobody passed unpaid or was charged twice, and each charge is found once from its result`
  } finally {
    run.isOver = true
    await installation.stop()
    await database.drop()
    await stripe.stop()
  }
}

async function openShop(run: Run, stripe: StripeDouble, baseUrl: string): Promise<Shop> {
  const { workspaceId } = run.installation
  const caller = new Caller(run, { one: (list: readonly unknown[]) => list[0] } as Random)
  const keys = { secretKey: 'sk_live_1', publicKey: 'pk_live_1', webhookSecret: SECRET }
  const stored = await caller.settle('POST', `/v1/workspaces/${workspaceId}/credentials`, {
    body: { type: 'stripe', name: 'Shop', data: { live: keys, baseUrl } },
  })
  promise(stored.body?.credentials, `The credentials were answered ${stored.status}: ${stored.text}`)
  const { id: credentialsId } = stored.body.credentials
  const { id: _, ...document } = flowOf(credentialsId)
  const made = await caller.settle('POST', '/v1/bots', {
    body: { workspaceId, bot: { ...document, name: 'Shop' } },
  })
  promise(made.body?.bot, `The bot was answered ${made.status}: ${made.text}`)
  const botId = made.body.bot.id
  const published = await caller.settle('POST', `/v1/bots/${botId}/publish`, { body: {} })
  promise(published.status === 200, `Publishing was answered ${published.status}: ${published.text}`)
  const read = await caller.settle('GET', `/v1/bots/${botId}`)
  const hook = `/hooks/stripe/${workspaceId}/${credentialsId}`
  return { run, stripe, botId, publicId: read.body.bot.publicId, hook }
}

/**
 * Loses responses of the vendor, and kills a process every so many chats: at any time, or while it waits for the
 * vendor.
 */
function breakAway(
  run: Run,
  stripe: StripeDouble,
  { kills, every }: { kills: number; every: number },
  random: Random,
) {
  const { reply } = stripe
  let killing: Promise<void> | undefined
  const kill = (member: Member) => {
    count(run, 'kills')
    killing = (async () => {
      await member.kill()
      await member.start()
    })().finally(() => {
      killing = undefined
    })
  }
  const isDue = () =>
    killing === undefined && (run.counts.kills ?? 0) < Math.min(kills, (run.counts.chats ?? 0) / every)
  stripe.reply = (request) => {
    if (random.chance(0.06)) {
      stripe.failures.push(random.one(['lost', 'lost', 'down', { status: 500, body: {} }] as const))
      count(run, 'lost responses')
    }
    const answer = reply(request)
    // One of three waits for this answer: it has taken effect, and nothing of the turn is written.
    if (isDue() && random.chance(0.5)) kill(random.one(run.installation.members))
    return answer
  }
  const timer = setInterval(() => {
    if (isDue() && random.chance(0.3)) kill(random.one(run.installation.members))
  }, 200)
  return {
    async stop() {
      clearInterval(timer)
      stripe.reply = reply
      await killing
    },
  }
}

/** One visitor, from the start of the chat to the last message of the vendor. */
async function talk({ run, stripe, botId, publicId, hook }: Shop, random: Random) {
  const caller = new Caller(run, random)
  const headers: Record<string, string> = random.chance(0.5) ? { host: CHATS } : {}
  const started = await caller.once('POST', `/api/v1/bots/${publicId}/startChat`, { body: {}, headers })
  promise(started.status === 200, `A chat was not started: ${started.status} ${started.text}`)
  const { sessionId, resultId } = started.body
  const path = `/api/v1/sessions/${sessionId}`
  const ids = new Set<string>()
  let revision = started.body.revision as number
  /** Reads the chat, and holds what it says against what the vendor has. */
  const look = async () => {
    const { status, body, text } = await caller.settle('GET', path)
    promise(status === 200, `A session was answered ${status}: ${text}`)
    revision = body.revision
    if (body.input?.payment) ids.add(body.input.payment.id)
    const charged = [...ids].filter((id) => stripe.charges.includes(id))
    promise(charged.length <= 1, `A visitor was charged twice: ${charged}`)
    const said = JSON.stringify(body.turns)
    const amount = /Thank you for (\d+)/.exec(said)?.[1]
    if (amount === undefined) return
    const [id = ''] = charged
    const units = stripe.intents.get(id)?.amount ?? stripe.checkouts.get(id)?.amount_total
    promise(units === Number(amount) * 100, `A visitor passed for ${amount}, and paid ${units}: ${sessionId}`)
  }
  const say = async (message: unknown) => {
    const body = { message, revision }
    const { status, text } = await caller.settle('POST', `${path}/continueChat`, { body, headers })
    promise([200, 404, 409].includes(status ?? 0), `A message was answered ${status}: ${text}`)
  }
  await look()
  const steps = 3 + random.below(MAX_STEPS - 2)
  for (let step = 0; step < steps; step += 1) {
    // A tab that was left open counts as well.
    const id = random.one([...ids])
    const deed = random.one([
      'pay',
      'pay',
      'process',
      'settle',
      'say',
      'twice',
      'tell',
      'tell',
      'more',
      'expire',
    ])
    if (id === undefined) await say(null)
    else if (deed === 'pay') stripe.pay(id)
    else if (deed === 'process') stripe.pay(id, 'processing')
    else if (deed === 'settle') {
      if (stripe.isPending(id)) stripe.settle(id, random.chance(0.7))
    } else if (deed === 'expire') {
      if (random.chance(0.2) && isOpen(stripe, id)) stripe.expire(id)
    } else if (deed === 'tell') {
      await Promise.all(Array.from({ length: 1 + random.below(2) }, () => tell(caller, stripe, hook, id)))
    } else if (deed === 'more') {
      if (random.chance(0.4)) await say({ type: 'command', command: 'more' })
    } else {
      const words = random.one([null, 'Success', 'I have paid'])
      await Promise.all(deed === 'twice' ? [say(words), say(words)] : [say(words)])
    }
    await look()
  }
  const charged = [...ids].filter((id) => stripe.charges.includes(id))
  // The vendor sends its messages until they are taken.
  for (const id of charged) await tell(caller, stripe, hook, id)
  await look()
  const { body } = await caller.settle('GET', `/v1/bots/${botId}/results/${resultId}/logs`)
  const logged = (body.logs as { description: string }[]).map(({ description }) => description)
  for (const id of charged) {
    const found = logged.filter(
      (line) => line.includes(stripe.chargeOf(id)) && /was paid|is being confirmed after/.test(line),
    )
    promise(found.length === 1, `The charge ${id} is found ${found.length} times: ${logged.join(' | ')}`)
  }
  count(run, 'forms', headers.host === undefined ? 0 : 1)
}

function isOpen(stripe: StripeDouble, id: string): boolean {
  const { status } = stripe.intents.get(id) ?? stripe.checkouts.get(id) ?? {}
  return status === 'open' || status === 'requires_payment_method'
}

/** Sends a message of the vendor about a payment until it is taken, as the vendor does. */
async function tell(caller: Caller, stripe: StripeDouble, hook: string, id: string) {
  const types = stripe.intents.has(id)
    ? ['payment_intent.succeeded', 'payment_intent.payment_failed']
    : ['completed', 'async_payment_succeeded', 'async_payment_failed'].map(
        (type) => `checkout.session.${type}`,
      )
  const isCharged = stripe.charges.includes(id)
  // The vendor says of a charge that it succeeded.
  const type = isCharged ? (types.find((each) => /succeeded/.test(each)) as string) : caller.random.one(types)
  const event = stripe.event(type, id)
  const { status, text } = await caller.settle('POST', hook, {
    body: JSON.parse(event),
    headers: { 'stripe-signature': signatureOf(SECRET, event, new Date()) },
  })
  promise(status === 200, `A message of the vendor was answered ${status}: ${text}`)
}
