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
  'Picks the entry of one list at the place where another list holds a value.',
  {
    baseItemVariableId: variableReference('that holds the value', 'varCity').optional(),
    baseListVariableId: variableReference('whose list is searched for the value', 'varCities').optional(),
    targetListVariableId: variableReference('whose list gives the result', 'varPrices').optional(),
  },
)

const setVariableBlock = block('SetVariableBlock', 'Set variable', 'Gives a variable a value.', {
  options: component(
    'SetVariableOptions',
    'Which variable gets which value. The type tells where the value comes from, and which of the other properties are read.',
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
        'Where the value comes from. Default Custom.',
      ).optional(),
      isExecutedOnClient: flag('Whether code runs in the browser of the visitor. Default false.').optional(),
      isUnsafe: flag('Whether the code was marked as coming from an unknown author.').optional(),
      expressionToEvaluate: prose(
        'With type Custom: the text, or the code, that gives the value.',
        'Hello {{Name}}',
      ).optional(),
      isCode: flag('With type Custom: whether the expression is code. Default false.').optional(),
      expressionDescription: prose(
        'With type Custom: what the code is meant to do.',
        'Adds tax to the price',
      ).optional(),
      saveErrorInVariableId: variableReference(
        'that takes the error when code of type Custom fails',
        'varError',
      ).optional(),
      timeZone: name('With type Now, Yesterday or Tomorrow: IANA time zone.', 'Europe/Paris').optional(),
      mapListItemParams: mapListItemParams.optional(),
      item: prose('With type Append value(s): what is appended.', '{{Answer}}').optional(),
      saveItemInVariableId: variableReference(
        'that takes the removed entry, with type Pop or Shift',
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
  'One condition and the edge that is followed when it holds.',
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
  { items: items(conditionItem, 'The conditions, asked from the first to the last.') },
  withoutOptions,
)

const legacyConditionBlock = block(
  'LegacyConditionBlock',
  'Condition',
  'Follows the edge of the first item whose condition holds, else its own, in versions 3, 4 and 5. Has no options.',
  { items: items(legacyConditionItem, 'The conditions, asked from the first to the last.') },
  withoutOptions,
)

const redirectBlock = block('RedirectBlock', 'Redirect', 'Opens another page in the browser.', {
  options: component('RedirectOptions', 'Which page is opened.', {
    url: url('Address of the page; may hold placeholders.', 'https://www.example.com/thanks').optional(),
    isNewTab: flag('Whether the page opens in a new tab. Default false.').optional(),
  }).optional(),
})

const codeBlock = block(
  'CodeBlock',
  'Code',
  'Runs a script in the browser of the visitor or on the server.',
  {
    options: component('CodeOptions', 'Which script is run and where.', {
      name: name('Name shown in the editor.', 'Track the lead').optional(),
      content: prose(
        'The script; placeholders become values. On the server it runs in a sandbox with `setVariable(name, value)` and ' +
          '`fetch(url, options)`, which gives a response with `ok`, `status`, `headers`, `text()` and `json()`. The response ' +
          'can also be used as the text of its body. The guide to flows lists the rest.',
        'document.title = {{Name}}',
      ).optional(),
      isExecutedOnClient: flag(
        'Whether the script runs in the browser of the visitor. Default true. With false it runs on the server, and ' +
          'nothing of it is sent to the browser.',
      ).optional(),
      isUnsafe: flag('Whether the script was marked as coming from an unknown author.').optional(),
      shouldExecuteInParentContext: flag(
        'Whether the script was written for the page that embeds the chat. The service keeps it and does not read it: ' +
          'scripts run in the page of the chat.',
      ).optional(),
    }).optional(),
  },
)

const botLinkBlock = block(
  'BotLinkBlock',
  'Bot link',
  'Continues in another bot, or in another group of this one.',
  {
    options: component('BotLinkOptions', 'Where the chat continues.', {
      botId: reference('Id of the other bot, or current.', 'current').optional(),
      groupId: reference(
        'Id of the group, or one placeholder that gives the title of a group. Default: the start.',
        'grpContact',
      ).optional(),
      mergeResults: flag(
        'Whether answers given there count for this bot. Default false, in versions 3, 4 and 5 true.',
      ).optional(),
    }).optional(),
  },
)

const waitBlock = block('WaitBlock', 'Wait', 'Waits before the chat goes on.', {
  options: component('WaitOptions', 'How long the chat waits.', {
    secondsToWaitFor: phrase(
      'Seconds as text; may hold placeholders. The number at the beginning counts, at most 86400.',
      '2',
    ).optional(),
    shouldPause: flag(
      'Whether later messages are held back until the time is over. Default false.',
    ).optional(),
  }).optional(),
})

const abTestItemShape = {
  ...itemBase('itmPathA'),
  path: oneOf(['a', 'b'], 'Which of the two ways the item stands for: the first a, the second b.'),
}
const abTestOptions = component('AbTestOptions', 'How visitors are divided.', {
  aPercent: number('Share of visitors that go way a, in percent. Default 50.', {
    min: 0,
    max: 100,
    example: 50,
  }).optional(),
})
const abTestItem = component('AbTestItem', 'One of the two ways of an AB test.', abTestItemShape)
const legacyAbTestItem = component(
  'LegacyAbTestItem',
  'One of the two ways of an AB test, in versions 3, 4 and 5.',
  {
    ...abTestItemShape,
    ...itemOwner,
  },
)

const abTestBlock = block('AbTestBlock', 'AB test', 'Sends each visitor one of two ways by chance.', {
  items: twoWays(abTestItem),
  options: abTestOptions.optional(),
})

const legacyAbTestBlock = block(
  'LegacyAbTestBlock',
  'AB test',
  'Sends each visitor one of two ways by chance, in versions 3, 4 and 5.',
  {
    items: twoWays(legacyAbTestItem),
    options: abTestOptions.optional(),
  },
)

const listenerBlock = block(
  'WebhookListenerBlock',
  'webhook',
  'Waits until another system calls the chat. Versions 6 and 6.1 only.',
  {
    options: component('WebhookListenerOptions', 'What is stored of the call.', {
      responseVariableMapping: responseVariableMapping.optional(),
    }).optional(),
  },
)

const jumpBlock = block('JumpBlock', 'Jump', 'Continues at another place of the flow.', {
  options: component('JumpOptions', 'Where the chat continues.', {
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
  'Goes back to where the last jump or event came from. Has no options.',
  {},
)

export const logic = {
  shared: [setVariableBlock, redirectBlock, codeBlock, botLinkBlock, waitBlock, jumpBlock, returnBlock],
  current: [conditionBlock, abTestBlock, listenerBlock],
  legacy: [legacyConditionBlock, legacyAbTestBlock],
} as const

function twoWays<Item extends z.ZodType<{ path: 'a' | 'b' }>>(item: Item) {
  return boundedArray(item, { minimum: 2, maximum: 2 })
    .check((payload) => {
      for (const [index, path] of (['a', 'b'] as const).entries()) {
        const given = payload.value[index]?.path
        if (given === path || given === undefined) continue
        const message = `The ${index === 0 ? 'first' : 'second'} item must have the path "${path}"`
        payload.issues.push({ code: 'custom', path: [index, 'path'], message, input: payload.value })
      }
    })
    .meta({ description: 'The two ways: first a, then b.' })
}

/** Rejects options: older editors never wrote them, and a caller that sends them expects an effect they do not have. */
function withoutOptions(block: { [key: string]: unknown }) {
  return block.options === undefined
    ? undefined
    : { path: ['options'], message: 'A block of type "Condition" has no options' }
}
