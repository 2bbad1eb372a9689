// Made by `make generate` from contract/. Do not edit.
import { type Any, type ClientOptions } from './api.cjs';
import { type ErrorClasses } from './responses.cjs';
/** How one operation is called; the generated table has one of these for each. */
export interface Operation {
    method: string;
    path: string;
    /** Whether the call takes a body and a query, in this order after the parameters of the path. */
    body?: boolean;
    query?: boolean;
    /** Whether the body is a file, sent as it is. */
    file?: boolean;
    /** The parameters of the query of which one has to be given, since without them it would mean everything. */
    needs?: readonly string[];
    /** Default of the time limit in milliseconds, where it is another than that of the client. */
    timeout?: number;
    /** Whether a repeat does no more than the first request did. */
    repeatable?: boolean;
    /** Whether the response is a stream of events. */
    events?: boolean;
    /** Whether it takes an idempotency key. */
    key?: boolean;
    /** Whether it takes no token. */
    open?: boolean;
    /** The property of a page that holds its entries. */
    entries?: string;
    /** Whether the answer is something else than JSON, and given as the response. */
    raw?: boolean;
}
/** Gives for an operation the function that calls it. */
export declare function connect(given: ClientOptions, errorClasses: ErrorClasses, version: string): (operation: Operation) => (...args: Any[]) => Any;
