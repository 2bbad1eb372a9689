/** The action Ask Model: one conversation at the vendor, with search, code and functions of the bot. */
import { openAiAccess } from '../../../../../contract/bot-document/blocks/vendors/openai.ts'
import { pick, pickList } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import {
  asObjects,
  asString,
  asStrings,
  filledText,
  type JsonObject,
  parseJson,
} from '../../../../json/access.ts'
import type { Execution } from '../../execution.ts'
import { callFunction, functionsOf } from '../../models/functions.ts'
import { withPictures } from '../../models/messages.ts'
import { failCall, type VendorCall } from './call.ts'
import { reportFailure, reportStatus, saveParts, sendRequest, type VendorReply } from './send.ts'

/** The first request, and nine more with the results of functions. */
const MAX_ROUNDS = 10
const MAX_FUNCTION_CALLS_PER_ROUND = 100
const MAX_SEARCH_RESULTS = 50

export async function askOpenAiModel(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  const functions = functionsOf(made.block.options.functions)
  const tools = [...vendorTools(options), ...functions.map(functionTool)]
  let previous = made.call.valueOf(asString(options.responseIdVariableId))
  let input: unknown = await inputOf(run, made)
  for (let round = 1; ; round += 1) {
    const modelAnswer = await askOnce(run, made, { input, tools, previous, mayForget: round === 1 })
    if (modelAnswer === null) return
    if (modelAnswer.calls.length === 0 || round === MAX_ROUNDS) {
      if (modelAnswer.text === '') failCall(run, made.block, 'OpenAI: the model answered nothing')
      return saveParts(run, made, {
        items: { Message: modelAnswer.text, 'Response ID': modelAnswer.id },
        variables: isMapped(made, 'Response ID') ? {} : { responseIdVariableId: modelAnswer.id },
      })
    }
    previous = modelAnswer.id
    input = await runFunctions(run, made, functions, modelAnswer.calls)
  }
}

/** The mapping decides where both name a variable. */
function isMapped({ block }: VendorCall, item: string): boolean {
  return asObjects(block.options.responseMapping).some((mapping) => mapping.item === item)
}

async function runFunctions(
  run: Execution,
  made: VendorCall,
  functions: ReturnType<typeof functionsOf>,
  given: JsonObject[],
): Promise<JsonObject[]> {
  const calls = given.slice(0, MAX_FUNCTION_CALLS_PER_ROUND)
  if (calls.length < given.length) {
    failCall(
      run,
      made.block,
      `OpenAI: only ${MAX_FUNCTION_CALLS_PER_ROUND} calls of functions in one answer are made`,
    )
  }
  const outputs: JsonObject[] = []
  for (const call of calls) {
    const id = asString(call.call_id) ?? ''
    const name = asString(call.name) ?? ''
    const isKnown = functions.some((each) => each.name === name)
    const output = isKnown
      ? await callFunction(run, functions, { id, name, arguments: asString(call.arguments) ?? '' })
      : JSON.stringify({ error: 'There is no such function' })
    outputs.push({ type: 'function_call_output', call_id: id, output })
  }
  return outputs
}

/** The text, with pictures where the text has their addresses. */
async function inputOf(run: Execution, { call }: VendorCall): Promise<unknown> {
  const message = asString(call.options.message) ?? ''
  const [shown] = await withPictures(run, [{ role: 'user', content: message }])
  if (shown === undefined || typeof shown.content === 'string') return message
  const content = shown.content.map(({ text, imageUrl }) =>
    imageUrl === undefined
      ? { type: 'input_text', text }
      : { type: 'input_image', image_url: imageUrl, detail: 'auto' },
  )
  return [{ role: 'user', content }]
}

interface Said {
  id: string
  text: string
  calls: JsonObject[]
}

