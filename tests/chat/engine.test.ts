import { afterAll, describe, expect, jest, test } from '@jest/globals'
import { startFlow } from '../../server/chat/engine/engine.ts'
import type { Flow, SessionState } from '../../server/chat/engine/types.ts'
import {
  ask,
  bot,
  chat,
  closeSandbox,
  evaluate,
  idOf,
  type Part,
  set,
  text,
  tryChat,
} from '../support/chat.ts'
import { cpuGrowth, cpuTime, measureCpu } from '../support/cpu.ts'

afterAll(closeSandbox)

const variables = ['A', 'B', 'C', 'List']

describe('the walk', () => {
  test('collects bubbles up to an input, and goes on behind it', async () => {
    const flow = bot({ a: [text('1'), text('2'), ask('A'), text('3')] }, { variables })
    const client = await chat(flow)
    expect(client.texts()).toEqual(['1', '2'])
    expect(client.outcome).toMatchObject({ hasStarted: false, isCompleted: false, input: { id: 'a.2' } })
    await client.say('x')
    expect(client.texts()).toEqual(['3'])
    expect(client.outcome).toMatchObject({ state: null, hasStarted: true, isCompleted: true })
    expect(client.outcome.variables).toEqual([{ id: idOf('A'), name: 'A', value: 'x' }])
    expect(client.transcript.map((entry) => entry.text)).toEqual(['1', '2', 'x', '3'])
  })

  test('a bubble in the middle does not leave its group, the last block does', async () => {
    const flow = bot({
      a: [
        { ...text('1'), to: 'b' },
        { ...text('2'), to: 'c' },
      ],
      b: [text('b')],
      c: [text('c')],
    })
    expect((await chat(flow)).texts()).toEqual(['1', '2', 'c'])
  })

  test('an answered input with an edge leaves its group', async () => {
    const client = await chat(bot({ a: [ask('A', { to: 'b' }), text('no')], b: [text('b')] }, { variables }))
    await client.say('x')
    expect(client.texts()).toEqual(['b'])
  })

  test('a logic block with an edge leaves its group', async () => {
    const client = await chat(
      bot(
        { a: [set('A', '1', {}), { ...set('B', '2'), to: 'b' }, text('no')], b: [text('{{A}}{{B}}')] },
        { variables },
      ),
    )
    expect(client.texts()).toEqual(['12'])
  })

  test('an edge can lead into the middle of a group', async () => {
    const flow = bot({ a: [{ ...text('a'), to: 'b/b.1' }], b: [text('no'), text('b')] })
    expect((await chat(flow)).texts()).toEqual(['a', 'b'])
  })

  test('start blocks are passed, dangling edges and empty groups end the flow', async () => {
    expect(
      (
        await chat(
          bot({
            a: [
              { type: 'start', label: 'Start' },
              { ...text('1'), to: 'nowhere' },
            ],
          }),
        )
      ).texts(),
    ).toEqual(['1'])
    const empty = await chat(bot({ a: [{ ...text('1'), to: 'b' }], b: [] }))
    expect(empty.outcome).toMatchObject({ state: null, hasStarted: false, isCompleted: false })
    expect((await chat(bot({}))).outcome).toMatchObject({ state: null, messages: [] })
  })

  test('a completed flow without any answer is not completed', async () => {
    expect((await chat(bot({ a: [text('1')] }))).outcome).toMatchObject({ state: null, isCompleted: false })
  })

  test('the state stays small and holds no flow', async () => {
    const flow = bot({ a: [text('x'.repeat(100_000)), ask('A')] }, { variables })
    const client = await chat(flow)
    expect(JSON.stringify(client.outcome.state).length).toBeLessThan(600)
  })
})

describe('a jump', () => {
  const flow = bot(
    {
      a: [
        text('a'),
        { type: 'Jump', options: { groupId: 'b', blockId: 'b.1' } },
        text('back'),
        { type: 'Return' },
        text('end'),
      ],
      b: [text('no'), text('b'), { type: 'Return' }, text('no')],
    },
    { variables },
  )
  test('is left behind itself by a return, and a return alone does nothing', async () => {
    const client = await chat(flow)
    expect(client.texts()).toEqual(['a', 'b', 'back', 'end'])
    expect(client.logged('nothing to return to')).toBeDefined()
  })

  test('works over several requests', async () => {
    const client = await chat(
      bot(
        {
          a: [{ type: 'Jump', options: { groupId: 'b' } }, text('{{A}}')],
          b: [ask('A'), { type: 'Return' }],
        },
        { variables },
      ),
    )
    await client.say('x')
    expect(client.texts()).toEqual(['x'])
  })

  test('leads to a group named by a variable', async () => {
    const named = (value: string) =>
      chat(
        bot(
          { a: [{ type: 'Jump', options: { groupId: '{{A}}' } }, text('behind')], b: [text('b')] },
          { variables },
        ),
        {
          options: { prefilledVariables: { A: value } },
        },
      )
    expect((await named('Title b')).texts()).toEqual(['b'])
    expect((await named('Title x')).texts()).toEqual([])
    expect((await named('Title x')).logged('no such group')).toBeDefined()
  })

  test.each([
    [{ groupId: 'gone' }, [], 'no such group'],
    [{ groupId: 'b', blockId: 'gone' }, [], 'no such block'],
    [{ groupId: '{{A}}', blockId: 'b.1' }, ['second'], undefined],
    [{}, ['behind'], undefined],
  ])('leads to %j', async (options, texts, logged) => {
    const flow = bot(
      {
        a: [{ type: 'Jump', options, to: 'c' }, text('behind')],
        b: [text('first'), text('second')],
        c: [text('c')],
      },
      { variables },
    )
    const behind = Object.keys(options).length === 0
    const client = await chat(flow, { options: { prefilledVariables: { A: 'Title b' } } })
    expect(client.texts()).toEqual(behind ? ['c'] : texts)
    expect(client.outcome).toMatchObject({ state: null })
    if (logged !== undefined)
      expect(client.logged(logged)).toMatchObject({ status: 'error', isInternal: true })
  })

  test('without a return ends the flow with its group', async () => {
    expect(
      (
        await chat(bot({ a: [{ type: 'Jump', options: { groupId: 'b' } }, text('no')], b: [text('b')] }))
      ).texts(),
    ).toEqual(['b'])
  })

  test('back and forth does not make the state grow', async () => {
    const client = await chat(
      bot({ a: [ask('A'), { type: 'Jump', options: { groupId: 'a' } }, text('x')] }, { variables }),
    )
    for (let i = 0; i < 50; i += 1) await client.say('x')
    expect(JSON.stringify(client.outcome.state).length).toBeLessThan(2_500)
  })
})

