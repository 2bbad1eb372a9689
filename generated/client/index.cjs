// Made by `make generate` from contract/. Do not edit.
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ServiceUnavailableError = exports.InternalServerError = exports.RequestHeaderFieldsTooLargeError = exports.TooManyRequestsError = exports.IdempotencyMismatchError = exports.UnsupportedMediaTypeError = exports.PayloadTooLargeError = exports.PreconditionFailedError = exports.ConflictError = exports.RequestTimeoutError = exports.MethodNotAllowedError = exports.NotFoundError = exports.ForbiddenError = exports.UnauthorizedError = exports.BadRequestError = exports.TimeoutError = exports.ConnectionError = exports.ApiError = exports.webhooks = void 0;
exports.createClient = createClient;
const api_js_1 = require('./api.cjs');
const runtime_js_1 = require('./runtime.cjs');
const helpers_js_1 = require('./helpers.cjs');
exports.webhooks = { verify: helpers_js_1.verify };
var api_js_2 = require('./api.cjs');
Object.defineProperty(exports, "ApiError", { enumerable: true, get: function () { return api_js_2.ApiError; } });
Object.defineProperty(exports, "ConnectionError", { enumerable: true, get: function () { return api_js_2.ConnectionError; } });
Object.defineProperty(exports, "TimeoutError", { enumerable: true, get: function () { return api_js_2.TimeoutError; } });
class BadRequestError extends api_js_1.ApiError {
    name = 'BadRequestError';
}
exports.BadRequestError = BadRequestError;
class UnauthorizedError extends api_js_1.ApiError {
    name = 'UnauthorizedError';
}
exports.UnauthorizedError = UnauthorizedError;
class ForbiddenError extends api_js_1.ApiError {
    name = 'ForbiddenError';
}
exports.ForbiddenError = ForbiddenError;
class NotFoundError extends api_js_1.ApiError {
    name = 'NotFoundError';
}
exports.NotFoundError = NotFoundError;
class MethodNotAllowedError extends api_js_1.ApiError {
    name = 'MethodNotAllowedError';
}
exports.MethodNotAllowedError = MethodNotAllowedError;
class RequestTimeoutError extends api_js_1.ApiError {
    name = 'RequestTimeoutError';
}
exports.RequestTimeoutError = RequestTimeoutError;
class ConflictError extends api_js_1.ApiError {
    name = 'ConflictError';
}
exports.ConflictError = ConflictError;
class PreconditionFailedError extends api_js_1.ApiError {
    name = 'PreconditionFailedError';
}
exports.PreconditionFailedError = PreconditionFailedError;
class PayloadTooLargeError extends api_js_1.ApiError {
    name = 'PayloadTooLargeError';
}
exports.PayloadTooLargeError = PayloadTooLargeError;
class UnsupportedMediaTypeError extends api_js_1.ApiError {
    name = 'UnsupportedMediaTypeError';
}
exports.UnsupportedMediaTypeError = UnsupportedMediaTypeError;
class IdempotencyMismatchError extends api_js_1.ApiError {
    name = 'IdempotencyMismatchError';
}
exports.IdempotencyMismatchError = IdempotencyMismatchError;
class TooManyRequestsError extends api_js_1.ApiError {
    name = 'TooManyRequestsError';
}
exports.TooManyRequestsError = TooManyRequestsError;
class RequestHeaderFieldsTooLargeError extends api_js_1.ApiError {
    name = 'RequestHeaderFieldsTooLargeError';
}
exports.RequestHeaderFieldsTooLargeError = RequestHeaderFieldsTooLargeError;
class InternalServerError extends api_js_1.ApiError {
    name = 'InternalServerError';
}
exports.InternalServerError = InternalServerError;
class ServiceUnavailableError extends api_js_1.ApiError {
    name = 'ServiceUnavailableError';
}
exports.ServiceUnavailableError = ServiceUnavailableError;
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
function createClient(options) {
    const on = (0, runtime_js_1.connect)(options, errors, 'bot-builder-client/1.0.0');
    const workspaces = {
        list: on({ "method": "GET", "path": "/v1/workspaces", "query": true, "entries": "workspaces" }),
        create: on({ "method": "POST", "path": "/v1/workspaces", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}" }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}", "repeatable": true }),
    };
    const members = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/members", "query": true, "entries": "members" }),
        add: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/members", "body": true, "key": true }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/members/{userId}", "body": true, "key": true }),
        remove: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/members/{userId}", "repeatable": true }),
    };
    const invitations = {
        create: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/invitations", "body": true, "key": true }),
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/invitations", "query": true, "entries": "invitations" }),
        revoke: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/invitations/{invitationId}", "repeatable": true }),
    };
    const credentials = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/credentials" }),
        create: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/credentials", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}" }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}", "body": true, "key": true }),
        test: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}/test", "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/credentials/{credentialsId}", "repeatable": true }),
    };
    const auditLogs = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/auditLog", "query": true, "entries": "entries" }),
    };
    const folders = {
        list: on({ "method": "GET", "path": "/v1/folders", "query": true, "entries": "folders" }),
        create: on({ "method": "POST", "path": "/v1/folders", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/folders/{folderId}", "query": true }),
        update: on({ "method": "PATCH", "path": "/v1/folders/{folderId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/folders/{folderId}", "query": true, "repeatable": true }),
    };
    const bots = {
        list: on({ "method": "GET", "path": "/v1/bots", "query": true, "entries": "bots" }),
        create: on({ "method": "POST", "path": "/v1/bots", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}", "query": true }),
        update: on({ "method": "PATCH", "path": "/v1/bots/{botId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/bots/{botId}", "repeatable": true }),
        import: on({ "method": "POST", "path": "/v1/bots/import", "body": true, "key": true }),
        duplicate: on({ "method": "POST", "path": "/v1/bots/{botId}/duplicate", "body": true, "key": true }),
        export: on({ "method": "GET", "path": "/v1/bots/{botId}/export" }),
        check: on({ "method": "GET", "path": "/v1/bots/{botId}/check" }),
        compare: on({ "method": "GET", "path": "/v1/bots/{botId}/compare", "query": true }),
        publish: on({ "method": "POST", "path": "/v1/bots/{botId}/publish", "key": true }),
        unpublish: on({ "method": "POST", "path": "/v1/bots/{botId}/unpublish", "key": true }),
    };
    const templates = {
        list: on({ "method": "GET", "path": "/v1/templates" }),
        get: on({ "method": "GET", "path": "/v1/templates/{templateId}" }),
    };
    const webhookBlocks = {
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/webhookBlocks" }),
        subscribe: on({ "method": "POST", "path": "/v1/bots/{botId}/webhookBlocks/{blockId}/subscribe", "body": true, "key": true }),
        unsubscribe: on({ "method": "POST", "path": "/v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe", "key": true }),
    };
    const resultExamples = {
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample" }),
    };
    const publishedBots = {
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/publishedBot", "query": true }),
    };
    const publications = {
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/publications", "query": true, "entries": "publications" }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/publications/{publicationId}" }),
        restore: on({ "method": "POST", "path": "/v1/bots/{botId}/publications/{publicationId}/restore", "key": true }),
    };
    const results = {
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/results", "query": true, "entries": "results" }),
        delete: on({ "method": "DELETE", "path": "/v1/bots/{botId}/results", "query": true, "needs": ["resultIds", "createdBefore"] }),
        deleteAll: on({ "method": "DELETE", "path": "/v1/bots/{botId}/results" }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}" }),
        export: on({ "method": "GET", "path": "/v1/bots/{botId}/resultsExport", "query": true, "raw": true }),
    };
    const transcripts = {
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}/transcript" }),
    };
    const resultLogs = {
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/results/{resultId}/logs", "query": true, "entries": "logs" }),
    };
    const stats = {
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/analytics/stats", "query": true }),
    };
    const blockStats = {
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/analytics/blocks", "query": true }),
    };
    const chat = {
        start: on({ "method": "POST", "path": "/api/v1/bots/{publicId}/startChat", "body": true, "key": true, "open": true, "timeout": 150000 }),
        startStreaming: on({ "method": "POST", "path": "/api/v1/bots/{publicId}/startChat", "body": true, "key": true, "open": true, "timeout": 150000, "events": true }),
        continue: on({ "method": "POST", "path": "/api/v1/sessions/{sessionId}/continueChat", "body": true, "open": true }),
        continueStreaming: on({ "method": "POST", "path": "/api/v1/sessions/{sessionId}/continueChat", "body": true, "open": true, "events": true }),
        list: on({ "method": "GET", "path": "/v1/bots/{botId}/chats", "query": true, "entries": "chats" }),
        get: on({ "method": "GET", "path": "/v1/bots/{botId}/chats/{sessionId}" }),
        update: on({ "method": "PATCH", "path": "/v1/bots/{botId}/chats/{sessionId}", "body": true, "key": true }),
    };
    const sessions = {
        get: on({ "method": "GET", "path": "/api/v1/sessions/{sessionId}", "open": true }),
    };
    const sessionEvents = {
        list: on({ "method": "GET", "path": "/api/v1/sessions/{sessionId}/events", "query": true, "open": true }),
    };
    const previews = {
        start: on({ "method": "POST", "path": "/api/v1/bots/{botId}/preview/startChat", "body": true, "key": true, "timeout": 150000 }),
    };
    const webhooks_ = {
        execute: on({ "method": "POST", "path": "/api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook", "body": true, "key": true, "timeout": 150000 }),
    };
    const clientLogs = {
        save: on({ "method": "POST", "path": "/api/v2/sessions/{sessionId}/clientLogs", "body": true, "open": true }),
    };
    const workspaceChats = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/chats", "query": true, "entries": "chats" }),
    };
    const messages = {
        send: on({ "method": "POST", "path": "/v1/bots/{botId}/chats/{sessionId}/messages", "body": true, "key": true }),
    };
    const typingSigns = {
        update: on({ "method": "PUT", "path": "/v1/bots/{botId}/chats/{sessionId}/typing", "body": true }),
    };
    const chatwootEvents = {
        receive: on({ "method": "POST", "path": "/api/v1/bots/{botId}/chatwoot/{credentialsId}", "body": true, "query": true, "open": true }),
    };
    const webhookEndpoints = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints" }),
        create: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints", "body": true, "key": true }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}" }),
        update: on({ "method": "PATCH", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}", "body": true, "key": true }),
        delete: on({ "method": "DELETE", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}", "repeatable": true }),
        test: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test", "key": true }),
    };
    const webhookSecrets = {
        rotate: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret", "key": true }),
    };
    const webhookDeliveries = {
        list: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries", "query": true, "entries": "webhookDeliveries" }),
        get: on({ "method": "GET", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}" }),
        redeliver: on({ "method": "POST", "path": "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver", "key": true }),
    };
    const files = {
        upload: on({ "method": "POST", "path": "/api/v1/sessions/{sessionId}/uploads", "body": true, "file": true, "query": true, "open": true, "timeout": 600000 }),
    };
    const currentUser = {
        get: on({ "method": "GET", "path": "/v1/currentUser" }),
    };
    const browserSessions = {
        list: on({ "method": "GET", "path": "/v1/users/me/browserSessions", "query": true, "entries": "browserSessions" }),
        revoke: on({ "method": "DELETE", "path": "/v1/users/me/browserSessions/{browserSessionId}", "repeatable": true }),
    };
    const tokens = {
        list: on({ "method": "GET", "path": "/v1/users/me/tokens", "query": true, "entries": "apiTokens" }),
        create: on({ "method": "POST", "path": "/v1/users/me/tokens", "body": true, "key": true }),
        revoke: on({ "method": "DELETE", "path": "/v1/users/me/tokens/{tokenId}", "repeatable": true }),
    };
    const deviceLogins = {
        start: on({ "method": "POST", "path": "/v1/deviceLogins", "body": true, "open": true }),
        continue: on({ "method": "POST", "path": "/v1/deviceLogins/continue", "body": true, "open": true }),
    };
    bots.edit = (0, helpers_js_1.editor)(bots);
    chat.converse = (0, helpers_js_1.conversation)(chat);
    webhooks_.verify = helpers_js_1.verify;
    return { workspaces, members, invitations, credentials, auditLogs, folders, bots, templates, webhookBlocks, resultExamples, publishedBots, publications, results, transcripts, resultLogs, stats, blockStats, chat, sessions, sessionEvents, previews, webhooks: webhooks_, clientLogs, workspaceChats, messages, typingSigns, chatwootEvents, webhookEndpoints, webhookSecrets, webhookDeliveries, files, currentUser, browserSessions, tokens, deviceLogins };
}
