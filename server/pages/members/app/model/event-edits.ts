import type { Draft, FlowEvent } from './draft.ts'
import { newId } from './draft.ts'

/* Edits of events. A flow has one start, and any number of others. */

export const addableEvents = ['command', 'reply', 'invalidReply'] as const

const ROW_HEIGHT = 80

/** Adds an event below the others. */
export function addEvent(
  draft: Draft,
  type: (typeof addableEvents)[number],
): { draft: Draft; event: FlowEvent } {
  const last = draft.events.reduce<FlowEvent | undefined>(
    (lowest, event) => (!lowest || event.graphCoordinates.y > lowest.graphCoordinates.y ? event : lowest),
    undefined,
  )
  const { x = 0, y = -ROW_HEIGHT } = last?.graphCoordinates ?? {}
  const event: FlowEvent = { id: newId(), type, graphCoordinates: { x, y: y + ROW_HEIGHT } }
  return { draft: { ...draft, events: [...draft.events, event] }, event }
}

/** Removes an event with the edge that leaves it. The start stays: a chat begins nowhere else. */
export function removeEvent(draft: Draft, id: string): Draft {
  const event = draft.events.find((each) => each.id === id)
  if (!event || event.type === 'start') return draft
  return {
    ...draft,
    events: draft.events.filter((each) => each !== event),
    edges: draft.edges.filter((edge) => edge.from.eventId !== id && edge.id !== event.outgoingEdgeId),
  }
}