/** One round; null if it failed, which is in the log then. */
async function askOnce(
  run: Execution,
  made: VendorCall,
  {
    input,
    tools,
    previous,
    mayForget,
  }: { input: unknown; tools: JsonObject[]; previous?: string | undefined; mayForget: boolean },
): Promise<Said | null> {
  if (run.spent.tokens >= run.limits.tokens) {
    failCall(run, made.block, `Not asked: the models of one turn may take ${run.limits.tokens} tokens`)
    return null
  }
  const { options, credentials, base } = made.call
  const temperature = numberIn(options.temperature)
  const body = {
    model: options.model,
    input,
    stream: true,
    store: true,
    instructions: options.instructions,
    temperature,
    tools: tools.length > 0 ? tools : undefined,
  }
  const request = {
    path: '/responses',
    ...openAiAccess({ apiKey: String(credentials.apiKey) }, asString(options.apiVersion)),
  }
  let response = await sendRequest(run, made, {
    ...request,
    json: { ...body, previous_response_id: previous },
  })
  // The vendor forgets responses after 30 days, and other projects do not have them.
  if (response !== null && mayForget && previous !== undefined && isForgotten(response)) {
    response = await sendRequest(run, made, { ...request, json: body })
  }
  if (response === null) return null
  if (response.status === 404) {
    failCall(run, made.block, `OpenAI: ${base}/responses does not exist`, undefined, made.action.context)
    return null
  }
  if (response.status >= 400) {
    reportStatus(run, made, response)
    return null
  }
  return readSaid(run, made, response.body)
}

function isForgotten({ status, body }: VendorReply): boolean {
  const names = `${String(pick(body, 'error', 'code'))} ${String(pick(body, 'error', 'param'))}`
  return (status === 400 || status === 404) && names.includes('previous_response')
}

function readSaid(run: Execution, made: VendorCall, stream: unknown): Said | null {
  let text = ''
  let id = ''
  let calls: JsonObject[] = []
  for (const event of eventsOf(stream)) {
    const type = asString(event.type) ?? ''
    if (type === 'response.output_text.delta') text += asString(event.delta) ?? ''
    id = asString(pick(event, 'response', 'id')) ?? id
    const problem =
      pick(event, 'response', 'error', 'message') ?? (type === 'error' ? event.message : undefined)
    if (typeof problem === 'string') {
      reportFailure(run, made, problem)
      return null
    }
    if (type !== 'response.completed' && type !== 'response.incomplete') continue
    calls = asObjects(pickList(event, 'response', 'output')).filter((item) => item.type === 'function_call')
    const total = pick(event, 'response', 'usage', 'total_tokens')
    if (typeof total === 'number') run.spent.tokens += total
    if (type === 'response.incomplete')
      failCall(run, made.block, 'OpenAI: the answer is cut by a limit of the model')
  }
  if (id !== '') return { id, text, calls }
  reportFailure(run, made, 'The answer is no response of a model')
  return null
}

/** Events of a stream. The body of a server that does not stream is the response itself. */
function eventsOf(stream: unknown): JsonObject[] {
  if (typeof stream !== 'string') {
    const texts = pickList(stream, 'output').flatMap((item) => pickList(item, 'content'))
    const deltas = texts.map((part) => ({ type: 'response.output_text.delta', delta: pick(part, 'text') }))
    return pick(stream, 'id') === undefined
      ? []
      : [...deltas, { type: 'response.completed', response: stream }]
  }
  return asObjects(
    stream.split(/\r?\n/).map((line) => (line.startsWith('data:') ? parseJson(line.slice(5)) : undefined)),
  )
}

function vendorTools(options: JsonObject): JsonObject[] {
  const stores = asStrings(options.fileSearchVectorStoreIds).filter((id) => id !== '')
  const results = numberIn(options.fileSearchMaxNumResults)
  const score = numberIn(options.fileSearchScoreThreshold)
  const isBounded =
    results !== undefined && Number.isInteger(results) && results >= 1 && results <= MAX_SEARCH_RESULTS
  const isScored = score !== undefined && score >= 0 && score <= 1
  const search = {
    type: 'file_search',
    vector_store_ids: stores,
    ...(isBounded ? { max_num_results: results } : {}),
    ...(isScored ? { ranking_options: { ranker: 'auto', score_threshold: score } } : {}),
  }
  return [
    ...(stores.length > 0 ? [search] : []),
    ...(options.webSearchEnabled === true ? [{ type: 'web_search' }] : []),
    ...(options.codeInterpreterEnabled === true
      ? [{ type: 'code_interpreter', container: { type: 'auto' } }]
      : []),
  ]
}

function functionTool({ name, description, parameters }: ReturnType<typeof functionsOf>[number]): JsonObject {
  return { type: 'function', name, description, parameters, strict: false }
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value.replace(',', '.')) : value
  const isNumber = typeof number === 'number' && Number.isFinite(number)
  return isNumber && filledText(String(value)) !== undefined ? number : undefined
}
