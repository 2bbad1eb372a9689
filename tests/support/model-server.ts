import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * Language models as their vendors serve them: chat completions of OpenAI and messages of Anthropic, whole and as
 * server-sent events, with tools. What they say is said by the test, and so is how they misbehave.
 */

type Json = Record<string, unknown>

export interface Asked {
  path: string
  headers: IncomingHttpHeaders
  body: Json
}

/** Next output of a model: words, calls of tools by their names, or a whole response. */
export type Saying =
  | string
  | { calls: Record<string, unknown>; text?: string }
  | { status: number; body: string; headers?: Record<string, string> }
  | ((response: ServerResponse, isStream: boolean) => void)

export interface ModelServer {
  /** `host:port`, as the list of hosts that may be called has it. */
  host: string
  url: string
  /** All requests, in order. */
  asked: Asked[]
  /** Sets the outputs for the next questions; the last one is repeated. */
  says(...sayings: Saying[]): void
  stop(): Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  const asked: Asked[] = []
  let sayings: Saying[] = ['Hello']
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = String(request.url)
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json
      asked.push({ path, headers: request.headers, body })
      const saying = (sayings.length > 1 ? sayings.shift() : sayings[0]) as Saying
      if (typeof saying === 'function') return saying(response, body.stream === true)
      if (typeof saying === 'object' && 'status' in saying) {
        response.writeHead(saying.status, { 'content-type': 'application/json', ...saying.headers })
        return response.end(saying.body)
      }
      const speak = path.split('?')[0]?.endsWith('/messages') ? anthropic : openAi
      speak(response, body, typeof saying === 'string' ? { text: saying, calls: {} } : saying)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}/v1`,
    asked,
    says: (...given) => {
      sayings = given
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Said {
  text?: string
  calls: Record<string, unknown>
}

/** A text as models stream it: a few characters at a time, cut anywhere. */
const pieces = (text: string) => text.match(/[\s\S]{1,3}/g) ?? []

export const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' }

function openAi(response: ServerResponse, body: Json, { text = '', calls }: Said) {
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
  const toolCalls = Object.entries(calls).map(([name, given], index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: body.model }
  const finish_reason = toolCalls.length > 0 ? 'tool_calls' : 'stop'
  if (body.stream !== true) {
    const message = {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason, logprobs: null }],
        usage,
      }),
    )
    return
  }
  response.writeHead(200, eventStream)
  const send = (choices: unknown[], more: Json = {}) =>
    response.write(
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    )
  const delta = (given: Json) => send([{ index: 0, delta: given, finish_reason: null }])
  delta({ role: 'assistant', content: '' })
  for (const content of pieces(text)) delta({ content })
  for (const [index, call] of toolCalls.entries()) {
    delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] })
    for (const part of pieces(call.function.arguments)) {
      delta({ tool_calls: [{ index, function: { arguments: part } }] })
    }
  }
  send([{ index: 0, delta: {}, finish_reason }])
  if ((body.stream_options as Json | undefined)?.include_usage === true) send([], { usage })
  response.end('data: [DONE]\n\n')
}

function anthropic(response: ServerResponse, body: Json, { text = '', calls }: Said) {
  const usage = { input_tokens: 7, output_tokens: 5 }
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...Object.entries(calls).map(([name, input], index) => ({
      type: 'tool_use',
      id: `toolu_${index}`,
      name,
      input,
    })),
  ]
  const stop_reason = Object.keys(calls).length > 0 ? 'tool_use' : 'end_turn'
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...message, content, stop_reason, usage }))
    return
  }
  response.writeHead(200, eventStream)
  const send = (event: Json) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const start = { ...message, content: [], stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } }
  send({ type: 'message_start', message: start })
  send({ type: 'ping' })
  for (const [index, block] of content.entries()) {
    const isText = 'text' in block
    const content_block = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    send({ type: 'content_block_start', index, content_block })
    for (const piece of pieces(isText ? String(block.text) : JSON.stringify((block as Json).input))) {
      const delta = isText
        ? { type: 'text_delta', text: piece }
        : { type: 'input_json_delta', partial_json: piece }
      send({ type: 'content_block_delta', index, delta })
    }
    send({ type: 'content_block_stop', index })
  }
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } })
  send({ type: 'message_stop' })
  response.end()
}
