// Made by `make generate` from contract/. Do not edit.
import { ApiError, ConnectionError, isInProgress, sleep, TimeoutError, } from './api.js';
import { bodyOf, eventsOf, isEventStream, streamOf } from './responses.js';
const MAX_TIMER_MS = 2 ** 31 - 1;
const DEFAULT_TIMEOUT_MS = 60_000;
/** Returns a factory that makes the method of an operation. */
export function connect(given, errorClasses, 
/** Name of the package and its version. */
agent) {
    const { baseUrl, token, fetch = globalThis.fetch, headers = {}, maxRetries = 2, logger } = given;
    const { href } = new URL(baseUrl);
    const base = href.endsWith('/') ? href.slice(0, -1) : href;
    // Browsers send their own `User-Agent`, and setting it would cause a preflight request.
    const userAgent = 'document' in globalThis ? undefined : agent;
    const timeoutOf = ({ operation, options }) => options.timeout ?? given.timeout ?? operation.timeout ?? DEFAULT_TIMEOUT_MS;
    async function headersOf({ operation, body, options }, key) {
        const bearer = operation.open ? undefined : typeof token === 'function' ? await token() : token;
        const all = new Headers();
        const set = (name, value) => value !== undefined && all.set(name, value);
        set('User-Agent', userAgent);
        set('Authorization', bearer === undefined ? undefined : `Bearer ${bearer}`);
        set('Content-Type', body === undefined ? undefined : operation.file ? 'application/octet-stream' : 'application/json');
        set('Accept', operation.events ? 'text/event-stream' : undefined);
        set('Idempotency-Key', key);
        set('If-Match', options.ifMatch);
        set('Prefer', options.minimal ? 'return=minimal' : undefined);
        for (const more of [headers, options.headers ?? {}]) {
            for (const [name, value] of Object.entries(more))
                all.set(name, value);
        }
        return all;
    }
    /** Sends a request once and reads the response within the same timeout. */
    async function attempt(call, key) {
        const { operation, target, options } = call;
        const { signal } = options;
        const timeout = timeoutOf(call);
        const request = `${operation.method} ${target}`;
        signal?.throwIfAborted();
        const controller = new AbortController();
        const timer = timeout <= MAX_TIMER_MS ? setTimeout(() => controller.abort(), timeout) : undefined;
        const abort = () => controller.abort(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        let isReading = false;
        const release = () => signal?.removeEventListener('abort', abort);
        try {
            const sent = await orAborted(headersOf(call, key), controller.signal);
            const response = await fetch(base + target, {
                method: operation.method,
                headers: Object.fromEntries(sent),
                body: call.body === undefined || operation.file ? call.body : JSON.stringify(call.body),
                signal: controller.signal,
            });
            // The caller reads these without a timeout; its signal still aborts a stream of events.
            if (response.ok && (operation.raw || (operation.events && isEventStream(response)))) {
                isReading = operation.events === true;
                return { body: operation.raw ? response : eventsOf(response, errorClasses, release), response };
            }
            if (response.status === 304)
                return { body: undefined, response };
            return bodyOf(response, await response.text(), errorClasses);
        }
        catch (cause) {
            if (cause instanceof ApiError)
                throw cause;
            signal?.throwIfAborted();
            if (controller.signal.aborted)
                throw new TimeoutError(`${request} had no response in ${timeout} ms`);
            throw new ConnectionError(`${request} had no response`, { cause });
        }
        finally {
            clearTimeout(timer);
            if (!isReading)
                release();
        }
    }
    async function sendLogged(call, key, count) {
        if (!logger)
            return attempt(call, key);
        const { method } = call.operation;
        const began = performance.now();
        const line = () => ({
            method,
            url: base + call.target,
            attempt: count,
            milliseconds: performance.now() - began,
        });
        const idOf = (requestId) => (requestId ? { requestId } : {});
        try {
            const result = await attempt(call, key);
            const { status, headers } = result.response;
            logger({ ...line(), status, ...idOf(headers.get('x-request-id')) });
            return result;
        }
        catch (error) {
            const known = error instanceof ApiError ? { status: error.status, ...idOf(error.requestId) } : {};
            logger({ ...line(), ...known, error: error });
            throw error;
        }
    }
    async function send(call) {
        const { operation, options, body } = call;
        if (options.ifMatch === null)
            throw new TypeError('ifMatch is null: without an entity tag, leave it out');
        const key = operation.key ? (options.idempotencyKey ?? newKey()) : undefined;
        const hasRevision = typeof body?.revision === 'number';
        const isRepeatable = operation.method === 'GET' || key !== undefined || operation.repeatable === true || hasRevision;
        const retries = options.maxRetries ?? maxRetries;
        let runningSince;
        for (let attempts = 0;; attempts++) {
            try {
                return await sendLogged(call, key, attempts + 1);
            }
            catch (error) {
                // A retried deletion gets a 404 if the first attempt deleted the record.
                if (attempts > 0 &&
                    operation.method === 'DELETE' &&
                    error instanceof ApiError &&
                    error.status === 404) {
                    return { body: { message: 'success' }, response: new Response(null, { status: 204 }) };
                }
                if (isInProgress(error))
                    runningSince ??= performance.now();
                // Waits for the first request for one timeout, counted from when it was found in progress.
                const isRunning = isInProgress(error) && performance.now() - (runningSince ?? 0) < timeoutOf(call);
                const isLast = attempts >= retries && !(isRunning && retries > 0);
                const wait = mayRepeat(error, isRepeatable, key !== undefined)
                    ? waitAfter(error, attempts)
                    : undefined;
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
            if (operation.events)
                return streamOf(sent);
            const reply = Object.assign(sent.then(({ body }) => body), {
                withResponse() {
                    // The caller handles failures of the returned promise.
                    reply.catch(() => { });
                    return sent;
                },
            });
            if (entries === undefined)
                return reply;
            const getPage = (cursor) => method(...args.slice(0, queryAt), { ...query, cursor }, options);
            return Object.assign(reply, {
                pages: () => pagesOf(reply, getPage),
                async *[Symbol.asyncIterator]() {
                    for await (const page of pagesOf(reply, getPage))
                        yield* page[entries];
                },
            });
        };
        return method;
    };
}
/** Waits for work that does not support signals, until the signal aborts. */
function orAborted(work, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => reject(signal.reason);
        if (signal.aborted)
            stop();
        signal.addEventListener('abort', stop, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
}
async function* pagesOf(first, getPage) {
    let page = await first;
    yield page;
    while (typeof page.nextCursor === 'string') {
        page = await getPage(page.nextCursor);
        yield page;
    }
}
function targetOf({ path, needs }, ids, query = {}) {
    let index = 0;
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
        const id = ids[index++];
        // An empty id, or one that browsers resolve as the parent path, would change the path.
        if (typeof id !== 'string' || ['', '.', '..'].includes(id))
            throw new TypeError(`${name} is not an id`);
        return encodeURIComponent(id);
    });
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined)
            given.set(name, String(value));
    if (needs) {
        if (!needs.some((name) => given.has(name)))
            throw new TypeError(`${needs.join(' or ')} is missing`);
        // The service reads an empty list as no list, which means everything.
        const empty = needs.find((name) => given.get(name) === '');
        if (empty !== undefined)
            throw new TypeError(`${empty} is empty`);
    }
    // Older browsers lack `URLSearchParams.size`.
    const text = String(given);
    return text === '' ? filled : `${filled}?${text}`;
}
/** Returns 128 random bits. Pages without TLS have no `randomUUID`. */
function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
/** True if a retry is safe. A 429 means that nothing was done; after other failures it may have taken effect. */
function mayRepeat(error, isRepeatable, hasKey) {
    if (!(error instanceof ApiError))
        return isRepeatable && error instanceof ConnectionError;
    if (error.status === 429)
        return true;
    if (error.status === 500)
        return hasKey;
    return isRepeatable && ([408, 502, 503, 504].includes(error.status) || isInProgress(error));
}
/** Returns the delay before a retry in milliseconds, undefined if `Retry-After` exceeds the maximum of a call. */
function waitAfter(error, attempts) {
    const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
    if (retryAfter !== undefined)
        return retryAfter <= 60 ? retryAfter * 1000 : undefined;
    return Math.min(500 * 2 ** attempts, 8000) * (1 - Math.random() / 4);
}
