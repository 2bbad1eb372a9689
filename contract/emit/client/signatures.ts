import { webhooks as events } from '../../events.ts'
import { minimumKeyOf } from '../../operation.ts'
import type { Method } from '../methods.ts'

/* TypeScript declarations of the methods of the client. */

/** Parameters in TypeScript, without the options. */
export function parametersOf({ id, ids, call, body, isQueryOptional }: Method): string[] {
  return [
    ...ids.map((name) => `${name}: string`),
    ...(call.file ? ['file: Blob'] : []),
    ...(body ? [`body${body.isRequired ? '' : '?'}: ${body.name}`] : []),
    ...(call.query ? [`query${isQueryOptional ? '?' : ''}: ${queryName(id)}`] : []),
  ]
}

const queryName = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`

/** The type of the query with its name. */
export function queryOf({ id, call }: Method): { name: string; type: string } | undefined {
  if (!call.query) return undefined
  const type = `NonNullable<operations["${id}"]["parameters"]["query"]>`
  return { name: queryName(id), type: call.needs ? atLeastOne(type, call.needs) : type }
}

/** Type of a query with at least one of these parameters. */
const atLeastOne = (type: string, names: readonly string[]) =>
  `${type} & (${names.map((name) => `Required<Pick<${type}, "${name}">>`).join(' | ')})`

/** Names of the schemas that a method refers to. */
export function schemasOf({ body, answer, minimal }: Method): string[] {
  return [body?.name, answer, minimal].filter((name) => name !== undefined)
}

export function answerOf({ call, answer }: Method): string {
  if (call.events) return `Events<${answer}>`
  if (call.entries) return `Pages<${answer}, ${answer}["${call.entries}"][number]>`
  return `Reply<${answer ?? 'Response'}>`
}

export function signaturesOf(method: Method): string[] {
  const { name, operation, minimal, isConditional } = method
  const { method: verb, path, summary, description, deprecated } = operation
  const parameters = parametersOf(method)
  const options = [
    'RequestOptions',
    ...(minimumKeyOf(operation) === undefined ? [] : ['KeyOptions']),
    ...(isConditional ? ['MatchOptions'] : []),
  ].join(' & ')
  return [
    '  /**',
    `   * ${summary}: \`${verb.toUpperCase()} ${path}\``,
    '   *',
    `   * ${description}`,
    ...(deprecated ? [`   * @deprecated since ${deprecated.since}, gone on ${deprecated.sunset}`] : []),
    '   */',
    // The usual overload comes first, since editors show that one.
    `  ${name}(${[...parameters, `options?: ${options}${minimal ? ' & { minimal?: false }' : ''}`].join(', ')}): ${answerOf(method)}`,
    ...(minimal
      ? [
          '  /** With `minimal`, the response is short. */',
          `  ${name}(${[...parameters, `options: ${options} & { minimal: true }`].join(', ')}): Reply<${minimal}>`,
        ]
      : []),
  ]
}

/** The method `edit`, which combines two operations and so is in no table. */
export const edit = {
  schemas: ['Bot', 'BotBody', 'BotUpdate', 'BotV61'],
  types: `type WithoutPrecondition<Update> = Update extends unknown ? Omit<Update, 'version' | 'updatedAt'> : never

/** Properties of a bot to write. Absent ones do not change. */
export type BotChange = WithoutPrecondition<BotUpdate>

export interface EditOptions extends RequestOptions {
  /** Maximum attempts to read and write the bot before the call fails with the conflict. Default: 10. */
  attempts?: number
}
`,
  signatures: `  /**
   * Reads a bot, applies a change and writes it. If somebody else wrote in between, reads the bot again and applies the
   * change to that, so \`change\` may be called several times. It returns the properties to write.
   */
  edit(botId: string, change: (bot: BotV61) => BotChange | Promise<BotChange>, options: EditOptions & { migrateToLatestVersion: true }): Promise<BotBody>
  /** With \`migrateToLatestVersion\`, the bot is converted to version 6.1. */
  edit(botId: string, change: (bot: Bot) => BotChange | Promise<BotChange>, options?: EditOptions): Promise<BotBody>`,
}

export const eventNames = Object.values(events).map(({ body }) => String(body.meta()?.id))

export const verify = {
  signature: (before: string, after: string) => `${before}  /**
   * Verifies that the service signed a delivery, and returns its event. \`body\` is the raw text. Throws if the
   * signature is wrong or older than five minutes.
   */
  verify(body: string, headers: DeliveryHeaders, secret: string): Promise<WebhookEvent>
${after}`,
}

export const converse = {
  schemas: ['ContinueChatBody', 'StartChatBody', 'StartedChatBody', 'ContinuedChatBody'],
  types: `/** A chat that stores its session and revision between answers. */
export interface Conversation {
  readonly sessionId: string
  /** The latest response. */
  readonly turn: StartedChatBody | ContinuedChatBody
  /** Sends an answer and returns the next turn. */
  say(message: NonNullable<ContinueChatBody['message']>, options?: RequestOptions): Promise<ContinuedChatBody>
}
`,
  signatures: `  /** Starts a chat and stores its session: \`const chat = await client.chat.converse(publicId)\`, \`await chat.say('Ada')\`. */
  converse(publicId: string, body?: StartChatBody, options?: RequestOptions & KeyOptions): Promise<Conversation>`,
}
