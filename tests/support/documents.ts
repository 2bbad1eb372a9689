import {
  blockCatalogue,
  currentVersions,
  type DocumentVersion,
  edge,
  events,
  group,
  legacyVersions,
  settings,
  theme,
  variable,
} from '../../contract/bot-document/index.ts'
import fc from '../kit/fast-check.ts'
import { type Json, json, objectsOf, valuesOf, without } from './arbitraries.ts'

/*
 * Whole flows of every version, as editors leave them: dangling edges, empty groups, start groups with
 * further blocks, several start blocks, blocks of unknown types, unknown keys.
 */

export interface Flow {
  version: DocumentVersion
  groups: Json[]
  events: Json[] | null
  edges: Json[]
  variables: Json[]
  theme: Json
  settings: Json
}

export const documentVersions = [...legacyVersions, ...currentVersions] as const

/** Types that no version knows; some differ from a known one only in case or space. */
const unknownTypes = ['mood input', 'Text', 'TEXT INPUT', 'text  input', 'acme/crm', '🎲', 'constructor', '7']

export const typesOf = (version: DocumentVersion): string[] =>
  blockCatalogue.filter((entry) => entry.versions.includes(version)).map((entry) => entry.type)

/** A block of one type, as a version has it. */
export function blockOf(type: string, version: DocumentVersion): fc.Arbitrary<Json> {
  const entry = blockCatalogue.find((other) => other.type === type && other.versions.includes(version))
  if (!entry) throw new TypeError(`Version ${version} has no block of type ${type}`)
  const blocks = objectsOf(entry.schema)
  return version === '4' || version === '5' ? blocks.map(withRequestId) : blocks
}

/** A block of a type that is in no catalogue, with whatever it holds. */
export const opaqueBlock: fc.Arbitrary<Json> = fc.record(
  {
    id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    type: fc.constantFrom(...unknownTypes),
    options: json,
  },
  { noNullPrototype: true },
)

/** From version 4 on, a request inside the document has an id. */
function withRequestId(block: Json): Json {
  const options = block.options as { webhook?: Json } | undefined
  if (!options?.webhook || Object.hasOwn(options.webhook, 'id') || !isHttpRequest(block)) return block
  return { ...block, options: { ...options, webhook: { id: 'req1', ...options.webhook } } }
}

function isHttpRequest({ type }: Json): boolean {
  return ['Webhook', 'Zapier', 'Make.com', 'Pabbly'].includes(String(type))
}

function anyBlockOf(version: DocumentVersion): fc.Arbitrary<Json> {
  // The start block has a place of its own below; elsewhere it is as frequent as any other type.
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...typesOf(version)).chain((type) => blockOf(type, version)) },
    { weight: 1, arbitrary: opaqueBlock },
  )
}

/** Picks existing things by number, and nothing at all now and then. */
interface Link {
  source: number
  target: number
  item: number
  intoBlock: boolean
  isKnownToSource: boolean
  isDangling: boolean
}

const link: fc.Arbitrary<Link> = fc.record({
  source: fc.nat(50),
  target: fc.nat(50),
  item: fc.nat(5),
  intoBlock: fc.boolean(),
  isKnownToSource: fc.boolean(),
  isDangling: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
})

export function documentOf(version: DocumentVersion): fc.Arbitrary<Flow> {
  const isLegacy = (legacyVersions as readonly string[]).includes(version)
  return fc
    .record({
      groups: fc.array(groupOf(version), { maxLength: 4 }),
      startGroups: isLegacy ? startGroupsOf(version) : fc.constant<Json[]>([]),
      events: isLegacy ? legacyEvents : currentEvents,
      links: fc.array(link, { maxLength: 6 }),
      looseEdges: fc.array(objectsOf(edge), { maxLength: 2 }),
      variables: fc.array(objectsOf(variable), { maxLength: 3 }),
      theme: objectsOf(theme),
      settings: objectsOf(settings),
      startsAt: fc.nat(4),
    })
    .map(({ groups, startGroups, links, looseEdges, startsAt, ...parts }) => {
      const all = [...groups.slice(0, startsAt), ...startGroups, ...groups.slice(startsAt)]
      const connected = connect(all, links, isLegacy)
      return {
        version,
        ...parts,
        groups: connected.groups,
        edges: [...connected.edges, ...(isLegacy ? looseEdges.filter(leavesBlock) : looseEdges)],
      }
    })
}