test.each<[number, number, Part, string]>([
  [0, 50, {}, 'a'],
  [0.49, 50, {}, 'a'],
  [0.5, 50, {}, 'b'],
  [0, 0, {}, 'b'],
  [0.99, 100, {}, 'a'],
])('AB test takes the right path: %d of %d', async (random, aPercent, _part, expected) => {
  const items = [
    { id: '1', path: 'a', to: 'a' },
    { id: '2', path: 'b', to: 'b' },
  ]
  const flow = bot({
    s: [{ type: 'AB test', options: { aPercent }, items }, text('next')],
    a: [text('a')],
    b: [text('b')],
  })
  expect((await chat(flow, { random: () => random })).texts()).toEqual([expected])
})

test('AB test without edges continues behind its block', async () => {
  const split = (first: Part, second: Part) =>
    bot({
      s: [
        {
          type: 'AB test',
          items: [
            { id: '1', path: 'a', ...first },
            { id: '2', path: 'b', ...second },
          ],
        },
        text('next'),
      ],
      a: [text('a')],
      b: [text('b')],
    })
  expect((await chat(split({}, { to: 'b' }))).texts()).toEqual(['b'])
  expect((await chat(split({ to: 'a' }, {}), { random: () => 0.9 })).texts()).toEqual(['next'])
})

describe('events', () => {
  const command = (more: Part) => ({ id: 'c', type: 'command', to: 'help', ...more })
  const groups = {
    a: [text('Name?'), ask('A', { to: 'end' })],
    end: [text('Bye {{A}}')],
    help: [text('Help')],
  }

  test('a command that resumes shows the input again', async () => {
    const flow = bot(groups, {
      variables,
      events: [command({ options: { command: 'help', resumeAfter: true } })],
    })
    const client = await chat(flow)
    await client.say({ type: 'command', command: 'help' })
    expect(client.texts()).toEqual(['Help'])
    expect(client.outcome).toMatchObject({ input: { id: 'a.1' }, answers: [] })
    await client.say({ type: 'command', command: 'help' })
    await client.say('Ada')
    expect(client.texts()).toEqual(['Bye Ada'])
  })

  test('a command that does not resume ends with its branch, unless it returns', async () => {
    const options = { command: 'help' }
    const client = await chat(bot(groups, { variables, events: [command({ options })] }))
    await client.say({ type: 'command', command: 'help' })
    expect(client.outcome).toMatchObject({ state: null, isCompleted: false })
    const returning = await chat(
      bot(
        { ...groups, help: [text('Help'), { type: 'Return' }] },
        { variables, events: [command({ options })] },
      ),
    )
    await returning.say({ type: 'command', command: 'help' })
    expect(returning.outcome.input).toMatchObject({ id: 'a.1' })
  })

  test('a command that leads nowhere shows the input again, an unknown one is rejected', async () => {
    const nowhere = await chat(
      bot(groups, { variables, events: [{ id: 'c', type: 'command', options: { command: 'help' } }] }),
    )
    await nowhere.say({ type: 'command', command: 'help' })
    expect(nowhere.outcome.input).toMatchObject({ id: 'a.1' })
    await expect(nowhere.say({ type: 'command', command: 'other' })).rejects.toThrow('no event')
  })

  test('a command branch may have an input itself', async () => {
    const events = [command({ options: { command: 'help', resumeAfter: true } })]
    const client = await chat(bot({ ...groups, help: [ask('B'), text('B is {{B}}')] }, { variables, events }))
    await client.say({ type: 'command', command: 'help' })
    expect(client.outcome.input).toMatchObject({ id: 'help.0' })
    await client.say('b')
    expect(client.texts()).toEqual(['B is b'])
    expect(client.outcome.input).toMatchObject({ id: 'a.1' })
    await client.say('a')
    expect(client.texts()).toEqual(['Bye a'])
  })

  const tell = {
    contentVariableId: idOf('B'),
    inputNameVariableId: idOf('C'),
    inputTypeVariableId: idOf('List'),
  }

  test('reply runs before the answer is processed', async () => {
    const events = [{ id: 'r', type: 'reply', to: 'seen', options: tell }]
    const seen = [text('{{B}} for {{C}} in {{List}}'), { type: 'Return' }]
    const client = await chat(bot({ ...groups, seen }, { variables, events }))
    await client.say('Ada')
    expect(client.texts()).toEqual(['Ada for Title a in text', 'Bye Ada'])
    expect(client.outcome).toMatchObject({ answers: [{ blockId: 'a.1', content: 'Ada' }], isCompleted: true })
  })

  test('reply ends the chat where its branch does not return', async () => {
    const events = [{ id: 'r', type: 'reply', to: 'seen', options: tell }]
    const client = await chat(bot({ ...groups, seen: [text('Enough')] }, { variables, events }))
    await client.say('Ada')
    expect(client.texts()).toEqual(['Enough'])
    expect(client.outcome).toMatchObject({ answers: [], state: null })
  })

  test('reply runs again behind a branch that continued elsewhere', async () => {
    const comparisons = [{ id: 'c', variableId: idOf('B'), comparisonOperator: 'Equal to', value: 'restart' }]
    const seen: Part[] = [
      { type: 'Condition', items: [{ id: 'i', content: { comparisons }, to: 'a' }] },
      { type: 'Return' },
    ]
    const events = [{ id: 'r', type: 'reply', to: 'seen', options: tell }]
    const client = await chat(bot({ ...groups, seen }, { variables, events }))
    for (let time = 0; time < 2; time += 1) {
      await client.say('restart')
      expect(client.outcome).toMatchObject({ input: { id: 'a.1' }, answers: [] })
    }
    await client.say('Ada')
    expect(client.texts()).toEqual(['Bye Ada'])
    expect(client.outcome.answers).toEqual([{ blockId: 'a.1', content: 'Ada' }])
  })

  test.each([
    ['text input', 'text'],
    ['number input', 'number'],
    ['email input', 'email'],
    ['url input', 'url'],
    ['date input', 'date'],
    ['time input', 'time'],
    ['phone number input', 'phone'],
    ['choice input', 'buttons'],
    ['picture choice input', 'picture choice'],
    ['rating input', 'rating'],
    ['file input', 'file'],
    ['cards', 'cards'],
  ])('events call a reply to %s %s', async (type, name) => {
    const items = [{ id: 'i', content: 'x', title: 'x', paths: [] }]
    const events = [{ id: 'r', type: 'reply', options: tell }]
    const client = await chat(bot({ a: [{ type, items }, ask()] }, { variables, events }))
    await client.say('x')
    expect(client.value('List')).toBe(name)
  })

  test('reply may have an input in its branch, and the answer waits', async () => {
    const events = [{ id: 'r', type: 'reply', to: 'seen' }]
    const client = await chat(
      bot({ ...groups, seen: [text('Sure?'), ask('B'), { type: 'Return' }] }, { variables, events }),
    )
    await client.say('Ada')
    expect(client.texts()).toEqual(['Sure?'])
    expect(client.outcome.answers).toEqual([])
    await client.say('yes')
    expect(client.outcome.answers).toEqual([
      { blockId: 'seen.1', content: 'yes' },
      { blockId: 'a.1', content: 'Ada' },
    ])
    expect(client.texts()).toEqual(['Bye Ada'])
  })

  test('reply without a branch only sets its variables', async () => {
    const client = await chat(bot(groups, { variables, events: [{ id: 'r', type: 'reply', options: tell }] }))
    await client.say('Ada')
    expect(client.value('B')).toBe('Ada')
    expect(client.texts()).toEqual(['Bye Ada'])
  })

  test('invalidReply runs instead of the retry message', async () => {
    const events = [{ id: 'i', type: 'invalidReply', to: 'wrong', options: tell }]
    const flow = bot(
      {
        a: [{ type: 'number input', options: { variableId: idOf('A') } }, text('{{A}}')],
        wrong: [text('Not {{B}}'), { type: 'Return' }],
      },
      { variables, events },
    )
    const client = await chat(flow)
    await client.say('x')
    expect(client.texts()).toEqual(['Not x'])
    expect(client.outcome).toMatchObject({ input: { id: 'a.0' }, answers: [] })
    await client.say('y')
    expect(client.texts()).toEqual(['Not y'])
    await client.say('7')
    expect(client.texts()).toEqual(['7'])
  })

  test('invalidReply ends the chat where its branch does not return', async () => {
    const events = [{ id: 'i', type: 'invalidReply', to: 'wrong' }]
    const flow = bot({ a: [{ type: 'number input' }], wrong: [text('Goodbye')] }, { variables, events })
    const client = await chat(flow)
    await client.say('x')
    expect(client.texts()).toEqual(['Goodbye'])
    expect(client.outcome).toMatchObject({ answers: [], state: null })
  })
})

