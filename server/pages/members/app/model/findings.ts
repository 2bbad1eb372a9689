import type { Draft } from './draft.ts'

export interface Finding {
  path: string[]
  code: string
  message: string
  severity?: 'error' | 'warning'
}

/** A finding with the part of the flow that it is about. */
export interface PlacedFinding extends Finding {
  groupId?: string
  blockId?: string
  eventId?: string
}

/** Finds the parts that findings are about, in the draft that was checked. */
export function placeFindings(findings: Finding[], draft: Draft): PlacedFinding[] {
  return findings.map((finding) => {
    const [part, index, inner, innerIndex] = finding.path
    if (part === 'groups') {
      const group = draft.groups[Number(index)]
      const block = inner === 'blocks' ? group?.blocks[Number(innerIndex)] : undefined
      return { ...finding, groupId: group?.id, blockId: block?.id }
    }
    if (part === 'events') return { ...finding, eventId: draft.events[Number(index)]?.id }
    return finding
  })
}
