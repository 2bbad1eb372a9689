// Made by `make generate` from contract/. Do not edit.
import { ApiError, connect, editor } from './runtime.js';
export { ApiError, ConnectionError, TimeoutError } from './runtime.js';
export class BadRequestError extends ApiError {
}
export class UnauthorizedError extends ApiError {
}
export class ForbiddenError extends ApiError {
}
export class NotFoundError extends ApiError {
}
export class MethodNotAllowedError extends ApiError {
}
export class RequestTimeoutError extends ApiError {
}
export class ConflictError extends ApiError {
}
export class PreconditionFailedError extends ApiError {
}
export class PayloadTooLargeError extends ApiError {
}
export class UnsupportedMediaTypeError extends ApiError {
}
export class IdempotencyMismatchError extends ApiError {
}
export class TooManyRequestsError extends ApiError {
}
export class RequestHeaderFieldsTooLargeError extends ApiError {
}
export class InternalServerError extends ApiError {
}
export class ServiceUnavailableError extends ApiError {
}
const errors = new Map([
    ['BAD_REQUEST', BadRequestError],
    ['UNAUTHORIZED', UnauthorizedError],
    ['FORBIDDEN', ForbiddenError],
    ['NOT_FOUND', NotFoundError],
    ['METHOD_NOT_ALLOWED', MethodNotAllowedError],
    ['REQUEST_TIMEOUT', RequestTimeoutError],
    ['CONFLICT', ConflictError],
    ['PRECONDITION_FAILED', PreconditionFailedError],
    ['PAYLOAD_TOO_LARGE', PayloadTooLargeError],
    ['UNSUPPORTED_MEDIA_TYPE', UnsupportedMediaTypeError],
    ['IDEMPOTENCY_MISMATCH', IdempotencyMismatchError],
    ['TOO_MANY_REQUESTS', TooManyRequestsError],
    ['REQUEST_HEADER_FIELDS_TOO_LARGE', RequestHeaderFieldsTooLargeError],
    ['INTERNAL_SERVER_ERROR', InternalServerError],
    ['SERVICE_UNAVAILABLE', ServiceUnavailableError],
]);
export function createClient(options) {
    const on = connect(options, errors);
    const workspaces = {
        list: on({ "method": "GET", "path": "/v1/workspaces" }),
        create: on({ "method": "POST", "path": "/v1/workspaces", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}" }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}" }),
        listAuditLog: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/auditLog", "query": true, "entries": "entries" }),
    };
    const members = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/members" }),
        add: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/members", "body": true, "key": true }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/members/{userId}", "body": true, "key": true }),
        remove: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/members/{userId}" }),
    };
    const credentials = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/credentials" }),
        create: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/credentials", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}" }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}" }),
    };
    const folders = {
        list: on({ "method": "GET", "path": "/v1/folders", "query": true, "entries": "folders" }),
        create: on({ "method": "POST", "path": "/v1/folders", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/folders/{folderId}", "query": true }),
        update: on({ "method": "PATCH", "path": "/v1/folders/{folderId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/folders/{folderId}", "query": true }),
    };
    const bots = {
        list: on({ "method": "GET", "path": "/v1/bots", "query": true, "entries": "bots" }),
        create: on({ "method": "POST", "path": "/v1/bots", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}", "query": true }),
        update: on({ "method": "PATCH", "path": "/v1/bots/{botId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/bots/{botId}" }),
        import: on({ "method": "POST", "path": "/v1/bots/import", "body": true, "key": true }),
        export: on({ "method": "GET", "path": "/v1/bots/{botId}/export" }),
        check: on({ "method": "GET", "path": "/v1/bots/{botId}/check" }),
    };
    const publishing = {
        publishBot: on({ "method": "POST", "path": "/v1/bots/{botId}/publish", "key": true }),
        unpublishBot: on({ "method": "POST", "path": "/v1/bots/{botId}/unpublish", "key": true }),
        getPublishedBot: on({ "method": "GET", "path": "/v1/bots/{botId}/publishedBot", "query": true }),
        listPublications: on({ "method": "GET", "path": "/v1/bots/{botId}/publications", "query": true, "entries": "publications" }),
        getPublication: on({ "method": "GET", "path": "/v1/bots/{botId}/publications/{publicationId}" }),
        restorePublication: on({ "method": "POST", "path": "/v1/bots/{botId}/publications/{publicationId}/restore", "key": true }),
    };
    const results = {
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/results", "query": true, "entries": "results" }),
        delete: on({ "method": "DELETE", "path": "/v1/bots/{botId}/results", "query": true, "needs": ["resultIds", "createdBefore"] }),
        deleteAll: on({ "method": "DELETE", "path": "/v1/bots/{botId}/results" }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}" }),
        getTranscript: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}/transcript" }),
        listLogs: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}/logs", "query": true, "entries": "logs" }),
        export: on({ "method": "GET", "path": "/v1/bots/{botId}/resultsExport", "query": true, "raw": true }),
    };
    const analytics = {
        getStats: on({ "method": "GET", "path": "/v1/bots/{botId}/analytics/stats", "query": true }),
        getBlockStats: on({ "method": "GET", "path": "/v1/bots/{botId}/analytics/blocks", "query": true }),
    };
    const chat = {
        start: on({ "method": "POST", "path": "/api/v1/bots/{publicId}/startChat", "body": true, "key": true, "open": true }),
        getSession: on({ "method": "GET", "path": "/api/v1/sessions/{sessionId}", "open": true }),
        continue: on({ "method": "POST", "path": "/api/v1/sessions/{sessionId}/continueChat", "body": true, "open": true }),
        startPreview: on({ "method": "POST", "path": "/api/v1/bots/{botId}/preview/startChat", "body": true, "key": true }),
        executeWebhook: on({ "method": "POST", "path": "/api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook", "body": true, "key": true }),
        saveClientLogs: on({ "method": "POST", "path": "/api/v2/sessions/{sessionId}/clientLogs", "body": true, "open": true }),
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/chats", "query": true, "entries": "chats" }),
        update: on({ "method": "PATCH", "path": "/v1/bots/{botId}/chats/{sessionId}", "body": true, "key": true }),
        uploadFile: on({ "method": "POST", "path": "/api/v1/sessions/{sessionId}/uploads", "body": true, "file": true, "query": true, "open": true }),
    };
    const webhooks = {
        listEndpoints: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints" }),
        createEndpoint: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints", "body": true, "key": true }),
        getEndpoint: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}" }),
        updateEndpoint: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}", "body": true, "key": true }),
        deleteEndpoint: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}" }),
        testEndpoint: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test", "key": true }),
        rotateSecret: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret", "key": true }),
        listDeliveries: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries", "query": true, "entries": "webhookDeliveries" }),
        getDelivery: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}" }),
        redeliverDelivery: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver", "key": true }),
    };
    const tokens = {
        list: on({ "method": "GET", "path": "/v1/users/me/tokens" }),
        create: on({ "method": "POST", "path": "/v1/users/me/tokens", "body": true, "key": true }),
        revoke: on({ "method": "DELETE", "path": "/v1/users/me/tokens/{tokenId}" }),
    };
    bots.edit = editor(bots);
    return { workspaces, members, credentials, folders, bots, publishing, results, analytics, chat, webhooks, tokens };
}
