/** Blocks that call a language model. Errors go to the log, and the flow continues. */

import {
  asObject,
  asObjects,
  asString,
  cutText,
  filledText,
  type JsonObject,
  parseJson,
  storableText,
} from '../../../json/access.ts'
import type { ModelMessage, ModelRequest, ModelResponse } from '../../../outbound/model-types.ts'
import { richTextIn } from '../bubbles.ts'
import {
  type BlockOutcome,
  computeRemainingMilliseconds,
  currentFrame,
  type Execution,
  followBlockEdge,
  log,
  spendOutboundCall,
  waitFor,
} from '../execution.ts'
import { type Block, followEdge, type Target } from '../flow-index.ts'
import type { Position } from '../types.ts'
import { fill, fillAddress, fillNumber, readVariable, setVariable } from '../variables.ts'
import { callFunction, functionsOf, schemaOf } from './functions.ts'
import { messagesOf } from './messages.ts'
import {
  actionOf,
  asksModel,
  baseUrlOfVendor,
  credentialsTypeOf,
  extracts,
  type ModelBlockType,
  protocolOf,
} from './vendors.ts'

/** Maximum time of one response of a model, in milliseconds. */
const MAX_REQUEST_MS = 60_000
/** The first call of a block and five more with the results of functions. */
const MAX_CALLS = 6
const MAX_RESPONSE_TOKENS = 64_000

/** Maximum function calls in one response. */
const MAX_FUNCTION_CALLS = 100

const stopReasons = {
  length: 'the answer is cut, since it reached the most tokens that the model may take',
  filter: 'the answer is cut by a content filter of the model',
}

type Prepared = Omit<ModelRequest, 'messages' | 'tools' | 'milliseconds' | 'wantsUsage'>

export async function runModel(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const type = block.type as ModelBlockType
  const action = actionOf(block, type)
  if (action === undefined) fail(run, block, `${type} is not configured`)
  else if (!asksModel(type, action)) {
    fail(run, block, `${type}: this service does not run "${action}", it was skipped`)
  } else {
    const prepared = await prepare(run, block, type)
    if (prepared === null) return followBlockEdge(run, block)
    await (extracts(action) ? extract : converse)(run, block, prepared, position)
  }
  return followBlockEdge(run, block)
}

function fail(run: Execution, block: Block, description: string, details?: string): void {
  log(run, 'error', description, {
    ...(details === undefined ? {} : { details }),
    context: block.id,
    isInternal: true,
  })
}

/** Returns the model, its address and its key; `null` where one of them is unknown. */
async function prepare(run: Execution, block: Block, type: ModelBlockType): Promise<Prepared | null> {
  const { options } = block
  const id = filledText(options.credentialsId)
  let data: JsonObject | null
  try {
    data = id === undefined ? null : await run.effects.findCredentials(id, credentialsTypeOf(type))
  } catch (error) {
    fail(run, block, `The credentials of the block ${type} cannot be read`, (error as Error).message)
    return null
  }
  const apiKey = asString(data?.apiKey)?.trim()
  if (!apiKey) {
    fail(run, block, `Could not find credentials for block ${type}`)
    return null
  }
  const baseUrl = await baseUrlOf(run, block, type, filledText(asString(data?.baseUrl)?.trim()))
  if (baseUrl === null) return null
  const model = (await fill(run, asString(options.model) ?? '')).trim()
  if (model === '') {
    fail(run, block, 'No model provided')
    return null
  }
  const settings = type === 'OpenAI' ? asObject(options.advancedSettings) : options
  const temperature = await fillNumber(run, settings.temperature)
  const maxTokens = await fillNumber(run, options.maxTokens)
  const apiVersion = filledText(options.apiVersion)
  return {
    protocol: protocolOf(type),
    apiKey,
    baseUrl,
    model,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined || maxTokens < 1
      ? {}
      : { maxTokens: Math.min(Math.floor(maxTokens), MAX_RESPONSE_TOKENS) }),
  }
}

/**
 * Returns the address of the model. A key is sent only to the address of its credentials, or to the vendor. Otherwise
 * an editor of the bot, or the author of an imported one, could get the key by an address in a block.
 */
