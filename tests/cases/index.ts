import type { OperationId, resources } from '../../contract/index.ts'
import type { Case, Cases, Needs } from '../support/cases.ts'
import { analytics } from './analytics.ts'
import { audit } from './audit.ts'
import { bots } from './bots.ts'
import { browserSessions } from './browser-sessions.ts'
import { chat } from './chat.ts'
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
import { webhooks } from './webhooks.ts'
import { workspaces } from './workspaces.ts'

const byResource: { [Resource in keyof typeof resources]: Cases<Resource> } = {
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

/** Every operation with its cases. */
export const cases = Object.assign({}, ...Object.values(byResource)) as Record<string, OperationCases>

type OperationCases = { needs: Needs } & Record<string, unknown>

/** The cases of success of an operation, by their names; '' if there is but one. */
export function successCases(id: OperationId): [name: string, Case][] {
  const written = cases[id]?.ok
  return typeof written === 'function'
    ? [['', written as Case]]
    : Object.entries(written as Record<string, Case>)
}
