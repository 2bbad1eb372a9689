/**
 * Language models, called through the libraries of their vendors. All requests of these go through the outbound
 * client, which bounds the responses before the libraries read them. A library is loaded for the first call of such a
 * model: both together would take 19 MB and a fifth of the time in which the service starts.
 */

import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { asArray, asObject, asObjects, asString, type JsonObject, parseJson } from '../json/access.ts'
import { plainNumbers, toJson } from '../kit/json/exact-numbers.ts'
import { type OutboundOptions, streamingClient } from './client.ts'
import { fetchBy, RequestRejected } from './model-fetch.ts'
import type { ModelMessage, ModelRequest, ModelResponse, ModelTool } from './model-types.ts'

/** Maximum bytes of a response with everything around its text: an event per word of a stream takes a few hundred. */
const MAX_ANSWER_BYTES = 8 * 1_048_576
/** Anthropic wants a number. */
const defaultMaximumTokens = 4_096

/** Resolves with a failure instead of rejecting. */
export type AskModel = (request: ModelRequest) => Promise<ModelResponse>

export function modelClient(options: OutboundOptions): AskModel {
  const open = streamingClient({ ...options, maximumBytes: MAX_ANSWER_BYTES })
  return async (request) => {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), request.milliseconds)
    const outbound = { fetch: fetchBy(open, request, deadline), signal: deadline.signal }
    try {
      const ask = request.protocol === 'anthropic' ? askAnthropic : askOpenAi
      return { ok: true, ...(await ask(request, outbound)) }
    } catch (error) {
      return failureOf(error, request, deadline.signal)
    } finally {
      clearTimeout(timer)
      // Closes the rest of a stream.
      deadline.abort()
    }
  }
}

interface Outbound {
  fetch: typeof fetch
  signal: AbortSignal
}

type Answer = Omit<Extract<ModelResponse, { ok: true }>, 'ok'>

function failureOf(
  error: unknown,
  { apiKey, milliseconds }: ModelRequest,
  signal: AbortSignal,
): ModelResponse {
  // Responses may repeat the key, and their texts are stored and shown.
  const clean = (message: string) => message.replaceAll(apiKey, '…').slice(0, 1_000)
  const { reason } = signal
  if (reason instanceof RequestRejected) return { ok: false, message: clean(reason.message) }
  if (signal.aborted) return { ok: false, message: `No answer within ${milliseconds} ms` }
  const { status, cause, message } = error as { status?: unknown; cause?: unknown; message?: unknown }
  if (cause instanceof Error) return { ok: false, message: clean(cause.message) }
  const cleanMessage = clean(String(message ?? error))
  return typeof status === 'number'
    ? { ok: false, status, message: cleanMessage }
    : { ok: false, message: cleanMessage }
}

// Vendors with the protocol of OpenAI