async function baseUrlOf(
  run: Execution,
  block: Block,
  type: ModelBlockType,
  ofCredentials: string | undefined,
): Promise<string | null> {
  if (ofCredentials !== undefined) return ofCredentials
  const baseUrl = baseUrlOfVendor(type)
  const own = await fillAddress(run, asString(block.options.baseUrl) ?? '')
  if (own === '') return baseUrl
  if (URL.canParse(own) && new URL(own).origin === new URL(baseUrl).origin) return own
  fail(run, block, `${type}: nothing was sent, since the address of the block is not that of its credentials`)
  return null
}

/** Calls the model once, within the limits of the turn. */
async function ask(
  run: Execution,
  block: Block,
  request: Omit<ModelRequest, 'milliseconds'>,
): Promise<Extract<ModelResponse, { ok: true }> | null> {
  if (!(await spendOutboundCall(run, sizeOfTexts(request.messages)))) return null
  if (run.spent.tokens >= run.limits.tokens) {
    fail(run, block, `Not asked: the models of one turn may take ${run.limits.tokens} tokens`)
    return null
  }
  const milliseconds = Math.max(1, Math.min(MAX_REQUEST_MS, computeRemainingMilliseconds(run)))
  const response = await waitFor(run, run.effects.askModel({ ...request, milliseconds }))
  if (!response.ok) {
    const status = response.status === undefined ? '' : ` (status ${response.status})`
    fail(run, block, `${block.type}: the model gave no answer${status}`, response.message)
    return null
  }
  run.spent.tokens += response.usage.total
  if (response.stop !== undefined) fail(run, block, `${block.type}: ${stopReasons[response.stop]}`)
  else if (response.text.trim() === '' && response.toolCalls.length === 0) {
    fail(run, block, `${block.type}: the model answered nothing`)
  }
  return response
}

/** Bytes of the texts to a model. Those of its pictures are counted already. */
function sizeOfTexts(messages: ModelMessage[]): number {
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map((part) => part.text ?? ''),
  )
  return texts.reduce((size, text) => size + 2 * text.length, 0)
}

// Chat completion

async function converse(run: Execution, block: Block, prepared: Prepared, position: Position): Promise<void> {
  if (!Array.isArray(block.options.messages)) return fail(run, block, 'No messages provided')
  const messages = await messagesOf(run, block, prepared.model)
  const functions = functionsOf(block.options.tools)
  const onText = deltaWriter(run, block, position)
  const usage = { prompt: 0, completion: 0, total: 0 }
  const wantsUsage = mappings(block).some(({ item }) => item.endsWith('okens'))
  for (let calls = 1; ; calls += 1) {
    const request = { ...prepared, messages, tools: functions, wantsUsage }
    const response = await ask(run, block, onText === undefined ? request : { ...request, onText })
    if (response === null) return
    usage.prompt += response.usage.prompt
    usage.completion += response.usage.completion
    usage.total += response.usage.total
    if (response.toolCalls.length > 0 && calls === MAX_CALLS) {
      fail(run, block, `${block.type}: asked ${MAX_CALLS} times, and the model still calls functions`)
    }
    if (response.toolCalls.length === 0 || calls === MAX_CALLS) {
      return save(run, block, response.text, usage)
    }
    const toolCalls = response.toolCalls.slice(0, MAX_FUNCTION_CALLS)
    if (toolCalls.length < response.toolCalls.length) {
      fail(run, block, `${block.type}: only ${MAX_FUNCTION_CALLS} calls of functions in one answer are made`)
    }
    messages.push({ role: 'assistant', content: response.text, toolCalls })
    for (const call of toolCalls) {
      messages.push({ role: 'tool', toolCallId: call.id, content: await callFunction(run, functions, call) })
    }
  }
}

/** Variables that take parts of the response; a mapping that names no part takes the text. */
function mappings({ type, options }: Block): { item: string; variableId: unknown }[] {
  return asObjects(options.responseMapping).map((mapping) => {
    const item = filledText(type === 'OpenAI' ? mapping.valueToExtract : mapping.item)
    return { item: item?.toLowerCase() ?? 'message content', variableId: mapping.variableId }
  })
}

