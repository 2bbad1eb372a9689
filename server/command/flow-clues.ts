import { asObject, type JsonObject } from '../json/access.ts'

/* Answers that matter in a flow: values that conditions compare with, and blocks that edges reach. */

export interface Flow {
  groups: { id: string; title?: string; blocks: Block[] }[]
  events?: JsonObject[] | null
  edges: { id: string; to: { groupId: string; blockId?: string } }[]
  variables: { id: string; name: string; value?: unknown }[]
}

export interface Block {
  id: string
  type: string
  outgoingEdgeId?: string
  options?: JsonObject
  items?: JsonObject[]
  [name: string]: unknown
}

/** Values that may decide about a variable, and the variables on which the way of a chat depends. */
export interface Clues {
  valuesOf(variableId: unknown): string[]
  isDecisive(name: string): boolean
}

const MAX_VALUES = 16

export const blocksOf = (flow: Flow): Block[] => flow.groups.flatMap(({ blocks }) => blocks)

/** Every object inside a value. */
function* objectsIn(value: unknown): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as JsonObject
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

export function findClues(flow: Flow): Clues {
  const values = new Map<string, Set<string>>()
  const add = (variableId: string, ...given: string[]) => {
    const known = values.get(variableId) ?? new Set()
    for (const value of given) known.add(value)
    values.set(variableId, known)
  }
  const idOfName = new Map(flow.variables.map(({ id, name }) => [name.trim(), id]))
  const decisive = new Set<string>()
  const mentioned = (text: unknown): string[] =>
    typeof text !== 'string' ? [] : placeholdersIn(text).flatMap((name) => idOfName.get(name) ?? [])
  for (const { variableId, comparisonOperator, value } of objectsIn(flow.groups)) {
    if (typeof variableId !== 'string' || typeof comparisonOperator !== 'string') continue
    decisive.add(variableId)
    for (const id of mentioned(value)) decisive.add(id)
    if (typeof value === 'string' && !value.includes('{{'))
      add(variableId, ...solutions(comparisonOperator, value))
  }
  const sources = new Map<string, Set<string>>()
  for (const { type, options } of blocksOf(flow)) {
    if (type !== 'Set variable') continue
    const { variableId, expressionToEvaluate: code, item } = asObject(options)
    const from = [...mentioned(code), ...mentioned(item)]
    if (typeof variableId !== 'string') continue
    sources.set(variableId, new Set([...(sources.get(variableId) ?? []), ...from]))
    for (const id of from) if (typeof code === 'string') add(id, ...literalsIn(code))
  }
  for (const { type, options } of blocksOf(flow)) {
    const { dynamicVariableId, groupId } = options ?? {}
    if (typeof dynamicVariableId === 'string') decisive.add(dynamicVariableId)
    if (type === 'Jump' || type === 'Bot link') for (const id of mentioned(groupId)) decisive.add(id)
  }
  // Values that decide about a computed variable decide about those that it is computed from.
  for (let pass = 0; pass < 4; pass++) {
    for (const [variableId, from] of sources) {
      for (const id of from) {
        if (decisive.has(variableId)) decisive.add(id)
        add(id, ...(values.get(variableId) ?? []))
      }
    }
  }
  const names = new Set(flow.variables.filter(({ id }) => decisive.has(id)).map(({ name }) => name))
  return {
    valuesOf: (variableId) => [...(values.get(String(variableId)) ?? [])].slice(0, MAX_VALUES),
    isDecisive: (name) => names.has(name),
  }
}

function placeholdersIn(text: string): string[] {
  return text
    .split('{{')
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf('}}')
      return end === -1 ? [] : [part.slice(0, end).trim()]
    })
}

/** Values that make a comparison hold, and some beside them. */
function solutions(operator: string, value: string): string[] {
  const number = Number(value)
  const isNumber = value.trim() !== '' && Number.isFinite(number)
  if (/^(Greater|Less)/.test(operator) && isNumber) return [number, number + 1, number - 1].map(String)
  if (operator === 'Matches regex') return [value.replaceAll(/[\\^$/]/g, ''), ...regexAlternatives(value)]
  if (operator === 'Starts with') return [value, `${value}x`]
  if (operator === 'Ends with') return [value, `x${value}`]
  if (operator === 'Contains') return [value, `${value} and more`]
  return isNumber ? [value, String(number + 1)] : [value]
}

/** Alternatives of an expression such as `/^(yes|no)$/i`. */
function regexAlternatives(expression: string): string[] {
  const bare = expression.replaceAll(/[\\^$()]/g, '').split('/')
  const body = bare.length > 2 ? bare[1] : bare[0]
  return (body ?? '').split('|').filter((each) => each !== '')
}

/** Numbers and quoted texts of code, at which it may branch. */
function literalsIn(code: string): string[] {
  const texts = [...code.matchAll(/'([^'\n]{1,100})'|"([^"\n]{1,100})"/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  const numbers = [...code.matchAll(/\b\d{1,9}(?:\.\d{1,4})?\b/g)].map(([number]) => Number(number))
  return [
    ...texts.filter((text) => !text.includes('{{')),
    ...numbers.flatMap((number) => [number, number + 1]).map(String),
  ]
}

/** Ids of blocks to which edges lead from the start or an event, whatever conditions say. */
export function reachableBlocks(flow: Flow): Set<string> {
  const reached = new Set<string>()
  const edges = new Map(flow.edges.map((edge) => [edge.id, edge.to]))
  const groups = new Map(flow.groups.map((group) => [group.id, group]))
  const queue: { groupId: string; blockId?: string }[] = []
  const follow = (edgeId: unknown): boolean => {
    const to = typeof edgeId === 'string' ? edges.get(edgeId) : undefined
    if (to && groups.has(to.groupId)) queue.push(to)
    return to !== undefined && groups.has(to.groupId)
  }
  for (const event of flow.events ?? []) follow(event.outgoingEdgeId)
  for (let to = queue.pop(); to !== undefined; to = queue.pop()) {
    const { blocks } = groups.get(to.groupId) as Flow['groups'][number]
    const from = Math.max(
      0,
      blocks.findIndex(({ id }) => id === to?.blockId),
    )
    for (const block of blocks.slice(from)) {
      if (reached.has(block.id)) break
      reached.add(block.id)
      for (const inner of objectsIn(block.items)) follow(inner.outgoingEdgeId)
      const { groupId, blockId } = block.options ?? {}
      if ((block.type === 'Jump' || block.type === 'Bot link') && typeof groupId === 'string') {
        // A placeholder may name any group.
        if (groupId.includes('{{')) for (const id of groups.keys()) queue.push({ groupId: id })
        else if (groups.has(groupId)) queue.push({ groupId, ...(typeof blockId === 'string' && { blockId }) })
      }
      if (follow(block.outgoingEdgeId)) break
    }
  }
  return reached
}