async function askOpenAi(request: ModelRequest, { fetch, signal }: Outbound): Promise<Answer> {
  const { apiKey, baseUrl, apiVersion, model, temperature, tools, schema, onText, wantsUsage } = request
  const { default: Client } = await import('openai')
  const client = new Client({
    apiKey,
    baseURL: baseUrl,
    // Nothing of the environment may get into requests of bots.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: request.milliseconds,
    logLevel: 'off',
    fetch,
    ...(apiVersion === undefined
      ? {}
      : { defaultQuery: { 'api-version': apiVersion }, defaultHeaders: { 'api-key': apiKey } }),
  })
  const body: OpenAI.ChatCompletionCreateParams = {
    model,
    messages: request.messages.map(toOpenAi),
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, ...(description === undefined ? {} : { description }), parameters },
          })),
        }),
    ...(schema === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'values', schema, strict: false },
          },
        }),
  }
  if (onText === undefined) {
    const response = asObject(await client.chat.completions.create(body, { signal }))
    const [choice] = asObjects(response.choices)
    if (choice === undefined) throw new Error('The answer is no chat completion')
    const message = asObject(choice.message)
    const calls = asObjects(message.tool_calls).map((call) => ({
      id: asString(call.id) ?? '',
      name: asString(asObject(call.function).name) ?? '',
      arguments: asString(asObject(call.function).arguments) ?? '',
    }))
    const usage = openAiUsage(response.usage)
    return { text: wordsOf(message.content), toolCalls: calls, usage, ...stopOf(choice.finish_reason) }
  }
  const stream = await client.chat.completions.create(
    { ...body, stream: true, ...(wantsUsage ? { stream_options: { include_usage: true } } : {}) },
    { signal },
  )
  let answerText = ''
  let usage = openAiUsage(undefined)
  let isChat = false
  let stop: ReturnType<typeof stopOf>
  const calls = new Map<number, { id: string; name: string; arguments: string }>()
  for await (const chunk of stream as AsyncIterable<unknown>) {
    const event = asObject(chunk)
    if (event.usage) usage = openAiUsage(event.usage)
    const [choice] = asObjects(event.choices)
    if (choice === undefined) continue
    isChat = true
    const delta = asObject(choice.delta)
    const piece = wordsOf(delta.content)
    stop = stopOf(choice.finish_reason) ?? stop
    if (piece !== '') {
      answerText += piece
      onText(piece)
    }
    for (const [position, part] of asArray(delta.tool_calls).entries()) {
      const { index, id, function: called } = asObject(part)
      const place = typeof index === 'number' ? index : position
      const call = calls.get(place) ?? { id: '', name: '', arguments: '' }
      call.id ||= asString(id) ?? ''
      call.name += asString(asObject(called).name) ?? ''
      call.arguments += asString(asObject(called).arguments) ?? ''
      calls.set(place, call)
    }
  }
  if (!isChat) throw new Error('The answer is no chat completion')
  return { text: answerText, toolCalls: [...calls.values()], usage, ...stop }
}

/** Some services respond with a list of parts. */
function wordsOf(content: unknown): string {
  return (
    asString(content) ??
    asObjects(content)
      .map((part) => asString(part.text) ?? '')
      .join('')
  )
}

/** Returns why a model stopped early; undefined if the response is complete. */
function stopOf(reason: unknown): Pick<Answer, 'stop'> | undefined {
  if (reason === 'length' || reason === 'max_tokens') return { stop: 'length' }
  return reason === 'content_filter' || reason === 'refusal' ? { stop: 'filter' } : undefined
}

function toOpenAi(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
    case 'assistant': {
      const { content, toolCalls } = message
      if (toolCalls === undefined) return { role: 'assistant', content, ...nameProperty(message) }
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: given },
        })),
      }
    }
    case 'user':
      return { role: 'user', content: contentOf(message.content), ...nameProperty(message) }
    case 'system':
      return { role: 'system', content: message.content, ...nameProperty(message) }
  }
}

const nameProperty = ({ name }: { name?: string }) => (name === undefined ? {} : { name })

function contentOf(content: string | { text?: string; imageUrl?: string }[]) {
  if (typeof content === 'string') return content
  return content.map(({ text: words, imageUrl }) =>
    imageUrl === undefined
      ? { type: 'text' as const, text: words ?? '' }
      : { type: 'image_url' as const, image_url: { url: imageUrl } },
  )
}

function openAiUsage(given: unknown): Answer['usage'] {
  const usage = asObject(given)
  const [prompt, completion] = [count(usage.prompt_tokens), count(usage.completion_tokens)]
  return { prompt, completion, total: count(usage.total_tokens) || prompt + completion }
}

// Anthropic

