// Made by `make generate` from contract/. Do not edit.
import type { operations as contract } from '../contract/index.ts'
import type { FileBody, Stream } from '../contract/kit/operation.ts'
import type { z } from '../contract/kit/zod.ts'
import type { AccessKind, Handler } from '../contract/operation.ts'
import type { WithoutParts } from '../contract/operation.ts'
import type { operations as wire } from './openapi.ts'

/** List the caller's workspaces: GET /v1/workspaces */
export interface ListWorkspaces {
  access: 'user'
  params: undefined
  query: z.output<(typeof contract)['listWorkspaces']['query']>
  body: undefined
  responseBody: wire['listWorkspaces']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create a workspace: POST /v1/workspaces */
export interface CreateWorkspace {
  access: 'user'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['createWorkspace']['body']>
  responseBody: wire['createWorkspace']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a workspace: GET /v1/workspaces/{workspaceId} */
export interface GetWorkspace {
  access: 'workspace'
  params: z.output<(typeof contract)['getWorkspace']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getWorkspace']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Change a workspace: PATCH /v1/workspaces/{workspaceId} */
export interface UpdateWorkspace {
  access: 'workspace'
  params: z.output<(typeof contract)['updateWorkspace']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateWorkspace']['body']>
  responseBody: wire['updateWorkspace']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete a workspace with everything in it: DELETE /v1/workspaces/{workspaceId} */
export interface DeleteWorkspace {
  access: 'workspace'
  params: z.output<(typeof contract)['deleteWorkspace']['params']>
  query: undefined
  body: undefined
  responseBody: wire['deleteWorkspace']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the members of a workspace: GET /v1/workspaces/{workspaceId}/members */
export interface ListMembers {
  access: 'workspace'
  params: z.output<(typeof contract)['listMembers']['params']>
  query: z.output<(typeof contract)['listMembers']['query']>
  body: undefined
  responseBody: wire['listMembers']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Add a member to a workspace: POST /v1/workspaces/{workspaceId}/members */
export interface AddMember {
  access: 'workspace'
  params: z.output<(typeof contract)['addMember']['params']>
  query: undefined
  body: z.output<(typeof contract)['addMember']['body']>
  responseBody: wire['addMember']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Change the role of a member: PATCH /v1/workspaces/{workspaceId}/members/{userId} */
export interface UpdateMember {
  access: 'workspace'
  params: z.output<(typeof contract)['updateMember']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateMember']['body']>
  responseBody: wire['updateMember']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Remove a member from a workspace: DELETE /v1/workspaces/{workspaceId}/members/{userId} */
export interface RemoveMember {
  access: 'workspace'
  params: z.output<(typeof contract)['removeMember']['params']>
  query: undefined
  body: undefined
  responseBody: wire['removeMember']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Invite somebody to a workspace: POST /v1/workspaces/{workspaceId}/invitations */
export interface CreateInvitation {
  access: 'workspace'
  params: z.output<(typeof contract)['createInvitation']['params']>
  query: undefined
  body: z.output<(typeof contract)['createInvitation']['body']>
  responseBody: wire['createInvitation']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the invitations of a workspace: GET /v1/workspaces/{workspaceId}/invitations */
export interface ListInvitations {
  access: 'workspace'
  params: z.output<(typeof contract)['listInvitations']['params']>
  query: z.output<(typeof contract)['listInvitations']['query']>
  body: undefined
  responseBody: wire['listInvitations']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Revoke an invitation: DELETE /v1/workspaces/{workspaceId}/invitations/{invitationId} */
export interface RevokeInvitation {
  access: 'workspace'
  params: z.output<(typeof contract)['revokeInvitation']['params']>
  query: undefined
  body: undefined
  responseBody: wire['revokeInvitation']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the credentials of a workspace: GET /v1/workspaces/{workspaceId}/credentials */
export interface ListCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['listCredentials']['params']>
  query: undefined
  body: undefined
  responseBody: wire['listCredentials']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create credentials: POST /v1/workspaces/{workspaceId}/credentials */
export interface CreateCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['createCredentials']['params']>
  query: undefined
  body: z.output<(typeof contract)['createCredentials']['body']>
  responseBody: wire['createCredentials']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get credentials: GET /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
export interface GetCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['getCredentials']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getCredentials']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Update credentials: PATCH /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
export interface UpdateCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['updateCredentials']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateCredentials']['body']>
  responseBody: wire['updateCredentials']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Test credentials: POST /v1/workspaces/{workspaceId}/credentials/{credentialsId}/test */
export interface TestCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['testCredentials']['params']>
  query: undefined
  body: undefined
  responseBody: wire['testCredentials']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete credentials: DELETE /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
export interface DeleteCredentials {
  access: 'workspace'
  params: z.output<(typeof contract)['deleteCredentials']['params']>
  query: undefined
  body: undefined
  responseBody: wire['deleteCredentials']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the audit log of a workspace: GET /v1/workspaces/{workspaceId}/auditLog */
export interface ListAuditLog {
  access: 'workspace'
  params: z.output<(typeof contract)['listAuditLog']['params']>
  query: z.output<(typeof contract)['listAuditLog']['query']>
  body: undefined
  responseBody: wire['listAuditLog']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the folders of a workspace: GET /v1/folders */
export interface ListFolders {
  access: 'workspace'
  params: undefined
  query: z.output<(typeof contract)['listFolders']['query']>
  body: undefined
  responseBody: wire['listFolders']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create a folder: POST /v1/folders */
export interface CreateFolder {
  access: 'workspace'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['createFolder']['body']>
  responseBody: wire['createFolder']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a folder: GET /v1/folders/{folderId} */
export interface GetFolder {
  access: 'folder'
  params: z.output<(typeof contract)['getFolder']['params']>
  query: z.output<(typeof contract)['getFolder']['query']>
  body: undefined
  responseBody: wire['getFolder']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Rename or move a folder: PATCH /v1/folders/{folderId} */
export interface UpdateFolder {
  access: 'folder'
  params: z.output<(typeof contract)['updateFolder']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateFolder']['body']>
  responseBody: wire['updateFolder']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete a folder: DELETE /v1/folders/{folderId} */
export interface DeleteFolder {
  access: 'folder'
  params: z.output<(typeof contract)['deleteFolder']['params']>
  query: z.output<(typeof contract)['deleteFolder']['query']>
  body: undefined
  responseBody: wire['deleteFolder']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the bots of a workspace: GET /v1/bots */
export interface ListBots {
  access: 'workspace'
  params: undefined
  query: z.output<(typeof contract)['listBots']['query']>
  body: undefined
  responseBody: wire['listBots']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create a bot: POST /v1/bots */
export interface CreateBot {
  access: 'workspace'
  params: undefined
  query: undefined
  body: WithoutParts<z.output<(typeof contract)['createBot']['body']>, 'groups' | 'edges' | 'variables'>
  responseBody: wire['createBot']['responses'][201]['content']['application/json']
  minimal: wire['createBot']['responses'][201]['content']['application/vnd.bot-builder.minimal+json']
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a bot: GET /v1/bots/{botId} */
export interface GetBot {
  access: 'bot'
  params: z.output<(typeof contract)['getBot']['params']>
  query: z.output<(typeof contract)['getBot']['query']>
  body: undefined
  responseBody: wire['getBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Update a bot: PATCH /v1/bots/{botId} */
export interface UpdateBot {
  access: 'bot'
  params: z.output<(typeof contract)['updateBot']['params']>
  query: undefined
  body: WithoutParts<z.output<(typeof contract)['updateBot']['body']>, 'groups' | 'edges' | 'variables'>
  responseBody: wire['updateBot']['responses'][200]['content']['application/json']
  minimal: wire['updateBot']['responses'][200]['content']['application/vnd.bot-builder.minimal+json']
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete a bot: DELETE /v1/bots/{botId} */
export interface DeleteBot {
  access: 'bot'
  params: z.output<(typeof contract)['deleteBot']['params']>
  query: undefined
  body: undefined
  responseBody: wire['deleteBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the templates: GET /v1/templates */
export interface ListTemplates {
  access: 'user'
  params: undefined
  query: undefined
  body: undefined
  responseBody: wire['listTemplates']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a template: GET /v1/templates/{templateId} */
export interface GetTemplate {
  access: 'user'
  params: z.output<(typeof contract)['getTemplate']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getTemplate']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Import a bot: POST /v1/bots/import */
export interface ImportBot {
  access: 'workspace'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['importBot']['body']>
  responseBody: wire['importBot']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Duplicate a bot: POST /v1/bots/{botId}/duplicate */
export interface DuplicateBot {
  access: 'bot'
  params: z.output<(typeof contract)['duplicateBot']['params']>
  query: undefined
  body: z.output<(typeof contract)['duplicateBot']['body']>
  responseBody: wire['duplicateBot']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Export a bot: GET /v1/bots/{botId}/export */
export interface ExportBot {
  access: 'bot'
  params: z.output<(typeof contract)['exportBot']['params']>
  query: undefined
  body: undefined
  responseBody: wire['exportBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Check the flow of a bot: GET /v1/bots/{botId}/check */
export interface CheckBot {
  access: 'bot'
  params: z.output<(typeof contract)['checkBot']['params']>
  query: undefined
  body: undefined
  responseBody: wire['checkBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Compare two states of a bot: GET /v1/bots/{botId}/compare */
export interface CompareBot {
  access: 'bot'
  params: z.output<(typeof contract)['compareBot']['params']>
  query: z.output<(typeof contract)['compareBot']['query']>
  body: undefined
  responseBody: wire['compareBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the blocks that send requests: GET /v1/bots/{botId}/webhookBlocks */
export interface ListWebhookBlocks {
  access: 'bot'
  params: z.output<(typeof contract)['listWebhookBlocks']['params']>
  query: undefined
  body: undefined
  responseBody: wire['listWebhookBlocks']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get an example of the body of a block: GET /v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample */
export interface GetResultExample {
  access: 'bot'
  params: z.output<(typeof contract)['getResultExample']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getResultExample']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Set the address of a block: POST /v1/bots/{botId}/webhookBlocks/{blockId}/subscribe */
export interface SubscribeWebhookBlock {
  access: 'bot'
  params: z.output<(typeof contract)['subscribeWebhookBlock']['params']>
  query: undefined
  body: z.output<(typeof contract)['subscribeWebhookBlock']['body']>
  responseBody: wire['subscribeWebhookBlock']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Clear the address of a block: POST /v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe */
export interface UnsubscribeWebhookBlock {
  access: 'bot'
  params: z.output<(typeof contract)['unsubscribeWebhookBlock']['params']>
  query: undefined
  body: undefined
  responseBody: wire['unsubscribeWebhookBlock']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Publish a bot: POST /v1/bots/{botId}/publish */
export interface PublishBot {
  access: 'bot'
  params: z.output<(typeof contract)['publishBot']['params']>
  query: undefined
  body: undefined
  responseBody: wire['publishBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Unpublish a bot: POST /v1/bots/{botId}/unpublish */
export interface UnpublishBot {
  access: 'bot'
  params: z.output<(typeof contract)['unpublishBot']['params']>
  query: undefined
  body: undefined
  responseBody: wire['unpublishBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get the published copy of a bot: GET /v1/bots/{botId}/publishedBot */
export interface GetPublishedBot {
  access: 'bot'
  params: z.output<(typeof contract)['getPublishedBot']['params']>
  query: z.output<(typeof contract)['getPublishedBot']['query']>
  body: undefined
  responseBody: wire['getPublishedBot']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the publications of a bot: GET /v1/bots/{botId}/publications */
export interface ListPublications {
  access: 'bot'
  params: z.output<(typeof contract)['listPublications']['params']>
  query: z.output<(typeof contract)['listPublications']['query']>
  body: undefined
  responseBody: wire['listPublications']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a publication: GET /v1/bots/{botId}/publications/{publicationId} */
export interface GetPublication {
  access: 'bot'
  params: z.output<(typeof contract)['getPublication']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getPublication']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Restore a publication into the draft: POST /v1/bots/{botId}/publications/{publicationId}/restore */
export interface RestorePublication {
  access: 'bot'
  params: z.output<(typeof contract)['restorePublication']['params']>
  query: undefined
  body: undefined
  responseBody: wire['restorePublication']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the results of a bot: GET /v1/bots/{botId}/results */
export interface ListResults {
  access: 'bot'
  params: z.output<(typeof contract)['listResults']['params']>
  query: z.output<(typeof contract)['listResults']['query']>
  body: undefined
  responseBody: wire['listResults']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete results of a bot: DELETE /v1/bots/{botId}/results */
export interface DeleteResults {
  access: 'bot'
  params: z.output<(typeof contract)['deleteResults']['params']>
  query: z.output<(typeof contract)['deleteResults']['query']>
  body: undefined
  responseBody: wire['deleteResults']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a result: GET /v1/bots/{botId}/results/{resultId} */
export interface GetResult {
  access: 'bot'
  params: z.output<(typeof contract)['getResult']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getResult']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get the transcript of a result: GET /v1/bots/{botId}/results/{resultId}/transcript */
export interface GetTranscript {
  access: 'bot'
  params: z.output<(typeof contract)['getTranscript']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getTranscript']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the logs of a result: GET /v1/bots/{botId}/results/{resultId}/logs */
export interface ListResultLogs {
  access: 'bot'
  params: z.output<(typeof contract)['listResultLogs']['params']>
  query: z.output<(typeof contract)['listResultLogs']['query']>
  body: undefined
  responseBody: wire['listResultLogs']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Export results as CSV or JSON lines: GET /v1/bots/{botId}/resultsExport */
export interface ExportResults {
  access: 'bot'
  params: z.output<(typeof contract)['exportResults']['params']>
  query: z.output<(typeof contract)['exportResults']['query']>
  body: undefined
  responseBody: Stream
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get the statistics of a bot: GET /v1/bots/{botId}/analytics/stats */
export interface GetStats {
  access: 'bot'
  params: z.output<(typeof contract)['getStats']['params']>
  query: z.output<(typeof contract)['getStats']['query']>
  body: undefined
  responseBody: wire['getStats']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get the statistics of the blocks of a bot: GET /v1/bots/{botId}/analytics/blocks */
export interface GetBlockStats {
  access: 'bot'
  params: z.output<(typeof contract)['getBlockStats']['params']>
  query: z.output<(typeof contract)['getBlockStats']['query']>
  body: undefined
  responseBody: wire['getBlockStats']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Start a chat: POST /api/v1/bots/{publicId}/startChat */
export interface StartChat {
  access: 'anyone'
  params: z.output<(typeof contract)['startChat']['params']>
  query: undefined
  body: z.output<(typeof contract)['startChat']['body']>
  responseBody: wire['startChat']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a chat session: GET /api/v1/sessions/{sessionId} */
export interface GetSession {
  access: 'anyone'
  params: z.output<(typeof contract)['getSession']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getSession']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Follow a chat session: GET /api/v1/sessions/{sessionId}/events */
export interface ListSessionEvents {
  access: 'anyone'
  params: z.output<(typeof contract)['listSessionEvents']['params']>
  query: z.output<(typeof contract)['listSessionEvents']['query']>
  body: undefined
  responseBody: wire['listSessionEvents']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Continue a chat: POST /api/v1/sessions/{sessionId}/continueChat */
export interface ContinueChat {
  access: 'anyone'
  params: z.output<(typeof contract)['continueChat']['params']>
  query: undefined
  body: z.output<(typeof contract)['continueChat']['body']>
  responseBody: wire['continueChat']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Preview the draft of a bot: POST /api/v1/bots/{botId}/preview/startChat */
export interface StartPreview {
  access: 'bot'
  params: z.output<(typeof contract)['startPreview']['params']>
  query: undefined
  body: z.output<(typeof contract)['startPreview']['body']>
  responseBody: wire['startPreview']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Call the webhook that a chat waits for: POST /api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook */
export interface ExecuteWebhook {
  access: 'bot'
  params: z.output<(typeof contract)['executeWebhook']['params']>
  query: undefined
  body: z.output<(typeof contract)['executeWebhook']['body']>
  responseBody: wire['executeWebhook']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Save log entries of a chat client: POST /api/v2/sessions/{sessionId}/clientLogs */
export interface SaveClientLogs {
  access: 'anyone'
  params: z.output<(typeof contract)['saveClientLogs']['params']>
  query: undefined
  body: z.output<(typeof contract)['saveClientLogs']['body']>
  responseBody: wire['saveClientLogs']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the chats of a bot: GET /v1/bots/{botId}/chats */
export interface ListChats {
  access: 'bot'
  params: z.output<(typeof contract)['listChats']['params']>
  query: z.output<(typeof contract)['listChats']['query']>
  body: undefined
  responseBody: wire['listChats']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the chats of a workspace that people handle: GET /v1/workspaces/{workspaceId}/chats */
export interface ListWorkspaceChats {
  access: 'workspace'
  params: z.output<(typeof contract)['listWorkspaceChats']['params']>
  query: z.output<(typeof contract)['listWorkspaceChats']['query']>
  body: undefined
  responseBody: wire['listWorkspaceChats']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a chat with its messages: GET /v1/bots/{botId}/chats/{sessionId} */
export interface GetChat {
  access: 'bot'
  params: z.output<(typeof contract)['getChat']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getChat']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Steer a chat: PATCH /v1/bots/{botId}/chats/{sessionId} */
export interface UpdateChat {
  access: 'bot'
  params: z.output<(typeof contract)['updateChat']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateChat']['body']>
  responseBody: wire['updateChat']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Write to the visitor of a chat: POST /v1/bots/{botId}/chats/{sessionId}/messages */
export interface SendMessage {
  access: 'bot'
  params: z.output<(typeof contract)['sendMessage']['params']>
  query: undefined
  body: z.output<(typeof contract)['sendMessage']['body']>
  responseBody: wire['sendMessage']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Show the visitor of a chat that a member is typing: PUT /v1/bots/{botId}/chats/{sessionId}/typing */
export interface UpdateTypingSign {
  access: 'bot'
  params: z.output<(typeof contract)['updateTypingSign']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateTypingSign']['body']>
  responseBody: wire['updateTypingSign']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Receive an event of Chatwoot: POST /api/v1/bots/{botId}/chatwoot/{credentialsId} */
export interface ReceiveChatwootEvent {
  access: 'anyone'
  params: z.output<(typeof contract)['receiveChatwootEvent']['params']>
  query: z.output<(typeof contract)['receiveChatwootEvent']['query']>
  body: z.output<(typeof contract)['receiveChatwootEvent']['body']>
  responseBody: wire['receiveChatwootEvent']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the webhook endpoints of a workspace: GET /v1/workspaces/{workspaceId}/webhookEndpoints */
export interface ListWebhookEndpoints {
  access: 'workspace'
  params: z.output<(typeof contract)['listWebhookEndpoints']['params']>
  query: undefined
  body: undefined
  responseBody: wire['listWebhookEndpoints']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create a webhook endpoint: POST /v1/workspaces/{workspaceId}/webhookEndpoints */
export interface CreateWebhookEndpoint {
  access: 'workspace'
  params: z.output<(typeof contract)['createWebhookEndpoint']['params']>
  query: undefined
  body: z.output<(typeof contract)['createWebhookEndpoint']['body']>
  responseBody: wire['createWebhookEndpoint']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a webhook endpoint: GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
export interface GetWebhookEndpoint {
  access: 'workspace'
  params: z.output<(typeof contract)['getWebhookEndpoint']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getWebhookEndpoint']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Update a webhook endpoint: PATCH /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
export interface UpdateWebhookEndpoint {
  access: 'workspace'
  params: z.output<(typeof contract)['updateWebhookEndpoint']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateWebhookEndpoint']['body']>
  responseBody: wire['updateWebhookEndpoint']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Delete a webhook endpoint: DELETE /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
export interface DeleteWebhookEndpoint {
  access: 'workspace'
  params: z.output<(typeof contract)['deleteWebhookEndpoint']['params']>
  query: undefined
  body: undefined
  responseBody: wire['deleteWebhookEndpoint']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Send a test event: POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test */
export interface TestWebhookEndpoint {
  access: 'workspace'
  params: z.output<(typeof contract)['testWebhookEndpoint']['params']>
  query: undefined
  body: undefined
  responseBody: wire['testWebhookEndpoint']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Rotate the secret of a webhook endpoint: POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret */
export interface RotateWebhookSecret {
  access: 'workspace'
  params: z.output<(typeof contract)['rotateWebhookSecret']['params']>
  query: undefined
  body: undefined
  responseBody: wire['rotateWebhookSecret']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the deliveries of a webhook endpoint: GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries */
export interface ListWebhookDeliveries {
  access: 'workspace'
  params: z.output<(typeof contract)['listWebhookDeliveries']['params']>
  query: z.output<(typeof contract)['listWebhookDeliveries']['query']>
  body: undefined
  responseBody: wire['listWebhookDeliveries']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a webhook delivery: GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId} */
export interface GetWebhookDelivery {
  access: 'workspace'
  params: z.output<(typeof contract)['getWebhookDelivery']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getWebhookDelivery']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Send a delivery again: POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver */
export interface RedeliverWebhookDelivery {
  access: 'workspace'
  params: z.output<(typeof contract)['redeliverWebhookDelivery']['params']>
  query: undefined
  body: undefined
  responseBody: wire['redeliverWebhookDelivery']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Upload a file for a chat: POST /api/v1/sessions/{sessionId}/uploads */
export interface UploadFile {
  access: 'anyone'
  params: z.output<(typeof contract)['uploadFile']['params']>
  query: z.output<(typeof contract)['uploadFile']['query']>
  body: FileBody
  responseBody: wire['uploadFile']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get the current user: GET /v1/currentUser */
export interface GetCurrentUser {
  access: 'user'
  params: undefined
  query: undefined
  body: undefined
  responseBody: wire['getCurrentUser']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the caller's browser sessions: GET /v1/users/me/browserSessions */
export interface ListBrowserSessions {
  access: 'user'
  params: undefined
  query: z.output<(typeof contract)['listBrowserSessions']['query']>
  body: undefined
  responseBody: wire['listBrowserSessions']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** End a browser session: DELETE /v1/users/me/browserSessions/{browserSessionId} */
export interface RevokeBrowserSession {
  access: 'user'
  params: z.output<(typeof contract)['revokeBrowserSession']['params']>
  query: undefined
  body: undefined
  responseBody: wire['revokeBrowserSession']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the caller's tokens: GET /v1/users/me/tokens */
export interface ListTokens {
  access: 'user'
  params: undefined
  query: z.output<(typeof contract)['listTokens']['query']>
  body: undefined
  responseBody: wire['listTokens']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Create a token: POST /v1/users/me/tokens */
export interface CreateToken {
  access: 'user'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['createToken']['body']>
  responseBody: wire['createToken']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Revoke a token: DELETE /v1/users/me/tokens/{tokenId} */
export interface RevokeToken {
  access: 'user'
  params: z.output<(typeof contract)['revokeToken']['params']>
  query: undefined
  body: undefined
  responseBody: wire['revokeToken']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Start the login of a program: POST /v1/deviceLogins */
export interface StartDeviceLogin {
  access: 'anyone'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['startDeviceLogin']['body']>
  responseBody: wire['startDeviceLogin']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Poll for the token of a login: POST /v1/deviceLogins/continue */
export interface ContinueDeviceLogin {
  access: 'anyone'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['continueDeviceLogin']['body']>
  responseBody: wire['continueDeviceLogin']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

export interface WorkspacesHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/workspaces */
  listWorkspaces: Handler<ListWorkspaces, Contexts>
  /** POST /v1/workspaces */
  createWorkspace: Handler<CreateWorkspace, Contexts>
  /** GET /v1/workspaces/{workspaceId} */
  getWorkspace: Handler<GetWorkspace, Contexts>
  /** PATCH /v1/workspaces/{workspaceId} */
  updateWorkspace: Handler<UpdateWorkspace, Contexts>
  /** DELETE /v1/workspaces/{workspaceId} */
  deleteWorkspace: Handler<DeleteWorkspace, Contexts>
}

export interface MembersHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/workspaces/{workspaceId}/members */
  listMembers: Handler<ListMembers, Contexts>
  /** POST /v1/workspaces/{workspaceId}/members */
  addMember: Handler<AddMember, Contexts>
  /** PATCH /v1/workspaces/{workspaceId}/members/{userId} */
  updateMember: Handler<UpdateMember, Contexts>
  /** DELETE /v1/workspaces/{workspaceId}/members/{userId} */
  removeMember: Handler<RemoveMember, Contexts>
}

export interface InvitationsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/workspaces/{workspaceId}/invitations */
  createInvitation: Handler<CreateInvitation, Contexts>
  /** GET /v1/workspaces/{workspaceId}/invitations */
  listInvitations: Handler<ListInvitations, Contexts>
  /** DELETE /v1/workspaces/{workspaceId}/invitations/{invitationId} */
  revokeInvitation: Handler<RevokeInvitation, Contexts>
}

export interface CredentialsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/workspaces/{workspaceId}/credentials */
  listCredentials: Handler<ListCredentials, Contexts>
  /** POST /v1/workspaces/{workspaceId}/credentials */
  createCredentials: Handler<CreateCredentials, Contexts>
  /** GET /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
  getCredentials: Handler<GetCredentials, Contexts>
  /** PATCH /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
  updateCredentials: Handler<UpdateCredentials, Contexts>
  /** POST /v1/workspaces/{workspaceId}/credentials/{credentialsId}/test */
  testCredentials: Handler<TestCredentials, Contexts>
  /** DELETE /v1/workspaces/{workspaceId}/credentials/{credentialsId} */
  deleteCredentials: Handler<DeleteCredentials, Contexts>
}

export interface AuditHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/workspaces/{workspaceId}/auditLog */
  listAuditLog: Handler<ListAuditLog, Contexts>
}

export interface FoldersHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/folders */
  listFolders: Handler<ListFolders, Contexts>
  /** POST /v1/folders */
  createFolder: Handler<CreateFolder, Contexts>
  /** GET /v1/folders/{folderId} */
  getFolder: Handler<GetFolder, Contexts>
  /** PATCH /v1/folders/{folderId} */
  updateFolder: Handler<UpdateFolder, Contexts>
  /** DELETE /v1/folders/{folderId} */
  deleteFolder: Handler<DeleteFolder, Contexts>
}

export interface BotsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots */
  listBots: Handler<ListBots, Contexts>
  /** POST /v1/bots */
  createBot: Handler<CreateBot, Contexts>
  /** GET /v1/bots/{botId} */
  getBot: Handler<GetBot, Contexts>
  /** PATCH /v1/bots/{botId} */
  updateBot: Handler<UpdateBot, Contexts>
  /** DELETE /v1/bots/{botId} */
  deleteBot: Handler<DeleteBot, Contexts>
}

export interface TemplatesHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/templates */
  listTemplates: Handler<ListTemplates, Contexts>
  /** GET /v1/templates/{templateId} */
  getTemplate: Handler<GetTemplate, Contexts>
}

export interface TransferHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/bots/import */
  importBot: Handler<ImportBot, Contexts>
  /** POST /v1/bots/{botId}/duplicate */
  duplicateBot: Handler<DuplicateBot, Contexts>
  /** GET /v1/bots/{botId}/export */
  exportBot: Handler<ExportBot, Contexts>
  /** GET /v1/bots/{botId}/check */
  checkBot: Handler<CheckBot, Contexts>
}

export interface ComparisonHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/compare */
  compareBot: Handler<CompareBot, Contexts>
}

export interface WebhookBlocksHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/webhookBlocks */
  listWebhookBlocks: Handler<ListWebhookBlocks, Contexts>
  /** GET /v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample */
  getResultExample: Handler<GetResultExample, Contexts>
  /** POST /v1/bots/{botId}/webhookBlocks/{blockId}/subscribe */
  subscribeWebhookBlock: Handler<SubscribeWebhookBlock, Contexts>
  /** POST /v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe */
  unsubscribeWebhookBlock: Handler<UnsubscribeWebhookBlock, Contexts>
}

export interface PublishingHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/bots/{botId}/publish */
  publishBot: Handler<PublishBot, Contexts>
  /** POST /v1/bots/{botId}/unpublish */
  unpublishBot: Handler<UnpublishBot, Contexts>
  /** GET /v1/bots/{botId}/publishedBot */
  getPublishedBot: Handler<GetPublishedBot, Contexts>
}

export interface PublicationsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/publications */
  listPublications: Handler<ListPublications, Contexts>
  /** GET /v1/bots/{botId}/publications/{publicationId} */
  getPublication: Handler<GetPublication, Contexts>
  /** POST /v1/bots/{botId}/publications/{publicationId}/restore */
  restorePublication: Handler<RestorePublication, Contexts>
}

export interface ResultsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/results */
  listResults: Handler<ListResults, Contexts>
  /** DELETE /v1/bots/{botId}/results */
  deleteResults: Handler<DeleteResults, Contexts>
  /** GET /v1/bots/{botId}/results/{resultId} */
  getResult: Handler<GetResult, Contexts>
  /** GET /v1/bots/{botId}/results/{resultId}/transcript */
  getTranscript: Handler<GetTranscript, Contexts>
  /** GET /v1/bots/{botId}/results/{resultId}/logs */
  listResultLogs: Handler<ListResultLogs, Contexts>
  /** GET /v1/bots/{botId}/resultsExport */
  exportResults: Handler<ExportResults, Contexts>
}

export interface AnalyticsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/analytics/stats */
  getStats: Handler<GetStats, Contexts>
  /** GET /v1/bots/{botId}/analytics/blocks */
  getBlockStats: Handler<GetBlockStats, Contexts>
}

export interface ChatHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /api/v1/bots/{publicId}/startChat */
  startChat: Handler<StartChat, Contexts>
  /** GET /api/v1/sessions/{sessionId} */
  getSession: Handler<GetSession, Contexts>
  /** GET /api/v1/sessions/{sessionId}/events */
  listSessionEvents: Handler<ListSessionEvents, Contexts>
  /** POST /api/v1/sessions/{sessionId}/continueChat */
  continueChat: Handler<ContinueChat, Contexts>
  /** POST /api/v1/bots/{botId}/preview/startChat */
  startPreview: Handler<StartPreview, Contexts>
  /** POST /api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook */
  executeWebhook: Handler<ExecuteWebhook, Contexts>
  /** POST /api/v2/sessions/{sessionId}/clientLogs */
  saveClientLogs: Handler<SaveClientLogs, Contexts>
}

export interface ChatsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/bots/{botId}/chats */
  listChats: Handler<ListChats, Contexts>
  /** GET /v1/workspaces/{workspaceId}/chats */
  listWorkspaceChats: Handler<ListWorkspaceChats, Contexts>
  /** GET /v1/bots/{botId}/chats/{sessionId} */
  getChat: Handler<GetChat, Contexts>
  /** PATCH /v1/bots/{botId}/chats/{sessionId} */
  updateChat: Handler<UpdateChat, Contexts>
}

export interface MemberMessagesHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/bots/{botId}/chats/{sessionId}/messages */
  sendMessage: Handler<SendMessage, Contexts>
  /** PUT /v1/bots/{botId}/chats/{sessionId}/typing */
  updateTypingSign: Handler<UpdateTypingSign, Contexts>
}

export interface ChatwootHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /api/v1/bots/{botId}/chatwoot/{credentialsId} */
  receiveChatwootEvent: Handler<ReceiveChatwootEvent, Contexts>
}

export interface WebhooksHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/workspaces/{workspaceId}/webhookEndpoints */
  listWebhookEndpoints: Handler<ListWebhookEndpoints, Contexts>
  /** POST /v1/workspaces/{workspaceId}/webhookEndpoints */
  createWebhookEndpoint: Handler<CreateWebhookEndpoint, Contexts>
  /** GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
  getWebhookEndpoint: Handler<GetWebhookEndpoint, Contexts>
  /** PATCH /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
  updateWebhookEndpoint: Handler<UpdateWebhookEndpoint, Contexts>
  /** DELETE /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId} */
  deleteWebhookEndpoint: Handler<DeleteWebhookEndpoint, Contexts>
  /** POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test */
  testWebhookEndpoint: Handler<TestWebhookEndpoint, Contexts>
  /** POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret */
  rotateWebhookSecret: Handler<RotateWebhookSecret, Contexts>
  /** GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries */
  listWebhookDeliveries: Handler<ListWebhookDeliveries, Contexts>
  /** GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId} */
  getWebhookDelivery: Handler<GetWebhookDelivery, Contexts>
  /** POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver */
  redeliverWebhookDelivery: Handler<RedeliverWebhookDelivery, Contexts>
}

export interface UploadsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /api/v1/sessions/{sessionId}/uploads */
  uploadFile: Handler<UploadFile, Contexts>
}

export interface CurrentUserHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/currentUser */
  getCurrentUser: Handler<GetCurrentUser, Contexts>
}

export interface BrowserSessionsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/users/me/browserSessions */
  listBrowserSessions: Handler<ListBrowserSessions, Contexts>
  /** DELETE /v1/users/me/browserSessions/{browserSessionId} */
  revokeBrowserSession: Handler<RevokeBrowserSession, Contexts>
}

export interface TokensHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/users/me/tokens */
  listTokens: Handler<ListTokens, Contexts>
  /** POST /v1/users/me/tokens */
  createToken: Handler<CreateToken, Contexts>
  /** DELETE /v1/users/me/tokens/{tokenId} */
  revokeToken: Handler<RevokeToken, Contexts>
}

export interface DeviceLoginsHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/deviceLogins */
  startDeviceLogin: Handler<StartDeviceLogin, Contexts>
  /** POST /v1/deviceLogins/continue */
  continueDeviceLogin: Handler<ContinueDeviceLogin, Contexts>
}

export type Handlers<Contexts extends Record<AccessKind, unknown>> = WorkspacesHandlers<Contexts> & MembersHandlers<Contexts> & InvitationsHandlers<Contexts> & CredentialsHandlers<Contexts> & AuditHandlers<Contexts> & FoldersHandlers<Contexts> & BotsHandlers<Contexts> & TemplatesHandlers<Contexts> & TransferHandlers<Contexts> & ComparisonHandlers<Contexts> & WebhookBlocksHandlers<Contexts> & PublishingHandlers<Contexts> & PublicationsHandlers<Contexts> & ResultsHandlers<Contexts> & AnalyticsHandlers<Contexts> & ChatHandlers<Contexts> & ChatsHandlers<Contexts> & MemberMessagesHandlers<Contexts> & ChatwootHandlers<Contexts> & WebhooksHandlers<Contexts> & UploadsHandlers<Contexts> & CurrentUserHandlers<Contexts> & BrowserSessionsHandlers<Contexts> & TokensHandlers<Contexts> & DeviceLoginsHandlers<Contexts>

/** Every operation with the codes it can return, for the cases that replay them. */
export interface OperationErrors {
  listWorkspaces: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createWorkspace: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getWorkspace: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateWorkspace: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteWorkspace: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listMembers: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  addMember: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateMember: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  removeMember: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createInvitation: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listInvitations: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  revokeInvitation: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  testCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteCredentials: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listAuditLog: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listFolders: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createFolder: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getFolder: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateFolder: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteFolder: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listBots: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listTemplates: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getTemplate: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  importBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  duplicateBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  exportBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  checkBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  compareBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listWebhookBlocks: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getResultExample: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  subscribeWebhookBlock: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  unsubscribeWebhookBlock: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  publishBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  unpublishBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getPublishedBot: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listPublications: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getPublication: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  restorePublication: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listResults: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteResults: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getResult: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getTranscript: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listResultLogs: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  exportResults: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getStats: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getBlockStats: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  startChat: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getSession: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listSessionEvents: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  continueChat: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  startPreview: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  executeWebhook: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  saveClientLogs: 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listChats: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listWorkspaceChats: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getChat: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateChat: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  sendMessage: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateTypingSign: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  receiveChatwootEvent: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listWebhookEndpoints: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createWebhookEndpoint: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getWebhookEndpoint: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateWebhookEndpoint: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  deleteWebhookEndpoint: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  testWebhookEndpoint: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  rotateWebhookSecret: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listWebhookDeliveries: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getWebhookDelivery: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  redeliverWebhookDelivery: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  uploadFile: 'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getCurrentUser: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listBrowserSessions: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  revokeBrowserSession: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listTokens: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  createToken: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  revokeToken: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  startDeviceLogin: 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  continueDeviceLogin: 'BAD_REQUEST' | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}
