import type { Any } from '../../kit/emit/client/api.ts'

/*
 * Builds flows in code: groups by name, each a list of steps. Ids are made of names, so that the same program makes the
 * same ids and a running chat finds its block after an update. Edges name groups, and the compiler knows them all.
 */

declare const target: unique symbol
declare const variable: unique symbol

/** A step of a group. `Target` are the groups that it leads to, `Variable` the variables that it names. */
export interface Step<Target extends string = string, Variable extends string = string> {
  readonly [target]?: Target
  readonly [variable]?: Variable
  /** Adds the step to a flow. */
  readonly build: (flow: Building) => void
}

/** A flow in the making, and the group that steps are added to. */
interface Building {
  groupId: string
  blocks: Any[]
  /** The next free id for a block of a type in this group. */
  idFor(type: string, given?: string): string
  variableId(name: string): string
  /** Adds an edge from a part of the flow to a group. */
  connect(source: Any, from: BuiltEdge['from'], groupId: string): void
  /** Throws if there is no such group. */
  findGroup(groupId: string): void
}

interface BuiltEdge {
  id: string
  from: { eventId?: string; blockId?: string; itemId?: string }
  to: { groupId: string }
}

/** A bot as create and update take it. */
export interface BuiltBot {
  version: '6.1'
  name: string
  groups: Any[]
  events: Any[]
  edges: BuiltEdge[]
  variables: { id: string; name: string }[]
  theme?: Any
  settings?: Any
}

/** An id of your own, for a step that later changes its place. */
export interface StepOptions {
  id?: string
}

export type InputType =
  | 'text input'
  | 'number input'
  | 'email input'
  | 'url input'
  | 'phone number input'
  | 'date input'
  | 'time input'
  | 'rating input'
  | 'file input'

export type Operator =
  | 'Equal to'
  | 'Not equal'
  | 'Contains'
  | 'Does not contain'
  | 'Greater than'
  | 'Less than'
  | 'Greater or equal to'
  | 'Less or equal to'
  | 'Is set'
  | 'Is empty'

/**
 * Makes a bot of groups of steps. A chat begins with the first group, or with the one that `start` names. Every group
 * that a step leads to is one of `groups`, and every variable one of `variables`.
 */
export function defineBot<const Group extends string, const Variable extends string = never>(bot: {
  name: string
  variables?: readonly Variable[]
  start?: NoInfer<Group>
  groups: { readonly [Name in Group]: readonly Step<NoInfer<Group>, NoInfer<Variable>>[] }
  theme?: Any
  settings?: Any
}): BuiltBot {
  const names = Object.keys(bot.groups) as Group[]
  const first = bot.start ?? names[0]
  const edges: BuiltEdge[] = []
  const findGroup = (groupId: string) => {
    if (!Object.hasOwn(bot.groups, groupId)) throw new Error(`An edge leads to ${groupId}, which is no group`)
  }
  const connect: Building['connect'] = (source, from, groupId) => {
    findGroup(groupId)
    const id = `${from.itemId ?? from.blockId ?? from.eventId}-edge`
    source.outgoingEdgeId = id
    edges.push({ id, from, to: { groupId } })
  }
  const start: Any = { id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } }
  if (first !== undefined) connect(start, { eventId: 'start' }, first)
  const variables = (bot.variables ?? []).map((name) => ({ id: `var-${name}`, name }))
  const ids = new Set<string>()
  const groups = names.map((groupId, index) => {
    const counts = new Map<string, number>()
    const flow: Building = {
      groupId,
      blocks: [],
      connect,
      findGroup,
      idFor(type, given) {
        const count = (counts.get(type) ?? 0) + 1
        counts.set(type, count)
        const id = given ?? `${groupId}-${type.replaceAll(' ', '-')}-${count}`
        if (ids.has(id)) throw new Error(`Two steps have the id ${id}`)
        ids.add(id)
        return id
      },
      variableId(name) {
        const found = variables.find((one) => one.name === name)
        if (!found) throw new Error(`There is no variable ${name}; list it in variables`)
        return found.id
      },
    }
    for (const step of bot.groups[groupId]) step.build(flow)
    const graphCoordinates = { x: 300 + 350 * index, y: 0 }
    return { id: groupId, title: groupId, graphCoordinates, blocks: flow.blocks }
  })
  const { name, theme, settings } = bot
  return {
    version: '6.1',
    name,
    groups,
    events: [start],
    edges,
    variables,
    ...(theme === undefined ? {} : { theme }),
    ...(settings === undefined ? {} : { settings }),
  }
}

