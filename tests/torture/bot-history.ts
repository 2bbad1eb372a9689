import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, check } from './checker.ts'
import type { Answer } from './client.ts'
import { seenOf, stamped, stampOf } from './documents.ts'
import { type BotOp, botModel, type Seen } from './models.ts'
import { type Caller, count, promise, type Run, type Settled, Violation } from './run.ts'

/* A few callers read, update, publish and delete one bot at once, and chat with it. */

const CALLERS = 4
const CALLS = 30
/** Each call without a response doubles the work of the checker. */
const MAX_UNKNOWN_CALLS = 6

interface Known {
  seen: Seen
  etag: string
}

class BotHistory {
  readonly calls: Call<BotOp>[] = []
  private unknown = 0
  private texts = 0
  /** Versions of the bot that callers know, the latest last. */
  private readonly known: Known[] = []
  private readonly path: string

  constructor(
    private readonly run: Run,
    private readonly id: string,
    private readonly publicId: string,
    first: Known,
  ) {
    this.path = `/v1/bots/${id}`
    this.known.push(first)
  }

  get isOver() {
    return this.run.isOver || this.unknown >= MAX_UNKNOWN_CALLS
  }

  private note(answer: Answer | Settled, op: BotOp) {
    const calls = callsOf(answer, op)
    this.unknown += calls.filter(isUnknown).length
    this.calls.push(...calls)
  }

  /** Notes what an answer shows, for preconditions to come. */
  private learn({ headers, body }: Answer): Seen {
    const seen = seenOf(body.bot)
    if (headers.etag) this.known.push({ seen, etag: headers.etag })
    return seen
  }

  /** Something that was read lately, seldom earlier. */
  private recall({ random }: Caller): Known {
    const back = random.chance(0.8) ? 1 : 1 + random.below(Math.min(4, this.known.length))
    return this.known.at(-back) as Known
  }

  async act(caller: Caller) {
    const what = caller.random.below(20)
    if (what < 6) await this.read(caller)
    else if (what < 8) await this.readAgain(caller)
    else if (what < 14) await this.write(caller)
    else if (what < 16) await this.publish(caller)
    else await this.live(caller)
  }

  async read(caller: Caller) {
    const answer = await caller.try('GET', this.path)
    if (answer.status === 404) this.note(answer, { kind: 'read', seen: 'gone' })
    else if (answer.status === 200) this.note(answer, { kind: 'read', seen: this.learn(answer) })
    else expectNothing(answer, 'read')
  }

  private async readAgain(caller: Caller) {
    const { seen, etag } = this.recall(caller)
    const answer = await caller.try('GET', this.path, { headers: { 'if-none-match': etag } })
    if (answer.status === 304) this.note(answer, { kind: 'unchanged', at: seen.at })
    else if (answer.status === 404) this.note(answer, { kind: 'read', seen: 'gone' })
    else if (answer.status === 200) this.note(answer, { kind: 'read', seen: this.learn(answer) })
    else expectNothing(answer, 'read')
  }

  private async write(caller: Caller) {
    const { random } = caller
    const text = `${this.id.slice(-6)} ${++this.texts}`
    const parts = random.one(['name', 'stamp', 'both'] as const)
    const given = {
      ...(parts !== 'stamp' && { name: `name ${text}` }),
      ...(parts !== 'name' && { stamp: `stamp ${text}` }),
    }
    const { version, events: _, edges: __, ...document } = stamped(given.stamp ?? '')
    const bot = {
      version,
      ...(given.name !== undefined && { name: given.name }),
      ...(given.stamp !== undefined && document),
    }
    const headers: Record<string, string> = random.chance(0.3) ? { prefer: 'return=minimal' } : {}
    const precondition = random.one(['none', 'body', 'header', 'header'] as const)
    const { seen, etag } = this.recall(caller)
    if (precondition === 'body') Object.assign(bot, { updatedAt: seen.at })
    if (precondition === 'header') headers['if-match'] = etag
    const expected = precondition === 'none' ? undefined : seen.at
    const sent = { headers, body: { bot, ...(precondition === 'none' && { overwrite: true }) } }
    const isKeyed = random.chance(0.7)
    const answer = await (isKeyed
      ? caller.once('PATCH', this.path, sent)
      : caller.try('PATCH', this.path, sent))
    const op = { kind: 'write', ...given, expected } as const
    const { status, body } = answer
    if (status === 200) this.note(answer, { ...op, answer: 'done', seen: this.learn(answer) })
    else if (status === 409 || status === 412) {
      this.note(answer, { ...op, answer: 'stale', at: body.issues[0].current?.updatedAt })
    } else if (status === 404) this.note(answer, { ...op, answer: 'gone' })
    else if (!answer.isUnsent) {
      expectNothing(answer, 'update')
      this.note(answer, { ...op, answer: 'unknown' })
    }
  }

