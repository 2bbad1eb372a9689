// Made by `make generate` from contract/. Do not edit.
"use strict";
/*
 * What the client does the same for every operation. `make generate` compiles this file into generated/client/, in
 * both module forms, so it imports nothing and uses only what Node 20 and browsers have in common.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.TimeoutError = exports.ConnectionError = exports.ApiError = void 0;
exports.connect = connect;
exports.editor = editor;
/** The service refused, or failed. There is a class for every code; a code without one has this class. */
class ApiError extends Error {
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
    constructor(response, { code, message, issues }) {
        const [issue] = issues;
        super(`${response.status} ${code}: ${message}${issue ? ` (${issue.path.join('.')}: ${issue.message})` : ''}`);
        this.name = new.target.name;
        this.status = response.status;
        this.code = code;
        this.issues = issues;
        this.requestId = response.headers.get('x-request-id') ?? undefined;
        this.retryAfter = secondsOf(response.headers.get('retry-after'));
    }
}
exports.ApiError = ApiError;
/** No answer came: `cause` says why. What was asked for may have been done. */
class ConnectionError extends Error {
    name = 'ConnectionError';
}
exports.ConnectionError = ConnectionError;
/** No answer came in time. What was asked for may have been done. */
class TimeoutError extends ConnectionError {
    name = 'TimeoutError';
}
exports.TimeoutError = TimeoutError;
/** Gives for an operation the function that calls it. */
function connect({ baseUrl, token, fetch = globalThis.fetch, headers, timeout = 60_000, maxRetries = 2 }, errorClasses) {
    const { href } = new URL(baseUrl);
    const base = href.endsWith('/') ? href.slice(0, -1) : href;
    async function headersOf({ operation, body, options }, key) {
        const bearer = operation.open ? undefined : typeof token === 'function' ? await token() : token;
        return {
            ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
            ...(body === undefined
                ? {}
                : { 'Content-Type': operation.file ? 'application/octet-stream' : 'application/json' }),
            ...(key === undefined ? {} : { 'Idempotency-Key': key }),
            ...(options.ifMatch ? { 'If-Match': options.ifMatch } : {}),
            ...(options.minimal ? { Prefer: 'return=minimal' } : {}),
            ...headers,
            ...options.headers,
        };
    }
    /** Sends a request once, and reads the answer within the same time. */
    async function attempt(call, key) {
        const { operation, target, options } = call;
        const { signal } = options;
        const sent = await headersOf(call, key);
        signal?.throwIfAborted();
        const patience = options.timeout ?? timeout;
        const controller = new AbortController();
        const timer = Number.isFinite(patience) ? setTimeout(() => controller.abort(), patience) : undefined;
        const abort = () => controller.abort(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        let response;
        let text;
        try {
            response = await fetch(base + target, {
                method: operation.method,
                headers: sent,
                body: call.body === undefined || operation.file ? call.body : JSON.stringify(call.body),
                signal: controller.signal,
            });
            // The caller reads it, without a limit of time.
            if (response.ok && operation.raw)
                return { body: response, response };
            text = await response.text();
            signal?.removeEventListener('abort', abort);
        }
        catch (cause) {
            signal?.throwIfAborted();
            const request = `${operation.method} ${target}`;
            if (controller.signal.aborted)
                throw new TimeoutError(`${request} had no answer in ${patience} ms`);
            throw new ConnectionError(`${request} had no answer`, { cause });
        }
        finally {
            clearTimeout(timer);
        }
        const answer = parsed(text);
        if (response.ok && answer !== undefined)
            return { body: answer, response };
        const problem = errorBodyOf(answer);
        throw new (errorClasses.get(problem.code) ?? ApiError)(response, problem);
    }
    async function send(call) {
        const { operation, options } = call;
        const key = operation.key ? (options.idempotencyKey ?? newKey()) : undefined;
        const isRepeatable = operation.method === 'GET' || key !== undefined;
        const retries = options.maxRetries ?? maxRetries;
        const began = Date.now();
        for (let attempts = 0;; attempts++) {
            try {
                return await attempt(call, key);
            }
            catch (error) {
                // A request that is still running is waited for as long as for one that has not answered.
                const isRunning = isInProgress(error) && Date.now() - began < (options.timeout ?? timeout);
                const isLast = attempts >= retries && !(isRunning && retries > 0);
                const wait = mayRepeat(error, isRepeatable) ? waitAfter(error, attempts) : undefined;
                if (isLast || wait === undefined)
                    throw error;
                await sleep(wait, options.signal);
            }
        }
    }
    return (operation) => {
        const { path, entries } = operation;
        const queryAt = path.split('{').length - 1 + (operation.body ? 1 : 0);
        const method = (...args) => {
            const ids = args.slice(0, path.split('{').length - 1);
            const body = operation.body ? args[queryAt - 1] : undefined;
            const query = operation.query ? args[queryAt] : undefined;
            const options = args[queryAt + (operation.query ? 1 : 0)] ?? {};
            const sent = (async () => send({ operation, target: targetOf(operation, ids, query), body, options }))();
            const reply = Object.assign(sent.then((answer) => answer.body), {
                withResponse() {
                    // Who takes this promise learns of a failure from it.
                    reply.catch(() => { });
                    return sent;
                },
            });
            if (entries === undefined)
                return reply;
            const turn = (cursor) => method(...args.slice(0, queryAt), { ...query, cursor }, options);
            return Object.assign(reply, {
                pages: () => pagesOf(reply, turn),
                async *[Symbol.asyncIterator]() {
                    for await (const page of pagesOf(reply, turn))
                        yield* page[entries];
                },
            });
        };
        return method;
    };
}
async function* pagesOf(first, turn) {
    let page = await first;
    yield page;
    while (typeof page.nextCursor === 'string') {
        page = await turn(page.nextCursor);
        yield page;
    }
}
function targetOf({ path, needs }, ids, query = {}) {
    let index = 0;
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
        const id = ids[index++];
        // An id that is missing, or that a browser takes for the way up, would make it another request.
        if (typeof id !== 'string' || ['', '.', '..'].includes(id))
            throw new TypeError(`${name} is not an id`);
        return encodeURIComponent(id);
    });
    // An empty list would be sent as nothing, which means everything.
    const isGiven = (name) => String(query[name] ?? '') !== '';
    if (needs && !needs.some(isGiven))
        throw new TypeError(`${needs.join(' or ')} is missing`);
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined)
            given.set(name, String(value));
    return given.size === 0 ? filled : `${filled}?${given}`;
}
/** 128 bits by chance; `randomUUID` is not there on pages without TLS. */
function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
function errorBodyOf(answer) {
    if (typeof answer?.code === 'string' && Array.isArray(answer.issues))
        return answer;
    return { code: 'UNKNOWN', message: 'Not an answer of the service', issues: [] };
}
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
/** What was too much was refused before anything was done; after all else a request may have been carried out. */
function mayRepeat(error, isRepeatable) {
    if (!(error instanceof ApiError))
        return isRepeatable && error instanceof ConnectionError;
    if (error.status === 429)
        return true;
    return isRepeatable && ([408, 502, 503, 504].includes(error.status) || isInProgress(error));
}
/** Milliseconds to wait; undefined where the service wants more patience than a call has. */
function waitAfter(error, attempts) {
    const asked = error instanceof ApiError ? error.retryAfter : undefined;
    if (asked !== undefined)
        return asked <= 60 ? asked * 1000 : undefined;
    return Math.min(500 * 2 ** attempts, 8000) * (1 - Math.random() / 4);
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
/** Reads a bot, makes the change on it, and writes it to the state that was read; again when that was another by then. */
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
                const isStale = error instanceof ApiError && error.status === 409 && !isInProgress(error);
                if (!isStale || attempt >= attempts)
                    throw error;
                await sleep(100 * attempt * Math.random(), options.signal);
            }
        }
    };
}
