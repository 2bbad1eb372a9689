import { isRecord, type JsonRecord } from '../documents/conversion/document.ts'
import { type EditedFlow, recordsOf } from './edit-flow.ts'

/* Views of a flow for agents: an outline with the ids of all parts, or one part completely. */

/** Groups of an outline, and entries of a part, in one response. */
const MAX_LISTED = 100

/** Characters of a text in an outline. */
const MAX_SHOWN_CHARACTERS = 120

export function outlineOf(flow: EditedFlow, offset: number) {
  const targets = new Map(flow.edges.map(({ id, to }) => [id, to]))
  const leadsTo = ({ outgoingEdgeId }: JsonRecord) =>
    outgoingEdgeId === undefined ? {} : { to: targets.get(outgoingEdgeId) ?? null }
  const groups = flow.groups.slice(offset, offset + MAX_LISTED).map((group) => ({
    id: group.id,
    title: group.title,
    blocks: recordsOf(group.blocks).map((block) => ({
      id: block.id,
      type: block.type,
      ...summaryOf(block),
      ...leadsTo(block),
      ...(Array.isArray(block.items) && {
        items: recordsOf(block.items).map((item) => ({
          id: item.id,
          ...(typeof item.content === 'string' && { content: shorten(item.content) }),
          ...leadsTo(item),
          ...(Array.isArray(item.paths) && {
            paths: recordsOf(item.paths).map((path) => ({ id: path.id, ...leadsTo(path) })),
          }),
        })),
      }),
    })),
  }))
  return {
    events: flow.events.map((event) => ({ id: event.id, type: event.type, ...leadsTo(event) })),
    groups,
    ...nextOffset(flow.groups.length, offset),
    variables: flow.variables.slice(0, MAX_LISTED * 2).map(({ id, name }) => ({ id, name })),
    counts: {
      groups: flow.groups.length,
      edges: flow.edges.length,
      variables: flow.variables.length,
    },
  }
}

/** A group with its blocks and the edges that leave it. */
export function groupIn(flow: EditedFlow, groupId: string) {
  const group = flow.groups.find(({ id }) => id === groupId)
  if (!group) return undefined
  const ids = new Set(recordsOf(group.blocks).map(({ id }) => id))
  return { group, edges: flow.edges.filter(({ from }) => isRecord(from) && ids.has(from.blockId)) }
}

export function partOf(
  flow: EditedFlow,
  part: 'events' | 'edges' | 'variables' | 'theme' | 'settings',
  offset: number,
) {
  const value = flow[part]
  if (!Array.isArray(value)) return { [part]: value }
  return { [part]: value.slice(offset, offset + MAX_LISTED), ...nextOffset(value.length, offset) }
}

const nextOffset = (length: number, offset: number) =>
  length > offset + MAX_LISTED ? { nextOffset: offset + MAX_LISTED } : {}

/** Summarises the content of a block, and the variable that takes its answer. */
function summaryOf({ content, options }: JsonRecord): JsonRecord {
  const text = isRecord(content) ? (plainText(content) ?? content.url) : content
  const variableId = isRecord(options) ? options.variableId : undefined
  return {
    ...(typeof text === 'string' && { text: shorten(text) }),
    ...(typeof variableId === 'string' && { variableId }),
  }
}

function plainText({ plainText, richText }: JsonRecord): string | undefined {
  if (Array.isArray(richText)) return richText.map(textIn).join('\n')
  return typeof plainText === 'string' ? plainText : undefined
}

function textIn(node: unknown): string {
  if (!isRecord(node)) return ''
  if (typeof node.text === 'string') return node.text
  return Array.isArray(node.children) ? node.children.map(textIn).join('') : ''
}

export function shorten(text: string, characters = MAX_SHOWN_CHARACTERS): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length} characters)`
}
