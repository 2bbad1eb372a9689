// Made by `make generate` from contract/. Do not edit.
import { type Any, ApiError } from './api.js';
export type ErrorClasses = ReadonlyMap<string, typeof ApiError>;
export declare function bodyOf(response: Response, text: string, errorClasses: ErrorClasses): {
    body: any;
    response: Response;
};
export declare function isEventStream(response: Response): boolean;
export declare function streamOf(sent: Promise<{
    body: Any;
    response: Response;
}>): Any;
export declare function eventsOf(response: Response, errorClasses: ErrorClasses, release: () => void): AsyncGenerator<Any>;
