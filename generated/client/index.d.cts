// Made by `make generate` from contract/. Do not edit.
import { ApiError } from './api.cjs'
import type { ClientOptions, Events, KeyOptions, MatchOptions, Pages, Reply, RequestOptions } from './api.cjs'
import type { ApiTokenBody, ApiTokenCreate, ApiTokenList, AuditPage, BlockStatsBody, Bot, BotBody, BotCreatedEvent, BotDeletedEvent, BotPage, BotPublishedEvent, BotReferenceBody, BotUnpublishedEvent, BotUpdate, BotUpdatedEvent, BotV61, BotWithModeBody, BrowserSessionBody, BrowserSessionList, ChatBody, ChatDetailBody, ChatEvent, ChatHandoffRequestedEvent, ChatMessageReceivedEvent, ChatPage, ChatReturnedEvent, ChatSessionBody, ChatTakenEvent, ChatUpdate, ChatwootEvent, CompareBotQuery, ComparisonBody, ContinueChatBody, ContinuedChatBody, CreateBotBody, CreateFolderBody, CreatedApiTokenBody, CreatedInvitationBody, CredentialsBody, CredentialsCreate, CredentialsList, CredentialsTestBody, CredentialsUpdate, CurrentUserBody, DeleteFolderQuery, DeleteResultsQuery, DeviceLogin, DeviceLoginContinue, DeviceLoginStart, DuplicateBotBody, EndpointTestEvent, ExportResultsQuery, ExportedBotBody, FlowCheckBody, FolderBody, FolderList, GetBlockStatsQuery, GetBotQuery, GetFolderQuery, GetPublishedBotQuery, GetStatsQuery, ImportBotBody, ImportedBotBody, InvitationBody, InvitationCreate, InvitationList, ListAuditLogQuery, ListBotsQuery, ListBrowserSessionsQuery, ListChatsQuery, ListFoldersQuery, ListInvitationsQuery, ListMembersQuery, ListPublicationsQuery, ListResultLogsQuery, ListResultsQuery, ListSessionEventsQuery, ListTokensQuery, ListWebhookDeliveriesQuery, ListWorkspaceChatsQuery, ListWorkspacesQuery, MemberBody, MemberCreate, MemberList, MemberMessage, MemberUpdate, PublicationBody, PublicationPage, PublishedBody, PublishedBotBody, ReceiveChatwootEventQuery, ResultAnsweredEvent, ResultBody, ResultCompletedEvent, ResultExampleBody, ResultLogPage, ResultPage, ResultStartedEvent, ResultsDeletedEvent, RotatedWebhookSecret, SaveClientLogsBody, SentMessageBody, SessionEventsBody, StartChatBody, StartPreviewBody, StartedChatBody, StartedDeviceLogin, StartedPreviewBody, StatsBody, SubscribeWebhookBlockBody, SuccessBody, TemplateBody, TemplateList, TranscriptBody, TypingSign, UpdateBotBody, UpdateFolderBody, UpdatedWorkspaceBody, UploadBody, UploadFileQuery, WebhookBlocksBody, WebhookData, WebhookDeliveryBody, WebhookDeliveryPage, WebhookEndpointBody, WebhookEndpointCreate, WebhookEndpointList, WebhookEndpointUpdate, WebhookEndpointWithSecretBody, WebhookSubscription, WorkspaceBody, WorkspaceChatPage, WorkspaceCreate, WorkspaceDeletedBody, WorkspaceDetailsBody, WorkspaceList, WorkspaceUpdate } from './types.cjs'

export { ApiError, ConnectionError, TimeoutError } from './api.cjs'
export type { Attempt, ClientOptions, Events, Issue, KeyOptions, MatchOptions, Pages, Reply, RequestOptions } from './api.cjs'
export type * from './types.cjs'

/** The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again. */
export declare class BadRequestError extends ApiError {
  readonly status: 400
  readonly code: 'BAD_REQUEST'
}

/** The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential. */
export declare class UnauthorizedError extends ApiError {
  readonly status: 401
  readonly code: 'UNAUTHORIZED'
}

/** The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token. */
export declare class ForbiddenError extends ApiError {
  readonly status: 403
  readonly code: 'FORBIDDEN'
}

/** The addressed record does not exist, or no longer does. Check the id. */
export declare class NotFoundError extends ApiError {
  readonly status: 404
  readonly code: 'NOT_FOUND'
}

/** The path exists but does not take this method; the Allow header lists those it takes. */
export declare class MethodNotAllowedError extends ApiError {
  readonly status: 405
  readonly code: 'METHOD_NOT_ALLOWED'
}

/** The request did not arrive completely in time. Send it again. */
export declare class RequestTimeoutError extends ApiError {
  readonly status: 408
  readonly code: 'REQUEST_TIMEOUT'
}

/** The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state. */
export declare class ConflictError extends ApiError {
  readonly status: 409
  readonly code: 'CONFLICT'
}

/** The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state. */
export declare class PreconditionFailedError extends ApiError {
  readonly status: 412
  readonly code: 'PRECONDITION_FAILED'
}

/** The request body is over the limit of the operation, which the issue names. */
export declare class PayloadTooLargeError extends ApiError {
  readonly status: 413
  readonly code: 'PAYLOAD_TOO_LARGE'
}

/** The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding. */
export declare class UnsupportedMediaTypeError extends ApiError {
  readonly status: 415
  readonly code: 'UNSUPPORTED_MEDIA_TYPE'
}

/** The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time. */
export declare class IdempotencyMismatchError extends ApiError {
  readonly status: 422
  readonly code: 'IDEMPOTENCY_MISMATCH'
}

/** The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help. */
export declare class TooManyRequestsError extends ApiError {
  readonly status: 429
  readonly code: 'TOO_MANY_REQUESTS'
}

/** The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers. */
export declare class RequestHeaderFieldsTooLargeError extends ApiError {
  readonly status: 431
  readonly code: 'REQUEST_HEADER_FIELDS_TOO_LARGE'
}

/** The service failed. Its log has the details under the request id of the X-Request-Id header. */
export declare class InternalServerError extends ApiError {
  readonly status: 500
  readonly code: 'INTERNAL_SERVER_ERROR'
}

/** The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it. */
export declare class ServiceUnavailableError extends ApiError {
  readonly status: 503
  readonly code: 'SERVICE_UNAVAILABLE'
}

import type { DeliveryHeaders } from './helpers.cjs'
export type { DeliveryHeaders } from './helpers.cjs'

