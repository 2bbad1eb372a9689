// Made by `make generate` from contract/. Do not edit.
import { type Any, type ClientOptions } from './api.js';
import { type ErrorClasses } from './responses.js';
/** Properties of a call of one operation. The generated table has one entry per operation. */
export interface Operation {
    method: string;
    path: string;
    /** True if the call takes a body or a query, in this order after the parameters of the path. */
    body?: boolean;
    query?: boolean;
    /** True if the body is a file, sent as raw bytes. */
    file?: boolean;
    /** Parameters of the query. One is required, since without them the request would mean everything. */
    needs?: readonly string[];
    /** Default timeout in milliseconds, if it differs from that of the client. */
    timeout?: number;
    /** True if a repeated request has no further effect. */
    repeatable?: boolean;
    /** True if the response is a stream of events. */
    events?: boolean;
    /** True if it takes an idempotency key. */
    key?: boolean;
    /** True if it takes no token. */
    open?: boolean;
    /** Property of a page that holds its entries. */
    entries?: string;
    /** True if the response is not JSON. The call then returns the `Response`. */
    raw?: boolean;
}
/** Returns a factory that makes the method of an operation. */
export declare function connect(given: ClientOptions, errorClasses: ErrorClasses, 
/** Name of the package and its version. */
agent: string): (operation: Operation) => (...args: Any[]) => Any;
