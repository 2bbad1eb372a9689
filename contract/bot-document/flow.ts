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
  'Coordinates of a group or an event on the canvas of the editor.',
  {
    x: coordinate('Distance from the left, in CSS pixels.', 420),
    y: coordinate('Distance from the top, in CSS pixels.', 160),
  },
)

export const outgoingEdge = (owner: string) =>
  reference(
    `Id of the edge that leaves ${owner}. Running chats follow this id. The edge may be missing.`,
    'edgToEmail',
  )

const edgeSource = z
  .looseObject({
    blockId: id('Id of the block the edge leaves.', 'blkAskEmail').optional(),
    itemId: id('Id of the item of the block, if the edge leaves an item.', 'itmYes').optional(),
    pathId: id('Id of the path of a card, if the edge leaves a path.', 'pthBuy').optional(),
    eventId: id('Id of the event the edge leaves.', 'evtStart').optional(),
  })
  .check(requireOneOf(['blockId', 'eventId'], 'Expected a blockId or an eventId'))
  .meta({
    id: 'EdgeSource',
    description:
      'Start of an edge: a block, an item or a path of a block, or an event. It has a blockId or, in versions 6 and 6.1 only, an eventId.',
  })

const edgeTarget = component('EdgeTarget', 'Target of an edge: a group or one of its blocks.', {
  groupId: id('Id of the group.', 'grpContact'),
  blockId: id('Id of the block in the group. Default: its first block.', 'blkAskEmail').optional(),
})

export const edge = component(
  'Edge',
  'A connection of the flow. The service does not enforce references: source and target may name missing records.',
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

/** Validated here, but published as any value: few client generators can read a union of text and list. */
const variableValue = z
  .unknown()
  .check((payload) => {
    const { error } = textsOrNull.safeParse(payload.value)
    payload.issues.push(...((error?.issues ?? []) as z.core.$ZodRawIssue[]))
  })
  .meta({
    description:
      'Value at the start of a chat: a text, null, or a list of texts and nulls. Other values are invalid.',
    example: 'ada@example.com',
  })

export const variable = component('Variable', 'A named value that a chat reads and writes.', {
  id: id('Id of the variable.', 'varEmail'),
  name: name('Name used in placeholders such as {{Email}}.', 'Email'),
  isSessionVariable: flag(
    'True if the value lasts for one session only and results omit it. Default false.',
  ).optional(),
  value: variableValue.optional(),
})

const startEvent = component('StartEvent', 'Start of every chat.', {
  ...eventBase('start'),
})

const commandEvent = component(
  'CommandEvent',
  'Begins a branch when the page around the chat sends a command.',
  {
    ...eventBase('command'),
    options: component('CommandEventOptions', 'Command that begins the branch.', {
      command: phrase('The command.', 'show-offer').optional(),
      resumeAfter: flag(
        'True if the chat returns to the waiting input afterwards. Default false.',
      ).optional(),
    }).optional(),
  },
)

const replyEventOptions = component('ReplyEventOptions', 'Variables that describe the answer.', {
  contentVariableId: variableReference('that stores the answer', 'varAnswer').optional(),
  inputNameVariableId: variableReference('that stores the name of the input', 'varInputName').optional(),
  inputTypeVariableId: variableReference('that stores the type of the input', 'varInputType').optional(),
})

const replyEvent = component('ReplyEvent', 'Begins a branch before the bot processes each answer.', {
  ...eventBase('reply'),
  options: replyEventOptions.optional(),
})

const invalidReplyEvent = component(
  'InvalidReplyEvent',
  'Begins a branch after an invalid answer, in place of the usual message.',
  {
    ...eventBase('invalidReply'),
    options: replyEventOptions.optional(),
  },
)

const idleEvent = component(
  'IdleEvent',
  'Begins a branch when the visitor has not answered for a while. The input appears again after the branch. Only this service has this event.',
  {
    ...eventBase('idle'),
    options: component('IdleEventOptions', 'Timing of the branch, and an optional end of the chat.', {
      seconds: number(
        'Seconds without an answer before each run of the branch. If missing, the event has no effect.',
        { min: 10, max: MAX_TIMER_SECONDS, example: 300 },
      ).optional(),
      times: number('Maximum number of runs for one question. Default 1.', {
        min: 0,
        max: 20,
        example: 2,
      }).optional(),
      isEnding: flag(
        'True if the chat ends after the last run and as many seconds again. Default false.',
      ).optional(),
    }).optional(),
  },
)

const knownEvents = [startEvent, commandEvent, replyEvent, invalidReplyEvent, idleEvent] as const

const opaqueEvent = component(
  'OpaqueEvent',
  'An event of a type unknown to this service. The service preserves it unchanged.',
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
  description: 'An event that begins a branch of the flow. The type names its trigger.',
})

/** Events of versions 6 and 6.1. */
export const events = boundedArray(event, { minimum: 1, maximum: limits.events })
  .check((payload) => {
    if (payload.issues.length > 0) return
    payload.value.forEach(({ type }, index) => {
      if (index === 0 && type !== 'start') addIssue(index, 'The first event must be of type "start"')
      if (index > 0 && type === 'start') addIssue(index, 'Only the first event may be of type "start"')
    })
    function addIssue(index: number, message: string) {
      payload.issues.push({ code: 'custom', path: [index, 'type'], message, input: payload.value })
    }
  })
  .meta({
    description:
      'Events that begin the branches of the flow. The first event, and only the first, is the start event.',
  })

/** Events of versions 3, 4 and 5, which begin at a start block. */
export const legacyEvents = boundedArray(event, { maximum: 0 })
  .nullable()
  .meta({ description: 'Null, because the start is a block of a group. An empty list is valid too.' })

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