type WithoutPrecondition<Update> = Update extends unknown ? Omit<Update, 'version' | 'updatedAt'> : never

/** Properties of a bot to write. Absent ones do not change. */
export type BotChange = WithoutPrecondition<BotUpdate>

export interface EditOptions extends RequestOptions {
  /** Maximum attempts to read and write the bot before the call fails with the conflict. Default: 10. */
  attempts?: number
}

/** A chat that stores its session and revision between answers. */
export interface Conversation {
  readonly sessionId: string
  /** The latest response. */
  readonly turn: StartedChatBody | ContinuedChatBody
  /** Sends an answer and returns the next turn. */
  say(message: NonNullable<ContinueChatBody['message']>, options?: RequestOptions): Promise<ContinuedChatBody>
}

export type WebhookEvent = BotCreatedEvent | BotUpdatedEvent | BotDeletedEvent | BotPublishedEvent | BotUnpublishedEvent | ResultStartedEvent | ResultAnsweredEvent | ResultCompletedEvent | ChatHandoffRequestedEvent | ChatTakenEvent | ChatReturnedEvent | ChatMessageReceivedEvent | ResultsDeletedEvent | EndpointTestEvent

export declare const webhooks: {
  /**
   * Verifies that the service signed a delivery, and returns its event. `body` is the raw text. Throws if the
   * signature is wrong or older than five minutes.
   */
  verify(body: string, headers: DeliveryHeaders, secret: string): Promise<WebhookEvent>
}

export interface WorkspacesMethods {
  /**
   * List the caller's workspaces: `GET /v1/workspaces`
   *
   * Returns every workspace in which the caller has a role, newest first; with a token that is bound to a workspace, that one alone. A list whose icons and names have more than 8 MB ends early, with a `nextCursor`.
   */
  list(query?: ListWorkspacesQuery, options?: RequestOptions): Pages<WorkspaceList, WorkspaceList["workspaces"][number]>
  /**
   * Create a workspace: `POST /v1/workspaces`
   *
   * Creates an empty workspace with the caller as its admin and returns it. It is rejected with `FORBIDDEN` if the caller has created as many workspaces as the installation allows one user. Workspaces that they were added to, and deleted ones, do not count.
   */
  create(body: WorkspaceCreate, options?: RequestOptions & KeyOptions): Reply<WorkspaceBody>
  /**
   * Get a workspace: `GET /v1/workspaces/{workspaceId}`
   *
   * Returns one workspace with the limits agreed for it, and the rights of the caller in it.
   */
  get(workspaceId: string, options?: RequestOptions): Reply<WorkspaceDetailsBody>
  /**
   * Change a workspace: `PATCH /v1/workspaces/{workspaceId}`
   *
   * Changes the name, the icon or the retention of results of a workspace; null removes the icon, or leaves retention to the installation. A workspace can retain results for a shorter time than the installation, not for a longer one. A shorter time deletes results within a quarter of an hour; this cannot be undone. All other properties are read-only and ignored when sent.
   */
  update(workspaceId: string, body?: WorkspaceUpdate, options?: RequestOptions & KeyOptions & MatchOptions): Reply<UpdatedWorkspaceBody>
  /**
   * Delete a workspace with everything in it: `DELETE /v1/workspaces/{workspaceId}`
   *
   * Deletes a workspace with its memberships, folders, bots, drafts, publications and results. Running chats end. Public ids and domains of its bots become free; users and their tokens stay. This cannot be undone.
   */
  delete(workspaceId: string, options?: RequestOptions & MatchOptions): Reply<WorkspaceDeletedBody>
}

export interface MembersMethods {
  /**
   * List the members of a workspace: `GET /v1/workspaces/{workspaceId}/members`
   *
   * Returns the users with a role in the workspace, guests included, longest membership first. A list of more than 8 MB ends early, with a `nextCursor`.
   */
  list(workspaceId: string, query?: ListMembersQuery, options?: RequestOptions): Pages<MemberList, MemberList["members"][number]>
  /**
   * Add a member to a workspace: `POST /v1/workspaces/{workspaceId}/members`
   *
   * Gives an existing user, named by e-mail address, a role in the workspace, effective with their next request. An address that no user has or has proven to own, or that of a disabled user, is invalid input: create an invitation instead. A user who is a member already is a conflict and keeps their role.
   */
  add(workspaceId: string, body: MemberCreate, options?: RequestOptions & KeyOptions): Reply<MemberBody>
  /**
   * Change the role of a member: `PATCH /v1/workspaces/{workspaceId}/members/{userId}`
   *
   * Gives a member another role, effective with their next request. The last admin of a workspace cannot be given a lower role; admins who are disabled do not count.
   */
  update(workspaceId: string, userId: string, body: MemberUpdate, options?: RequestOptions & KeyOptions): Reply<MemberBody>
  /**
   * Remove a member from a workspace: `DELETE /v1/workspaces/{workspaceId}/members/{userId}`
   *
   * Takes a user out of the workspace, effective with their next request, and returns the membership that ended. Members of any role may remove themselves to leave the workspace; only an admin may remove somebody else. The last admin of a workspace cannot be removed; admins who are disabled do not count.
   */
  remove(workspaceId: string, userId: string, options?: RequestOptions): Reply<MemberBody>
}

export interface InvitationsMethods {
  /**
   * Invite somebody to a workspace: `POST /v1/workspaces/{workspaceId}/invitations`
   *
   * Invites an e-mail address, with or without a user, and returns a link to a page that accepts the invitation. No other response shows the link; if the service can send mail, the address also gets it. An invitation ends after 7 days, when it is accepted or revoked, and while the admin who created it is no admin. Another one for the same address replaces it. Accepting creates a user if the address has none; members keep a role that is higher. The address of a member is a conflict, that of a disabled user is invalid input.
   */
  create(workspaceId: string, body: InvitationCreate, options?: RequestOptions & KeyOptions): Reply<CreatedInvitationBody>
  /**
   * List the invitations of a workspace: `GET /v1/workspaces/{workspaceId}/invitations`
   *
   * Returns the invitations that can still be accepted, newest first. Links are never shown again.
   */
  list(workspaceId: string, query?: ListInvitationsQuery, options?: RequestOptions): Pages<InvitationList, InvitationList["invitations"][number]>
  /**
   * Revoke an invitation: `DELETE /v1/workspaces/{workspaceId}/invitations/{invitationId}`
   *
   * Ends an invitation at once and returns its last state. One that was accepted, replaced or revoked before is not found. After an acceptance, remove the member instead.
   */
  revoke(workspaceId: string, invitationId: string, options?: RequestOptions): Reply<InvitationBody>
}

