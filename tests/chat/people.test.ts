import { describe, expect, test } from '@jest/globals'
import { Settings } from 'luxon'
import { instantOf, isOpen } from '../../server/chat/engine/calendar.ts'
import { continueFlow } from '../../server/chat/engine/engine.ts'
import { markdownNodes } from '../../server/chat/engine/markdown.ts'
import { recordMessage, resumeFlow } from '../../server/chat/engine/people.ts'
import type { SessionState } from '../../server/chat/engine/types.ts'
import type { FlowDocument } from '../../server/documents/conversion/index.ts'
import { ask, bot, chat, type Part, quietEffects, text } from '../support/chat.ts'
import { checkFlow } from '../support/check-flow.ts'

/* Blocks and events for people and time, without a database: when they act, and what the check says of them. */

const timer = { type: 'timer' as const }

describe('office hours', () => {
  const hours = {
    timeZone: 'Europe/Paris',
    times: [
      { day: 'monday', from: '09:00', to: '17:00' },
      { day: 'friday', from: '22:00', to: '02:00' },
    ],
  }

  test.each([
    ['the first minute', '2024-05-06T07:00:00Z', true],
    ['the last minute', '2024-05-06T14:59:59Z', true],
    ['the end', '2024-05-06T15:00:00Z', false],
    ['another day', '2024-05-07T10:00:00Z', false],
    ['the night of a shift', '2024-05-10T20:30:00Z', true],
    ['the next day of that shift', '2024-05-10T23:30:00Z', true],
    ['the end of that shift', '2024-05-11T00:00:00Z', false],
    ['the same time in winter', '2024-01-08T08:00:00Z', true],
    ['before the beginning in winter', '2024-01-08T07:59:00Z', false],
  ])('isOpen is right for %s', (_, now, expected) => {
    expect(isOpen(hours, new Date(now))).toBe(expected)
  })

  test('isOpen reads an end equal to the beginning as that of the next day', () => {
    const times = [
      { day: 'monday', from: '00:00', to: '00:00' },
      { day: 'wednesday', from: '09:00', to: '09:00' },
    ]
    const openAt = ['05-06T00:00', '05-06T23:59', '05-07T00:00', '05-08T08:59', '05-08T09:00', '05-09T08:59']
    expect(openAt.map((at) => isOpen({ times }, new Date(`2024-${at}:00Z`)))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ])
  })

  test('isOpen is always true without times, and false for invalid times', () => {
    expect(isOpen(undefined, new Date())).toBe(true)
    expect(isOpen({ times: [] }, new Date())).toBe(true)
    const times = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map(
      (day) => ({
        day,
        from: '9 am',
        to: '25:00',
      }),
    )
    expect(isOpen({ times }, new Date())).toBe(false)
  })
})

describe('the time of a wait', () => {
  const now = new Date('2024-03-30T12:00:00Z')
  test.each([
    ['2024-12-24', 'Europe/Paris', '2024-12-23T23:00:00.000Z'],
    ['2024-12-24T09:00', 'Europe/Paris', '2024-12-24T08:00:00.000Z'],
    ['2024-12-24 09:00:30', 'UTC', '2024-12-24T09:00:30.000Z'],
    ['2024-12-24T09:00+05:00', 'Europe/Paris', '2024-12-24T04:00:00.000Z'],
    ['14:00', 'Europe/Paris', '2024-03-30T13:00:00.000Z'],
    ['12:00', 'Europe/Paris', '2024-03-31T10:00:00.000Z'],
    // The clock is put forward from 02:00 to 03:00 in this night.
    ['02:30', 'Europe/Paris', '2024-03-31T01:30:00.000Z'],
  ])('%s in %s', (words, zone, expected) => {
    expect(instantOf(words, zone, now)?.toISOString()).toBe(expected)
  })

  test.each(['2024-07-01T00:00:00Z', '2024-12-24T00:00:00Z'])(
    'a time that the clock shows twice is the first one, also read at %s',
    (today) => {
      Settings.now = () => Date.parse(today)
      try {
        // The clock is put back from 01:00 to 00:00 in this night.
        const instants = ['2024-11-03', '2024-11-03T00:30', '2024-11-03T00:30-05:00', '2024-11-03T02:00'].map(
          (words) => instantOf(words, 'America/Havana', now)?.toISOString(),
        )
        expect(instants).toEqual([
          '2024-11-03T04:00:00.000Z',
          '2024-11-03T04:30:00.000Z',
          '2024-11-03T05:30:00.000Z',
          '2024-11-03T07:00:00.000Z',
        ])
      } finally {
        Settings.now = () => Date.now()
      }
    },
  )

  test.each(['tomorrow', '2024-13-01', '24:01', '2024', ''])('%s is no valid time', (words) => {
    expect(instantOf(words, 'UTC', now)).toBeUndefined()
  })
})

