import { describe, expect, test } from '@jest/globals'
import { bubbleTypes } from '../../contract/bot-document/catalogue.ts'
import type { FlowDocument } from '../../server/documents/conversion/index.ts'
import { findPermanentRejection } from '../../server/outbound/never-sent.ts'
import { checkFlow } from '../support/check-flow.ts'

/*
 * Errors of people who write a bot by hand: each is put into a valid bot, and the check has to report it once, with
 * its place.
 */

// biome-ignore lint/suspicious/noExplicitAny: Mistakes are made anywhere in a document, with any value.
type Any = any

const at = { x: 0, y: 0 }
const paragraph = (text: string) => [{ type: 'p', children: [{ text }] }]

/** A bot with a bit of everything, in which nothing is wrong. */
function sound(): Any {
  const groups: Record<string, Any[]> = {
    Welcome: [
      { type: 'text', content: { richText: paragraph('Hello {{Name}}! {{= {{Age}} + 1 =}}') } },
      { type: 'image', content: { url: 'https://files.example.com/cat.png' } },
      {
        type: 'choice input',
        options: { variableId: 'vName', isMultipleChoice: false },
        items: [
          { id: 'yes', content: 'Yes', outgoingEdgeId: 'toAsk' },
          { id: 'no', content: 'No', outgoingEdgeId: 'toEnd' },
        ],
      },
    ],
    Ask: [
      { type: 'number input', options: { variableId: 'vAge', labels: { placeholder: 'Your age' }, min: 1 } },
      { type: 'date input', options: { format: "dd/MM/yyyy 'Day'", labels: { separator: 'to' } } },
      {
        type: 'Set variable',
        options: {
          variableId: 'vAge',
          isCode: true,
          expressionToEvaluate: 'const a = {{Age}}; return a + 1',
        },
      },
      {
        type: 'Condition',
        outgoingEdgeId: 'toEndToo',
        items: [
          {
            id: 'young',
            outgoingEdgeId: 'toCall',
            content: {
              comparisons: [{ id: 'c', variableId: 'vAge', comparisonOperator: 'Less than', value: '18' }],
            },
          },
        ],
      },
    ],
    Call: [
      {
        type: 'Webhook',
        options: {
          isCustomBody: true,
          webhook: { url: 'https://api.example.com/{{Name}}', method: 'POST', body: '{"age": {{Age}}}' },
          responseVariableMapping: [{ id: 'm', variableId: 'vName', bodyPath: 'data.name' }],
        },
      },
      { type: 'Code', options: { name: 'Log', content: 'console.log({{Name}})' } },
      { type: 'Email', options: { recipients: ['{{Name}}'], subject: 'Hi' } },
      { type: 'Jump', options: { groupId: 'End' } },
    ],
    End: [
      { type: 'Wait', options: { secondsToWaitFor: '1' } },
      { type: 'Redirect', options: { url: 'https://www.example.com' } },
      { type: 'text', content: { richText: paragraph('Bye.') } },
    ],
  }
  const edge = (id: string, from: Any, groupId: string) => ({ id, from, to: { groupId } })
  return {
    version: '6.1',
    events: [{ id: 'start', type: 'start', graphCoordinates: at, outgoingEdgeId: 'toWelcome' }],
    groups: Object.entries(groups).map(([id, blocks]) => ({
      id,
      title: id,
      graphCoordinates: at,
      blocks: blocks.map((block, index) => ({ id: `${id}${index}`, ...block })),
    })),
    edges: [
      edge('toWelcome', { eventId: 'start' }, 'Welcome'),
      edge('toAsk', { blockId: 'Welcome2', itemId: 'yes' }, 'Ask'),
      edge('toEnd', { blockId: 'Welcome2', itemId: 'no' }, 'End'),
      edge('toCall', { blockId: 'Ask3', itemId: 'young' }, 'Call'),
      edge('toEndToo', { blockId: 'Ask3' }, 'End'),
    ],
    variables: [
      { id: 'vName', name: 'Name' },
      { id: 'vAge', name: 'Age' },
    ],
    theme: {},
    settings: {},
  }
}