export interface CredentialsMethods {
  /**
   * List the credentials of a workspace: `GET /v1/workspaces/{workspaceId}/credentials`
   *
   * Returns the credentials that bots of the workspace can use, newest first. Secrets are never shown.
   */
  list(workspaceId: string, options?: RequestOptions): Reply<CredentialsList>
  /**
   * Create credentials: `POST /v1/workspaces/{workspaceId}/credentials`
   *
   * Stores encrypted credentials for the bots of the workspace; blocks name them with `credentialsId`. The secret part cannot be read again and is used only for the service of the type. Without an encryption key, the installation returns 503 with an issue that says so. A workspace can have 200; more are rejected with 403.
   */
  create(workspaceId: string, body: CredentialsCreate, options?: RequestOptions & KeyOptions): Reply<CredentialsBody>
  /**
   * Get credentials: `GET /v1/workspaces/{workspaceId}/credentials/{credentialsId}`
   *
   * Returns credentials without their secrets.
   */
  get(workspaceId: string, credentialsId: string, options?: RequestOptions): Reply<CredentialsBody>
  /**
   * Update credentials: `PATCH /v1/workspaces/{workspaceId}/credentials/{credentialsId}`
   *
   * Changes the name of credentials, or replaces all of their data, effective with the next turn of every chat. The type decides about the data and has to be the stored one.
   */
  update(workspaceId: string, credentialsId: string, body: CredentialsUpdate, options?: RequestOptions & KeyOptions & MatchOptions): Reply<CredentialsBody>
  /**
   * Test credentials: `POST /v1/workspaces/{workspaceId}/credentials/{credentialsId}/test`
   *
   * Sends a request that changes nothing to the service of the credentials, and returns its verdict. With a mail server it signs in, and sends no mail. The secret is sent to that service alone, and is never part of the response. Some vendors offer no test: their credentials are `untestable`. The test takes at most 20 seconds.
   */
  test(workspaceId: string, credentialsId: string, options?: RequestOptions & KeyOptions): Reply<CredentialsTestBody>
  /**
   * Delete credentials: `DELETE /v1/workspaces/{workspaceId}/credentials/{credentialsId}`
   *
   * Deletes credentials and returns their last state. Blocks that name them stay as they are and no longer work: their chats log an error and continue.
   */
  delete(workspaceId: string, credentialsId: string, options?: RequestOptions & MatchOptions): Reply<CredentialsBody>
}

export interface AuditLogsMethods {
  /**
   * List the audit log of a workspace: `GET /v1/workspaces/{workspaceId}/auditLog`
   *
   * Returns the actions in the workspace with the users who did them, newest first. It lists created and changed workspaces, changes of members, and created, deleted, published, unpublished and restored bots. It lists deleted folders and results, created, changed and deleted credentials, and changes of who may see or embed a bot. Created and revoked tokens are listed if they are bound to the workspace. Unbound tokens are listed if they belong to the user who created the workspace. An entry exists exactly if the action was done, and never changes. The operator of the service can also read the log of a deleted workspace.
   */
  list(workspaceId: string, query?: ListAuditLogQuery, options?: RequestOptions): Pages<AuditPage, AuditPage["entries"][number]>
}

export interface FoldersMethods {
  /**
   * List the folders of a workspace: `GET /v1/folders`
   *
   * Returns the folders directly in one folder, or those at the top level of the workspace, newest first, in pages. Bots and deeper folders are not included.
   */
  list(query: ListFoldersQuery, options?: RequestOptions): Pages<FolderList, FolderList["folders"][number]>
  /**
   * Create a folder: `POST /v1/folders`
   *
   * Creates a folder at the top level of a workspace or inside another folder of the same workspace, and returns it. Names need not be unique; a parent of another workspace is invalid input.
   */
  create(body: CreateFolderBody, options?: RequestOptions & KeyOptions): Reply<FolderBody>
  /**
   * Get a folder: `GET /v1/folders/{folderId}`
   *
   * Returns one folder. List folders and list bots return its contents.
   */
  get(folderId: string, query?: GetFolderQuery, options?: RequestOptions): Reply<FolderBody>
  /**
   * Rename or move a folder: `PATCH /v1/folders/{folderId}`
   *
   * Changes the name of a folder, or moves it with its contents. It moves to another folder of its workspace or, with null, to the top level. A folder cannot be moved into itself or into a folder inside it. Returns the folder as stored.
   */
  update(folderId: string, body: UpdateFolderBody, options?: RequestOptions & KeyOptions & MatchOptions): Reply<FolderBody>
  /**
   * Delete a folder: `DELETE /v1/folders/{folderId}`
   *
   * Deletes a folder and returns it. Its folders and bots are kept: they move to its parent folder, or to the top level.
   */
  delete(folderId: string, query?: DeleteFolderQuery, options?: RequestOptions & MatchOptions): Reply<FolderBody>
}