describe('a wait until a time', () => {
  const waiting = (options: object) =>
    chat(bot({ a: [text('Hi'), { type: 'wait until', options }, text('Later'), ask()] }))

  test('sets a timer, which continues the chat', async () => {
    const client = await waiting({ until: '2024-05-02T09:30' })
    expect(client.outcome).toMatchObject({
      timer: { kind: 'wait', at: '2024-05-02T09:30:00.000Z' },
      clientSideActions: [{ type: 'wait', wait: { secondsToWaitFor: 86_400 }, expectsDedicatedReply: true }],
    })
    await client.say(timer)
    expect(client.texts()).toEqual(['Later'])
  })

  test.each([
    ['a time that is over', { until: '2024-04-30' }, []],
    ['words', { until: 'soon' }, ['wait until: this is no time']],
    ['nothing', {}, []],
    ['no seconds', { secondsToWaitFor: '0' }, []],
  ])('continues at once for %s', async (_, options, logs) => {
    const client = await waiting(options)
    expect(client.texts()).toEqual(['Hi', 'Later'])
    expect(client.outcome.timer).toBeUndefined()
    expect(client.logs()).toEqual(logs)
  })

  test('does not end by a message of the visitor', async () => {
    const client = await waiting({ secondsToWaitFor: '60' })
    await expect(client.say('Now')).rejects.toThrow('waits for a time')
  })
})

describe('the event of an idle visitor', () => {
  const idle = (options: object, more: Part = {}): Part => ({
    id: 'i',
    type: 'idle',
    to: 'r',
    options,
    ...more,
  })
  const groups = { a: [ask('A'), text('Thanks')], r: [text('There?')] }
  const begin = (event: Part, all: Record<string, Part[]> = groups) =>
    chat(bot(all, { variables: ['A', 'B'], events: [event] }))

  test('runs its branch the configured number of times for an input, and then waits without a timer', async () => {
    const client = await begin(idle({ seconds: 60, times: 2 }))
    for (const hasTimer of [true, false]) {
      expect(client.outcome.timer).toMatchObject({ kind: 'idle', afterMs: 60_000 })
      await client.say(timer)
      expect(client.texts()).toEqual(['There?'])
      expect(client.outcome.input?.id).toBe('a.0')
      expect(client.outcome.timer !== undefined).toBe(hasTimer)
    }
  })

  test('ends the chat after that, where it is configured so', async () => {
    const client = await begin(idle({ seconds: 60, times: 0, isEnding: true }))
    await client.say(timer)
    expect(client.outcome).toMatchObject({ state: null, isCompleted: false, messages: [] })
    expect(client.logs()).toEqual(['The chat was ended: the visitor did not answer'])
  })

  test('may have an input in its branch, and returns to the first one', async () => {
    const client = await begin(idle({ seconds: 60 }), { ...groups, r: [text('Why?'), ask('B')] })
    await client.say(timer)
    expect(client.outcome.input?.id).toBe('r.1')
    // The branch is not run for its own questions.
    await client.say(timer)
    expect(client.texts()).toEqual([])
    await client.say('Because')
    expect(client.outcome.input?.id).toBe('a.0')
    await client.say('Ada')
    expect(client.texts()).toEqual(['Thanks'])
  })

  test('has no effect without seconds, or in a bot without it', async () => {
    const client = await begin(idle({}))
    expect(client.outcome.timer).toBeUndefined()
    expect((await chat(bot(groups, { variables: ['A'] }))).outcome.timer).toBeUndefined()
  })
})

