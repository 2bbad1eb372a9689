import type { Flow } from '../../server/chat/engine/types.ts'
import type { App } from './app.ts'
import type { Answer, BodyOf, Caller, Reply } from './client.ts'
import { anyBody } from './client.ts'

/* Bots that are published through the service, and people who chat with them over HTTP. */

/** The statement that writes a turn of a chat, on one server and on a cluster. */
export const stepStatement =
  /INSERT INTO "chat_sessions"|UPDATE "chat_sessions" (?:s )?SET state = .*revision \+ 1|write_chat_turn\(/

export type Step = Reply<'continueChat'>
export type Started = Reply<'startChat'>
export type Result = Reply<'getResult'>['result']

export interface Published {
  id: string
  publicId: string
}

interface Owner {
  workspaceId: string
  member: Caller
}

/** Creates a bot from a flow, as `bot` of the chat support makes it, and publishes it. */
export async function publish({ client }: App, owner: Owner, flow: Flow, name = 'Bot'): Promise<Published> {
  const { id: _, ...document } = storable(flow)
  const { bot } = await client.ok('createBot', {
    as: owner.member,
    body: anyBody({ workspaceId: owner.workspaceId, bot: { ...document, name } }),
  })
  await client.ok('publishBot', { as: owner.member, params: { botId: bot.id } })
  const read = await client.ok('getBot', { as: owner.member, params: { botId: bot.id } })
  return { id: bot.id, publicId: read.bot.publicId as string }
}

/** Completes what editors need and the runtime does not. */
export function storable(flow: Flow): Flow {
  const graphCoordinates = { x: 0, y: 0 }
  const events = (flow.events as object[] | null)?.map((event) => ({ graphCoordinates, ...event })) ?? null
  const edges = (flow.edges as { from: object }[]).map((edge) =>
    Object.keys(edge.from).length > 0 ? edge : { ...edge, from: { blockId: 'somewhere' } },
  )
  return { ...flow, events, edges }
}

export function start(
  { client }: App,
  { publicId }: Published,
  body: BodyOf<'startChat'> = {},
): Promise<Started> {
  return client.ok('startChat', { params: { publicId }, body })
}

type Message = NonNullable<BodyOf<'continueChat'>>['message']

/** Replies to a session, whatever the answer is. */
export function tryReply(
  { client }: App,
  sessionId: string,
  message: Message,
  revision?: number,
): Promise<Answer> {
  const body = revision === undefined ? { message } : { message, revision }
  return client.call('continueChat', { params: { sessionId }, body })
}

/** Replies to a session, which must accept it. */
export async function reply(app: App, sessionId: string, message: Message, revision?: number): Promise<Step> {
  const answer = await tryReply(app, sessionId, message, revision)
  if (answer.status !== 200) throw new Error(`continueChat answered ${answer.status}: ${answer.text}`)
  return answer.body
}

/** The texts of a turn, without their form. */
export function textsOf({ messages }: Step): string[] {
  return messages.flatMap((message) => (message.type === 'text' ? [wordsOf(message.content)] : []))
}

function wordsOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(wordsOf).join('')
  const { text, richText, children, markdown } = (node ?? {}) as Record<string, unknown>
  if (typeof text === 'string') return text
  if (typeof markdown === 'string') return markdown
  return wordsOf(richText ?? children ?? [])
}

/** Everything that operations say about the results of a bot. */
export async function reportOf({ client }: App, { id: botId }: Published, caller: Caller) {
  const asked = { as: caller, params: { botId } }
  const results: Result[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? { limit: 100 } : { limit: 100, cursor }
    const page = await client.ok('listResults', { ...asked, query })
    results.push(...page.results)
    cursor = page.nextCursor
  }
  const { stats } = await client.ok('getStats', asked)
  const csv = await client.call('exportResults', asked)
  return { results, stats, csv: csv.text }
}

export async function transcriptOf({ client }: App, botId: string, resultId: string, caller: Caller) {
  const { transcript } = await client.ok('getTranscript', { as: caller, params: { botId, resultId } })
  return transcript
}

export async function logsOf({ client }: App, botId: string, resultId: string, caller: Caller) {
  const { logs } = await client.ok('listResultLogs', { as: caller, params: { botId, resultId } })
  return logs
}
