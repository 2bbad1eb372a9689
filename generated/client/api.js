// Made by `make generate` from contract/. Do not edit.
/*
 * What callers of the client give and get. `make generate` compiles this file and its neighbours into
 * generated/client/, in both module forms, so they use only what Node 20 and browsers have in common.
 */
/** The service refused, or failed. There is a class for every code; a code without one has this class. */
export class ApiError extends Error {
    /** Status of the answer. */
    status;
    /** Code of the error, such as `NOT_FOUND`; `UNKNOWN` where something else than the service answered. */
    code;
    /** What is wrong and where; may be empty. */
    issues;
    /** Names the request in the log of the service. */
    requestId;
    /** After how many seconds to try again, where the service said so. */
    retryAfter;
    /** Headers of the response. */
    headers;
    /** The body of the response as it came. */
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
/** No answer came: `cause` says why. What was asked for may have been done. */
export class ConnectionError extends Error {
    name = 'ConnectionError';
}
/** No answer came in time. What was asked for may have been done. */
export class TimeoutError extends ConnectionError {
    name = 'TimeoutError';
}
function secondsOf(retryAfter) {
    if (!retryAfter)
        return undefined;
    const seconds = Number.isNaN(Number(retryAfter))
        ? (Date.parse(retryAfter) - Date.now()) / 1000
        : Number(retryAfter);
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
export function isInProgress(error) {
    return error instanceof ApiError && error.issues.some(({ code }) => code === 'in_progress');
}
export function sleep(milliseconds, signal) {
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
