import type { Seen } from './models.ts'

/** A bot that carries one text in every part of its document, and says it in chats. */
export function stamped(stamp: string) {
  const graphCoordinates = { x: 0, y: 0 }
  const richText = [{ type: 'p', children: [{ text: stamp }] }]
  return {
    version: '6.1',
    events: [{ id: 'start', type: 'start', graphCoordinates, outgoingEdgeId: 'edge' }],
    groups: [
      {
        id: 'group',
        title: stamp,
        graphCoordinates,
        blocks: [
          { id: 'text', type: 'text', content: { richText } },
          { id: 'first', type: 'text input', options: { variableId: 'said' } },
          { id: 'second', type: 'text input' },
          { id: 'third', type: 'text input' },
        ],
      },
    ],
    edges: [{ id: 'edge', from: { eventId: 'start' }, to: { groupId: 'group' } }],
    variables: [
      { id: 'said', name: 'Said' },
      { id: 'stamp', name: stamp },
    ],
    theme: { stamp },
    settings: { stamp },
  }
}

type Document = ReturnType<typeof stamped>

/** The text that all parts of a bot carry; a mixture throws. */
export function stampOf({ groups, variables, theme, settings }: Document): string {
  const found = new Set([groups[0]?.title, variables[1]?.name, theme.stamp, settings.stamp])
  if (found.size !== 1)
    throw new Error(`The parts of a bot are of different changes: ${[...found].join(', ')}`)
  return [...found][0] as string
}

export function seenOf(bot: Document & { updatedAt: string; name?: string }): Seen {
  if (bot.groups === undefined) return { at: bot.updatedAt }
  return { at: bot.updatedAt, name: bot.name, stamp: stampOf(bot) }
}
