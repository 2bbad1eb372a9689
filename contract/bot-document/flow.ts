import { z } from '../kit/zod.ts'
import { boundedArray } from './bounded-array.ts'
import {
  component,
  flag,
  id,
  name,
  number,
  oneOf,
  phrase,
  reference,
  requireOneOf,
  variableReference,
} from './fields.ts'
import { limits, MAX_TIMER_SECONDS } from './limits.ts'
import { quickText } from './quick.ts'
import { selectUnion, taggedUnion, tagOf, wrongType } from './union.ts'

/** Schemas around the blocks: coordinates, edges, variables and events. */

export const coordinates = component(
  'Coordinates',
  'Where a group or an event lies on the canvas of the editor.',
  {
    x: coordinate('Distance from the left, in CSS pixels.', 420),
    y: coordinate('Distance from the top, in CSS pixels.', 160),
  },
)

export const outgoingEdge = (owner: string) =>
  reference(
    `Id of the edge that leaves ${owner}. This is what a running chat follows; it may dangle.`,
    'edgToEmail',
  )

const edgeSource = z
  .looseObject({
    blockId: id('Id of the block the edge leaves.', 'blkAskEmail').optional(),
    itemId: id('Id of the item of the block, when the edge leaves one.', 'itmYes').optional(),
    pathId: id('Id of the path of a card, when the edge leaves one.', 'pthBuy').optional(),
    eventId: id('Id of the event the edge leaves.', 'evtStart').optional(),
  })
  .check(requireOneOf(['blockId', 'eventId'], 'Expected a blockId or an eventId'))
  .meta({
    id: 'EdgeSource',
    description:
      'Where an edge starts: at a block, at an item or a path of a block, or at an event. Either blockId or eventId is present; eventId only in versions 6 and 6.1.',
  })

const edgeTarget = component('EdgeTarget', 'Where an edge leads.', {
  groupId: id('Id of the group.', 'grpContact'),
  blockId: id('Id of the block in the group. Default: its first block.', 'blkAskEmail').optional(),
})

export const edge = component(
  'Edge',
  'A connection of the flow. References are not enforced: source and target may name what does not exist.',
  {
    id: id('Id of the edge.', 'edgToEmail'),
    from: edgeSource,
    to: edgeTarget,
  },
)

const variableText = quickText(limits.prose)
const variableTexts = boundedArray(quickText(limits.prose).nullable(), { maximum: limits.itemsPerBlock * 10 })
const noValue = z.null()

const textsOrNull = selectUnion([variableText, variableTexts, noValue], (value) => {
  if (value === null) return noValue
  if (typeof value === 'string') return variableText
  if (Array.isArray(value)) return variableTexts
  return wrongType('Expected a text, a list of texts, or null')
})

/** Validated, but published as any value: few generators of clients can read a union of text and list. */
const variableValue = z
  .unknown()
  .check((payload) => {
    const { error } = textsOrNull.safeParse(payload.value)
    payload.issues.push(...((error?.issues ?? []) as z.core.$ZodRawIssue[]))
  })
  .meta({
    description:
      'The value at the start of a chat: a text, a list whose entries are texts or null, or null. Anything else is invalid input.',
    example: 'ada@example.com',
  })

export const variable = component('Variable', 'A named place for text that a chat reads and writes.', {
  id: id('Id of the variable.', 'varEmail'),
  name: name('Name used in placeholders such as {{Email}}.', 'Email'),
  isSessionVariable: flag(
    'Whether the value lasts for one chat only and is left out of results. Default false.',
  ).optional(),
  value: variableValue.optional(),
})

const startEvent = component('StartEvent', 'Where every chat begins.', {
  ...eventBase('start'),
})

const commandEvent = component(
  'CommandEvent',
  'Begins a branch when the page around the chat sends a command.',
  {
    ...eventBase('command'),
    options: component('CommandEventOptions', 'Which command is meant.', {
      command: phrase('The command.', 'show-offer').optional(),
      resumeAfter: flag(
        'Whether the chat returns to the waiting input afterwards. Default false.',
      ).optional(),
    }).optional(),
  },
)