function save(
  run: Execution,
  block: Block,
  words: string,
  usage: Extract<ModelResponse, { ok: true }>['usage'],
): void {
  const parts: Record<string, string | number> = {
    'message content': words,
    'total tokens': usage.total,
    'prompt tokens': usage.prompt,
    'completion tokens': usage.completion,
  }
  for (const { item, variableId } of mappings(block)) {
    const value = Object.hasOwn(parts, item) ? parts[item] : undefined
    if (value === undefined) continue
    const before = block.type === 'OpenAI' ? readVariable(run, variableId) : null
    if (block.type === 'OpenAI' && value === '') continue
    setVariable(run, variableId, Array.isArray(before) ? [...before, String(value)] : value)
  }
}

/**
 * Streams the growing text to the client if the next block is a text bubble that begins with it. All other uses of
 * the text are shown once it is complete.
 */
function deltaWriter(
  run: Execution,
  block: Block,
  position: Position,
): ((piece: string) => void) | undefined {
  const { emit } = run.effects
  if (emit === undefined) return undefined
  const { flowIndex } = currentFrame(run)
  const group = flowIndex.groups.get(position.groupId)
  const following: Target | null =
    followEdge(flowIndex, block.outgoingEdgeId) ??
    (group === undefined ? null : { group, index: group.blocks.indexOf(block) + 1 })
  const bubble = following?.group.blocks[following.index]
  const mapped = mappings(block).find(({ item }) => item === 'message content')
  const variable = flowIndex.variables.get(asString(mapped?.variableId) ?? '')
  if (bubble?.type !== 'text' || variable === undefined) return undefined
  if (firstLeaf(richTextIn(bubble.content)) !== `{{${variable.name}}}`) return undefined
  let left = run.limits.valueCharacters
  let half = ''
  return (piece) => {
    // Half of a surrogate pair waits for its other half.
    const given = half + piece
    half = /[\ud800-\udbff]$/.test(given) ? given.slice(-1) : ''
    const words = cutText(storableText(given.slice(0, given.length - half.length)), left)
    left -= words.length
    if (words !== '') emit({ type: 'delta', id: bubble.id, text: words })
  }
}

function firstLeaf(richText: unknown): string | undefined {
  let node = asObjects(richText)[0]
  while (node !== undefined && typeof node.text !== 'string') node = asObjects(node.children)[0]
  return asString(node?.text)?.trim()
}

// Generate variables

async function extract(run: Execution, block: Block, prepared: Prepared): Promise<void> {
  const prompt = await fill(run, asString(block.options.prompt) ?? '')
  if (prompt === '') return fail(run, block, 'No prompt provided')
  const { flowIndex } = currentFrame(run)
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  const variableIds = new Map<string, string>()
  for (const wanted of asObjects(block.options.variablesToExtract)) {
    const variable = flowIndex.variables.get(asString(wanted.variableId) ?? '')
    const schema = schemaOf(wanted)
    if (variable === undefined || schema === null) continue
    properties.push([variable.name, schema])
    variableIds.set(variable.name, variable.id)
    if (wanted.isRequired !== false) required.push(variable.name)
  }
  if (properties.length === 0) return fail(run, block, 'Could not parse variables to extract')
  const isLoose = required.length < properties.length
  const form = `Answer with one JSON object that has these properties: ${JSON.stringify(Object.fromEntries(properties))}.`
  const doubt = isLoose ? ' Leave a property out where you are not sure.' : ''
  const response = await ask(run, block, {
    ...prepared,
    messages: [{ role: 'user', content: `${prompt}\n\n${form}${doubt}` }],
    tools: [],
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: false,
    },
    wantsUsage: false,
  })
  if (response === null) return
  // Models like to put JSON into a fence.
  const given = response.text.trim()
  const bare = given.startsWith('```') ? given.replace(/^```(?:json)?/, '').replace(/```$/, '') : given
  const found = parseJson(bare)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    return fail(run, block, `${block.type}: the model did not answer with values`, response.text)
  }
  for (const [name, value] of Object.entries(found)) {
    const variableId = variableIds.get(name)
    if (variableId !== undefined && value !== null) setVariable(run, variableId, value)
  }
}
