// Made by `make generate` from contract/. Do not edit.
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.verify = verify;
exports.conversation = conversation;
exports.editor = editor;
const api_ts_1 = require('./api.cjs');
/**
 * Verifies that the service signed a delivery, and returns its event. `body` is the raw text, `secret` that of the
 * endpoint. Throws if the signature is wrong or older than five minutes.
 */
async function verify(body, headers, secret) {
    const { Webhook } = await Promise.resolve().then(() => require('standardwebhooks'));
    const plain = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    return new Webhook(secret).verify(body, plain);
}
/** A chat that stores its session and revision between answers. */
function conversation(chat) {
    return async (publicId, body, options) => {
        const first = await chat.start(publicId, body, options);
        const own = {
            sessionId: first.sessionId,
            /** The latest response. */
            turn: first,
            async say(message, more) {
                const { revision } = own.turn;
                const answer = { message, ...(revision === undefined ? {} : { revision }) };
                own.turn = { sessionId: own.sessionId, ...(await chat.continue(own.sessionId, answer, more)) };
                return own.turn;
            },
        };
        return own;
    };
}
/** Reads a bot, applies the change and writes it. If the bot has changed in between, starts again. */
function editor(bots) {
    return async (botId, change, { attempts = 10, migrateToLatestVersion, ...options } = {}) => {
        for (let attempt = 1;; attempt++) {
            const { bot } = await bots.get(botId, { migrateToLatestVersion }, options);
            const { version, updatedAt } = bot;
            const changed = await change(bot);
            if (!changed)
                throw new TypeError('The change has to return the properties to write');
            try {
                return await bots.update(botId, { bot: { version, ...changed, updatedAt } }, options);
            }
            catch (error) {
                const isStale = error instanceof api_ts_1.ApiError && error.status === 409 && !(0, api_ts_1.isInProgress)(error);
                if (!isStale || attempt >= attempts)
                    throw error;
                await (0, api_ts_1.sleep)(100 * attempt * Math.random(), options.signal);
            }
        }
    };
}