const replyEventOptions = component('ReplyEventOptions', 'Variables that the answer is described in.', {
  contentVariableId: variableReference('that takes the answer', 'varAnswer').optional(),
  inputNameVariableId: variableReference('that takes the name of the input', 'varInputName').optional(),
  inputTypeVariableId: variableReference('that takes the type of the input', 'varInputType').optional(),
})

const replyEvent = component('ReplyEvent', 'Begins a branch before every answer is processed.', {
  ...eventBase('reply'),
  options: replyEventOptions.optional(),
})

const invalidReplyEvent = component(
  'InvalidReplyEvent',
  'Begins a branch in place of the message after a wrong answer.',
  {
    ...eventBase('invalidReply'),
    options: replyEventOptions.optional(),
  },
)

const idleEvent = component(
  'IdleEvent',
  'Begins a branch when the visitor has not answered for a while. The input is shown again behind it. An event of this service alone.',
  {
    ...eventBase('idle'),
    options: component('IdleEventOptions', 'When the branch runs, how often, and what comes then.', {
      seconds: number(
        'Seconds without an answer until the branch runs, and runs again. Without it the event has no effect.',
        { min: 10, max: MAX_TIMER_SECONDS, example: 300 },
      ).optional(),
      times: number('How often the branch runs for one question. Default 1.', {
        min: 0,
        max: 20,
        example: 2,
      }).optional(),
      isEnding: flag(
        'Whether the chat ends when as many seconds have passed once more. Default false.',
      ).optional(),
    }).optional(),
  },
)

const knownEvents = [startEvent, commandEvent, replyEvent, invalidReplyEvent, idleEvent] as const

const opaqueEvent = component(
  'OpaqueEvent',
  'An event of a type that this service does not know. It is kept as it is.',
  {
    id: id('Id of the event.', 'evtTimer'),
    type: quickText(limits.id, 1).meta({
      description: 'Any other type of event.',
      example: 'timer',
      not: { enum: knownEvents.map((event) => tagOf(event, 'type')) },
    }),
  },
)

const event = taggedUnion('type', knownEvents, opaqueEvent).meta({
  id: 'FlowEvent',
  description: 'Something that begins a branch of the flow; the type tells what.',
})

/** Events of versions 6 and 6.1. */
export const events = boundedArray(event, { minimum: 1, maximum: limits.events })
  .check((payload) => {
    if (payload.issues.length > 0) return
    payload.value.forEach(({ type }, index) => {
      if (index === 0 && type !== 'start') refuse(index, 'The first event must be of type "start"')
      if (index > 0 && type === 'start') refuse(index, 'Only the first event may be of type "start"')
    })
    function refuse(index: number, message: string) {
      payload.issues.push({ code: 'custom', path: [index, 'type'], message, input: payload.value })
    }
  })
  .meta({
    description:
      'What begins the branches of the flow. The first event, and only the first, is the start event.',
  })

/** Events of versions 3, 4 and 5, which begin at a start block. */
export const legacyEvents = boundedArray(event, { maximum: 0 })
  .nullable()
  .meta({ description: 'Null, because the start is a block of a group. An empty list is accepted too.' })

export const variables = boundedArray(variable, { maximum: limits.variables }).meta({
  description: 'The variables of the bot.',
})

const edgesUpTo = (maximum: number) =>
  boundedArray(edge, { maximum }).meta({
    description: 'The connections of the flow, in no particular order.',
  })

/** Maximum is one more than in versions 3, 4 and 5, since conversion may turn a start block into an edge. */
export const edges = edgesUpTo(limits.edges + 1)

export const legacyEdges = edgesUpTo(limits.edges)

function eventBase<Type extends string>(type: Type) {
  return {
    id: id('Id of the event.', 'evtStart'),
    type: oneOf([type], 'Type of the event.'),
    outgoingEdgeId: outgoingEdge('the event').optional(),
    graphCoordinates: coordinates,
  }
}

function coordinate(description: string, example: number) {
  return number(description, { min: -limits.coordinate, max: limits.coordinate, example })
}