async function askAnthropic(request: ModelRequest, { fetch, signal }: Outbound): Promise<Answer> {
  const { apiKey, model, temperature, tools, schema, onText } = request
  const { default: Client } = await import('@anthropic-ai/sdk')
  const client = new Client({
    apiKey,
    authToken: null,
    // The path of the library begins with the version.
    baseURL: request.baseUrl.replace(/\/v1\/?$/, ''),
    maxRetries: 0,
    timeout: request.milliseconds,
    logLevel: 'off',
    fetch,
  })
  const system = request.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  // A model that has to use its only tool responds with an object of the schema.
  const wanted = schema === undefined ? [] : [{ name: 'values', parameters: schema }]
  const offered = [...tools, ...wanted].map(({ name, description, parameters }: ModelTool) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters as Anthropic.Tool.InputSchema,
  }))
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model,
    max_tokens: request.maxTokens ?? defaultMaximumTokens,
    messages: toAnthropic(request.messages),
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(schema === undefined ? {} : { tool_choice: { type: 'tool' as const, name: 'values' } }),
  }
  const blocks: { type: string; text: string; id: string; name: string; json: string }[] = []
  const tokens = { prompt: 0, completion: 0 }
  let stop: ReturnType<typeof stopOf>
  const note = (usage: JsonObject) => {
    tokens.prompt = count(usage.input_tokens) || tokens.prompt
    tokens.completion = count(usage.output_tokens) || tokens.completion
  }
  const add = (given: unknown) => {
    const block = asObject(given)
    blocks.push({
      type: asString(block.type) ?? '',
      text: asString(block.text) ?? '',
      id: asString(block.id) ?? '',
      name: asString(block.name) ?? '',
      json: '',
    })
    return { block, added: blocks.at(-1) }
  }
  if (onText === undefined) {
    const response = asObject(await client.messages.create(body, { signal }))
    if (!Array.isArray(response.content)) throw new Error('The answer is no message')
    for (const given of response.content) {
      const { block, added } = add(given)
      if (added) added.json = toJson(block.input ?? {})
    }
    note(asObject(response.usage))
    stop = stopOf(response.stop_reason)
  } else {
    const stream = await client.messages.create({ ...body, stream: true }, { signal })
    let isMessage = false
    for await (const chunk of stream as AsyncIterable<unknown>) {
      const event = asObject(chunk)
      const last = blocks.at(-1)
      switch (event.type) {
        case 'message_start':
          isMessage = true
          note(asObject(asObject(event.message).usage))
          break
        case 'content_block_start':
          add(event.content_block)
          break
        case 'content_block_delta': {
          const delta = asObject(event.delta)
          const piece = asString(delta.text) ?? ''
          if (last !== undefined) {
            last.text += piece
            last.json += asString(delta.partial_json) ?? ''
          }
          if (piece !== '') onText(piece)
          break
        }
        case 'message_delta':
          note(asObject(event.usage))
          stop = stopOf(asObject(event.delta).stop_reason)
          break
        default:
      }
    }
    if (!isMessage) throw new Error('The answer is no message')
  }
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  const values = schema === undefined ? undefined : calls.find(({ name }) => name === 'values')
  return {
    text: values?.json ?? blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    toolCalls: calls
      .filter((call) => call !== values)
      .map(({ id, name, json }) => ({ id, name, arguments: json || '{}' })),
    usage: { ...tokens, total: tokens.prompt + tokens.completion },
    ...stop,
  }
}

function toAnthropic(messages: ModelMessage[]): Anthropic.MessageParam[] {
  return messages.flatMap((message): Anthropic.MessageParam[] => {
    switch (message.role) {
      case 'system':
        return []
      case 'tool': {
        const { toolCallId: tool_use_id, content } = message
        return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] }]
      }
      case 'assistant': {
        const { content, toolCalls } = message
        if (toolCalls === undefined) return [{ role: 'assistant', content }]
        const textParts = content === '' ? [] : [{ type: 'text' as const, text: content }]
        const calls = toolCalls.map((call) => ({
          type: 'tool_use' as const,
          id: call.id,
          name: call.name,
          input: asObject(plainNumbers(parseJson(call.arguments))),
        }))
        return [{ role: 'assistant', content: [...textParts, ...calls] }]
      }
      default: {
        const { content } = message
        if (typeof content === 'string') return [{ role: 'user', content }]
        const parts = content.map(({ text: words, imageUrl }) =>
          imageUrl === undefined
            ? { type: 'text' as const, text: words ?? '' }
            : { type: 'image' as const, source: anthropicSource(imageUrl) },
        )
        return [{ role: 'user', content: parts }]
      }
    }
  })
}

/** Pictures by their address, or themselves. */
function anthropicSource(imageUrl: string) {
  const [, type, data] = /^data:(image\/[a-z]+);base64,(.*)$/s.exec(imageUrl) ?? []
  if (type === undefined || data === undefined) return { type: 'url' as const, url: imageUrl }
  return { type: 'base64' as const, media_type: type as 'image/png', data }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}
