import { blocksOf, type FlowDocument, findStartBlock, isStartBlock, listOf } from './document.ts'
import { keptGroups } from './from-4-to-6.ts'

type Path = readonly (string | number)[]

/**
 * Translates paths into a converted document to paths into the original, from which it was first `repaired`: the
 * start group may have been removed, its start block has been, and edges were dropped.
 */
export function pathsBefore(
  sent: FlowDocument,
  repaired: FlowDocument,
  converted: FlowDocument,
): (path: Path) => Path {
  const groups = listOf(repaired.groups)
  const isConverted = repaired.version !== converted.version && repaired.events === null
  const places = new Map(groups.map((group, index) => [group, index]))
  const groupsAfter = isConverted ? keptGroups(groups, listOf(repaired.edges)) : groups
  const start = isConverted ? findStartBlock(groups) : undefined

  return ([part, index, inner, blockIndex, ...rest]) => {
    const all = [part, index, inner, blockIndex, ...rest].filter((step) => step !== undefined)
    const at = Number(index)
    if (part === 'edges' && index !== undefined) {
      const place = listOf(sent.edges).indexOf(listOf(converted.edges)[at])
      return place === -1 ? all : [part, String(place), ...all.slice(2)]
    }
    if (part === 'events' && start && index !== undefined) {
      return ['groups', String(start.groupIndex), ...all.slice(2)]
    }
    if (part !== 'groups' || index === undefined) return all
    const group = groupsAfter[at]
    const path = [part, String(places.get(group) ?? index), ...all.slice(2)]
    if (inner !== 'blocks' || blockIndex === undefined || !isConverted) return path
    const block = blocksOf(group).filter((each) => !isStartBlock(each))[Number(blockIndex)]
    path[3] = String(blocksOf(group).indexOf(block))
    return path
  }
}
