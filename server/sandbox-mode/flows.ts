/* The flow of the seeded bots: a greeting, a question, and thanks. */

const rest = [
  {
    id: 'group-welcome',
    title: 'Welcome',
    graphCoordinates: { x: 200, y: 0 },
    blocks: [
      {
        id: 'block-hello',
        type: 'text',
        content: { richText: [{ type: 'p', children: [{ text: 'Hello! What is your e-mail address?' }] }] },
      },
      {
        id: 'block-email',
        type: 'email input',
        options: { variableId: 'variable-email' },
        outgoingEdgeId: 'edge-thanks',
      },
    ],
  },
  {
    id: 'group-thanks',
    title: 'Thanks',
    graphCoordinates: { x: 600, y: 0 },
    blocks: [
      {
        id: 'block-thanks',
        type: 'text',
        content: { richText: [{ type: 'p', children: [{ text: 'Thank you, {{Email}}.' }] }] },
      },
    ],
  },
]
const variables = [{ id: 'variable-email', name: 'Email' }]
const toThanks = { id: 'edge-thanks', from: { blockId: 'block-email' }, to: { groupId: 'group-thanks' } }

/** Versions 6 and 6.1. */
export const currentFlow = {
  events: [
    { id: 'event-start', type: 'start', graphCoordinates: { x: 0, y: 0 }, outgoingEdgeId: 'edge-start' },
  ],
  groups: rest,
  edges: [{ id: 'edge-start', from: { eventId: 'event-start' }, to: { groupId: 'group-welcome' } }, toThanks],
  variables,
}

/** Versions 3 to 5, whose start is a block. */
export const legacyFlow = {
  events: null,
  groups: [
    {
      id: 'group-start',
      title: 'Start',
      graphCoordinates: { x: 0, y: 0 },
      blocks: [{ id: 'block-start', type: 'start', label: 'Start', outgoingEdgeId: 'edge-start' }],
    },
    ...rest,
  ],
  edges: [{ id: 'edge-start', from: { blockId: 'block-start' }, to: { groupId: 'group-welcome' } }, toThanks],
  variables,
}