/** Moves a property to another name, as a slip of the pen does. */
function rename(record: Any, from: string, to: string) {
  record[to] = record[from]
  delete record[from]
}

const block = (bot: Any, group: number, index: number) => bot.groups[group].blocks[index]

const mistakes: [string, (bot: Any) => void, string][] = [
  [
    'a property of another case',
    (bot) => rename(block(bot, 1, 0).options, 'variableId', 'variableID'),
    'groups.1.blocks.0.options.variableID unknown_property',
  ],
  [
    'swapped letters',
    (bot) => rename(block(bot, 0, 0), 'content', 'contnet'),
    'groups.0.blocks.0.contnet unknown_property',
  ],
  [
    'a letter too few',
    (bot) => rename(block(bot, 2, 0).options.webhook, 'method', 'metod'),
    'groups.2.blocks.0.options.webhook.metod unknown_property',
  ],
  [
    'a wrong letter deep inside',
    (bot) => rename(block(bot, 1, 3).items[0].content, 'comparisons', 'comparizons'),
    'groups.1.blocks.3.items.0.content.comparizons unknown_property',
  ],
  [
    'an option beside the options',
    (bot) => {
      block(bot, 1, 0).max = 5
    },
    'groups.1.blocks.0.max unknown_property',
  ],
  [
    'options of a bubble',
    (bot) => rename(block(bot, 0, 1), 'content', 'options'),
    'groups.0.blocks.1.options unknown_property',
  ],
  [
    'a placeholder that is misspelt',
    (bot) => {
      block(bot, 0, 0).content.richText = paragraph('Hello {{Nmae}}!')
    },
    'groups.0.blocks.0.content.richText.0.children.0.text unknown_name',
  ],
  [
    'a placeholder without a variable',
    (bot) => {
      block(bot, 2, 2).options.subject = 'About {{Topic}}'
    },
    'groups.2.blocks.2.options.subject unknown_name',
  ],
  [
    'a variable that is gone',
    (bot) => {
      block(bot, 0, 2).options.variableId = 'vGone'
    },
    'groups.0.blocks.2.options.variableId unknown_variable',
  ],
  [
    'an empty message',
    (bot) => {
      block(bot, 0, 0).content = { richText: paragraph(' ') }
    },
    'groups.0.blocks.0.content empty_bubble',
  ],
  [
    'an empty message as wide as a request may be',
    (bot) => {
      block(bot, 0, 0).content = { richText: [{ type: 'p', children: Array(200_000).fill({}) }] }
    },
    'groups.0.blocks.0.content empty_bubble',
  ],
  [
    'a picture without an address',
    (bot) => {
      block(bot, 0, 1).content = { src: 'https://files.example.com/cat.png' }
    },
    'groups.0.blocks.1.content.url empty_bubble',
  ],
  [
    'a button without a text',
    (bot) => {
      block(bot, 0, 2).items[1].content = ''
    },
    'groups.0.blocks.2.items.1 empty_item',
  ],
  [
    'a button that is shown on a condition without comparisons',
    (bot) => {
      block(bot, 0, 2).items[1].displayCondition = { isEnabled: true, condition: { comparisons: [] } }
    },
    'groups.0.blocks.2.items.1.displayCondition.condition.comparisons empty_item',
  ],
  [
    'a button that is shown on a condition that is absent',
    (bot) => {
      block(bot, 0, 2).items[1].displayCondition = { isEnabled: true }
    },
    'groups.0.blocks.2.items.1.displayCondition.condition empty_item',
  ],
  [
    'a placeholder without the space that the name of its variable has',
    (bot) => {
      bot.variables.push({ id: 'vMail', name: 'Email ' })
      block(bot, 0, 0).content = { richText: paragraph('{{Email}}') }
    },
    'groups.0.blocks.0.content.richText.0.children.0.text unknown_name',
  ],
  [
    'a choice without buttons',
    (bot) => {
      block(bot, 0, 2).items = []
      bot.edges.splice(1, 2)
      block(bot, 0, 2).outgoingEdgeId = 'toAsk'
      bot.edges.push({ id: 'toAsk', from: { blockId: 'Welcome2' }, to: { groupId: 'Ask' } })
    },
    'groups.0.blocks.2.items empty_item',
  ],
  [
    'a condition without an operator',
    (bot) => {
      delete block(bot, 1, 3).items[0].content.comparisons[0].comparisonOperator
    },
    'groups.1.blocks.3.items.0.content.comparisons.0.comparisonOperator empty_item',
  ],
  [
    'code of a variable',
    (bot) => {
      block(bot, 1, 2).options.expressionToEvaluate = 'return {{Age}} + (1'
    },
    'groups.1.blocks.2.options.expressionToEvaluate invalid_code',
  ],
  [
    'code of a block',
    (bot) => {
      block(bot, 2, 1).options.content = 'console.log("{{Name}})'
    },
    'groups.2.blocks.1.options.content invalid_code',
  ],
  [
    'code in a text',
    (bot) => {
      block(bot, 0, 0).content.richText = paragraph('{{= {{Age}} + =}}')
    },
    'groups.0.blocks.0.content.richText.0.children.0.text invalid_code',
  ],
  [
    'a group that leads back to itself',
    (bot) => {
      block(bot, 3, 1).outgoingEdgeId = 'back'
      block(bot, 3, 1).type = 'Pixel'
      block(bot, 3, 1).options = { pixelId: '1' }
      bot.edges.push({ id: 'back', from: { blockId: 'End1' }, to: { groupId: 'End' } })
    },
    'groups.3 endless_loop',
  ],
  [
    'a condition that nothing changes',
    (bot) => {
      block(bot, 1, 3).items[0].outgoingEdgeId = 'again'
      bot.edges[3] = {
        id: 'again',
        from: { blockId: 'Ask3', itemId: 'young' },
        to: { groupId: 'Ask', blockId: 'Ask3' },
      }
      bot.groups.splice(2, 1)
    },
    'groups.1 endless_loop',
  ],
  [
    'a jump to nowhere',
    (bot) => {
      block(bot, 2, 3).options.groupId = 'Ending'
    },
    'groups.2.blocks.3.options.groupId missing_target',
  ],
  [
    'a jump without a group',
    (bot) => {
      block(bot, 2, 3).options = {}
    },
    'groups.2.blocks.3.options.groupId missing_setting',
  ],
  [
    'a link without a bot',
    (bot) => {
      block(bot, 2, 3).type = 'Bot link'
      block(bot, 2, 3).options = { mergeResults: true }
    },
    'groups.2.blocks.3.options.botId missing_setting',
  ],
  [
    'an edge to nowhere',
    (bot) => {
      bot.edges[3].to.groupId = 'Cal'
    },
    'edges.3.to.groupId missing_target',
  ],
  [
    'an edge that nothing names',
    (bot) => {
      delete block(bot, 1, 3).items[0].outgoingEdgeId
    },
    'edges.3.from unused_edge',
  ],
  [
    'an edge that is not there',
    (bot) => {
      bot.edges.splice(3, 1)
    },
    'groups.1.blocks.3.items.0.outgoingEdgeId missing_edge',
  ],
  [
    'a request without an address',
    (bot) => {
      delete block(bot, 2, 0).options.webhook.url
    },
    'groups.2.blocks.0.options.webhook.url missing_setting',
  ],
  [
    'a request to half an address',
    (bot) => {
      block(bot, 2, 0).options.webhook.url = 'api.example.com/leads'
    },
    'groups.2.blocks.0.options.webhook.url missing_setting',
  ],
  [
    'an e-mail to nobody',
    (bot) => {
      block(bot, 2, 2).options.recipients = ['']
    },
    'groups.2.blocks.2.options.recipients missing_setting',
  ],
  [
    'a value for no variable',
    (bot) => {
      delete block(bot, 1, 2).options.variableId
    },
    'groups.1.blocks.2.options.variableId missing_setting',
  ],
  [
    'attachments that no variable keeps',
    (bot) => {
      Object.assign(block(bot, 1, 0), { type: 'text input', options: { attachments: { isEnabled: true } } })
    },
    'groups.1.blocks.0.options.attachments.saveVariableId missing_setting',
  ],
  [
    'a type that is misspelt',
    (bot) => {
      block(bot, 0, 1).type = 'img'
    },
    'groups.0.blocks.1.type skipped_block',
  ],
  [
    'a format of another library',
    (bot) => {
      block(bot, 1, 1).options.format = 'DD/MM/YYYY'
    },
    'groups.1.blocks.1.options.format doubtful_format',
  ],
  [
    'an id that is there twice',
    (bot) => {
      block(bot, 3, 2).id = 'End0'
    },
    'groups.3.blocks.2.id duplicate_id',
  ],
  [
    'a group that nothing leads to',
    (bot) => {
      bot.groups.push({ id: 'Lost', title: 'Lost', graphCoordinates: at, blocks: [] })
    },
    'groups.4 unreachable_group',
  ],
  [
    'a start that leads nowhere',
    (bot) => {
      delete bot.events[0].outgoingEdgeId
      bot.edges.shift()
    },
    'events.0.outgoingEdgeId start_without_edge',
  ],
]

