/** A flow document as version 6.1 writes it. */
export interface FlowDocument {
  groups: object[]
  events: object[]
  edges: object[]
  variables: object[]
  theme: object
  settings: object
}

/**
 * A bot that asks one question after the other and begins again at the end, with so many questions that its
 * JSON has about `bytes` bytes.
 */
export function makeDocument(bytes: number): FlowDocument {
  const questions = Math.max(1, Math.round((bytes - outline) / oneQuestion))
  return withQuestions(questions)
}

function withQuestions(questions: number): FlowDocument {
  const numbers = Array.from({ length: questions }, (_, at) => at)
  return {
    events: [
      { id: 'event-start', type: 'start', graphCoordinates: { x: 0, y: 0 }, outgoingEdgeId: 'edge-start' },
    ],
    groups: numbers.map(toGroup),
    edges: [
      { id: 'edge-start', from: { eventId: 'event-start' }, to: { groupId: 'group-0' } },
      ...numbers.map((at) => ({
        id: `edge-${at}`,
        from: { blockId: `input-${at}` },
        to: { groupId: `group-${(at + 1) % questions}` },
      })),
    ],
    variables: numbers.map((at) => ({ id: `variable-${at}`, name: `Answer ${at}` })),
    theme: { general: { font: { type: 'Google', family: 'Inter' } }, chat: { roundness: 'medium' } },
    settings: { general: { isBrandingEnabled: false }, typingEmulation: { enabled: false } },
  }
}

function toGroup(at: number) {
  return {
    id: `group-${at}`,
    title: `Question ${at}`,
    graphCoordinates: { x: (at % 12) * 340, y: Math.floor(at / 12) * 260 },
    blocks: [
      {
        id: `text-${at}`,
        type: 'text',
        content: {
          richText: [
            { type: 'p', children: [{ text: `Number ${at}: ` }, { text: subject(at), bold: true }] },
            {
              type: 'p',
              children: [{ text: 'Take your time, a sentence or two is enough – we read it all.' }],
            },
          ],
        },
      },
      {
        id: `input-${at}`,
        type: 'text input',
        outgoingEdgeId: `edge-${at}`,
        options: {
          variableId: `variable-${at}`,
          labels: { placeholder: `Your answer on ${subject(at)}`, button: 'Send' },
        },
      },
    ],
  }
}

const verbs = ['plan', 'buy', 'repair', 'insure', 'lend', 'clean', 'sell', 'choose', 'paint', 'store']
const things = [
  'a bicycle',
  'the kitchen',
  'a garden',
  'shoes',
  'a camera',
  'old books',
  'a tent',
  'the roof',
]

/** Differs enough from question to question that the text does not compress to nothing. */
function subject(at: number): string {
  const verb = verbs[(at * 7) % verbs.length]
  const thing = things[(at * 5 + (at >> 3)) % things.length]
  return `how you ${verb} ${thing} in ${1960 + ((at * 37) % 90)} (${((at * 2_654_435_761) >>> 0).toString(36)})`
}

const sizeOf = (document: FlowDocument) => Buffer.byteLength(JSON.stringify(document))
const oneQuestion = (sizeOf(withQuestions(101)) - sizeOf(withQuestions(1))) / 100
const outline = sizeOf(withQuestions(1)) - oneQuestion
