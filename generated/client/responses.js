// Made by `make generate` from contract/. Do not edit.
import { ApiError, ConnectionError } from './api.js';
export function bodyOf(response, text, errorClasses) {
    if (response.ok && isEventStream(response)) {
        // A caller without a stream gets the last event, which has the whole response.
        const last = dataOf(text).at(-1);
        if (last?.type === 'answer')
            return { body: last.answer, response };
        if (last?.type === 'error')
            throw errorOf(response, last.error, text, errorClasses);
    }
    const body = parseText(text);
    if (response.ok && body !== undefined)
        return { body, response };
    throw errorOf(response, body, text, errorClasses);
}
function errorOf(response, body, text, errorClasses) {
    const error = errorBodyOf(body);
    return new (errorClasses.get(error.code) ?? ApiError)(response, error, text);
}
export function isEventStream(response) {
    return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}
/** Parses the data of complete events, each of which ends with an empty line. */
function dataOf(text) {
    return text.split('\n\n').flatMap((event) => {
        const lines = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
        const data = lines.length > 0 ? parseText(lines.join('\n')) : undefined;
        return data === undefined ? [] : [data];
    });
}
export function streamOf(sent) {
    sent.catch(() => { });
    return {
        async *[Symbol.asyncIterator]() {
            const { body } = await sent;
            // If a proxy does not support streams, the response is one JSON body.
            if (!(Symbol.asyncIterator in body))
                yield { type: 'answer', answer: body };
            else
                yield* body;
        },
    };
}
export async function* eventsOf(response, errorClasses, release) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    try {
        for (;;) {
            const { done, value } = await reader.read();
            text += done ? '' : decoder.decode(value, { stream: true }).replaceAll('\r', '');
            const end = text.lastIndexOf('\n\n');
            const events = end < 0 ? [] : dataOf(text.slice(0, end));
            if (end >= 0)
                text = text.slice(end + 2);
            for (const event of events) {
                if (event.type === 'error') {
                    const failed = new Response(null, { status: event.status, headers: response.headers });
                    throw errorOf(failed, event.error, JSON.stringify(event.error), errorClasses);
                }
                yield event;
                if (event.type === 'answer')
                    return;
            }
            if (done)
                throw new ConnectionError('The stream ended before the last event');
        }
    }
    catch (cause) {
        if (cause instanceof ApiError || cause instanceof ConnectionError)
            throw cause;
        throw new ConnectionError('The stream broke off', { cause });
    }
    finally {
        release();
        await reader.cancel().catch(() => { });
    }
}
function parseText(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
function errorBodyOf(body) {
    if (typeof body?.code === 'string' && Array.isArray(body.issues))
        return body;
    return { code: 'UNKNOWN', message: 'Not a response of the service', issues: [] };
}
