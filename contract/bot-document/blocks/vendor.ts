import { z } from '../../zod.ts'
import { component, list, name, notOneOf, phrase, prose, reference, variableReference } from '../fields.ts'
import { block } from './block.ts'

interface Vendor<Type extends string> {
  /** Prefix of the names of its components. */
  prefix: string
  type: Type
  /** Its name, for descriptions. */
  vendor: string
  actions: readonly [string, ...string[]]
  /** Parts of the response of an action that can be stored in variables, by action. */
  answers?: Record<string, readonly string[]>
  /** Actions that chats of this service run; absent if they skip the block. */
  run?: readonly string[]
}

/**
 * A block of an outside service, versions 6 and 6.1 only. Its options are one flat component with the properties of
 * all its actions, because the tag may be absent. Vendors add actions, so unlisted ones are preserved, and parts of a
 * response are validated for listed ones only.
 */
export function vendorBlock<const Type extends string, Shape extends z.ZodRawShape>(
  { prefix, type, vendor, actions, answers, run }: Vendor<Type>,
  shape: Shape,
) {
  const options = component(
    `${prefix}Options`,
    `What ${vendor} is asked to do. The action tells which of the other properties are read.`,
    {
      credentialsId: reference('Id of the credentials of the account.', 'crdVendor').optional(),
      action: name(
        `What is done: ${actions.join(', ')}; any other text is kept. Absent: nothing yet.`,
        actions[0],
      ).optional(),
      ...shape,
    },
    ...((answers ? [mapsKnownParts(answers)] : []) as never[]),
  )
  return block(
    `${prefix}Block`,
    type,
    `Works with ${vendor}. Chats of this service ${run ? `run ${run.join(' and ')}, with credentials of type ${type}, and skip other actions` : 'skip it'}. Versions 6 and 6.1 only.`,
    {
      options: options.optional(),
    },
  )
}

const answerMapping = component('VendorAnswerMapping', 'Stores one part of an answer in a variable.', {
  item: phrase('Part of the answer.', 'Message content').optional(),
  variableId: variableReference('that takes the part', 'varReply').optional(),
})

/** The property for `answers`. The allowed parts depend on the action. */
export function responseMapping(answers: Record<string, readonly string[]>) {
  const parts = Object.entries(answers).map(
    ([action, items]) => `With action ${action}: ${items.join(', ')}.`,
  )
  return list(answerMapping, `Which parts of the answer are stored where. ${parts.join(' ')}`).optional()
}

function mapsKnownParts(answers: Record<string, readonly string[]>) {
  const partsByAction = new Map(Object.entries(answers))
  return ({ action, responseMapping = [] }: { action?: string; responseMapping?: { item?: string }[] }) => {
    const allowed = partsByAction.get(action ?? '')
    if (allowed === undefined) return undefined
    const index = responseMapping.findIndex(({ item }) => item !== undefined && !allowed.includes(item))
    return index < 0 ? undefined : notOneOf(['responseMapping', index, 'item'], allowed)
  }
}

const keyValuePair = component('KeyValuePair', 'A value under a name, such as a header.', {
  key: phrase('Name; may hold placeholders.', 'plan').optional(),
  value: prose('Value; may hold placeholders.', '{{Plan}}').optional(),
})

export function pairs(description: string) {
  return list(keyValuePair, description).optional()
}

/** A property of any type, since the vendor alone decides it. */
export function anyValue(description: string, example: unknown) {
  return z
    .unknown()
    .meta({ description: `${description} Any JSON value.`, example })
    .optional()
}