const legacyEvents = fc.constantFrom<Json[] | null>(null, null, [])

const leavesBlock = ({ from }: Json) => Object.hasOwn(from as Json, 'blockId')

const emptyGroup = objectsOf(group).map((value) => ({ ...value, blocks: [] }))

function groupOf(version: DocumentVersion): fc.Arbitrary<Json> {
  const filled = fc
    .tuple(emptyGroup, fc.array(anyBlockOf(version), { maxLength: 4 }))
    .map(([value, blocks]) => ({ ...value, blocks }))
  // Only documents before version 5 may leave the list out.
  const bare =
    version === '3' || version === '4' ? emptyGroup.map((value) => without(value, ['blocks'])) : emptyGroup
  return fc.oneof({ weight: 6, arbitrary: filled }, { weight: 1, arbitrary: bare })
}

/** Usually one group with nothing but the start block; sometimes none, several, or one with more in it. */
function startGroupsOf(version: DocumentVersion): fc.Arbitrary<Json[]> {
  const start = blockOf('start', version)
  const alone = fc.tuple(emptyGroup, start).map(([value, block]) => ({ ...value, blocks: [block] }))
  const crowded = fc
    .tuple(
      emptyGroup,
      fc.array(anyBlockOf(version), { maxLength: 1 }),
      start,
      fc.array(fc.oneof(start, anyBlockOf(version)), { maxLength: 3 }),
    )
    .map(([value, before, block, after]) => ({ ...value, blocks: [...before, block, ...after] }))
  return fc.oneof<fc.MaybeWeightedArbitrary<Json[]>[]>(
    { weight: 6, arbitrary: fc.tuple(alone) },
    { weight: 3, arbitrary: fc.tuple(crowded) },
    { weight: 1, arbitrary: fc.tuple(alone, crowded) },
    { weight: 1, arbitrary: fc.constant([]) },
  )
}

const anyEvent = valuesOf(events.element) as fc.Arbitrary<Json>

const currentEvents = fc.tuple(anyEvent, fc.array(anyEvent, { maxLength: 3 })).map(([first, rest]) => [
  {
    ...without(first, ['options']),
    id: first.id,
    type: 'start',
    graphCoordinates: first.graphCoordinates ?? { x: 0, y: 0 },
  },
  ...rest.filter(({ type }) => type !== 'start'),
])

/** Adds edges between blocks and groups that exist, stated at both ends as editors do, or dangling. */
function connect(
  groups: Json[],
  links: readonly Link[],
  isLegacy: boolean,
): { groups: Json[]; edges: Json[] } {
  let connected = groups
  const edges: Json[] = []
  for (const [index, { source, target, item, intoBlock, isKnownToSource, isDangling }] of links.entries()) {
    const places = connected.flatMap((group, groupIndex) =>
      blocksOf(group).map((_, blockIndex) => ({ groupIndex, blockIndex })),
    )
    const place = places[source % Math.max(1, places.length)]
    const goal = connected[target % Math.max(1, connected.length)]
    if (!place || !goal) break
    const id = `edge${index}`
    const from = blocksOf(connected[place.groupIndex] as Json)[place.blockIndex] as Json
    const items = Array.isArray(from.items) ? (from.items as Json[]) : []
    const chosen = items[item]
    const into = blocksOf(goal)[0]
    edges.push({
      id,
      from: { blockId: from.id, ...(chosen && { itemId: chosen.id }), ...(isLegacy && { groupId: goal.id }) },
      to: { groupId: isDangling ? 'missing' : goal.id, ...(intoBlock && into && { blockId: into.id }) },
    })
    if (!isKnownToSource) continue
    const leaving = chosen
      ? { ...from, items: items.map((other, at) => (at === item ? { ...other, outgoingEdgeId: id } : other)) }
      : { ...from, outgoingEdgeId: id }
    connected = connected.map((group, at) =>
      at === place.groupIndex ? { ...group, blocks: blocksOf(group).with(place.blockIndex, leaving) } : group,
    )
  }
  return { groups: connected, edges }
}

function blocksOf(group: Json): Json[] {
  return Array.isArray(group.blocks) ? (group.blocks as Json[]) : []
}