describe('start', () => {
  const flow = bot(
    { a: [text('a'), ask('A')], b: [text('b {{A}}')] },
    { variables, events: [{ id: 'c', type: 'command', to: 'b', options: {} }] },
  )

  test('a chat starts from a group or an event', async () => {
    expect((await chat(flow, { options: { startFrom: { type: 'group', groupId: 'b' } } })).texts()).toEqual([
      'b ',
    ])
    expect((await chat(flow, { options: { startFrom: { type: 'event', eventId: 'c' } } })).texts()).toEqual([
      'b ',
    ])
    for (const startFrom of [
      { type: 'group', groupId: 'x' } as const,
      { type: 'event', eventId: 'x' } as const,
    ]) {
      expect((await tryChat(flow, { options: { startFrom } })).result.rejection?.code).toBe('UNKNOWN_START')
    }
  })

  test('registering runs no block until the first message', async () => {
    const client = await chat(flow, { options: { isOnlyRegistering: true } })
    expect(client.outcome).toMatchObject({ messages: [], hasStarted: false, isCompleted: false })
    await client.say()
    expect(client.texts()).toEqual(['a'])
    const direct = await chat(bot({ a: [ask('A'), text('{{A}}')] }, { variables }), {
      options: { isOnlyRegistering: true },
    })
    await direct.say('Ada')
    expect(direct.texts()).toEqual(['Ada'])
    const command = await chat(flow, {
      options: { isOnlyRegistering: true, startFrom: { type: 'group', groupId: 'b' } },
    })
    await command.say()
    expect(command.texts()).toEqual(['b '])
  })

  test('a command to a chat that is only registered starts the flow', async () => {
    const events = [{ id: 'c', type: 'command', options: { command: 'help' }, to: 'help' }]
    const groups = { a: [text('a'), ask('A')], help: [text('help')] }
    const options = { isOnlyRegistering: true }
    for (const command of ['help', 'unknown']) {
      const client = await chat(bot(groups, { variables, events }), { options })
      await client.say({ type: 'command', command })
      expect(client.texts()).toEqual(['a'])
      expect(client.outcome.input).toMatchObject({ id: 'a.1' })
    }
  })

  test('a chat starts with remembered and prefilled variables', async () => {
    const client = await chat(bot({ a: [text('{{A}} {{B}} {{C}}')] }, { variables }), {
      options: {
        rememberedVariables: [
          { id: idOf('A'), name: 'A', value: 'old' },
          { id: 'changed', name: 'B', value: 'kept' },
          { id: 'gone', name: 'Gone', value: 'x' },
        ],
        prefilledVariables: { A: 'new', C: 3 },
      },
    })
    expect(client.texts()).toEqual(['new kept 3'])
  })

  test('theme and settings have their placeholders filled in', async () => {
    const theme = {
      chat: { hostAvatar: { url: '{{A}}' }, guestAvatar: { url: 'https://x.test/{{A}}' } },
      general: { background: { type: 'Image', content: '{{B}}' } },
    }
    const settings = {
      general: { isBrandingEnabled: true, systemMessages: { invalidMessage: 'No, {{A}}' } },
      typingEmulation: { speed: 1 },
      metadata: { title: 'secret' },
    }
    const own = bot({ a: [ask('A'), ask('B')] }, { variables, theme, settings })
    const { result } = await tryChat(own, { options: { prefilledVariables: { A: 'Ada' } } })
    if (result.rejection !== undefined || !('bot' in result)) throw new Error('no look')
    expect(result.bot).toEqual({
      theme: {
        chat: { hostAvatar: { url: 'Ada' }, guestAvatar: { url: 'https://x.test/Ada' } },
        general: { background: { type: 'Image', content: '' } },
      },
      settings: {
        general: { isBrandingEnabled: true, systemMessages: { invalidMessage: 'No, Ada' } },
        typingEmulation: { speed: 1 },
      },
    })
    const client = await chat(own)
    await client.say('Eve')
    expect(client.outcome.dynamicTheme).toEqual({ hostAvatarUrl: 'Eve', backgroundUrl: '' })
  })
})

