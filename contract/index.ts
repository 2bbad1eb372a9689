import { analytics } from './analytics.ts'
import { audit } from './audit.ts'
import { bots } from './bots/index.ts'
import { botUpdateCurrent, botUpdateLegacy } from './bots/schemas.ts'
import { browserSessions } from './browser-sessions.ts'
import { chat } from './chat/index.ts'
import { chatEvent } from './chat/responses.ts'
import { chats } from './chats.ts'
import { chatwoot } from './chatwoot.ts'
import { comparison } from './comparison.ts'
import { credentials } from './credentials.ts'
import { currentUser } from './current-user.ts'
import { deviceLogins } from './device-logins.ts'
import { folders } from './folders.ts'
import { invitations } from './invitations.ts'
import { memberMessages } from './member-messages.ts'
import { members } from './members.ts'
import { publications } from './publications.ts'
import { publishing } from './publishing.ts'
import { results } from './results.ts'
import { templates } from './templates.ts'
import { tokens } from './tokens.ts'
import { transfer } from './transfer.ts'
import { uploads } from './uploads.ts'
import { webhookBlocks } from './webhook-blocks.ts'
import { webhooks } from './webhooks/index.ts'
import { workspaces } from './workspaces.ts'

/** Every operation of the service, in the order of the published document. The key is the operationId. */
export const operations = {
  ...workspaces,
  ...members,
  ...invitations,
  ...credentials,
  ...audit,
  ...folders,
  ...bots,
  ...templates,
  ...transfer,
  ...comparison,
  ...webhookBlocks,
  ...publishing,
  ...publications,
  ...results,
  ...analytics,
  ...chat,
  ...chats,
  ...memberMessages,
  ...chatwoot,
  ...webhooks,
  ...uploads,
  ...currentUser,
  ...browserSessions,
  ...tokens,
  ...deviceLogins,
}

type Operations = typeof operations
export type OperationId = keyof Operations

/** Operations by resource. Each resource has a file of this name in contract, handlers and cases. */
export const resources = {
  workspaces,
  members,
  invitations,
  credentials,
  audit,
  folders,
  bots,
  templates,
  transfer,
  comparison,
  webhookBlocks,
  publishing,
  publications,
  results,
  analytics,
  chat,
  chats,
  memberMessages,
  chatwoot,
  webhooks,
  uploads,
  currentUser,
  browserSessions,
  tokens,
  deviceLogins,
}

/**
 * Components that no operation refers to: released names, since clients may use them, and the events of a text
 * stream.
 */
export const besides = [botUpdateCurrent, botUpdateLegacy, chatEvent]

export { webhooks as events } from './events.ts'

export const information = {
  title: 'Bot builder service',
  /** Version of the contract, by the rules of semantic versioning: additions are minor, breaks are major. */
  version: '1.0.0',
}
