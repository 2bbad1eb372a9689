// Made by `make generate` from contract/. Do not edit.
export interface ClientOptions {
    /** Address of the service, such as `https://api.example.com`. It may have a path. */
    baseUrl: string;
    /** Access token, or a function that returns one and is called before every request. Public operations need none. */
    token?: string | (() => string | Promise<string>);
    /** Sends the requests in place of the global `fetch`. */
    fetch?: typeof globalThis.fetch;
    /** Headers that are sent with every request. */
    headers?: Record<string, string>;
    /**
     * Milliseconds until an attempt fails with a `TimeoutError`; `Infinity` means never. Default: 60,000, for operations
     * that call other services 150,000, for uploads 600,000.
     */
    timeout?: number;
    /** Maximum retries of a request that is safe to repeat. Default: 2. */
    maxRetries?: number;
    /** Called after every attempt. Its argument has no headers and no body, so no secrets. */
    logger?: (attempt: Attempt) => void;
}
/** One attempt of a request, for a log. */
export interface Attempt {
    method: string;
    url: string;
    /** Counts from 1. */
    attempt: number;
    milliseconds: number;
    /** Absent if no response arrived. */
    status?: number;
    requestId?: string;
    /** Absent if the attempt succeeded. */
    error?: Error;
}
export interface RequestOptions {
    /** Aborts the call, its retries and the delays between them. The call fails with the reason of the signal. */
    signal?: AbortSignal;
    /** Replace headers of the client with the same name, regardless of case. */
    headers?: Record<string, string>;
    /** Replaces the timeout of the client. */
    timeout?: number;
    /** Replaces the maximum of the client. */
    maxRetries?: number;
}
/** Options of writes that take effect once, even if they are sent several times. */
export interface KeyOptions {
    /**
     * The same key and request get the same response for 7 days. By default every call has a key of its own. Set one if
     * the request must take effect once although the program may restart.
     */
    idempotencyKey?: string;
}
/** Options of writes that can be limited to one state of the record. */
export interface MatchOptions {
    /** `ETag` of the record that was read. If it has changed since, the call fails with a `PreconditionFailedError`. */
    ifMatch?: string;
}
/** Promise of the body of a response. */
export interface Reply<Body> extends Promise<Body> {
    /** Returns the body with its status and headers. Call it at once, in place of `await`. */
    withResponse(): Promise<{
        body: Body;
        response: Response;
    }>;
}
/** A list: `await` gives its first page, `for await` every entry of this and all further pages. */
export interface Pages<Page, Entry> extends Reply<Page>, AsyncIterable<Entry> {
    /** Every page. Each is requested when it is needed. */
    pages(): AsyncIterable<Page>;
}
/** One issue of a request. */
export interface Issue {
    /** Part of the request (`path`, `query`, `header` or `body`), then keys; indexes are text. */
    path: string[];
    /** Kind of the issue. Later releases add codes: treat an unknown one as `custom`. */
    code: string;
    /** Message for people. */
    message: string;
    /** State of the stored record, on a conflict or a failed precondition. */
    current?: {
        updatedAt?: string;
        etag?: string;
        id?: string;
    };
}
export interface ErrorBody {
    code: string;
    message: string;
    issues: Issue[];
}
/** The service rejected the request, or failed. Every code has a class; unknown codes have this one. */
export declare class ApiError extends Error {
    /** Status of the response. */
    readonly status: number;
    /** Code of the error, such as `NOT_FOUND`; `UNKNOWN` if the response is not from the service. */
    readonly code: string;
    /** Issues of the request; may be empty. */
    readonly issues: Issue[];
    /** Id of the request in the log of the service. */
    readonly requestId: string | undefined;
    /** Seconds to wait before a retry, if the service sent `Retry-After`. */
    readonly retryAfter: number | undefined;
    /** Headers of the response. */
    readonly headers: Headers;
    /** Body of the response as it arrived. */
    readonly body: string;
    constructor(response: Response, { code, message, issues }: ErrorBody, body?: string);
}
/** No response arrived; `cause` has the reason. The request may have taken effect. */
export declare class ConnectionError extends Error {
    name: string;
}
/** No response arrived in time. The request may have taken effect. */
export declare class TimeoutError extends ConnectionError {
    name: string;
}
/**
 * Events of a response as they arrive. `for await` ends after the last one, and throws the error if the request fails.
 */
export interface Events<Event> extends AsyncIterable<Event> {
}
export type Any = any;
export declare function isInProgress(error: unknown): boolean;
export declare function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
