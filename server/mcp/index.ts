import { readFileSync } from 'node:fs'
import type { Issue } from '../../contract/errors.ts'
import { information } from '../../contract/index.ts'
import type { ErrorBody } from '../../contract/kit/errors.ts'
import { composedTools, instructions, markedTools, type ToolName } from '../../contract/tools/index.ts'
import type { Contexts } from '../context.ts'
import { isRecord, type JsonRecord } from '../documents/conversion/document.ts'
import type { Dispatch } from '../kit/dispatch.ts'
import type { HttpResponse } from '../kit/response.ts'
import { root } from '../root.ts'
import { type Call, createCall, type Outcome, reject } from './call.ts'
import { resources } from './resources.ts'
import { runTool } from './tools.ts'
import { shorten } from './view-flow.ts'

/*
 * The Model Context Protocol over streamable HTTP, without sessions: every request is one message with its own
 * response. Tools call operations by `dispatch`, so that they can do only what their caller can.
 */

/** Maximum bytes of the result of a tool: agents pay for each, and lose track in long results. */
export const MAX_TOOL_RESULT_BYTES = 100_000

/** Characters of a text in a list that a tool gives. */
const MAX_LISTED_CHARACTERS = 500

interface Request {
  body: JsonRecord
  header(name: string): string | undefined
  dispatch: Dispatch
}

interface Reply {
  fail(code: 'FORBIDDEN', issues: Issue[]): HttpResponse
}

/** Handles one message. Its sender was authenticated, and its body has the form of JSON-RPC. */
export async function callTool(
  { body, header, dispatch }: Request,
  respond: Reply,
  { config, publicUrl, now, slot, log }: Contexts['user'],
): Promise<HttpResponse> {
  const origin = header('origin')
  if (
    origin !== undefined &&
    origin !== new URL(publicUrl()).origin &&
    !config.CORS_ORIGINS.includes(origin)
  ) {
    const message = 'Pages of this origin may not call tools; CORS_ORIGINS lists those that may'
    return respond.fail('FORBIDDEN', [{ path: ['header', 'origin'], code: 'origin_not_allowed', message }])
  }
  const server = await createToolServer(createCall(dispatch), now)
  const { WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  server.onerror = (error) => log.debug({ err: error }, 'message of a tool was refused')
  await server.connect(transport)
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  for (const name of ['accept', 'mcp-protocol-version']) {
    const value = header(name)
    if (value !== undefined) headers[name] = value
  }
  const message = new Request(`${publicUrl()}/mcp`, { method: 'POST', headers })
  // The operations that a tool calls need slots of their own.
  const response = await slot.releaseDuring(() => transport.handleRequest(message, { parsedBody: body }))
  const text = await response.text()
  await server.close()
  const mediaType = text === '' ? undefined : 'application/json'
  return { status: response.status, headers: {}, body: text, mediaType }
}

interface Listed {
  name: string
  description: string
  inputSchema: { type: 'object' }
}

let listing: Listed[] | undefined

function readListing(): Listed[] {
  listing ??= JSON.parse(readFileSync(new URL('generated/tools.json', root), 'utf8')) as Listed[]
  return listing
}

/** Loaded with the first message, since most installations get none. */
async function createToolServer(call: Call, now: Date) {
  const [{ Server }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const server = new Server(
    { name: 'bots', title: information.title, version: information.version },
    { capabilities: { tools: {}, resources: {} }, instructions },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: readListing() }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    if (!readListing().some(({ name }) => name === params.name)) {
      const message = `There is no tool ${shorten(params.name)}; tools/list names them`
      throw new types.McpError(types.ErrorCode.InvalidParams, message)
    }
    return toResult(await run(params.name, params.arguments ?? {}, call, now))
  })
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: resources().map(({ read: _, ...resource }) => resource),
  }))
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = resources().find((one) => one.uri === uri)
    if (!resource) {
      const message = 'There is no such resource; resources/list names them'
      throw new types.McpError(types.ErrorCode.InvalidParams, message)
    }
    return { contents: [{ uri, mimeType: resource.mimeType, text: resource.read() }] }
  })
  return server
}

async function run(name: string, input: JsonRecord, call: Call, now: Date): Promise<Outcome> {
  const marked = markedTools[name]
  if (!marked) {
    const checked = composedTools[name as ToolName].input.safeParse(input)
    if (checked.success) return runTool[name as ToolName](checked.data as never, { call, now })
    const [issue] = checked.error.issues
    const path = (issue?.path ?? []).map(String)
    return reject(path, issue?.message ?? 'The arguments do not fit the tool')
  }
  const { params: shape } = marked.operation
  const names = Object.keys(shape?.shape ?? {})
  const given = (wanted: boolean) =>
    Object.entries(input).filter(([argument]) => names.includes(argument) === wanted)
  const missing = names.find((argument) => typeof input[argument] !== 'string' || input[argument] === '')
  if (missing !== undefined) return reject([missing], 'Missing: expected the id as a text')
  const called = await call(marked.id, {
    params: Object.fromEntries(given(true)) as Record<string, string>,
    query: Object.fromEntries(given(false)),
  })
  return 'error' in called ? called : { value: cutTexts(called.body) }
}

/** Lists are read for an overview: a long text in them is cut, and says so. */
function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value, MAX_LISTED_CHARACTERS)
  if (Array.isArray(value)) return value.map(cutTexts)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutTexts(inner)]))
}

function toResult(outcome: Outcome) {
  if ('error' in outcome) return failure(outcome.error)
  const text = JSON.stringify(outcome.value)
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_TOOL_RESULT_BYTES) return { content: [{ type: 'text' as const, text }] }
  const message = `The result has ${bytes} bytes, and ${MAX_TOOL_RESULT_BYTES} are given at most; ask for less, by a filter, a smaller limit, or one group or part`
  const { error } = reject([], message) as { error: ErrorBody }
  return failure(error)
}

/** An error that the agent reads: paths name its arguments, not the parts of a request. */
function failure({ code, message, issues = [] }: ErrorBody) {
  const named = issues.map((issue) => ({
    ...issue,
    path: ['path', 'query', 'body'].includes(issue.path[0] ?? '') ? issue.path.slice(1) : issue.path,
  }))
  const hint =
    code === 'PRECONDITION_FAILED'
      ? {
          next: 'Somebody changed the bot since you read it. Call read_flow, and repeat your change on that.',
        }
      : {}
  const text = JSON.stringify({ code, message, issues: named, ...hint })
  return { isError: true, content: [{ type: 'text' as const, text }] }
}