describe('progress', () => {
  const theme = { general: { progressBar: { isEnabled: true } } }
  test('counts the longest path ahead', async () => {
    const choice: Part = {
      type: 'choice input',
      items: [
        { id: '1', content: 'long', to: 'b' },
        { id: '2', content: 'short', to: 'c' },
      ],
    }
    const flow = bot({ a: [ask(), choice], b: [ask(), { ...ask(), to: 'c' }], c: [text('end')] }, { theme })
    const client = await chat(flow)
    const seen = [client.outcome.progress]
    for (const reply of ['x', 'long', 'y', 'z']) seen.push((await client.say(reply)).progress)
    expect(seen).toEqual([0, 25, 50, 75, 100])
    const short = await chat(flow)
    await short.say('x')
    await short.say('short')
    expect(short.outcome.progress).toBe(100)
  })

  test('is computed quickly for loops and long flows', async () => {
    const loop = await chat(
      bot({ a: [ask('A', { to: 'b' })], b: [ask('B', { to: 'a' })] }, { variables, theme }),
    )
    for (let i = 0; i < 5; i += 1) await loop.say('x')
    expect(loop.outcome.progress).toBeGreaterThan(50)
    const groups: Record<string, Part[]> = {}
    for (let i = 0; i < 5_000; i += 1) groups[`g${i}`] = [ask(undefined, { to: `g${i + 1}` })]
    const long = await chat(bot(groups, { theme }))
    await long.say('x')
    expect(long.outcome.progress).toBe(0)
  })

  test('takes about four times as long for four times as many paths', async () => {
    const starting = (count: number) => {
      const groups: Record<string, Part[]> = { a: [ask(undefined, { to: 'g0' })] }
      for (let group = 0; group < 10; group += 1) {
        groups[`g${group}`] = Array.from({ length: count }, (_, index) => {
          const next = `g${(group + 1) % 10}`
          return { type: 'Condition', items: [{ id: 'i', to: `${next}/${next}.${index}` }] }
        })
      }
      const flow = bot(groups, { theme })
      // A copy each time, since what is known of a flow is kept with it.
      return () => chat({ ...flow })
    }
    expect(await cpuGrowth(starting(100), starting(400))).toBeLessThan(9)
  })

  test('is absent unless it is switched on', async () => {
    expect((await chat(bot({ a: [ask()] }))).outcome).not.toHaveProperty('progress')
    expect(
      (await chat(bot({ a: [ask()] }), { options: { isProgressBarEnabled: true } })).outcome.progress,
    ).toBe(0)
  })
})

describe('bot links', () => {
  const link = (options: Record<string, unknown>, more: Part = {}): Part => ({
    type: 'Bot link',
    options: { botId: 'bot2', ...options },
    ...more,
  })
  const child = bot(
    { c: [text('child {{A}}'), ask('D', { to: 'd' })], d: [set('A', 'from child'), text('done')] },
    { id: 'bot2', variables: ['A', 'D'] },
  )
  const parent = (options: Record<string, unknown>) =>
    bot({ a: [set('A', 'from parent'), link(options), text('back {{A}} {{D}}')] }, { variables: ['A'] })

  test('variables and answers of a merged link flow back', async () => {
    const client = await chat(parent({ mergeResults: true }), { linked: { bot2: child } })
    expect(client.texts()).toEqual(['child from parent'])
    expect(JSON.stringify(client.outcome.state).length).toBeLessThan(900)
    await client.say('d')
    expect(client.texts()).toEqual(['done', 'back from child '])
    expect(client.outcome).toMatchObject({
      answers: [{ blockId: 'c.1', content: 'd' }],
      hasStarted: true,
      isCompleted: true,
      linkedResults: [],
    })
    expect(client.outcome.variables).toEqual([
      { id: idOf('A'), name: 'A', value: 'from child' },
      { id: idOf('D'), name: 'D', value: 'd' },
    ])
  })

  test('the result has the variables of a merged linked bot while that runs', async () => {
    const asking = bot({ c: [ask('D'), ask('A')] }, { id: 'bot2', variables: ['A', 'D'] })
    const client = await chat(parent({ mergeResults: true }), { linked: { bot2: asking } })
    await client.say('d')
    expect(client.value('D')).toBe('d')
    expect(client.outcome).toMatchObject({ hasStarted: true, isCompleted: false })
  })

  test('a linked bot that is not merged has a result of its own', async () => {
    const client = await chat(parent({}), { linked: { bot2: child } })
    expect(client.outcome.linkedResults).toEqual([
      {
        isNew: true,
        resultId: 'id1',
        botId: 'bot2',
        answers: [],
        variables: [{ id: idOf('A'), name: 'A', value: 'from parent' }],
        hasStarted: false,
        isCompleted: false,
      },
    ])
    await client.say('d')
    expect(client.texts()).toEqual(['done', 'back from parent '])
    expect(client.outcome).toMatchObject({ answers: [], hasStarted: false, isCompleted: false })
    expect(client.outcome.linkedResults).toMatchObject([
      { resultId: 'id1', answers: [{ blockId: 'c.1', content: 'd' }], hasStarted: true, isCompleted: true },
    ])
  })

  test('previews with links have no results', async () => {
    const client = await chat(parent({}), { linked: { bot2: child }, options: { resultId: null } })
    await client.say('d')
    expect(client.outcome.linkedResults).toEqual([])
  })

  test('a link leads to a group of the linked bot, by id or by a variable with its title', async () => {
    expect((await chat(parent({ groupId: 'd' }), { linked: { bot2: child } })).texts()).toEqual([
      'done',
      'back from parent ',
    ])
    const named = bot({ a: [set('A', 'Title d'), link({ groupId: '{{A}}' })] }, { variables: ['A'] })
    expect((await chat(named, { linked: { bot2: child } })).texts()).toEqual(['done'])
    const unknown = await chat(parent({ groupId: 'x' }), { linked: { bot2: child } })
    expect(unknown.texts()).toEqual(['back from parent '])
    expect(unknown.logged('no such group')).toBeDefined()
  })

  test('links to bots that do not exist are skipped', async () => {
    const client = await chat(parent({}))
    expect(client.texts()).toEqual(['back from parent '])
    expect(client.logged('does not exist')).toMatchObject({ status: 'error', isInternal: true })
    expect((await chat(parent({ botId: undefined }))).logged('no bot is chosen')).toBeDefined()
  })

  test('a linked bot that disappears during the chat is left', async () => {
    const linked = { bot2: child } as Record<string, Flow>
    const client = await chat(parent({ mergeResults: true }), { linked })
    delete linked.bot2
    await client.say('d')
    expect(client.texts()).toEqual(['back from parent '])
    expect(client.logged('no longer there')).toBeDefined()
  })

  test.each(['current', 'bot1'])('a link leads to a group of the same bot (%s)', async (botId) => {
    const flow = bot(
      { a: [link({ botId, groupId: 'b' }), text('back {{A}}')], b: [ask('A'), text('b')] },
      { variables },
    )
    const client = await chat(flow)
    await client.say('x')
    expect(client.texts()).toEqual(['b', 'back x'])
    expect(client.outcome).toMatchObject({
      answers: [{ blockId: 'b.0' }],
      linkedResults: [],
      isCompleted: true,
    })
  })

  test('a bot that restarts itself for ever stays small', async () => {
    const client = await chat(bot({ a: [ask('A'), link({ botId: 'current', groupId: 'a' })] }, { variables }))
    for (let i = 0; i < 50; i += 1) await client.say('x')
    expect(JSON.stringify(client.outcome.state).length).toBeLessThan(700)
  })

  test('bots that link each other for ever are stopped', async () => {
    const one = bot({ a: [link({ botId: 'bot2' })] }, { id: 'bot1' })
    const two = bot({ a: [link({ botId: 'bot1' })] }, { id: 'bot2' })
    const client = await chat(one, { linked: { bot1: one, bot2: two } })
    expect(client.outcome.state).toBeNull()
    expect(client.logs().some((entry) => entry.includes('too many bots'))).toBe(true)
  })

  test('events and edges of the linked bot are its own', async () => {
    const withCommand = {
      ...child,
      events: [
        ...(child.events as unknown[]),
        { id: 'e', type: 'command', options: { command: 'stop', resumeAfter: true } },
      ],
    }
    const client = await chat(parent({ mergeResults: true }), { linked: { bot2: withCommand } })
    await client.say({ type: 'command', command: 'stop' })
    expect(client.outcome.input).toMatchObject({ id: 'c.1' })
  })
})

