import { expect, test } from '@jest/globals'
import { blockCatalogue } from '../contract/bot-document/index.ts'
import { operations } from '../contract/index.ts'
import type { InputType } from '../generated/client/builder.js'
import { ask, block, choose, defineBot, goTo, set, text, when } from '../generated/client/builder.js'

/* The builder of the client package. tests/compiler-refuses.ts has what the compiler rejects. */

const define = () =>
  defineBot({
    name: 'Tickets',
    variables: ['Topic', 'Count'],
    groups: {
      welcome: [text('What can we do?'), choose({ Buy: 'order', Help: 'support' }, { saveAs: 'Topic' })],
      order: [ask('number input', 'Count'), when('Count', 'Greater than', '9', 'large'), goTo('small')],
      large: [text('A discount.')],
      small: [text('On their way.'), set('Topic', 'done')],
      support: [block({ type: 'image', content: { url: 'https://example.com/a.png' } })],
    },
  })

test('five groups are a flow that the service accepts, with ids made of names', () => {
  const bot = define()
  expect(define()).toEqual(bot)
  const checked = operations.createBot.body.safeParse({ workspaceId: 'w', bot })
  expect(checked.error?.issues).toBeUndefined()
  expect(bot.groups.map(({ id, blocks }) => [id, blocks.map((one: { id: string }) => one.id)])).toEqual([
    ['welcome', ['welcome-text-1', 'welcome-choice-input-1']],
    ['order', ['order-number-input-1', 'order-Condition-1', 'order-Jump-1']],
    ['large', ['large-text-1']],
    ['small', ['small-text-1', 'small-Set-variable-1']],
    ['support', ['support-image-1']],
  ])
  expect(bot.edges.map(({ id, to }) => [id, to.groupId])).toEqual([
    ['start-edge', 'welcome'],
    ['welcome-choice-input-1-Buy-edge', 'order'],
    ['welcome-choice-input-1-Help-edge', 'support'],
    ['order-Condition-1-1-edge', 'large'],
  ])
  const named = JSON.stringify(bot).match(/"outgoingEdgeId":"[^"]+"/g)
  expect(named).toHaveLength(bot.edges.length)
})

test('without a compiler, an edge to nowhere, an unknown variable and a duplicate id throw an error', () => {
  const build = (...steps: object[]) => defineBot({ name: 'Bot', groups: { one: steps as never } })
  expect(() => build(goTo('two'))).toThrow('An edge leads to two, which is no group')
  expect(() => build(choose({ Yes: 'toString' }))).toThrow('toString, which is no group')
  expect(() => build(ask('text input', 'Name'))).toThrow('There is no variable Name')
  expect(() => build(text('a', { id: 'x' }), text('b', { id: 'x' }))).toThrow('Two steps have the id x')
})

test('ask accepts types of inputs that the service has', () => {
  const types: Record<InputType, true> = {
    'text input': true,
    'number input': true,
    'email input': true,
    'url input': true,
    'phone number input': true,
    'date input': true,
    'time input': true,
    'rating input': true,
    'file input': true,
  }
  const known = blockCatalogue.filter(({ family }) => family === 'input').map(({ type }) => type)
  expect(known).toEqual(expect.arrayContaining(Object.keys(types)))
})