export interface BotsMethods {
  /**
   * List the bots of a workspace: `GET /v1/bots`
   *
   * Returns the bots of a workspace or of one folder, newest first, without their flows. Bots in folders inside that folder and deleted bots are not listed.
   */
  list(query: ListBotsQuery, options?: RequestOptions): Pages<BotPage, BotPage["bots"][number]>
  /**
   * Create a bot: `POST /v1/bots`
   *
   * Creates a bot in a workspace and returns it. Absent properties get defaults: a start event without edge, empty lists, an empty theme and empty settings. The new bot is a draft; nobody can chat with it before it is published.
   */
  create(body: CreateBotBody, options?: RequestOptions & KeyOptions & { minimal?: false }): Reply<BotBody>
  /** With `minimal`, the response is short. */
  create(body: CreateBotBody, options: RequestOptions & KeyOptions & { minimal: true }): Reply<BotReferenceBody>
  /**
   * Get a bot: `GET /v1/bots/{botId}`
   *
   * Returns a bot with its draft as it was written or, on request, converted to the latest version of the schema. Members of the workspace may read it, and any caller if it is shared publicly.
   */
  get(botId: string, query?: GetBotQuery, options?: RequestOptions): Reply<BotWithModeBody>
  /**
   * Update a bot: `PATCH /v1/bots/{botId}`
   *
   * Changes the draft of a bot and returns it as stored. Absent properties stay as they are, given ones replace the whole property, and the stored version becomes the given one. With `bot.updatedAt` the update is rejected as a conflict if the bot has changed since; `overwrite` waives that. A later version than the stored one first converts the stored flow. From 6 to 6.1 it also converts the theme, unless one is sent. A legacy version sent to a bot stored in a current one needs `groups`, `edges` and `variables` together. The published copy does not change; public id, domain, `isClosed` and public sharing take effect at once.
   */
  update(botId: string, body: UpdateBotBody, options?: RequestOptions & KeyOptions & MatchOptions & { minimal?: false }): Reply<BotBody>
  /** With `minimal`, the response is short. */
  update(botId: string, body: UpdateBotBody, options: RequestOptions & KeyOptions & MatchOptions & { minimal: true }): Reply<BotReferenceBody>
  /**
   * Delete a bot: `DELETE /v1/bots/{botId}`
   *
   * Archives a bot. From then on no operation finds it: its draft, publications and results are deleted, running chats end, and its public id and domain are free again. This cannot be undone; export the bot first to keep its flow.
   */
  delete(botId: string, options?: RequestOptions & MatchOptions): Reply<SuccessBody>
  /**
   * Import a bot: `POST /v1/bots/import`
   *
   * Creates a bot from an exported document of any version and returns it. The bot gets a new id; all ids inside the flow stay. A flow in a legacy version is converted to the latest one, without loss. The new bot is a draft, without results and publications. Public id, domain, folder and credentials of the document are not taken over. A link block that carries the name of another product (`Acme link` with `acmeId`) becomes `Bot link` with `botId`. An event, item or last block of a group without `outgoingEdgeId` gets the one edge that starts at it. Public sharing is left out, since it would act at once. `warnings` lists dropped and added parts, links to bots that the workspace does not have, and blocks that chats skip. `errorsFound` and `warningsFound` count the findings that check a bot will list. A document that cannot be repaired is invalid input.
   */
  import(body: ImportBotBody, options?: RequestOptions & KeyOptions): Reply<ImportedBotBody>
  /**
   * Duplicate a bot: `POST /v1/bots/{botId}/duplicate`
   *
   * Creates a bot with the draft of another one, in its stored version, and returns it. The new bot gets a new id; all ids inside the flow stay. Results, publications, public id, domain and the credentials of a messaging channel are not copied. Public sharing is left out, since it would act at once. Credentials that blocks name belong to the same workspace, so they still work.
   */
  duplicate(botId: string, body?: DuplicateBotBody, options?: RequestOptions & KeyOptions): Reply<BotBody>
  /**
   * Export a bot: `GET /v1/bots/{botId}/export`
   *
   * Returns the draft of a bot as a document, in its stored version. Import takes the value of `bot` in the response as its `bot`, in this installation or another one: exporting and importing makes a duplicate. Publications and results are not part of it.
   */
  export(botId: string, options?: RequestOptions): Reply<ExportedBotBody>
  /**
   * Check the flow of a bot: `GET /v1/bots/{botId}/check`
   *
   * Reports parts of the draft that would misbehave when it runs. In the graph, these are references to nothing, edges that are not the `outgoingEdgeId` of their start, unreachable groups, duplicate ids, a missing start, and circles without an input. In blocks, these are types that chats skip, misspelt properties, names in placeholders that no variable has, code that does not parse, and missing parts of blocks, bubbles and items. None of them prevents storing or publishing the bot.
   */
  check(botId: string, options?: RequestOptions): Reply<FlowCheckBody>
  /**
   * Compare two states of a bot: `GET /v1/bots/{botId}/compare`
   *
   * Returns the differences between two states of the flow of a bot: its draft, the live publication, or an earlier one. Groups, blocks, items, edges, variables and events are matched by their ids, so the order of stored lists makes no difference. Blocks of a group and items of a block that changed their order are `moved`. Flows in different versions are compared in the latest one, without the changes of the conversion alone. Name, icon and public id are not part of a publication and are not compared.
   */
  compare(botId: string, query?: CompareBotQuery, options?: RequestOptions): Reply<ComparisonBody>
  /**
   * Publish a bot: `POST /v1/bots/{botId}/publish`
   *
   * Copies the stored draft, in one step, and makes the copy the one that chats run. Earlier copies stay as publications; running chats finish on the copy they started with. A bot without public id gets one: its name in lower case with a random ending. Findings of the check never prevent publishing: the publication lists them, `errorsFound` and `warningsFound` count them, and `firstErrors` shows the first errors. The draft and its `updatedAt` do not change. Takes no body.
   */
  publish(botId: string, options?: RequestOptions & KeyOptions & MatchOptions): Reply<PublishedBody>
  /**
   * Unpublish a bot: `POST /v1/bots/{botId}/unpublish`
   *
   * Removes the published copy, so that no new chat can start; running chats finish. Public id, draft, results and earlier publications stay. Succeeds when the bot is not published. Takes no body.
   */
  unpublish(botId: string, options?: RequestOptions & KeyOptions & MatchOptions): Reply<SuccessBody>
  /**
   * Reads a bot, applies a change and writes it. If somebody else wrote in between, reads the bot again and applies the
   * change to that, so `change` may be called several times. It returns the properties to write.
   */
  edit(botId: string, change: (bot: BotV61) => BotChange | Promise<BotChange>, options: EditOptions & { migrateToLatestVersion: true }): Promise<BotBody>
  /** With `migrateToLatestVersion`, the bot is converted to version 6.1. */
  edit(botId: string, change: (bot: Bot) => BotChange | Promise<BotChange>, options?: EditOptions): Promise<BotBody>
}

export interface TemplatesMethods {
  /**
   * List the templates: `GET /v1/templates`
   *
   * Returns the bots that the service offers as a start, without their flows. They are the same for all users, and change only with the version of the service.
   */
  list(options?: RequestOptions): Reply<TemplateList>
  /**
   * Get a template: `GET /v1/templates/{templateId}`
   *
   * Returns a template with its flow, theme and settings. Create bot takes `template.bot` as its `bot`, and import takes it as a file.
   */
  get(templateId: string, options?: RequestOptions): Reply<TemplateBody>
}

