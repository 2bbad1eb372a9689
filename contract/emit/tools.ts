import { type OperationId, operations } from '../index.ts'
import type { JsonObject } from '../kit/emit/schemas.ts'
import { z } from '../kit/zod.ts'
import type { Operation } from '../operation.ts'
import { composedTools, markedTools, type Tool } from '../tools/index.ts'

/*
 * The list of tools as `/mcp` sends it. Schemas have the parts that agents need to write a call, and omit bounds and
 * examples, which cost tokens in every task: a call that breaks a bound gets an error with the bound.
 */

export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** Tools in the order in which an agent needs them. */
const order = [
  'find_bots',
  'create_bot',
  'read_flow',
  'describe_block',
  'change_flow',
  'check_bot',
  'compare_bot',
  'preview_chat',
  'publish_bot',
  'list_publications',
  'restore_publication',
  'list_results',
  'get_stats',
  'list_credentials',
  'delete_bot',
]

export function toTools(): string {
  const tools = new Map<string, ListedTool>()
  for (const [name, { operation }] of Object.entries(markedTools)) {
    const { tool, params, query } = operation
    const input = z.object({ ...params?.shape, ...query?.shape })
    tools.set(name, toListedTool(name, { description: tool?.description ?? '', input, operations: [] }))
  }
  for (const [name, tool] of Object.entries(composedTools)) tools.set(name, toListedTool(name, tool))
  const listing = order.map((name) => {
    const tool = tools.get(name)
    if (!tool) throw new Error(`There is no tool ${name}`)
    tools.delete(name)
    return tool
  })
  if (tools.size > 0) throw new Error(`Put these tools in order: ${[...tools.keys()].join(', ')}`)
  return `${JSON.stringify(listing, null, 1)}\n`
}

function toListedTool(
  name: string,
  { description, input, operations: ids, isDestructive }: Tool,
): ListedTool {
  const isRead = ids.every((id) => (operations[id as OperationId] as Operation).method === 'get')
  return {
    name,
    title: sentenceOf(name),
    description,
    inputSchema: toInputSchema(input),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: isDestructive === true,
      idempotentHint: isRead,
      openWorldHint: ids.includes('startPreview'),
    },
  }
}

function sentenceOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function toInputSchema(input: z.ZodObject): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const { properties = {}, required } = schema
  const optional = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, shorten(value)]),
  )
  return { type: 'object', properties: optional, ...(required && { required }) }
}

const keywords = ['type', 'enum', 'const', 'description', 'items', 'oneOf', 'anyOf', 'properties', 'required']

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten)
  if (typeof value !== 'object' || value === null) return value
  const short: JsonObject = {}
  for (const name of keywords) {
    const inner = (value as JsonObject)[name]
    if (inner === undefined) continue
    short[name] =
      name === 'properties'
        ? Object.fromEntries(Object.entries(inner as JsonObject).map(([key, one]) => [key, shorten(one)]))
        : name === 'required' || name === 'enum'
          ? inner
          : shorten(inner)
  }
  return short
}