test('recordMessage keeps only http addresses where no files are stored', async () => {
  const flow = bot({ a: [ask()] })
  const client = await chat(flow)
  const state = client.outcome.state as SessionState
  const urls = ['https://example.com/plan.pdf', 'javascript:alert(1)', 'plan.pdf']
  const message = { type: 'text' as const, text: 'Here', attachedFileUrls: urls }
  const outcome = await recordMessage(flow, state, message, {}, quietEffects())
  expect(outcome?.said).toEqual([{ role: 'user', text: 'Here', attachedFileUrls: urls.slice(0, 1) }])
})

test.each([undefined, 'a'])('resumeFlow at %s runs no code of the theme', async (groupId) => {
  const flow = { ...bot({ a: [ask()] }), theme: { chat: { hostAvatar: { url: '{{=1+1=}}' } } } }
  const client = await chat(flow)
  expect(client.outcome.dynamicTheme).toEqual({ hostAvatarUrl: '2' })
  const state = client.outcome.state as SessionState
  const evaluate = () => Promise.reject(new Error('Code runs'))
  const outcome = await resumeFlow(flow, state, groupId, { ...quietEffects(), evaluate })
  expect(outcome?.logs).toEqual([])
})

test('a message to a chat that was given back at a group is recorded', async () => {
  const flow = bot({ a: [ask()], b: [text('Offers'), ask()] })
  const client = await chat(flow)
  const state = client.outcome.state as SessionState
  const returned = await resumeFlow(flow, state, 'b', quietEffects())
  const outcome = await continueFlow(flow, returned?.state as SessionState, 'Thanks', {}, quietEffects())
  expect(outcome).toMatchObject({ said: [{ role: 'user', text: 'Thanks' }], answers: [] })
})

describe('the check of people blocks', () => {
  const findings = (blocks: Part[], events: Part[] = []) =>
    checkFlow(bot({ a: blocks, r: [text('x')] }, { events }) as unknown as FlowDocument).map(
      ({ path, code }) => `${path.join('.')} ${code}`,
    )

  test('finds times, zones and settings that have no effect', () => {
    const times = [{ day: 'monday', from: '9', to: '17:00' }]
    const found = findings(
      [
        { type: 'handoff', options: { officeHours: { timeZone: 'Europe/Pariss', times } } },
        { type: 'wait until', options: { timeZone: 'Mars' } },
        // No chat fills it.
        { type: 'wait until', options: { until: '09:00', timeZone: '{{Zone}}' } },
      ],
      [
        { id: 'e1', type: 'idle', to: 'r', options: {} },
        { id: 'e2', type: 'idle', to: 'r', options: { seconds: 60 } },
      ],
    )
    expect(found).toEqual(
      expect.arrayContaining([
        'groups.0.blocks.0.options.officeHours.timeZone unknown_time_zone',
        'groups.0.blocks.0.options.officeHours.times.0.from unknown_time',
        'groups.0.blocks.1.options missing_setting',
        'groups.0.blocks.1.options.timeZone unknown_time_zone',
        'groups.0.blocks.2.options.timeZone unknown_time_zone',
        'events.1 missing_setting',
        'events.2 unused_event',
      ]),
    )
  })
})

test('markdownNodes reads nested lists that no author writes as text', () => {
  for (const marker of ['- ', '> ', '>', '1. ', '> * ']) {
    const words = `${marker.repeat(500)}deep`
    expect(markdownNodes(words)).toEqual([{ type: 'p', children: [{ text: words }] }])
  }
  expect(markdownNodes('-'.repeat(100))).not.toEqual([])
  expect(markdownNodes('- - one')).toMatchObject([{ type: 'ul' }])
})