export interface WebhookBlocksMethods {
  /**
   * List the blocks that send requests: `GET /v1/bots/{botId}/webhookBlocks`
   *
   * Returns the HTTP request blocks of the draft, in the order of the document: at most 1,000 of the types Webhook, Zapier, Make.com and Pabbly. An app of an automation service offers them in a menu.
   */
  list(botId: string, options?: RequestOptions): Reply<WebhookBlocksBody>
  /**
   * Set the address of a block: `POST /v1/bots/{botId}/webhookBlocks/{blockId}/subscribe`
   *
   * Sets the address that a block of the draft sends its request to. An app of an automation service does this when a user switches its trigger on. The rest of the block stays as it is. Chats use the address once the bot is published again. A bot in version 3 keeps its requests outside of the document, so its block cannot be set: update the bot to a newer version first.
   */
  subscribe(botId: string, blockId: string, body: SubscribeWebhookBlockBody, options?: RequestOptions & KeyOptions): Reply<WebhookSubscription>
  /**
   * Clear the address of a block: `POST /v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe`
   *
   * Removes the address of a block of the draft. An app does this when a user switches its trigger off. Chats send no request there once the bot is published again. A block without an address stays as it is. Takes no body.
   */
  unsubscribe(botId: string, blockId: string, options?: RequestOptions & KeyOptions): Reply<WebhookSubscription>
}

export interface ResultExamplesMethods {
  /**
   * Get an example of the body of a block: `GET /v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample`
   *
   * Returns made-up answers in the form in which the block sends them. The body has one for each input that a chat can have passed before the block. It also has one for each variable with a value of its own. `submittedAt` is the current time, and `message` says that the data is made up; requests of chats have no `message`. A block with a body of its own sends that instead.
   */
  get(botId: string, blockId: string, options?: RequestOptions): Reply<ResultExampleBody>
}

export interface PublishedBotsMethods {
  /**
   * Get the published copy of a bot: `GET /v1/bots/{botId}/publishedBot`
   *
   * Returns the copy that chats run, as it was written or, on request, converted to the latest version of the schema. A bot that is not published is not found. Members of the workspace may read it, and any caller if the bot is shared publicly.
   */
  get(botId: string, query?: GetPublishedBotQuery, options?: RequestOptions): Reply<PublishedBotBody>
}

export interface PublicationsMethods {
  /**
   * List the publications of a bot: `GET /v1/bots/{botId}/publications`
   *
   * Returns the published copies of the bot, newest first, without their flows. Publishing again and unpublishing do not remove them; deleting the bot does. An installation may delete copies that were replaced long ago: these are not listed, and get and restore return 404.
   */
  list(botId: string, query?: ListPublicationsQuery, options?: RequestOptions): Pages<PublicationPage, PublicationPage["publications"][number]>
  /**
   * Get a publication: `GET /v1/bots/{botId}/publications/{publicationId}`
   *
   * Returns one published copy with its flow and the findings of the check when it was published.
   */
  get(botId: string, publicationId: string, options?: RequestOptions): Reply<PublicationBody>
  /**
   * Restore a publication into the draft: `POST /v1/bots/{botId}/publications/{publicationId}/restore`
   *
   * Copies flow, theme and settings of an earlier publication into the draft, and returns the bot with a new `updatedAt`. It replaces the draft and its version; publish the draft first to keep it. Name, folder, public id, the live copy and public sharing stay as they are: publish to make the restored draft live. Takes no body.
   */
  restore(botId: string, publicationId: string, options?: RequestOptions & KeyOptions & MatchOptions): Reply<BotBody>
}

export interface ResultsMethods {
  /**
   * List the results of a bot: `GET /v1/bots/{botId}/results`
   *
   * Returns the results with at least one answer, newest first, with their answers and variables. Results of earlier publications are among them. Pages join without gap or repeat while new results arrive. With `status`, `answerContains` or `variable`, a page ends once it has examined 800 results, or 24 MB of answers and variables. It may then have fewer entries than `limit`, or none, and a `nextCursor` all the same.
   */
  list(botId: string, query?: ListResultsQuery, options?: RequestOptions): Pages<ResultPage, ResultPage["results"][number]>
  /**
   * Delete results of a bot: `DELETE /v1/bots/{botId}/results`
   *
   * Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.
   */
  delete(botId: string, query: DeleteResultsQuery, options?: RequestOptions): Reply<SuccessBody>
  /**
   * Delete results of a bot: `DELETE /v1/bots/{botId}/results`
   *
   * Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.
   */
  deleteAll(botId: string, options?: RequestOptions): Reply<SuccessBody>
  /**
   * Get a result: `GET /v1/bots/{botId}/results/{resultId}`
   *
   * Returns one result with its answers and variables, even if no answer was given yet.
   */
  get(botId: string, resultId: string, options?: RequestOptions): Reply<ResultBody>
  /**
   * Export results as CSV or JSON lines: `GET /v1/bots/{botId}/resultsExport`
   *
   * Streams the results with at least one answer, newest first, one line per result. CSV (RFC 4180, UTF-8) begins with the names of the columns. First come the questions of the published flow and of the bots that merge their results into it, answered or not: one column per variable that they fill, one per question without a variable. Then come answered questions that are in none of these flows, unless their variable has a column. Variables that no question fills come last. The last ten publications before the live one name deleted questions and variables. A cell has the final value of the variable. If that is the last answer to its questions, the cell has all of their answers. Values that a spreadsheet would take for a formula are prefixed with a single quote. In JSON lines, each line is a result as the list of results has it.

With `limit` the export comes in parts that can be requested again. A part covers that many results from its `cursor` on, and contains those that match the filters; its header `Next-Cursor` is the start of the next part. Results that arrive or are deleted meanwhile make no gap and no repeat. Every part of a CSV has the names of the columns. `Results-Remaining` is the number of results left, for a display of progress.
   */
  export(botId: string, query?: ExportResultsQuery, options?: RequestOptions): Reply<Response>
}

export interface TranscriptsMethods {
  /**
   * Get the transcript of a result: `GET /v1/bots/{botId}/results/{resultId}/transcript`
   *
   * Returns the messages of the bot, the visitor and members, in order, as they were sent: later changes of the bot do not change them.
   */
  get(botId: string, resultId: string, options?: RequestOptions): Reply<TranscriptBody>
}

export interface ResultLogsMethods {
  /**
   * List the logs of a result: `GET /v1/bots/{botId}/results/{resultId}/logs`
   *
   * Returns the log entries of the service and of chat clients for the chat, newest first.
   */
  list(botId: string, resultId: string, query?: ListResultLogsQuery, options?: RequestOptions): Pages<ResultLogPage, ResultLogPage["logs"][number]>
}

export interface StatsMethods {
  /**
   * Get the statistics of a bot: `GET /v1/bots/{botId}/analytics/stats`
   *
   * Counts the chats of a bot that began in a time range. The counts are all chats, those with an answer, and those of them that reached an end. Deleted results do not count. A bot that is not published has statistics too.
   */
  get(botId: string, query?: GetStatsQuery, options?: RequestOptions): Reply<StatsBody>
}