  private async publish(caller: Caller) {
    const { seen, etag } = this.recall(caller)
    const isConditional = caller.random.chance(0.4)
    const headers: Record<string, string> = isConditional ? { 'if-match': etag } : {}
    const expected = isConditional ? seen.at : undefined
    const answer = await caller.once('POST', `${this.path}/publish`, { headers, body: {} })
    this.note(answer, { kind: 'publish', expected, answer: settled(answer, 'publish') })
  }

  private async live(caller: Caller) {
    if (caller.random.chance(0.5)) {
      const answer = await caller.try('GET', `${this.path}/publishedBot`)
      if (answer.status === 404) this.note(answer, { kind: 'live', stamp: 'none' })
      else if (answer.status === 200) {
        this.note(answer, { kind: 'live', stamp: stampOf(answer.body.publishedBot) })
      } else expectNothing(answer, 'published bot')
      return
    }
    const answer = await caller.try('POST', `/api/v1/bots/${this.publicId}/startChat`, {
      body: { textBubbleContentFormat: 'markdown' },
    })
    if (answer.status === 404) this.note(answer, { kind: 'live', stamp: 'none' })
    else if (answer.status === 200) {
      this.note(answer, { kind: 'live', stamp: answer.body.messages[0].content.markdown.trim() })
    } else expectNothing(answer, 'start of a chat')
  }

  async delete(caller: Caller) {
    const { seen, etag } = this.recall(caller)
    const isConditional = caller.random.chance(0.4)
    const headers: Record<string, string> = isConditional ? { 'if-match': etag } : {}
    const answer = await caller.try('DELETE', this.path, { headers })
    const op = { kind: 'delete', expected: isConditional ? seen.at : undefined } as const
    if (answer.isUnsent) return
    if (isLost(answer)) this.note(answer, { ...op, answer: 'unknown' })
    else this.note(answer, { ...op, answer: settled(answer, 'deletion') })
  }
}

const isUnknown = ({ end }: Call<BotOp>) => end === Number.POSITIVE_INFINITY

/**
 * Returns the calls that a response stands for. A request that was sent again may have been done the first time: its
 * response was lost, and the bot was deleted before the second attempt, whose response says only that. That makes two
 * calls, and nothing is known of the first.
 */
export function callsOf(
  answer: Pick<Settled, 'start' | 'end'> & { lastStart?: number },
  op: BotOp,
): Call<BotOp>[] {
  const { start, end, lastStart = start } = answer
  const told = 'answer' in op ? op.answer : undefined
  const unknown = (): Call<BotOp> => ({
    start,
    end: Number.POSITIVE_INFINITY,
    op: { ...op, answer: 'unknown' } as BotOp,
  })
  if (told === 'unknown') return [unknown()]
  if (told === 'gone' && lastStart > start) return [unknown(), { start: lastStart, end, op }]
  return [{ start, end, op }]
}

const isLost = ({ status }: Answer) => status === undefined || status === 503

function expectNothing(answer: Answer, what: string) {
  promise(isLost(answer), `A ${what} was answered ${answer.status}: ${answer.text}`)
}

function settled({ status, text }: Answer, what: string): 'done' | 'stale' | 'gone' {
  if (status === 200) return 'done'
  if (status === 412) return 'stale'
  // A publish during the deletion of its bot may get 403 or 404.
  promise(status === 404 || status === 403, `A ${what} was answered ${status}: ${text}`)
  return 'gone'
}

/** One bot from its creation to the check of its history. */
export async function liveOneBot(run: Run, caller: Caller, caller2: (place: number) => Caller) {
  const publicId = `bot-${Math.floor(caller.random.float() * 2 ** 48).toString(36)}`
  const bot = { ...stamped('stamp 0'), name: 'name 0', publicId }
  const { workspaceId } = run.installation
  const made = await caller.once('POST', '/v1/bots', { body: { workspaceId, bot } })
  promise(made.status === 201, `A creation was answered ${made.status}: ${made.text}`)
  const first = { seen: seenOf(made.body.bot), etag: made.headers.etag as string }
  const history = new BotHistory(run, made.body.bot.id, publicId, first)
  const isDeleted = caller.random.chance(0.3)
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, place) => {
      const one = caller2(place)
      for (let call = 0; call < CALLS && !history.isOver; call++) {
        if (isDeleted && place === 0 && call === CALLS - 5) await history.delete(one)
        else await history.act(one)
        if (one.random.chance(0.2)) await sleep(one.random.below(30))
      }
    }),
  )
  await history.read(caller)
  const { calls } = history
  const verdict = check(botModel(first.seen as Required<Seen>), calls)
  count(run, 'bots')
  count(run, 'calls on bots', calls.length)
  if (verdict.verdict === 'too wide') count(run, 'histories too wide to check')
  if (verdict.verdict !== 'broken') return
  const lines = (ops: object[]) => ops.map((op) => JSON.stringify(op)).join('\n  ')
  throw new Violation(
    `The history of bot ${made.body.bot.id} has no order. It can be explained up to\n  ${lines(verdict.explained.slice(-12))}\nand then nothing of this fits:\n  ${lines(verdict.stuck)}\nAll of its calls:\n  ${lines(calls)}`,
  )
}
