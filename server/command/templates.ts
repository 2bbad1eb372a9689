/* Documents that `bots new` begins with. */

const at = (x: number) => ({ x, y: 0 })
const text = (id: string, plainText: string) => ({ id, type: 'text', content: { plainText } })
const start = (outgoingEdgeId?: string) => [
  { id: 'start', type: 'start', graphCoordinates: at(0), ...(outgoingEdgeId && { outgoingEdgeId }) },
]
const toFirst = { id: 'toFirst', from: { eventId: 'start' }, to: { groupId: 'first' } }

export const templates = {
  empty: { events: start(), groups: [], edges: [], variables: [] },
  contact: {
    events: start('toFirst'),
    groups: [
      {
        id: 'first',
        title: 'Contact',
        graphCoordinates: at(300),
        blocks: [
          text('hello', 'Hello! What is your name?'),
          { id: 'askName', type: 'text input', options: { variableId: 'name' } },
          text('askMail', 'And your e-mail address, {{Name}}?'),
          { id: 'askEmail', type: 'email input', options: { variableId: 'email' } },
          text('thanks', 'Thank you, we will write to {{Email}}.'),
        ],
      },
    ],
    edges: [toFirst],
    variables: [
      { id: 'name', name: 'Name' },
      { id: 'email', name: 'Email' },
    ],
  },
  feedback: {
    events: start('toFirst'),
    groups: [
      {
        id: 'first',
        title: 'Feedback',
        graphCoordinates: at(300),
        blocks: [
          text('hello', 'How did you like it?'),
          { id: 'askRating', type: 'rating input', options: { variableId: 'rating', length: 5 } },
          text('askMore', 'What should we do better?'),
          { id: 'askText', type: 'text input', options: { variableId: 'feedback', isLong: true } },
          text('thanks', 'Thank you!'),
        ],
      },
    ],
    edges: [toFirst],
    variables: [
      { id: 'rating', name: 'Rating' },
      { id: 'feedback', name: 'Feedback' },
    ],
  },
} as const

export type TemplateName = keyof typeof templates