export interface BlockStatsMethods {
  /**
   * Get the statistics of the blocks of a bot: `GET /v1/bots/{botId}/analytics/blocks`
   *
   * Counts, for chats that began in a time range, the times each input of the published flow was shown, answered and left. The blocks are in the order of the flow. `shown` is the sum of `answered`, `left` and inputs that are still open: a chat can be continued for at least 48 hours after its last turn. An input that a chat comes to twice counts twice. If several chats share a result, because the bot remembers its visitors, the position of the last one counts. Deleted results do not count. A bot that is not published is not found.
   */
  get(botId: string, query?: GetBlockStatsQuery, options?: RequestOptions): Reply<BlockStatsBody>
}

export interface ChatMethods {
  /**
   * Start a chat: `POST /api/v1/bots/{publicId}/startChat`
   *
   * Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.
   */
  start(publicId: string, body?: StartChatBody, options?: RequestOptions & KeyOptions): Reply<StartedChatBody>
  /**
   * Start a chat: `POST /api/v1/bots/{publicId}/startChat`
   *
   * Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.
   */
  startStreaming(publicId: string, body?: StartChatBody, options?: RequestOptions & KeyOptions): Events<ChatEvent>
  /**
   * Continue a chat: `POST /api/v1/sessions/{sessionId}/continueChat`
   *
   * Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.
   */
  continue(sessionId: string, body?: ContinueChatBody, options?: RequestOptions): Reply<ContinuedChatBody>
  /**
   * Continue a chat: `POST /api/v1/sessions/{sessionId}/continueChat`
   *
   * Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.
   */
  continueStreaming(sessionId: string, body?: ContinueChatBody, options?: RequestOptions): Events<ChatEvent>
  /**
   * List the chats of a bot: `GET /v1/bots/{botId}/chats`
   *
   * Returns the chats that have begun, have not ended and can still be continued, newest first. With `handledBy` `waiting` the one that has waited longest comes first; with `member` or `assigneeId`, the one that changed hands last. Get a chat returns the messages. Previews are not listed.
   */
  list(botId: string, query?: ListChatsQuery, options?: RequestOptions): Pages<ChatPage, ChatPage["chats"][number]>
  /**
   * Get a chat with its messages: `GET /v1/bots/{botId}/chats/{sessionId}`
   *
   * Returns the current state of a chat with its messages. A chat that ended can be read for an hour after its end; the transcript of the result stays. A preview is not found.
   */
  get(botId: string, sessionId: string, options?: RequestOptions): Reply<ChatDetailBody>
  /**
   * Steer a chat: `PATCH /v1/bots/{botId}/chats/{sessionId}`
   *
   * Sets variables of a chat, takes it, gives it back, or ends it. Variables have their new values in the result at once, and in the chat from its next turn on. A turn that runs meanwhile loses neither its own changes nor these. `handledBy` `member` takes the chat for the caller, or for `assigneeId`: from then on the bot neither runs nor sends, and the visitor writes to people. A turn that is running then is dropped; the visitor's message counts as written to the member. A chat that is taken from the bot counts towards the daily limit of messages from the members of the workspace. A chat that another member handles is a conflict unless `assigneeId` is sent. `waiting` queues the chat for a member. `bot` gives it back at the position where it was, or at the group of `groupId`; it continues there with the next turn of the visitor's client. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.
   */
  update(botId: string, sessionId: string, body?: ChatUpdate, options?: RequestOptions & KeyOptions): Reply<ChatBody>
  /** Starts a chat and stores its session: `const chat = await client.chat.converse(publicId)`, `await chat.say('Ada')`. */
  converse(publicId: string, body?: StartChatBody, options?: RequestOptions & KeyOptions): Promise<Conversation>
}

export interface SessionsMethods {
  /**
   * Get a chat session: `GET /api/v1/sessions/{sessionId}`
   *
   * Returns the current state of a chat: its messages, and the input or the action it waits for. A client that was closed shows this and continues with `revision`; nothing runs again. A session can be read as long as it can be continued, and for an hour after it ended.
   */
  get(sessionId: string, options?: RequestOptions): Reply<ChatSessionBody>
}

export interface SessionEventsMethods {
  /**
   * Follow a chat session: `GET /api/v1/sessions/{sessionId}/events`
   *
   * Returns the events of a chat after a given one: turns, messages of members, changes of hands, the end. A client that accepts `text/event-stream` gets them as they come. A browser that lost the connection continues from its last event by itself. Clients need it only while `expectsEvents` is true; reading the session again shows the same.
   */
  list(sessionId: string, query?: ListSessionEventsQuery, options?: RequestOptions): Reply<SessionEventsBody>
}

export interface PreviewsMethods {
  /**
   * Preview the draft of a bot: `POST /api/v1/bots/{botId}/preview/startChat`
   *
   * Starts a chat with the draft instead of the published copy. It stores no result; every turn runs the current draft. Continue it with the operation that continues chats. With `simulation`, the engine of live chats runs a whole chat at once, from given replies, responses, a clock and branches. Nothing is sent or stored, and with `startsAt` the same request runs the same chat. Blocks get stand-ins in place of the data of credentials.
   */
  start(botId: string, body?: StartPreviewBody, options?: RequestOptions & KeyOptions): Reply<StartedPreviewBody>
}

export interface WebhooksMethods {
  /**
   * Call the webhook that a chat waits for: `POST /api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook`
   *
   * Continues a chat that waits at a webhook block, with the body as the data that the block maps into variables. Numbers of any length stay as they are written. The waiting client continues without a message and with its `revision`, and gets the next turn in the text format of its last request. A chat that does not wait at this block is invalid input.
   */
  execute(botId: string, blockId: string, resultId: string, body?: WebhookData, options?: RequestOptions & KeyOptions): Reply<SuccessBody>
  /**
   * Verifies that the service signed a delivery, and returns its event. `body` is the raw text. Throws if the
   * signature is wrong or older than five minutes.
   */
  verify(body: string, headers: DeliveryHeaders, secret: string): Promise<WebhookEvent>
}

export interface ClientLogsMethods {
  /**
   * Save log entries of a chat client: `POST /api/v2/sessions/{sessionId}/clientLogs`
   *
   * Stores log entries of a chat client with the result of the chat. Needs no token: any caller with the id of the session may write. An unknown session is invalid input. A session may have 1,000 entries in all. A request that exceeds them, or the daily limit of its address (`daily_quota_exceeded`), is rejected as a whole with `TOO_MANY_REQUESTS`.
   */
  save(sessionId: string, body: SaveClientLogsBody, options?: RequestOptions): Reply<SuccessBody>
}

