import type { z } from '../../kit/zod.ts'
import { boundedArray } from '../bounded-array.ts'
import { condition } from '../conditions.ts'
import {
  component,
  flag,
  name,
  number,
  oneOf,
  phrase,
  prose,
  reference,
  url,
  variableReference,
} from '../fields.ts'
import { block } from './block.ts'
import { responseVariableMapping } from './http-request.ts'
import { itemBase, itemOwner, items } from './items.ts'

/** Blocks that decide, compute and jump. */

const mapListItemParams = component(
  'MapListItemParameters',
  'Finds a value in one list and picks the entry of another list with the same index.',
  {
    baseItemVariableId: variableReference('that holds the value', 'varCity').optional(),
    baseListVariableId: variableReference('whose list is searched for the value', 'varCities').optional(),
    targetListVariableId: variableReference('whose list gives the result', 'varPrices').optional(),
  },
)

const setVariableBlock = block('SetVariableBlock', 'Set variable', 'Sets the value of a variable.', {
  options: component(
    'SetVariableOptions',
    'Variable and the value it gets. The type decides the source of the value and which other properties apply.',
    {
      variableId: variableReference('that is set').optional(),
      type: oneOf(
        [
          'Custom',
          'Empty',
          'Append value(s)',
          'Environment name',
          'Device type',
          'Transcript',
          'User ID',
          'Result ID',
          'Now',
          'Today',
          'Yesterday',
          'Tomorrow',
          'Random ID',
          'Moment of the day',
          'Map item with same index',
          'Pop',
          'Shift',
          'Phone number',
          'Contact name',
          'Referral Click ID',
          'Referral Source ID',
        ],
        'Source of the value. Default Custom.',
      ).optional(),
      isExecutedOnClient: flag('True if code runs in the browser of the visitor. Default false.').optional(),
      isUnsafe: flag('True if the code is marked as from an unknown author.').optional(),
      expressionToEvaluate: prose(
        'With type Custom: the text or the code that gives the value.',
        'Hello {{Name}}',
      ).optional(),
      isCode: flag('With type Custom: true if the expression is code. Default false.').optional(),
      expressionDescription: prose(
        'With type Custom: purpose of the code.',
        'Adds tax to the price',
      ).optional(),
      saveErrorInVariableId: variableReference(
        'that stores the error when code of type Custom fails',
        'varError',
      ).optional(),
      timeZone: name('With type Now, Yesterday or Tomorrow: IANA time zone.', 'Europe/Paris').optional(),
      mapListItemParams: mapListItemParams.optional(),
      item: prose('With type Append value(s): the value to append.', '{{Answer}}').optional(),
      saveItemInVariableId: variableReference(
        'that stores the removed entry, with type Pop or Shift',
        'varLast',
      ).optional(),
    },
  ).optional(),
})

const conditionItemShape = {
  ...itemBase('itmIsAdult'),
  content: condition.optional(),
}
const conditionItem = component(
  'ConditionItem',
  'One condition and the edge that the chat follows if it holds.',
  conditionItemShape,
)
const legacyConditionItem = component(
  'LegacyConditionItem',
  'One condition and its edge, in versions 3, 4 and 5.',
  {
    ...conditionItemShape,
    ...itemOwner,
  },
)

const conditionBlock = block(
  'ConditionBlock',
  'Condition',
  'Follows the edge of the first item whose condition holds, else its own. Has no options.',
  { items: items(conditionItem, 'The conditions, in the order of evaluation.') },
  withoutOptions,
)

const legacyConditionBlock = block(
  'LegacyConditionBlock',
  'Condition',
  'Follows the edge of the first item whose condition holds, else its own, in versions 3, 4 and 5. Has no options.',
  { items: items(legacyConditionItem, 'The conditions, in the order of evaluation.') },
  withoutOptions,
)

const redirectBlock = block('RedirectBlock', 'Redirect', 'Opens another page in the browser.', {
  options: component('RedirectOptions', 'Page that the block opens.', {
    url: url('Address of the page; may hold placeholders.', 'https://www.example.com/thanks').optional(),
    isNewTab: flag('True if the page opens in a new tab. Default false.').optional(),
  }).optional(),
})

const codeBlock = block(
  'CodeBlock',
  'Code',
  'Runs a script in the browser of the visitor or on the server.',
  {
    options: component('CodeOptions', 'Script to run and its settings.', {
      name: name('Name shown in the editor.', 'Track the lead').optional(),
      content: prose(
        'The script; placeholders become values. On the server it runs in a sandbox with `setVariable(name, value)` and ' +
          '`fetch(url, options)`. Its response has `ok`, `status`, `headers`, `text()` and `json()`; used as a text, it is the ' +
          'body. The guide to flows lists the rest.',
        'document.title = {{Name}}',
      ).optional(),
      isExecutedOnClient: flag(
        'True if the script runs in the browser of the visitor. If false, it runs on the server, and the browser does ' +
          'not receive it. Default true.',
      ).optional(),
      isUnsafe: flag('True if the script is marked as from an unknown author.').optional(),
      shouldExecuteInParentContext: flag(
        'True if the script is meant for the page that embeds the chat. The service preserves and ignores this: scripts ' +
          'run in the page of the chat.',
      ).optional(),
    }).optional(),
  },
)

