// Made by `make generate` from contract/. Do not edit.
import { type Any, type RequestOptions } from './api.cjs';
/** Headers of a delivery, as `fetch` or Node represents them. */
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>;
/**
 * Verifies that the service signed a delivery, and returns its event. `body` is the raw text, `secret` that of the
 * endpoint. Throws if the signature is wrong or older than five minutes.
 */
export declare function verify(body: string, headers: DeliveryHeaders, secret: string): Promise<Any>;
/** A chat that stores its session and revision between answers. */
export declare function conversation(chat: {
    start: (...args: Any[]) => Promise<Any>;
    continue: (...args: Any[]) => Promise<Any>;
}): (publicId: string, body?: Any, options?: RequestOptions) => Promise<Any>;
interface EditOptions extends RequestOptions {
    migrateToLatestVersion?: boolean;
    attempts?: number;
}
/** Reads a bot, applies the change and writes it. If the bot has changed in between, starts again. */
export declare function editor(bots: {
    get: (...args: Any[]) => Promise<Any>;
    update: (...args: Any[]) => Promise<Any>;
}): (botId: string, change: (bot: Any) => Any, options?: EditOptions) => Promise<Any>;
export {};