export interface WorkspaceChatsMethods {
  /**
   * List the chats of a workspace that people handle: `GET /v1/workspaces/{workspaceId}/chats`
   *
   * Returns the chats of all bots of the workspace that wait for a member, longest wait first. Chats that members handle follow, latest change of hands first. Chats that the bot handles are in the list of each bot.
   */
  list(workspaceId: string, query?: ListWorkspaceChatsQuery, options?: RequestOptions): Pages<WorkspaceChatPage, WorkspaceChatPage["chats"][number]>
}

export interface MessagesMethods {
  /**
   * Write to the visitor of a chat: `POST /v1/bots/{botId}/chats/{sessionId}/messages`
   *
   * Sends a message to the visitor of a chat that a member handles, in plain text or Markdown, with or without files. The visitor gets it with the events of the session, or by reading the session; the transcript of the result has it too. Upload files before, with the operation of visitors, which takes any file while a member handles the chat. A chat that no member handles is a conflict: take it first. A chat has at most 2,000 messages of members. The installation limits those of a workspace in a day, by default to 50,000 with 100 MB; more are a 429. A chat that is over, and a preview, is not found.
   */
  send(botId: string, sessionId: string, body?: MemberMessage, options?: RequestOptions & KeyOptions): Reply<SentMessageBody>
}

export interface TypingSignsMethods {
  /**
   * Show the visitor of a chat that a member is typing: `PUT /v1/bots/{botId}/chats/{sessionId}/typing`
   *
   * Shows the visitor of a chat that the caller, who handles it, is typing: clients that follow the session get the event `typing`. It ends by itself after 6 seconds, and with the next message; send it again every three seconds while the member types. The transcript does not have it. A chat that the caller does not handle is a conflict: take it first. A chat that is over, and a preview, is not found.
   */
  update(botId: string, sessionId: string, body: TypingSign, options?: RequestOptions): Reply<SuccessBody>
}

export interface ChatwootEventsMethods {
  /**
   * Receive an event of Chatwoot: `POST /api/v1/bots/{botId}/chatwoot/{credentialsId}`
   *
   * Receives the events of an agent bot of Chatwoot, with credentials of the type `chatwoot`. The published bot answers in the conversations of its inboxes, on all their channels. The service stores an event and responds at once; a repeated event counts once. Each event needs a signature in `X-Chatwoot-Signature`, made with the secret of the credentials, and an `X-Chatwoot-Timestamp` at most 5 minutes old. Or it has that secret as `secret`. Others are forbidden and change nothing. Messages of members and of the bot itself change only the handling of a chat. A conversation has at most 500 waiting events.
   */
  receive(botId: string, credentialsId: string, body?: ChatwootEvent, query?: ReceiveChatwootEventQuery, options?: RequestOptions): Reply<SuccessBody>
}

export interface WebhookEndpointsMethods {
  /**
   * List the webhook endpoints of a workspace: `GET /v1/workspaces/{workspaceId}/webhookEndpoints`
   *
   * Returns the endpoints that receive the events of the workspace, newest first.
   */
  list(workspaceId: string, options?: RequestOptions): Reply<WebhookEndpointList>
  /**
   * Create a webhook endpoint: `POST /v1/workspaces/{workspaceId}/webhookEndpoints`
   *
   * Adds an address that receives the events of the workspace from now on, signed as Standard Webhooks says. No other response shows the secret. A workspace has at most 20 endpoints.
   */
  create(workspaceId: string, body: WebhookEndpointCreate, options?: RequestOptions & KeyOptions): Reply<WebhookEndpointWithSecretBody>
  /**
   * Get a webhook endpoint: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`
   *
   * Returns one endpoint, without its secret.
   */
  get(workspaceId: string, endpointId: string, options?: RequestOptions): Reply<WebhookEndpointBody>
  /**
   * Update a webhook endpoint: `PATCH /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`
   *
   * Changes the given properties and keeps the rest. Enabling an endpoint or giving it another address sends its waiting deliveries within seconds. Another address enables an endpoint that the service disabled.
   */
  update(workspaceId: string, endpointId: string, body?: WebhookEndpointUpdate, options?: RequestOptions & KeyOptions & MatchOptions): Reply<WebhookEndpointBody>
  /**
   * Delete a webhook endpoint: `DELETE /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`
   *
   * Deletes an endpoint with its deliveries. Waiting deliveries are not sent.
   */
  delete(workspaceId: string, endpointId: string, options?: RequestOptions & MatchOptions): Reply<SuccessBody>
  /**
   * Send a test event: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test`
   *
   * Queues an event of type `endpoint.test` for the endpoint and returns the delivery, even if the endpoint is disabled or subscribes to other types. Get the delivery shortly after to see its outcome. An endpoint that is not enabled gets one attempt.
   */
  test(workspaceId: string, endpointId: string, options?: RequestOptions & KeyOptions): Reply<WebhookDeliveryBody>
}

export interface WebhookSecretsMethods {
  /**
   * Rotate the secret of a webhook endpoint: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret`
   *
   * Creates a new secret and shows it this once. For 24 hours events are signed with both, so that receivers can change over. Only two are ever in use: one that was already replaced ends at once.
   */
  rotate(workspaceId: string, endpointId: string, options?: RequestOptions & KeyOptions): Reply<RotatedWebhookSecret>
}

export interface WebhookDeliveriesMethods {
  /**
   * List the deliveries of a webhook endpoint: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries`
   *
   * Returns sent and waiting deliveries, newest first. Deliveries are retained for 30 days.
   */
  list(workspaceId: string, endpointId: string, query?: ListWebhookDeliveriesQuery, options?: RequestOptions): Pages<WebhookDeliveryPage, WebhookDeliveryPage["webhookDeliveries"][number]>
  /**
   * Get a webhook delivery: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}`
   *
   * Returns one delivery with the payload that is posted.
   */
  get(workspaceId: string, endpointId: string, deliveryId: string, options?: RequestOptions): Reply<WebhookDeliveryBody>
  /**
   * Send a delivery again: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver`
   *
   * Queues the same event under the same `webhook-id` once more, whatever its outcome, with all its attempts. If an attempt is under way, it is sent after that one. Get the delivery to see its outcome. An endpoint that is not enabled gets only test events again. An event of a deleted result is not sent again: that is a conflict.
   */
  redeliver(workspaceId: string, endpointId: string, deliveryId: string, options?: RequestOptions & KeyOptions): Reply<SuccessBody>
}