describe('hostile flows end within their limits:', () => {
  /**
   * `milliseconds` is what the work takes on a small machine with nothing else to do. On a crowded one the same
   * work takes a few times as much of the processor; what runs away takes hundreds of times as much.
   */
  const quick = async <Result>(work: () => Promise<Result>, milliseconds: number): Promise<Result> => {
    const measured = await measureCpu(work)
    expect(measured.milliseconds).toBeLessThan(milliseconds * 10)
    return measured.result
  }
  const cut = { state: null, isCompleted: false }

  test.each<[string, Record<string, Part[]>]>([
    ['edges', { a: [{ ...set('A', '1'), to: 'a' }] }],
    ['jumps', { a: [{ type: 'Jump', options: { groupId: 'a' } }] }],
    [
      'links to itself',
      { a: [{ type: 'Bot link', options: { botId: 'current', groupId: 'a' } }, text('x')] },
    ],
    ['bubbles', { a: [{ ...text('x'), to: 'a' }] }],
    ['unknown blocks', { a: [{ type: 'odd', to: 'a' }] }],
    [
      'jump and return',
      {
        a: [
          { type: 'Jump', options: { groupId: 'b' } },
          { type: 'Jump', options: { groupId: 'a' } },
        ],
        b: [{ type: 'Return' }],
      },
    ],
  ])('a loop of %s', async (_name, groups) => {
    const client = await quick(() => chat(bot(groups, { variables })), 2_000)
    expect(client.outcome).toMatchObject(cut)
    expect(client.logged('more than 1000 blocks')).toMatchObject({ status: 'error', isInternal: false })
    expect(client.outcome.logs.length).toBeLessThanOrEqual(100)
  })

  test('a loop runs exactly as many blocks as it may', async () => {
    const client = await chat(bot({ a: [{ ...text('x'), to: 'a' }] }))
    expect(client.outcome.messages).toHaveLength(1_000)
  })

  test('bubbles that are large themselves', async () => {
    const client = await quick(() => chat(bot({ a: [{ ...text('x'.repeat(100_000)), to: 'a' }] })), 2_000)
    expect(client.outcome).toMatchObject(cut)
    expect(client.outcome.messages).toHaveLength(19)
    expect(client.logged('sent more than 2000000 characters')).toBeDefined()
  })

  test('a text that repeats a large value', async () => {
    const flow = bot({ a: [set('B', `${'{{A}}'.repeat(50)}!`), ask()] }, { variables })
    const client = await chat(flow, { options: { prefilledVariables: { A: 'x '.repeat(100_000) } } })
    expect(client.value('B')).toHaveLength(262_144)
    expect(client.logged('A text was cut')).toBeDefined()
    expect(client.outcome.input).toBeDefined()
  })

  test('a stopped chat keeps its answers', async () => {
    const client = await chat(
      bot({ a: [ask('A', { to: 'b' })], b: [{ ...text('x'), to: 'b' }] }, { variables }),
    )
    await client.say('answer')
    expect(client.outcome).toMatchObject({ ...cut, answers: [{ content: 'answer' }], hasStarted: true })
  })

  test('a variable that doubles', async () => {
    const flow = bot({ a: [{ ...set('A', '{{A}}{{A}}x'), to: 'a' }] }, { variables })
    const client = await quick(
      () => chat(flow, { options: { prefilledVariables: { A: 'x'.repeat(1_000) } } }),
      5_000,
    )
    expect(client.outcome).toMatchObject(cut)
    expect(String(client.value('A')).length).toBeLessThanOrEqual(262_144)
  })

  test('a list that grows', async () => {
    const flow = bot(
      {
        a: [
          {
            type: 'Set variable',
            options: { variableId: idOf('List'), type: 'Append value(s)', item: '{{A}}' },
            to: 'a',
          },
        ],
      },
      { variables },
    )
    const client = await quick(
      () => chat(flow, { options: { prefilledVariables: { A: 'x'.repeat(10_000) } } }),
      5_000,
    )
    expect(JSON.stringify(client.outcome.variables).length).toBeLessThan(300_000)
    expect(client.logged('was cut to 262144')).toBeDefined()
  })

  test('a value of 10 MB, given or in the document', async () => {
    const huge = 'x'.repeat(10_000_000)
    const flow = bot({ a: [set('B', '{{A}}'), ask()] }, { variables: ['B', 'C'] })
    flow.variables = [...(flow.variables as unknown[]), { id: idOf('A'), name: 'A', value: huge }]
    const client = await quick(() => chat(flow, { options: { prefilledVariables: { C: huge } } }), 5_000)
    expect(client.outcome.variables.map(({ value }) => value.length)).toEqual([262_144, 262_144, 262_144])
  })

  test('all variables together', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `V${index}`)
    const values = Object.fromEntries(names.map((name) => [name, 'x'.repeat(200_000)]))
    const client = await chat(bot({ a: [ask()] }, { variables: names }), {
      options: { prefilledVariables: values },
    })
    expect(client.outcome.variables).toHaveLength(5)
    expect(client.logged('all variables together')).toBeDefined()
    expect(JSON.stringify(client.outcome.state).length).toBeLessThan(1_010_000)
  })

  test('bubbles that repeat a large value', async () => {
    const flow = bot({ a: [{ ...text('{{A}}'.repeat(50)), to: 'a' }] }, { variables })
    const client = await quick(
      () => chat(flow, { options: { prefilledVariables: { A: 'x'.repeat(200_000) } } }),
      5_000,
    )
    expect(client.outcome).toMatchObject(cut)
    expect(JSON.stringify(client.outcome.messages).length).toBeLessThan(2_100_000)
    expect(client.logs().some((entry) => entry.includes('characters'))).toBe(true)
  })

  test('one bubble, or a theme, that repeats a large value in many texts', async () => {
    const options = { prefilledVariables: { A: 'x\n'.repeat(100_000) } }
    const richText = Array.from({ length: 500 }, () => ({ type: 'p', children: [{ text: '{{A}}' }] }))
    const bubble = bot({ a: [{ type: 'text', content: { richText } }] }, { variables })
    const theme = { more: richText }
    for (const flow of [bubble, bot({ a: [ask()] }, { variables, theme })]) {
      const { result, client } = await quick(() => tryChat(flow, { options }), 3_000)
      expect(result).toMatchObject(cut)
      expect(JSON.stringify(result).length).toBeLessThan(4_500_000)
      expect(client.logged('filled in more than 2000000 characters')).toBeDefined()
    }
  })

  test('a request that was not filled in to its end is not sent', async () => {
    const queryParams = Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, value: '{{A}}' }))
    const request: Part = { type: 'Webhook', options: { webhook: { url: 'https://x.test', queryParams } } }
    const client = await chat(bot({ a: [request] }, { variables }), {
      options: { prefilledVariables: { A: 'x'.repeat(200_000) } },
    })
    expect(client.outcome).toMatchObject(cut)
    expect(client.requests).toEqual([])
  })

  test('regular expressions that explode', async () => {
    const comparison = {
      id: 'c',
      variableId: idOf('A'),
      comparisonOperator: 'Matches regex',
      value: '^(a+)+$',
    }
    const items = [{ id: 'i', content: { comparisons: [comparison] }, to: 'b' }]
    const flow = bot({ a: [{ type: 'Condition', items }, text('no')], b: [text('yes')] }, { variables })
    const options = { prefilledVariables: { A: `${'a'.repeat(40)}b` } }
    const client = await quick(() => chat(flow, { options }), 1_000)
    expect(client.texts()).toEqual(['no'])
    expect(client.logged('regular expression')).toMatchObject({ details: expect.stringContaining('100 ms') })
  })

  test('expressions that never end, one after the other', async () => {
    const flow = bot(
      { a: [{ ...set('A', 'while (true); return 1', { isCode: true }), to: 'a' }] },
      { variables },
    )
    const client = await quick(() => chat(flow), 4_000)
    expect(client.outcome).toMatchObject(cut)
    expect(client.outcome.logs.some((entry) => entry.details?.includes('used up its time'))).toBe(true)
  })

  test('a turn that waits too long for other services', async () => {
    const request: Part = {
      type: 'Webhook',
      options: { webhook: { url: 'https://x.test' }, timeout: 60 },
      to: 'a',
    }
    const timeouts: number[] = []
    const slow = bot({ a: [request] })
    // Continues only while a caller waits, however busy the machine is.
    let now = 0
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
    const { result } = await tryChat(slow, {
      options: { limits: { milliseconds: 300 } },
      reply: (sent) => {
        timeouts.push(sent.milliseconds)
        now += 120
        return { ok: false, reason: 'time', message: 'late' }
      },
    }).finally(() => clock.mockRestore())
    expect(result).toMatchObject(cut)
    expect(timeouts).toEqual([300, 180, 60])
  })

  test('requests in a loop', async () => {
    const client = await chat(
      bot({ a: [{ type: 'Webhook', options: { webhook: { url: 'https://x.test' } }, to: 'a' }] }),
    )
    expect(client.requests).toHaveLength(20)
    expect(client.outcome).toMatchObject(cut)
  })

  test('a very long message', async () => {
    const client = await chat(bot({ a: [ask('A')] }, { variables }))
    await client.say('x'.repeat(1_000_000))
    expect(client.outcome.answers[0]?.content).toHaveLength(262_144)
    expect(client.logged('message was cut')).toBeDefined()
  })

  test.each([
    'email input',
    'url input',
    'phone number input',
    'number input',
    'date input',
    'time input',
    'rating input',
    'file input',
    'choice input',
  ])('a reply made to keep the reader of %s busy', async (type) => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ id: `i${index}`, content: `a${index}` }))
    const flow = bot({ a: [{ type, options: { isMultipleChoice: true }, items }] })
    for (const reply of [
      'a'.repeat(262_144),
      '1'.repeat(262_144),
      'a@'.repeat(130_000),
      '.a'.repeat(130_000),
      ' '.repeat(262_144),
      '1/'.repeat(50),
      '1 to '.repeat(20),
      `${'a'.repeat(9_999)},`,
    ]) {
      await quick(async () => (await chat(flow)).say(reply), 1_000)
    }
  })

  test('long lists compared with each other', async () => {
    const comparison = (comparisonOperator: string) => ({
      id: 'c',
      variableId: idOf('List'),
      comparisonOperator,
      value: '{{A}}',
    })
    const items = ['Contains', 'Starts with', 'Ends with', 'Equal to'].map((operator, index) => ({
      id: `i${index}`,
      content: { comparisons: [comparison(operator)] },
    }))
    const prefilledVariables = { List: Array(60_000).fill('a'), A: Array(60_000).fill('b') }
    const flow = bot({ a: [{ type: 'Condition', items }, text('no')] }, { variables })
    const limits = { workMilliseconds: 5_000 }
    const client = await quick(() => chat(flow, { options: { prefilledVariables, limits } }), 1_500)
    expect(client.texts()).toEqual(['no'])
    expect(client.logged('too large')).toBeDefined()
  })

  test('lists that make many small pairs', async () => {
    const values = (item: string) => Array<string>(4_000).fill(item)
    const comparisons = [
      { id: 'c', variableId: idOf('List'), comparisonOperator: 'Starts with', value: '{{A}}' },
    ]
    const items = [{ id: 'i', content: { comparisons }, to: 'b' }]
    const flow = bot({ a: [{ type: 'Condition', items }, text('no')], b: [text('yes')] }, { variables })
    const meet = (ours: string[], theirs: string[]) =>
      quick(() => chat(flow, { options: { prefilledVariables: { List: ours, A: theirs } } }), 40)
    const client = await meet(values('aa'), values('a'))
    expect(client.texts()).toEqual(['no'])
    expect(client.logged('too large')).toBeDefined()
    expect((await meet(values('aa').slice(3_600), values('a').slice(3_600))).texts()).toEqual(['yes'])
  })

  test('a card of which each value of a list is one', async () => {
    const paths = Array.from({ length: 600 }, (_, index) => ({ id: `p${index}`, text: 'x'.repeat(1_000) }))
    const cards: Part = { type: 'cards', items: [{ id: 'c', title: '{{List}}', paths }] }
    const options = { prefilledVariables: { List: Array.from({ length: 1_000 }, (_, index) => `${index}`) } }
    const { result } = await quick(() => tryChat(bot({ a: [cards] }, { variables }), { options }), 100)
    expect(result).toMatchObject(cut)
    expect(JSON.stringify(result).length).toBeLessThan(2_500_000)
  })

  test('recipients of an e-mail from a long list', async () => {
    const options = { recipients: Array<string>(20).fill('{{List}}') }
    const flow = bot({ a: [{ type: 'Email', options }] }, { variables })
    const prefilledVariables = { List: Array<string>(50_000).fill('xx') }
    const client = await quick(() => chat(flow, { hasMail: true, options: { prefilledVariables } }), 100)
    expect(client.logged('no valid recipient')).toBeDefined()
  })

  test('a dialogue that is sent to a model many times', async () => {
    const messages = Array<unknown>(50).fill({ role: 'Dialogue', dialogueVariableId: idOf('List') })
    const options = { credentialsId: 'key', action: 'Create chat completion', model: 'one', messages }
    let isAsked = false
    const { result } = await quick(
      () =>
        tryChat(bot({ a: [{ type: 'openai', options }] }, { variables }), {
          options: { prefilledVariables: { List: Array<string>(60_000).fill('a') } },
          findCredentials: async () => ({ apiKey: 'secret' }),
          askModel: async () => {
            isAsked = true
            return { ok: false, message: 'Not now' }
          },
        }),
      100,
    )
    expect(result).toMatchObject(cut)
    expect(isAsked).toBe(false)
  })

  test('a preview with very many long answers', async () => {
    const client = await chat(bot({ a: [ask('A', { to: 'a' })] }, { variables }), {
      options: { resultId: null },
    })
    for (let step = 0; step < 20; step += 1) await client.say(`${step} ${'x'.repeat(250_000)}`)
    const { preview } = client.outcome.state ?? {}
    expect(JSON.stringify(preview).length).toBeLessThan(2_100_000)
    const numbers = preview?.answers.map(({ content }) => Number.parseInt(content, 10))
    expect(numbers).toEqual([17, 18, 19])
  })

  test('a condition of many comparisons, and a response of many mappings', async () => {
    const list = (item: string) => Array.from({ length: 25_000 }, (_, index) => item + index)
    const comparisons = Array.from({ length: 200 }, (_, index) => ({
      id: `c${index}`,
      variableId: idOf('List'),
      comparisonOperator: 'Not equal',
      value: '{{A}}',
    }))
    const condition = { type: 'Condition', items: [{ id: 'i', content: { comparisons } }] }
    const responseVariableMapping = Array.from({ length: 500 }, (_, index) => ({
      id: `m${index}`,
      variableId: idOf('B'),
      bodyPath: 'data',
    }))
    const webhook = { url: 'https://x.test', method: 'GET' }
    const request: Part = { type: 'Webhook', options: { webhook, responseVariableMapping } }
    const body = Buffer.from(JSON.stringify({ numbers: Array(500_000).fill(1) }))
    for (const block of [condition, request]) {
      let turns = 0
      const timer = setInterval(() => {
        turns += 1
      }, 1)
      const { result } = await tryChat(bot({ a: [block, text('done')] }, { variables }), {
        options: {
          prefilledVariables: { List: list('a'), A: list('b') },
          limits: { workMilliseconds: 400 },
        },
        reply: { ok: true, status: 200, contentType: 'application/json', headers: {}, body },
      })
      clearInterval(timer)
      expect(result).toMatchObject(cut)
      expect(turns).toBeGreaterThan(0)
    }
  })

  test('a text made to keep the search in it busy', async () => {
    const value = `${'a'.repeat(65_000)}b${'a'.repeat(65_000)}`
    const items = [
      {
        id: 'i',
        content: { comparisons: [{ id: 'c', variableId: idOf('A'), comparisonOperator: 'Contains', value }] },
      },
    ]
    const flow = bot({ a: [{ type: 'Condition', items }, text('no')] }, { variables })
    await quick(() => chat(flow, { options: { prefilledVariables: { A: 'a'.repeat(262_144) } } }), 500)
  })

  test('other work of the process continues meanwhile', async () => {
    let longest = 0
    let last = cpuTime()
    const timer = setInterval(() => {
      longest = Math.max(longest, cpuTime() - last)
      last = cpuTime()
    }, 1)
    await chat(bot({ a: [{ ...set('A', '{{A}}{{A}}x'), to: 'a' }] }, { variables }), {
      options: { prefilledVariables: { A: 'x'.repeat(1_000) } },
    })
    const many = Array.from({ length: 5_000 }, (_, index) => `V${index}`)
    const child = bot({ a: [text('x')] }, { id: 'bot2', variables: many })
    await chat(
      bot(
        { a: [{ type: 'Bot link', options: { botId: 'bot2', mergeResults: true }, to: 'a' }] },
        { variables: many },
      ),
      {
        linked: { bot2: child },
        options: { prefilledVariables: Object.fromEntries(many.map((name) => [name, 'abc'])) },
      },
    )
    longest = Math.max(longest, cpuTime() - last)
    clearInterval(timer)
    expect(longest).toBeLessThan(500)
  })

  test('work is limited apart from the time that other work takes', async () => {
    const flow = bot({ a: [{ ...set('A', '{{A}}{{A}}x'), to: 'a' }] }, { variables })
    const { result } = await tryChat(flow, { options: { limits: { workMilliseconds: 0 } } })
    expect(result).toMatchObject({ ...cut, logs: [{ description: expect.stringContaining('ms of work') }] })
  })

  test('texts made to keep the reader of placeholders busy', async () => {
    for (const template of [
      '{{'.repeat(500_000),
      '{{='.repeat(300_000),
      '{{=}}'.repeat(200_000),
      '{{a}}'.repeat(200_000),
      '{{= =}}'.repeat(500),
    ]) {
      await quick(() => chat(bot({ a: [text(template)] })), 3_000)
    }
  })
})

