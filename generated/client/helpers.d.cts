// Made by `make generate` from contract/. Do not edit.
import { type Any, type RequestOptions } from './api.cjs';
/** Headers of a delivery: as `fetch` has them, or as Node has them. */
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>;
/**
 * Proves that a delivery was signed by the service, and gives its event. `body` is the text as it came, `secret` the
 * one that the endpoint was created with. Throws where the signature is wrong or older than five minutes.
 */
export declare function verify(body: string, headers: DeliveryHeaders, secret: string): Promise<Any>;
/** A chat that keeps its session and its revision between answers. */
export declare function conversation(chat: {
    start: (...args: Any[]) => Promise<Any>;
    continue: (...args: Any[]) => Promise<Any>;
}): (publicId: string, body?: Any, options?: RequestOptions) => Promise<Any>;
interface EditOptions extends RequestOptions {
    migrateToLatestVersion?: boolean;
    attempts?: number;
}
/** Reads a bot, makes the change on it, and writes it to the state that was read; again when that was another by then. */
export declare function editor(bots: {
    get: (...args: Any[]) => Promise<Any>;
    update: (...args: Any[]) => Promise<Any>;
}): (botId: string, change: (bot: Any) => Any, options?: EditOptions) => Promise<Any>;
export {};
