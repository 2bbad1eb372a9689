import type { Issue, IssueCode } from '../../contract/errors.ts'

/* Issues that several operations respond with. */

const records: Record<string, [noun: string, code: IssueCode]> = {
  workspaceId: ['workspace', 'unknown_workspace'],
  folderId: ['folder', 'unknown_folder'],
  parentFolderId: ['folder', 'unknown_folder'],
  botId: ['bot', 'unknown_bot'],
  publicationId: ['publication of this bot', 'unknown_publication'],
  resultId: ['result of this bot', 'unknown_result'],
  credentialsId: ['set of credentials in this workspace', 'unknown_credentials'],
  endpointId: ['webhook endpoint in this workspace', 'unknown_endpoint'],
  deliveryId: ['delivery of this endpoint', 'unknown_delivery'],
  invitationId: ['invitation in this workspace that waits to be accepted', 'unknown_record'],
  browserSessionId: ['browser session of yours', 'unknown_record'],
  templateId: ['template; GET /v1/templates lists them', 'unknown_record'],
  tokenId: ['token of yours', 'unknown_token'],
  userId: ['member of this workspace', 'unknown_member'],
  sessionId: ['chat session, or it is over; start a new one', 'unknown_session'],
  publicId: ['published bot with this public id', 'unknown_public_id'],
  blockId: ['block in this bot', 'unknown_block'],
}

const idForm = /^[0-9a-z]{26}$/
const sessionForm = /^[0-9a-z]{26}-[0-9a-z]{26}$/

/** Ids of the service have one form; these are of a form of their own, or of their author. */
const otherForms = ['publicId', 'sessionId', 'blockId', 'templateId']

/** Explains by the form of a value that it is no id of the expected kind. */
export function formHint(name: string, value: unknown): string | undefined {
  const text = String(value)
  if (name === 'publicId' && idForm.test(text))
    return 'this has the form of an id; chats take the public id of a bot, which it has after publishing'
  if (name === 'sessionId' && idForm.test(text))
    return 'this has the form of another id; take the `sessionId` that the start of a chat answers'
  if (value === undefined || otherForms.includes(name) || idForm.test(text)) return undefined
  const what = sessionForm.test(text) ? 'this is the id of a session; ' : ''
  const other = name === 'botId' ? '; take the `id` of the bot, not its public id' : ''
  return `${what}an id has 26 letters and digits${other}`
}

/**
 * Says which record of the address is missing; the hint comes from the form of the value alone, never from a look-up.
 */
export function unknownRecord(place: 'path' | 'query' | 'body', name: string, value: unknown): Issue {
  const [noun, code] = records[name] ?? ['record', 'unknown_record']
  const hint = formHint(name, value)
  return { path: [place, name], code, message: `There is no such ${noun}${hint ? `: ${hint}` : ''}` }
}

/** For callers who may read the bot. Others get a 404 without it. */
export const notPublished: Issue = {
  path: ['path', 'botId'],
  code: 'not_published',
  message: 'The bot is not published; publish it first',
}