test('the check finds nothing in the sound bot', () => {
  expect(checkFlow(sound())).toEqual([])
})

test.each(mistakes)('%s', (_name, make, expected) => {
  const bot = sound()
  make(bot)
  const found = checkFlow(bot as FlowDocument)
  expect(found.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([expected])
  expect(found[0]?.message).toMatch(/^[A-Z].*\.$/s)
})

test('the check finds e-mails without a mail server', () => {
  const found = checkFlow(sound(), { hasMail: false, hasFiles: true })
  expect(found).toMatchObject([{ path: ['groups', '2', 'blocks', '2', 'type'], code: 'no_mail_server' }])
})

test('the check finds credentials that the workspace does not have, of models, e-mails and proxies', () => {
  const completion = (id: string, type: string, options: object) => ({ id, type, options })
  const named = { action: 'Create chat completion', messages: [] }
  const blocks = [
    completion('a', 'openai', named),
    completion('b', 'openai', { ...named, credentialsId: 'unknown' }),
    completion('c', 'openai', { ...named, credentialsId: 'smtp-1' }),
    completion('d', 'openai', { ...named, credentialsId: 'openai-1' }),
    completion('e', 'OpenAI', { task: 'Create chat completion', credentialsId: 'openai-1' }),
    completion('f', 'mistral', {}),
    completion('g', 'openai', { action: 'Ask Assistant' }),
    completion('h', 'Email', { recipients: ['ada@example.com'], credentialsId: 'smtp-1' }),
    completion('i', 'Email', { recipients: ['ada@example.com'], credentialsId: 'openai-1' }),
    completion('j', 'Email', { recipients: ['ada@example.com'], credentialsId: 'default' }),
    completion('k', 'Webhook', { webhook: { url: 'https://x.test' }, proxyCredentialsId: 'proxy' }),
    completion('l', 'payment input', { amount: '10' }),
    completion('m', 'payment input', { amount: '10', credentialsId: 'openai-1' }),
    completion('n', 'payment input', { amount: '10', credentialsId: 'stripe-1' }),
  ]
  const bot = sound()
  bot.groups = [{ ...(bot.groups as object[])[0], blocks } as never]
  const credentials = new Map([
    ['openai-1', 'openai'],
    ['smtp-1', 'smtp'],
    ['stripe-1', 'stripe'],
  ])
  const codes = (service: Parameters<typeof checkFlow>[1]) =>
    checkFlow(bot, service)
      .filter(({ path }) => path[2] === 'blocks')
      .map(({ path, code }) => `${path.slice(3).join('.')} ${code}`)
  expect(codes({ hasMail: false, credentials })).toEqual([
    '0.options.credentialsId missing_credentials',
    '1.options.credentialsId missing_credentials',
    '2.options.credentialsId missing_credentials',
    '5.options.action missing_setting',
    '6.options.action skipped_block',
    '8.options.credentialsId missing_credentials',
    '10.options.proxyCredentialsId skipped_block',
    '11.options.credentialsId missing_credentials',
    '12.options.credentialsId missing_credentials',
    '9.type no_mail_server',
  ])
  expect(codes({ hasMail: true, credentials: new Map() })).toContain(
    '7.options.credentialsId missing_credentials',
  )
  expect(codes({ hasMail: true })).not.toContain('0.options.credentialsId missing_credentials')
})

test('the check finds amounts and currencies that end every chat at a payment', () => {
  const paying = (options: object) => ({ id: JSON.stringify(options), type: 'payment input', options })
  const blocks = [
    {},
    { amount: '1,50' },
    { amount: '-5' },
    { amount: '10', currency: 'Euro' },
    { amount: '{{Amount}}', currency: '{{Currency}}' },
    { amount: '29.90', currency: 'eur' },
  ].map(paying)
  const bot = sound()
  bot.groups = [{ ...(bot.groups as object[])[0], blocks } as never]
  const found = checkFlow(bot, { hasMail: true }).filter(({ code }) => code === 'missing_setting')
  expect(found.map(({ path, message }) => [path.slice(3).join('.'), message])).toEqual([
    ['0.options.amount', 'Chats end at this block: it has no amount.'],
    ['1.options.amount', expect.stringContaining('"1,50" is no number')],
    ['2.options.amount', 'Chats end at this block: its amount -5 is negative.'],
    ['3.options.currency', 'Chats end at this block: "EURO" is no currency.'],
  ])
})

test('the check finds addresses of models that no key is sent to', () => {
  const addresses = [
    'http://ollama:11434/v1',
    'https://models.example.com/v1',
    'https://api.openai.com/v2',
    '{{Name}}',
    'https://api.openai.com.example.com',
  ]
  const bot = sound()
  const blocks = addresses.map((baseUrl, index) => ({
    id: `model-${index}`,
    type: 'openai',
    options: { action: 'Create chat completion', baseUrl },
  }))
  bot.groups = [{ ...(bot.groups as object[])[0], blocks } as never]
  const findPermanentRejection = (url: string) =>
    url.startsWith('https:') ? undefined : 'Only https is sent'
  const found = checkFlow(bot, { hasMail: true, findPermanentRejection })
    .filter(({ path }) => path.includes('baseUrl'))
    .map(({ path, code, severity }) => [path[3], path.slice(4).join('.'), code, severity])
  expect(found).toEqual([
    ['0', 'options.baseUrl', 'closed_address', 'error'],
    ['1', 'options.baseUrl', 'foreign_address', 'warning'],
    ['4', 'options.baseUrl', 'foreign_address', 'warning'],
  ])
})

test('the check finds addresses of requests that this installation never sends to', () => {
  const addresses: [url: string, allowedHosts: string[], isFound: boolean][] = [
    ['http://api:8000/orders', [], true],
    ['http://api:8000/orders/{{Name}}', [], true],
    ['http://10.0.0.5/orders', [], true],
    ['https://[::1]/orders', [], true],
    ['https://orders.internal', [], true],
    ['https://shop.example:8443/orders', [], true],
    ['ftp://shop.example/orders', [], true],
    ['http://api:8000/orders', ['api:8000'], false],
    ['https://shop.example/orders', [], false],
    // Only the chat knows these.
    ['{{Name}}/orders', [], false],
    ['http://{{Name}}:8000/orders', [], false],
  ]
  for (const [url, allowedHosts, isFound] of addresses) {
    const bot = sound()
    const block = { id: 'call', type: 'Webhook', options: { webhook: { url } } }
    bot.groups[0].blocks = [block]
    const found = checkFlow(bot, {
      hasMail: true,
      findPermanentRejection: (one) => findPermanentRejection(one, { allowedHosts }),
    })
      .filter(({ code }) => code === 'closed_address')
      .map(({ path, severity }) => [path.join('.'), severity])
    const expected = isFound ? [['groups.0.blocks.0.options.webhook.url', 'error']] : []
    expect([url, allowedHosts, found]).toEqual([url, allowedHosts, expected])
  }
})

test('the check finds allowed origins that no page can have, and the one that matches every page', () => {
  const allowedOrigins = [
    'https://shop.example',
    'https://shop.example/page',
    'https://SHOP.example:443/',
    'shop.example',
    'https://*.shop.example',
    'https://shop.*',
    'javascript:alert(1)',
    '*',
    '',
    7,
  ]
  const found = checkFlow({ ...sound(), settings: { security: { allowedOrigins } } })
    .filter(({ path }) => path[0] === 'settings')
    .map(({ path, code, severity }) => [path.join('.'), code, severity])
  expect(found).toEqual(
    [
      [1, 'unmatched_origin'],
      [3, 'unmatched_origin'],
      [5, 'unmatched_origin'],
      [6, 'unmatched_origin'],
      [7, 'open_origins'],
      [8, 'unmatched_origin'],
      [9, 'unmatched_origin'],
    ].map(([index, code]) => [
      `settings.security.allowedOrigins.${index}`,
      code,
      code === 'open_origins' ? 'warning' : 'error',
    ]),
  )
})

test('the check finds file types that match no file', () => {
  const bot = sound()
  const types = ['image/jpg', '*/*', 'images/*', 'jpg', '.pdf', 'application/unheard-of', 'a b']
  const input = (isEnabled: boolean) => ({
    id: `file-${isEnabled}`,
    type: 'file input',
    options: { allowedFileTypes: { isEnabled, types } },
  })
  ;(bot.groups as { blocks: unknown[] }[])[2]?.blocks.unshift(input(true), input(false))
  const found = checkFlow(bot as FlowDocument).map(({ path, code, severity }) => [
    path.join('.'),
    code,
    severity,
  ])
  const at = 'groups.2.blocks.0.options.allowedFileTypes.types'
  expect(found).toEqual([2, 5, 6].map((index) => [`${at}.${index}`, 'unknown_file_type', 'warning']))
})

test('the check finds file inputs without a file store', () => {
  const bot = sound()
  const blocks = [
    { id: 'file', type: 'file input' },
    { id: 'more', type: 'file input' },
  ]
  ;(bot.groups as { blocks: unknown[] }[])[2]?.blocks.unshift(...blocks)
  expect(checkFlow(bot as FlowDocument)).toEqual([])
  const found = checkFlow(bot as FlowDocument, { hasMail: true, hasFiles: false })
  expect(found).toMatchObject([
    { path: ['groups', '2', 'blocks', '0', 'type'], code: 'no_file_store', severity: 'error' },
  ])
})

test('an unknown name comes with the nearest known name', () => {
  const bot = sound()
  rename(block(bot, 2, 0).options.webhook, 'queryParams', 'headrs')
  block(bot, 0, 0).content.richText = paragraph('{{nmae}}')
  block(bot, 0, 1).type = 'imagee'
  expect(checkFlow(bot).map(({ message }) => message)).toEqual([
    'No variable has the name "nmae", so nothing stands in its place. Probably "Name" is meant.',
    'Chats skip this block: the service does not run blocks of the type "imagee". Probably "image" is meant.',
    'There is no property "headrs" here. Probably "headers" is meant.',
  ])
})

test('a block without its settings is an error, an unknown name a warning', () => {
  const bot = sound()
  block(bot, 2, 3).options = {}
  block(bot, 0, 0).content.richText = paragraph('{{Nmae}} {{Topic}}')
  expect(
    checkFlow(bot)
      .map(({ severity }) => severity)
      .sort(),
  ).toEqual(['error', 'warning', 'warning'])
})

describe('checkFlow accepts', () => {
  const added = (group: number, ...blocks: Any[]) => {
    const bot = sound()
    bot.groups[group].blocks.unshift(...blocks.map((each, index) => ({ id: `new${index}`, ...each })))
    return checkFlow(bot).map(({ path, code }) => `${path.join('.')} ${code}`)
  }

  test.each<[string, Any]>([
    [
      'keys of editors',
      { type: 'text input', groupId: 'g', blockId: 'b', isAdvancedConfig: true, options: { x: 1 } },
    ],
    ['a short unknown key', { type: 'text input', options: { uri: 1 } }],
    ['buttons of a list', { type: 'choice input', items: [], options: { dynamicVariableId: 'vName' } }],
    ['a text in older documents', { type: 'text', content: { plainText: 'Hi' } }],
    [
      'a variable in the text',
      {
        type: 'text',
        content: { richText: [{ type: 'p', children: [{ type: 'inline-variable', value: '{{Name}}' }] }] },
      },
    ],
    [
      'text that is not marked as code',
      { type: 'Set variable', options: { variableId: 'vName', expressionToEvaluate: 'Hello (' } },
    ],
    [
      'an expression',
      {
        type: 'Set variable',
        options: { variableId: 'vName', isCode: true, expressionToEvaluate: '{ a: {{Age}} }.a' },
      },
    ],
    [
      'awaited code',
      {
        type: 'Code',
        options: { content: 'const r = await fetch("https://x.org/{{Name}}"); setVariable("Age", r.status)' },
      },
    ],
    ['a script in tags', { type: 'Code', options: { content: '<script>let a = 1</script>' } }],
    [
      'an address that is filled in',
      {
        type: 'Webhook',
        options: { webhook: { url: '{{Name}}/leads', body: '{{state}}' }, isCustomBody: true },
      },
    ],
    ['a placeholder with white space', { type: 'text', content: { richText: paragraph('{{ Name }}') } }],
    ['braces', { type: 'text', content: { richText: paragraph('{{}} { a } }} {{') } }],
    ['a word in a format', { type: 'date input', options: { format: "'Day' d, yyyy" } }],
    ['D in a key of its own', { type: 'Wait', options: { secondsToWaitFor: '{{Age}}' } }],
  ])('%s', (_name, block) => {
    expect(added(0, block)).toEqual([])
  })

  test('the check accepts loops that count, ask, wait for the page or end by chance', () => {
    const loop = (...blocks: Any[]) => {
      const bot = sound()
      bot.groups[3].blocks = blocks.map((each, index) => ({ id: `End${index}`, ...each }))
      const last = bot.groups[3].blocks.at(-1)
      last.outgoingEdgeId = 'back'
      bot.edges.push({ id: 'back', from: { blockId: last.id }, to: { groupId: 'End' } })
      return checkFlow(bot).map(({ code }) => code)
    }
    const text = { type: 'text', content: { richText: paragraph('Again') } }
    const count = {
      type: 'Set variable',
      options: { variableId: 'vAge', expressionToEvaluate: '{{Age}} + 1' },
    }
    const comparisons = [{ id: 'c', variableId: 'vAge', comparisonOperator: 'Is set' }]
    const condition = { type: 'Condition', items: [{ id: 'i', content: { comparisons } }] }
    expect(loop(text)).toEqual(['endless_loop'])
    expect(loop(count, text)).toEqual(['endless_loop'])
    expect(loop(condition, text)).toEqual(['endless_loop'])
    expect(loop(condition, count, text)).toEqual([])
    expect(loop({ type: 'text input' }, text)).toEqual([])
    expect(
      loop(
        { type: 'Webhook', options: { isExecutedOnClient: true, webhook: { url: 'https://x.org' } } },
        text,
      ),
    ).toEqual([])
    expect(
      loop({ type: 'embed', content: { url: 'https://x.org', waitForEvent: { isEnabled: true } } }, text),
    ).toEqual([])
    expect(
      loop(
        {
          type: 'AB test',
          items: [
            { id: 'a', path: 'a' },
            { id: 'b', path: 'b' },
          ],
        },
        text,
      ),
    ).toEqual([])
  })
})

test('the check gives up on a document that is made to be slow', () => {
  const bot = sound()
  const words = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => word(index)).join(' ')
  bot.variables = Array.from({ length: 2_000 }, (_, index) => ({
    id: `v${index}`,
    name: `variable ${index}`,
  }))
  block(bot, 0, 0).content.richText = paragraph(words(20_000, (index) => `{{varaible ${index}}} {{= ( =}}`))
  expect(checkFlow(bot).length).toBeGreaterThan(20_000)
})

test('the check finds every type of bubble that has nothing to show', () => {
  for (const type of bubbleTypes) {
    const bot = sound()
    Object.assign(block(bot, 0, 1), { type, content: {} })
    expect([type, checkFlow(bot).map(({ code }) => code)]).toEqual([type, ['empty_bubble']])
  }
})
