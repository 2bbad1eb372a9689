// Made by `make generate` from contract/. Do not edit.
"use strict";
/*
 * Public types of the client. `make generate` compiles this file and its neighbours into generated/client/, in both
 * module formats, so they use only features that Node 20 and browsers share.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.TimeoutError = exports.ConnectionError = exports.ApiError = void 0;
exports.isInProgress = isInProgress;
exports.sleep = sleep;
/** The service rejected the request, or failed. Every code has a class; unknown codes have this one. */
class ApiError extends Error {
    /** Status of the response. */
    status;
    /** Code of the error, such as `NOT_FOUND`; `UNKNOWN` if the response is not from the service. */
    code;
    /** Issues of the request; may be empty. */
    issues;
    /** Id of the request in the log of the service. */
    requestId;
    /** Seconds to wait before a retry, if the service sent `Retry-After`. */
    retryAfter;
    /** Headers of the response. */
    headers;
    /** Body of the response as it arrived. */
    body;
    constructor(response, { code, message, issues }, body = '') {
        const [issue] = issues;
        super(`${response.status} ${code}: ${message}${issue ? ` (${issue.path.join('.')}: ${issue.message})` : ''}`);
        this.name = 'ApiError';
        this.headers = response.headers;
        this.body = body;
        this.status = response.status;
        this.code = code;
        this.issues = issues;
        this.requestId = response.headers.get('x-request-id') ?? undefined;
        this.retryAfter = secondsOf(response.headers.get('retry-after'));
    }
}
exports.ApiError = ApiError;
/** No response arrived; `cause` has the reason. The request may have taken effect. */
class ConnectionError extends Error {
    name = 'ConnectionError';
}
exports.ConnectionError = ConnectionError;
/** No response arrived in time. The request may have taken effect. */
class TimeoutError extends ConnectionError {
    name = 'TimeoutError';
}
exports.TimeoutError = TimeoutError;
function secondsOf(retryAfter) {
    if (!retryAfter)
        return undefined;
    const seconds = Number.isNaN(Number(retryAfter))
        ? (Date.parse(retryAfter) - Date.now()) / 1000
        : Number(retryAfter);
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
function isInProgress(error) {
    return error instanceof ApiError && error.issues.some(({ code }) => code === 'in_progress');
}
function sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', stop);
            resolve();
        }, milliseconds);
        if (signal?.aborted)
            stop();
        signal?.addEventListener('abort', stop, { once: true });
    });
}
