import { limits } from '../../../contract/bot-document/limits.ts'
import { legacyVersions } from '../../../contract/bot-document/versions.ts'
import type { FlowFinding } from '../../../contract/publications.ts'
import { neutralLinks } from './bot-links.ts'
import {
  type FlowDocument,
  filterShared,
  isAbsent,
  isRecord,
  listOf,
  mapShared,
  versionOf,
} from './document.ts'
import { withStartNamed } from './edges-named.ts'

/**
 * Fills in what documents of the versions 3 and 4 may lack before a conversion, and documents of any version before
 * an import.
 *
 * Before a conversion (versions below 6):
 *
 * 1. A missing version is 6 where there are events, else 3.
 * 2. Missing `groups` and `edges` are empty lists, and so are missing `blocks` of a group.
 *
 * Before an import, in every version, also:
 *
 * 3. Missing `variables` are an empty list, missing `theme` and `settings` are empty objects.
 * 4. Malformed edges are dropped: no other part can be repaired by leaving it out, but a flow without an edge that
 *    leads nowhere is the same flow.
 * 5. `events` of a legacy bot are null, whatever stood there: its start is the start block.
 * 6. A current bot without any event gets a start event.
 * 7. Link blocks that carry the name of a product become `Bot link`.
 * 8. An event, item, path or last block of a group without `outgoingEdgeId` gets the edge that starts there, if there is
 *    exactly one: chats follow `outgoingEdgeId` alone. All but the start block of a legacy bot after the conversion.
 *
 * Warnings name whatever 4 to 6 and 8 drop or add.
 */

const LEGACY = new Set<unknown>(legacyVersions)

/** Rules 1 and 2. Current documents, and those without a known version, are returned as they are. */
export function cleanUp(document: FlowDocument): FlowDocument {
  const version = versionOf(document)
  if (!LEGACY.has(version)) return version === document.version ? document : { ...document, version }
  const groups = isAbsent(document.groups) ? [] : withBlocks(document.groups)
  const edges = isAbsent(document.edges) ? [] : document.edges
  if (version === document.version && groups === document.groups && edges === document.edges) return document
  return { ...document, version, groups, edges }
}

/** Rules 1 to 8: an exported document, repaired for the contract, and the changes that were made. */
export function repairImported(document: FlowDocument): { document: FlowDocument; warnings: FlowFinding[] } {
  const warnings: FlowFinding[] = []
  const version = versionOf(document)
  const isLegacy = LEGACY.has(version)
  const repaired: FlowDocument = {
    ...document,
    version,
    groups: isAbsent(document.groups) ? [] : neutralLinks(withBlocks(document.groups)),
    edges: isAbsent(document.edges) ? [] : withoutMalformedEdges(document.edges, warnings),
    variables: document.variables ?? [],
    theme: document.theme ?? {},
    settings: document.settings ?? {},
  }
  if (isLegacy) {
    repaired.events = null
    repaired.groups = withStartNamed(repaired.groups, repaired.edges, warnings)
    if (listOf(document.events).length > 0) {
      const message = `The events were dropped: a bot of version ${version} begins at its start block.`
      warnings.push({ path: ['events'], code: 'dropped', message })
    }
  } else if (isAbsent(document.events) || (Array.isArray(document.events) && document.events.length === 0)) {
    repaired.events = [{ id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } }]
    const message = 'A start event was added: the bot had no event.'
    warnings.push({ path: ['events'], code: 'added', message })
  }
  return { document: repaired, warnings }
}

function withBlocks(groups: unknown): unknown {
  if (!Array.isArray(groups)) return groups
  return mapShared(groups, (group) =>
    isRecord(group) && isAbsent(group.blocks) ? { ...group, blocks: [] } : group,
  )
}

function withoutMalformedEdges(edges: unknown, warnings: FlowFinding[]): unknown {
  if (!Array.isArray(edges)) return edges
  let index = -1
  return filterShared(edges, (edge) => {
    index += 1
    const fault = edgeFault(edge)
    if (fault === undefined) return true
    // The document that is stored has no place for it.
    const name = isRecord(edge) && isId(edge.id) ? ` ${JSON.stringify(edge.id)}` : ''
    const message = `The edge${name} at place ${index} of those sent was dropped: ${fault}.`
    warnings.push({ path: ['edges'], code: 'dropped', message })
    return false
  })
}

/** Returns why the contract rejects an edge; undefined if it is well formed. */
function edgeFault(edge: unknown): string | undefined {
  if (!isRecord(edge)) return 'it is not an object'
  if (!isId(edge.id)) return 'it has no id'
  if (!isRecord(edge.from)) return 'it does not say where it starts'
  const { blockId, itemId, pathId, eventId } = edge.from
  const ids = [blockId, itemId, pathId, eventId]
  if (!ids.every(isOptionalId)) return 'what it starts at is not named by an id'
  if (blockId === undefined && eventId === undefined) return 'it does not start at a block or an event'
  if (!isRecord(edge.to) || !isId(edge.to.groupId)) return 'it does not say which group it leads to'
  if (!isOptionalId(edge.to.blockId)) return 'the block it leads to is not named by an id'
  return undefined
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && [...value].length <= limits.id
}

function isOptionalId(value: unknown): boolean {
  return value === undefined || isId(value)
}
