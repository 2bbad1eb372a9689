import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'

/* Small changes of a flow, as agents send them: each names the part it changes, and nothing else changes. */

/** Maximum changes of one call. */
export const MAX_FLOW_CHANGES = 200

const id = (description: string) => text(255, 1).meta({ description })

const properties = (description: string) => z.record(text(255), z.unknown()).meta({ description })

const position = z
  .int()
  .min(0)
  .max(100_000)
  .optional()
  .meta({ description: 'Index to put it at. Default: the end.' })

const block = properties(
  'Block with `type`, see describe_block. Blocks, items and paths without `id` get one; the response names it.',
)

const source = z
  .strictObject({
    eventId: text(255, 1).optional(),
    blockId: text(255, 1).optional(),
    itemId: text(255, 1).optional(),
    pathId: text(255, 1).optional(),
  })
  .refine(({ eventId, blockId }) => (eventId === undefined) !== (blockId === undefined), {
    error:
      'Expected either eventId or blockId, and with blockId an itemId or pathId where the edge leaves one',
  })
  .meta({
    description: 'Start of the edge: an event, a block, or an item (button, condition) or path of a block.',
  })

const target = z
  .strictObject({ groupId: text(255, 1), blockId: text(255, 1).optional() })
  .meta({ description: 'End of the edge: a group, or one block of it.' })

const coordinates = z
  .strictObject({ x: z.number().min(-1e7).max(1e7), y: z.number().min(-1e7).max(1e7) })
  .optional()
  .meta({ description: 'Position on the canvas. Default: beside the other groups.' })

const op = <const Name extends string>(name: Name) => z.enum([name])

const merged = 'Properties to change, merged into the stored ones; null removes a property.'

export const flowChange = z.discriminatedUnion('op', [
  z.strictObject({
    op: op('add_group'),
    id: id('Id of your choice for later changes.').optional(),
    title: text(255).meta({ description: 'Title shown to editors.' }),
    blocks: z.array(block).max(500).optional(),
    graphCoordinates: coordinates,
  }),
  z.strictObject({
    op: op('update_group'),
    groupId: text(255, 1),
    title: text(255).optional(),
    graphCoordinates: coordinates,
  }),
  z.strictObject({ op: op('remove_group'), groupId: text(255, 1) }),
  z.strictObject({ op: op('add_block'), groupId: text(255, 1), block, index: position }),
  z.strictObject({ op: op('update_block'), blockId: text(255, 1), set: properties(merged) }),
  z.strictObject({
    op: op('move_block'),
    blockId: text(255, 1),
    groupId: text(255, 1),
    index: position,
  }),
  z.strictObject({ op: op('remove_block'), blockId: text(255, 1) }),
  z.strictObject({ op: op('connect'), from: source, to: target }),
  z.strictObject({ op: op('disconnect'), from: source }),
  z.strictObject({
    op: op('add_event'),
    event: properties('Event with `type` (command, reply, invalidReply, idle) and `options`.'),
  }),
  z.strictObject({ op: op('remove_event'), eventId: text(255, 1) }),
  z.strictObject({
    op: op('set_variable'),
    variable: properties(
      'Variable: `id`, `name`, optional `value` and `isSessionVariable`. Adds it, or merges into the one with this id.',
    ),
  }),
  z.strictObject({ op: op('remove_variable'), variableId: text(255, 1) }),
  z.strictObject({ op: op('set_theme'), set: properties(merged) }),
  z.strictObject({ op: op('set_settings'), set: properties(merged) }),
  z.strictObject({
    op: op('set_bot'),
    set: properties('New `name`, `icon`, `publicId` or `isClosed` of the bot.'),
  }),
])

export type FlowEdit = z.output<typeof flowChange>
export type EdgeStart = z.output<typeof source>
