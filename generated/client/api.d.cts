// Made by `make generate` from contract/. Do not edit.
export interface ClientOptions {
    /** Address of the service, such as `https://bots.example.com`. A path in it is kept. */
    baseUrl: string;
    /** Access token, or a function that gives one and is asked before every request. To chat takes none. */
    token?: string | (() => string | Promise<string>);
    /** Sends the requests in place of the global `fetch`. */
    fetch?: typeof globalThis.fetch;
    /** Headers that are sent with every request. */
    headers?: Record<string, string>;
    /**
     * Milliseconds until an attempt ends as a `TimeoutError`; `Infinity` means never. Default: 60,000, of operations that
     * wait for other services 150,000, of uploads 600,000.
     */
    timeout?: number;
    /** How often a request is sent again, where that is safe. Default: 2. */
    maxRetries?: number;
    /** Called after every attempt. It gets no header and no body, so no secret. */
    logger?: (attempt: Attempt) => void;
}
/** One attempt of a request, for a log. */
export interface Attempt {
    method: string;
    url: string;
    /** Counts from 1. */
    attempt: number;
    milliseconds: number;
    /** Absent where no response came. */
    status?: number;
    requestId?: string;
    /** Absent where the attempt succeeded. */
    error?: Error;
}
export interface RequestOptions {
    /** Ends the call, its retries and the waits between them. The call fails with the reason of the signal. */
    signal?: AbortSignal;
    /** They replace headers of the client with the same name, in any case. */
    headers?: Record<string, string>;
    /** In place of the one of the client. */
    timeout?: number;
    /** In place of the one of the client. */
    maxRetries?: number;
}
/** Of writes that are done once, however often they arrive. */
export interface KeyOptions {
    /**
     * Names the effect: the same key and request give the same answer for 7 days. Every call has a key of its own when
     * this is absent; give one for what must be done once although the program may end and start again.
     */
    idempotencyKey?: string;
}
/** Of writes that can be made to one state of the record alone. */
export interface MatchOptions {
    /** The `ETag` of the response that the record was read with. In another state it is a `PreconditionFailedError`. */
    ifMatch?: string;
}
/** What an operation answers, in time: `await` it. */
export interface Reply<Body> extends Promise<Body> {
    /** The body together with the status and headers that it came with. Ask at once, in place of `await`. */
    withResponse(): Promise<{
        body: Body;
        response: Response;
    }>;
}
/** A list: `await` gives its first page, `for await` every entry of this and all further pages. */
export interface Pages<Page, Entry> extends Reply<Page>, AsyncIterable<Entry> {
    /** Every page, each asked for when it is needed. */
    pages(): AsyncIterable<Page>;
}
/** One thing that is wrong, and where. */
export interface Issue {
    /** The place (`path`, `query`, `header` or `body`), then keys; indexes are text. */
    path: string[];
    /** Kind of the issue. The list grows: take a code that you do not know for `custom`. */
    code: string;
    /** What is wrong, for people. */
    message: string;
    /** What is stored, on a conflict or a failed precondition. */
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
/** The service refused, or failed. There is a class for every code; a code without one has this class. */
export declare class ApiError extends Error {
    /** Status of the answer. */
    readonly status: number;
    /** Code of the error, such as `NOT_FOUND`; `UNKNOWN` where something else than the service answered. */
    readonly code: string;
    /** What is wrong and where; may be empty. */
    readonly issues: Issue[];
    /** Names the request in the log of the service. */
    readonly requestId: string | undefined;
    /** After how many seconds to try again, where the service said so. */
    readonly retryAfter: number | undefined;
    /** Headers of the response. */
    readonly headers: Headers;
    /** The body of the response as it came. */
    readonly body: string;
    constructor(response: Response, { code, message, issues }: ErrorBody, body?: string);
}
/** No answer came: `cause` says why. What was asked for may have been done. */
export declare class ConnectionError extends Error {
    name: string;
}
/** No answer came in time. What was asked for may have been done. */
export declare class TimeoutError extends ConnectionError {
    name: string;
}
/** Events of a chat as they come: `for await` ends after the last one, and throws what the service could not do. */
export interface Events<Event> extends AsyncIterable<Event> {
}
export type Any = any;
export declare function isInProgress(error: unknown): boolean;
export declare function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