describe('odd documents', () => {
  test.each<[string, Partial<Flow>]>([
    ['nothing', {}],
    [
      'null everywhere',
      { groups: null, edges: null, events: null, variables: null, theme: null, settings: null },
    ],
    ['wrong types', { groups: 'x', edges: 5, events: {}, variables: true, theme: [], settings: 'x' }],
    [
      'odd entries',
      {
        groups: [null, 1, [], {}, { id: 'a' }, { id: 'b', blocks: [null, {}, { id: 1 }, { id: 'x' }] }],
        edges: [null, {}, { id: 'e' }, { id: 'f', to: 5 }],
        events: [null, { type: 'start', outgoingEdgeId: 5 }],
      },
    ],
  ])('%s', async (_name, flow) => {
    expect((await chat({ id: 'bot1', ...flow })).outcome).toMatchObject({ state: null, messages: [] })
  })

  test('every block type with odd contents is run or skipped', async () => {
    const types = [
      'text',
      'image',
      'video',
      'audio',
      'embed',
      'text input',
      'number input',
      'email input',
      'url input',
      'phone number input',
      'date input',
      'time input',
      'payment input',
      'rating input',
      'file input',
      'choice input',
      'picture choice input',
      'cards',
      'Set variable',
      'Condition',
      'Redirect',
      'Code',
      'Bot link',
      'Wait',
      'AB test',
      'webhook',
      'Jump',
      'Return',
      'Webhook',
      'Zapier',
      'Email',
      'Chatwoot',
      'Google Analytics',
      'Pixel',
      'start',
    ]
    const odd = [
      undefined,
      null,
      5,
      'x',
      [],
      [null, 1, 'x', {}],
      { url: 5, webhook: 'x', items: 1 },
      { items: [{}], content: null, variableId: {}, comparisons: [null, {}] },
    ]
    for (const type of types) {
      for (const value of odd) {
        const block = { type, options: value, content: value, items: value } as unknown as Part
        const flow: Flow = bot({ a: [text('x')] })
        flow.groups = [{ id: 'a', title: 5, blocks: [{ id: 'x', ...block }] }]
        const client = await chat(flow, { hasMail: true })
        const message = type === 'webhook' ? ({ type, body: '1' } as const) : '1'
        for (let i = 0; i < 2 && client.outcome.state !== null; i += 1) await client.say(message)
      }
    }
  })

  test('a chat ends when its waiting block was deleted', async () => {
    const flow = bot({ a: [ask('A'), text('x')] }, { variables })
    const client = await chat(flow)
    const copy: Flow = { ...flow, groups: [] }
    const { continueFlow } = await import('../../server/chat/engine/engine.ts')
    const state = client.outcome.state as SessionState
    const result = await continueFlow(copy, state, 'x', {}, {
      now: () => new Date(),
      random: Math.random,
      newId: () => 'i',
      evaluate,
    } as never)
    expect(result).toMatchObject({
      state: null,
      logs: [{ description: expect.stringContaining('no longer exists') }],
    })
  })
})

