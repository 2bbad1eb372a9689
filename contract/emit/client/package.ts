import { readFileSync } from 'node:fs'
import { errors } from '../../errors.ts'
import { webhooks as events } from '../../events.ts'
import type { ClientPackage } from '../../kit/emit/client/package.ts'
import { interfaceChanges } from '../changelog.ts'

/* The npm package of the client, and its methods that combine operations. */

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** Version that the tests of the service use. */
function standardWebhooksVersion(): string {
  return JSON.parse(beside('../../../package.json')).devDependencies.standardwebhooks
}

/** The method `edit`, which combines two operations and so is in no table. */
const edit = {
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

const verify = {
  signature: (before: string, after: string) => `${before}  /**
   * Verifies that the service signed a delivery, and returns its event. \`body\` is the raw text. Throws if the
   * signature is wrong or older than five minutes.
   */
  verify(body: string, headers: DeliveryHeaders, secret: string): Promise<WebhookEvent>
${after}`,
}

const converse = {
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

/** The package, before the methods of the contract are added. */
export const clientPackage: ClientPackage = {
  head: '// Made by `make generate` from contract/. Do not edit.',
  name: 'bot-builder-client',
  description: 'Client of the bot builder service, made from its contract.',
  keywords: ['bot', 'chatbot', 'chat', 'api', 'client', 'sdk', 'openapi'],
  license: 'MIT',
  readme: beside('README.md'),
  files: { LICENSE: beside('../../../LICENSE'), 'CHANGELOG.md': interfaceChanges() },
  modules: { helpers: beside('helpers.ts'), builder: beside('builder.ts') },
  entries: ['builder'],
  // Only `webhooks.verify` loads it.
  dependencies: { standardwebhooks: standardWebhooksVersion() },
  errors,
  additions: {
    code: [
      "import { conversation, editor, verify } from './helpers.js'",
      '',
      'export const webhooks = { verify }',
    ],
    attached: ['bots.edit = editor(bots)', 'chat.converse = conversation(chat)', 'webhooks_.verify = verify'],
    taken: ['webhooks'],
    declarations: [
      "import type { DeliveryHeaders } from './helpers.js'",
      "export type { DeliveryHeaders } from './helpers.js'",
      '',
      edit.types,
      converse.types,
      `export type WebhookEvent = ${eventNames.join(' | ')}`,
      '',
      verify.signature('export declare const webhooks: {\n', '}\n'),
    ],
    schemas: [...edit.schemas, ...converse.schemas, ...eventNames],
    names: ['DeliveryHeaders'],
    signatures: {
      bots: edit.signatures,
      chat: converse.signatures,
      webhooks: verify.signature('', '').trimEnd(),
    },
  },
}