export interface FilesMethods {
  /**
   * Upload a file for a chat: `POST /api/v1/sessions/{sessionId}/uploads`
   *
   * Stores a file for the input that the chat waits at: an input for files, or one for text that takes attachments or recordings. The reply then names the `url`, in `attachedFileUrls` or as the `url` of a recording. A file that no reply names is removed after a day, the others with their result. A file that the input does not take, and more than 100 files of a chat, is invalid input. An address, and all visitors of a bot together, have a daily limit: more is rejected with `TOO_MANY_REQUESTS` and the issue `daily_quota_exceeded`. While the disk of the installation is nearly full, files are rejected with `SERVICE_UNAVAILABLE` and the issue `disk_full`. Files are served as downloads, pictures as what they are. Only members with a token can read files of an input with the visibility `Private`.
   */
  upload(sessionId: string, file: Blob, query: UploadFileQuery, options?: RequestOptions): Reply<UploadBody>
}

export interface CurrentUserMethods {
  /**
   * Get the current user: `GET /v1/currentUser`
   *
   * Returns the user of the token, the token with its scopes and expiry, and the roles of the user, longest membership first. A token that is bound to a workspace sees the role in that workspace alone. The response has at most 1,000 workspaces; list workspaces has all.
   */
  get(options?: RequestOptions): Reply<CurrentUserBody>
}

export interface BrowserSessionsMethods {
  /**
   * List the caller's browser sessions: `GET /v1/users/me/browserSessions`
   *
   * Returns the browsers in which the caller is signed in to the pages of the service, newest first. A session ends after 30 days, when the user signs out in that browser, or when it is revoked. A user has at most 50: the next one ends the oldest.
   */
  list(query?: ListBrowserSessionsQuery, options?: RequestOptions): Pages<BrowserSessionList, BrowserSessionList["browserSessions"][number]>
  /**
   * End a browser session: `DELETE /v1/users/me/browserSessions/{browserSessionId}`
   *
   * Signs the caller out in one of their browsers and returns the session that ended. The tokens of its pages end with it, in every process at once; tokens that were created with them stay. A session of another user is not found.
   */
  revoke(browserSessionId: string, options?: RequestOptions): Reply<BrowserSessionBody>
}

export interface TokensMethods {
  /**
   * List the caller's tokens: `GET /v1/users/me/tokens`
   *
   * Returns the tokens of the caller that are not revoked, newest first. Tokens themselves are never shown again. A token that is bound to a workspace sees only those bound to the same one. Tokens that ended are removed after 30 days.
   */
  list(query?: ListTokensQuery, options?: RequestOptions): Pages<ApiTokenList, ApiTokenList["apiTokens"][number]>
  /**
   * Create a token: `POST /v1/users/me/tokens`
   *
   * Creates an access token of the caller and returns it. No other response shows the token. It can do at most what the token of this request can: naming more is rejected with the issue `missing_scope` or `bound_token`, and absent limits are taken over. It may live longer, so that a program can renew its own token. A workspace in which the caller has no role is invalid input.
   */
  create(body: ApiTokenCreate, options?: RequestOptions & KeyOptions): Reply<CreatedApiTokenBody>
  /**
   * Revoke a token: `DELETE /v1/users/me/tokens/{tokenId}`
   *
   * Revokes one of the caller's tokens at once and returns its last state. A token of somebody else is not found. A token that is bound to a workspace finds only those bound to the same one. A token may revoke itself.
   */
  revoke(tokenId: string, options?: RequestOptions): Reply<ApiTokenBody>
}

export interface DeviceLoginsMethods {
  /**
   * Start the login of a program: `POST /v1/deviceLogins`
   *
   * Starts a login in the shape of RFC 8628, for a program that has no browser of its own. Show `userCode` and `verificationUri` to the user: on that page, signed in, they see the request, compare the code, and allow or deny it. Meanwhile send `deviceCode` to continue device login. The codes work for 10 minutes. The body describes the token, as create token takes it; the user cannot allow a workspace in which they have no role. A network can start 50 logins in that time; more are rejected with `TOO_MANY_REQUESTS` and the issue `rate_exceeded`.
   */
  start(body: DeviceLoginStart, options?: RequestOptions): Reply<StartedDeviceLogin>
  /**
   * Poll for the token of a login: `POST /v1/deviceLogins/continue`
   *
   * Returns the decision of the user. While the `status` is `pending`, send the request again after `interval` seconds. A request that comes earlier gets `slowDown` and adds 5 seconds to the interval. With `allowed` the response has the `apiToken`, and no other response shows it: the code is used up. `denied` ends the login. A code that was used, has expired or never existed is not found: start again.
   */
  continue(body: DeviceLoginContinue, options?: RequestOptions): Reply<DeviceLogin>
}

export interface Client {
  readonly workspaces: WorkspacesMethods
  readonly members: MembersMethods
  readonly invitations: InvitationsMethods
  readonly credentials: CredentialsMethods
  readonly auditLogs: AuditLogsMethods
  readonly folders: FoldersMethods
  readonly bots: BotsMethods
  readonly templates: TemplatesMethods
  readonly webhookBlocks: WebhookBlocksMethods
  readonly resultExamples: ResultExamplesMethods
  readonly publishedBots: PublishedBotsMethods
  readonly publications: PublicationsMethods
  readonly results: ResultsMethods
  readonly transcripts: TranscriptsMethods
  readonly resultLogs: ResultLogsMethods
  readonly stats: StatsMethods
  readonly blockStats: BlockStatsMethods
  readonly chat: ChatMethods
  readonly sessions: SessionsMethods
  readonly sessionEvents: SessionEventsMethods
  readonly previews: PreviewsMethods
  readonly webhooks: WebhooksMethods
  readonly clientLogs: ClientLogsMethods
  readonly workspaceChats: WorkspaceChatsMethods
  readonly messages: MessagesMethods
  readonly typingSigns: TypingSignsMethods
  readonly chatwootEvents: ChatwootEventsMethods
  readonly webhookEndpoints: WebhookEndpointsMethods
  readonly webhookSecrets: WebhookSecretsMethods
  readonly webhookDeliveries: WebhookDeliveriesMethods
  readonly files: FilesMethods
  readonly currentUser: CurrentUserMethods
  readonly browserSessions: BrowserSessionsMethods
  readonly tokens: TokensMethods
  readonly deviceLogins: DeviceLoginsMethods
}

/** Creates a client of the service at `baseUrl`. It has no state between calls. */
export declare function createClient(options: ClientOptions): Client