test('a turn without code starts no sandbox', async () => {
  let evaluated = 0
  const world = {
    evaluate: (request: Parameters<typeof evaluate>[0]) => {
      evaluated++
      return evaluate(request)
    },
  }
  const groups: Record<string, Part[]> = {}
  for (let i = 0; i < 200; i += 1)
    groups[`g${i}`] = [text('Hello {{A}}'), text('again'), ask('A', { to: `g${i + 1}` })]
  groups.g200 = [set('C', 'return {{A}} + {{A}}'), text('{{C}}')]
  const client = await chat(bot(groups, { variables }), world)
  for (let i = 0; i < 199; i += 1) await client.say('Ada')
  expect(client.texts()).toEqual(['Hello Ada', 'again'])
  expect(evaluated).toBe(0)
  await client.say('Ada')
  expect(client.texts()).toEqual(['AdaAda'])
  expect(evaluated).toBe(1)
})

test('startChat does not change the flow', async () => {
  const flow = bot(
    { a: [text('{{A}}'), set('A', '1'), { type: 'choice input', items: [{ id: '1', content: '{{A}}' }] }] },
    { variables },
  )
  const before = JSON.stringify(flow)
  await startFlow(flow, { resultId: null }, { now: () => new Date(), newId: () => 'i', evaluate } as never)
  expect(JSON.stringify(flow)).toBe(before)
})
