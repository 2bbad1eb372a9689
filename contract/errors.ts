import { type Issue as KitIssue, errors as kitErrors, issueCodes as kitIssueCodes } from './kit/errors.ts'

/** Every code of an issue with its meaning: those of the kit and those of this service. */
export const issueCodes = {
  ...kitIssueCodes,
  bot_closed: 'the bot takes no new chats',
  bound_token: 'the token is bound to a workspace, and this is outside of it',
  circular_move: 'a folder would be inside itself',
  disabled_user: 'the user with this e-mail address is disabled',
  daily_quota_exceeded:
    'the address, or the visitors of the bot together, reached the daily limit of storage',
  files_not_kept: 'the installation stores no files',
  last_admin: 'the workspace would be left without an admin',
  no_encryption_key: 'the installation has no key to encrypt credentials with; its operator has to set one',
  not_published: 'the bot is not published',
  not_waiting: 'the chat does not wait at this block',
  origin_not_allowed:
    'the settings of the bot do not allow this origin, or only pages of the service may send this',
  private_address: 'the address is in a private network, or the installation allows no requests to it',
  reserved_host:
    'the host is one of the service, or above or below one; the domain of a bot needs another one',
  result_deleted: 'the result that this belongs to was deleted',
  role_too_low:
    'the role of the caller in the workspace does not allow this; the message names the one that does',
  too_many_files: 'the chat has reached its limit of files or of their size',
  unknown_block: 'the bot has no such block',
  unknown_bot: 'there is no such bot',
  unknown_command: 'the bot has no event for the command',
  unknown_credentials: 'there are no such credentials in the workspace',
  unknown_delivery: 'there is no such delivery',
  unknown_device_code: 'the code of the device was used, has expired, or never existed',
  unknown_endpoint: 'there is no such webhook endpoint in the workspace',
  unknown_folder: 'the folder does not exist in the workspace',
  unknown_member: 'the workspace has no such member',
  unknown_public_id: 'no published bot has this public id',
  unknown_publication: 'there is no such publication of the bot',
  unknown_result: 'there is no such result of the bot',
  unknown_session: 'there is no such chat session',
  unknown_start: 'the bot has no such group or event',
  unknown_token: 'the caller has no such token',
  unknown_user: 'no user has this e-mail address',
  unknown_variable: 'no bot of the chat has a variable of this name',
  unknown_workspace: 'the caller has no role in such a workspace',
  unsupported_version: 'the bot is in a version that does not have this; update it to a newer one',
} as const

export type IssueCode = keyof typeof issueCodes

/** One issue of a request. `path` begins with body, query, path or header, then follow keys. */
export type Issue = KitIssue<IssueCode>

/** Every error code, described for callers of this service. */
export const errors = {
  ...kitErrors,
  FORBIDDEN: {
    ...kitErrors.FORBIDDEN,
    when: 'The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token.',
  },
  TOO_MANY_REQUESTS: {
    ...kitErrors.TOO_MANY_REQUESTS,
    when: 'The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help.',
  },
} as const