/** Says a text. It may hold variables: `{{Name}}`. */
export function text(plainText: string, { id }: StepOptions = {}): Step<never, never> {
  return {
    build: (flow) =>
      void flow.blocks.push({ id: flow.idFor('text', id), type: 'text', content: { plainText } }),
  }
}

/** Adds an input and stores the answer in a variable. */
export function ask<const Variable extends string>(
  type: InputType,
  variable: Variable,
  options: Record<string, Any> & StepOptions = {},
): Step<never, Variable> {
  const { id, ...rest } = options
  return {
    build: (flow) =>
      void flow.blocks.push({
        id: flow.idFor(type, id),
        type,
        options: { ...rest, variableId: flow.variableId(variable) },
      }),
  }
}

/** Offers buttons. Each leads to a group, or with null to the next step. */
export function choose<const Target extends string = never, const Variable extends string = never>(
  choices: { readonly [content: string]: Target | null },
  { saveAs, id, ...options }: { saveAs?: Variable } & Record<string, Any> & StepOptions = {},
): Step<Target, Variable> {
  return {
    build(flow) {
      const blockId = flow.idFor('choice input', id)
      const items = Object.entries(choices).map(([content, groupId]) => {
        const item: Any = { id: flow.idFor('item', `${blockId}-${wordsOf(content)}`), content }
        if (groupId !== null) flow.connect(item, { blockId, itemId: item.id }, groupId)
        return item
      })
      const saved = saveAs === undefined ? {} : { variableId: flow.variableId(saveAs) }
      flow.blocks.push({ id: blockId, type: 'choice input', items, options: { ...options, ...saved } })
    },
  }
}

/** Leads to a group if a comparison holds; else the next step follows. */
export function when<const Target extends string, const Variable extends string>(
  variable: Variable,
  comparisonOperator: Operator,
  value: string,
  then: Target,
  { id }: StepOptions = {},
): Step<Target, Variable> {
  return {
    build(flow) {
      const blockId = flow.idFor('Condition', id)
      const comparison = {
        id: `${blockId}-is`,
        variableId: flow.variableId(variable),
        comparisonOperator,
        value,
      }
      const item: Any = { id: `${blockId}-1`, content: { logicalOperator: 'AND', comparisons: [comparison] } }
      flow.connect(item, { blockId, itemId: item.id }, then)
      flow.blocks.push({ id: blockId, type: 'Condition', items: [item] })
    },
  }
}

/** Sets a variable to a text, in which other variables may be. */
export function set<const Variable extends string>(
  variable: Variable,
  value: string,
  { id }: StepOptions = {},
): Step<never, Variable> {
  return {
    build: (flow) =>
      void flow.blocks.push({
        id: flow.idFor('Set variable', id),
        type: 'Set variable',
        options: { variableId: flow.variableId(variable), expressionToEvaluate: value },
      }),
  }
}

/** Goes on with another group. */
export function goTo<const Target extends string>(
  groupId: Target,
  { id }: StepOptions = {},
): Step<Target, never> {
  return {
    build(flow) {
      flow.findGroup(groupId)
      flow.blocks.push({ id: flow.idFor('Jump', id), type: 'Jump', options: { groupId } })
    },
  }
}

/** Any other block, with its type and properties; it gets an id of its own. */
export function block(given: { type: string } & Record<string, Any>): Step<never, never> {
  return { build: (flow) => void flow.blocks.push({ ...given, id: flow.idFor(given.type, given.id) }) }
}

/** Letters and digits of a text, for an id. */
function wordsOf(content: string): string {
  return content.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)
}