const botLinkBlock = block(
  'BotLinkBlock',
  'Bot link',
  'Continues in another bot, or in another group of this one.',
  {
    options: component('BotLinkOptions', 'Bot and group where the chat continues.', {
      botId: reference('Id of the other bot, or current.', 'current').optional(),
      groupId: reference(
        'Id of the group, or one placeholder that gives the title of a group. Default: the start.',
        'grpContact',
      ).optional(),
      mergeResults: flag(
        'True if answers in the other bot count for this bot. Default false, in versions 3, 4 and 5 true.',
      ).optional(),
    }).optional(),
  },
)

const waitBlock = block('WaitBlock', 'Wait', 'Waits before the chat continues.', {
  options: component('WaitOptions', 'Duration of the wait.', {
    secondsToWaitFor: phrase(
      'Seconds as text; may hold placeholders. Only the leading number counts, at most 86400.',
      '2',
    ).optional(),
    shouldPause: flag('True if later messages come only after the wait. Default false.').optional(),
  }).optional(),
})

const abTestItemShape = {
  ...itemBase('itmPathA'),
  path: oneOf(['a', 'b'], 'Path of the item: a for the first, b for the second.'),
}
const abTestOptions = component('AbTestOptions', 'Division of the visitors.', {
  aPercent: number('Percentage of visitors on path a. Default 50.', {
    min: 0,
    max: 100,
    example: 50,
  }).optional(),
})
const abTestItem = component('AbTestItem', 'One of the two paths of an AB test.', abTestItemShape)
const legacyAbTestItem = component(
  'LegacyAbTestItem',
  'One of the two paths of an AB test, in versions 3, 4 and 5.',
  {
    ...abTestItemShape,
    ...itemOwner,
  },
)

const abTestBlock = block('AbTestBlock', 'AB test', 'Assigns each visitor one of two paths at random.', {
  items: twoPaths(abTestItem),
  options: abTestOptions.optional(),
})

const legacyAbTestBlock = block(
  'LegacyAbTestBlock',
  'AB test',
  'Assigns each visitor one of two paths at random, in versions 3, 4 and 5.',
  {
    items: twoPaths(legacyAbTestItem),
    options: abTestOptions.optional(),
  },
)

const listenerBlock = block(
  'WebhookListenerBlock',
  'webhook',
  'Waits until another system calls the chat. Versions 6 and 6.1 only.',
  {
    options: component('WebhookListenerOptions', 'Parts of the call to store.', {
      responseVariableMapping: responseVariableMapping.optional(),
    }).optional(),
  },
)

const jumpBlock = block('JumpBlock', 'Jump', 'Continues at another block of the flow.', {
  options: component('JumpOptions', 'Group and block where the chat continues.', {
    groupId: reference(
      'Id of the group, or one placeholder that gives the title of a group.',
      'grpContact',
    ).optional(),
    blockId: reference('Id of the block in the group. Default: its first block.', 'blkAskEmail').optional(),
  }).optional(),
})

const returnBlock = block(
  'ReturnBlock',
  'Return',
  'Returns to the origin of the last jump or event. Has no options.',
  {},
)

export const logic = {
  shared: [setVariableBlock, redirectBlock, codeBlock, botLinkBlock, waitBlock, jumpBlock, returnBlock],
  current: [conditionBlock, abTestBlock, listenerBlock],
  legacy: [legacyConditionBlock, legacyAbTestBlock],
} as const

function twoPaths<Item extends z.ZodType<{ path: 'a' | 'b' }>>(item: Item) {
  return boundedArray(item, { minimum: 2, maximum: 2 })
    .check((payload) => {
      for (const [index, path] of (['a', 'b'] as const).entries()) {
        const actual = payload.value[index]?.path
        if (actual === path || actual === undefined) continue
        const message = `The ${index === 0 ? 'first' : 'second'} item must have the path "${path}"`
        payload.issues.push({ code: 'custom', path: [index, 'path'], message, input: payload.value })
      }
    })
    .meta({ description: 'The two paths: first a, then b.' })
}

/** Rejects options: older editors never wrote them, and a caller that sends them expects an effect they do not have. */
function withoutOptions(block: { [key: string]: unknown }) {
  return block.options === undefined
    ? undefined
    : { path: ['options'], message: 'A block of type "Condition" has no options' }
}
