import { afterAll, describe, expect, test } from '@jest/globals'
import { IANAZone } from 'luxon'
import { sentences } from '../../server/chat/engine/sentences.ts'
import { languages } from '../../server/pages/texts/index.ts'
import fc from '../kit/fast-check.ts'
import { ask, bot, chat, closeSandbox, idOf, type Part, text } from '../support/chat.ts'
import { runs } from '../support/runs.ts'

/* Answers, comparisons and sentences in the languages of the service. */

afterAll(closeSandbox)

const tags = Object.keys(languages)
const variables = ['A', 'B']
/** These tests say nothing about speed: a busy machine may keep a turn waiting. */
const options = { limits: { workMilliseconds: 60_000 } }

function input(type: string, options: object = {}): Part {
  return { id: 'in', type, options: { variableId: idOf('A'), ...options } }
}

/** The value that the input stores, or undefined where it asks again. */
async function answerTo(block: Part, reply: string, language?: string) {
  const settings = language === undefined ? {} : { general: { language } }
  const client = await chat(bot({ a: [block, ask('B')] }, { variables, settings }), { options })
  await client.say(reply)
  return client.value('A')
}

describe.each(tags)('in %s', (tag) => {
  const isOwn = fc.boolean()
  const numbers = fc.oneof(
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
    fc.integer({ min: -99_999_999, max: 99_999_999 }).map((cents) => cents / 100),
  )
  const writings = fc.constantFrom<Intl.NumberFormatOptions>(
    { maximumFractionDigits: 2 },
    { useGrouping: false },
    { style: 'currency', currency: 'EUR' },
    { style: 'currency', currency: 'EUR', currencyDisplay: 'code' },
    { style: 'currency', currency: 'EUR', currencyDisplay: 'name' },
    { style: 'unit', unit: 'kilometer-per-hour', unitDisplay: 'long', maximumFractionDigits: 2 },
  )

  test('a number input reads what Intl.NumberFormat writes', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, writings, isOwn, async (number, writing, hasLocale) => {
        const written = new Intl.NumberFormat(tag, writing).format(number)
        const { style, currency, unit } = writing
        const options = { ...(hasLocale ? { locale: tag } : {}), style, currency, unit }
        const stored = await answerTo(input('number input', options), written, hasLocale ? undefined : tag)
        expect({ written, stored: Number(stored) }).toEqual({ written, stored: number + 0 })
      }),
      { numRuns: runs(15, 1_000) },
    )
  })

  const dates = fc.date({
    min: new Date('1951-01-01T00:00:00Z'),
    max: new Date('2048-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  const styles = fc.constantFrom<Intl.DateTimeFormatOptions>(
    { dateStyle: 'full' },
    { dateStyle: 'long' },
    { dateStyle: 'medium' },
    { dateStyle: 'short' },
    { day: 'numeric', month: 'short', year: 'numeric', weekday: 'short' },
    { dateStyle: 'long', timeStyle: 'short' },
    { dateStyle: 'full', timeStyle: 'medium' },
  )

  test('a date input reads what Intl.DateTimeFormat writes', async () => {
    await fc.assert(
      fc.asyncProperty(dates, styles, async (date, style) => {
        const written = new Intl.DateTimeFormat(tag, { ...style, calendar: 'gregory', timeZone: 'UTC' })
        const hasTime = style.timeStyle !== undefined
        // English writes the month first; the format of the input says so too.
        const day = tag === 'en' ? 'MM/dd/yyyy' : 'dd/MM/yyyy'
        const format = hasTime ? `${day} HH:mm` : day
        const options = tag === 'en' ? { hasTime, format } : { hasTime }
        const [, year, month, dayOfMonth, time] = /^(.{4})-(..)-(..)T(.{5})/.exec(date.toISOString()) ?? []
        const expected = tag === 'en' ? `${month}/${dayOfMonth}/${year}` : `${dayOfMonth}/${month}/${year}`
        const stored = await answerTo(input('date input', options), written.format(date), tag)
        expect({ written: written.format(date), stored }).toEqual({
          written: written.format(date),
          stored: hasTime ? `${expected} ${time}` : expected,
        })
      }),
      { numRuns: runs(15, 1_000) },
    )
  })

  test('a time input reads what Intl.DateTimeFormat writes', async () => {
    await fc.assert(
      fc.asyncProperty(dates, fc.constantFrom('short', 'medium'), async (date, timeStyle) => {
        const written = new Intl.DateTimeFormat(tag, { timeStyle, timeZone: 'UTC' }).format(date)
        const stored = await answerTo(input('time input'), written, tag)
        expect({ written, stored }).toEqual({ written, stored: date.toISOString().slice(11, 16) })
      }),
      { numRuns: runs(10, 300) },
    )
  })

  test('a date input reads the words for days near today', async () => {
    const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
    for (const days of [-1, 0, 1, 3]) {
      const stored = await answerTo(input('date input'), format.format(days, 'day'), tag)
      const day = new Date(Date.UTC(2024, 4, 1 + days)).toISOString().slice(0, 10)
      expect([days, stored]).toEqual([days, day.split('-').reverse().join('/')])
    }
  })

  test('the texts of a rejected answer and a payment have the language of the bot or of the visitor', async () => {
    const said = sentences[tag]
    const blocks = [
      [input('number input'), said?.invalidAnswer],
      [input('email input'), said?.invalidEmail],
      [input('payment input'), said?.noPayment],
    ] as const
    for (const [block, expected] of blocks) {
      for (const world of [
        { settings: { general: { language: `${tag}-XX` } }, acceptLanguage: 'fr' },
        { settings: {}, acceptLanguage: `xx, ${tag};q=0.8, fr;q=0.5` },
        { settings: { general: { language: 'xx' } }, acceptLanguage: tag },
      ]) {
        const { settings, acceptLanguage } = world
        const flow = bot({ a: [block] }, { variables, settings })
        const client = await chat(flow, { options: { acceptLanguage } })
        if (client.outcome.state !== null) await client.say('?')
        expect(client.texts()).toEqual([expected])
      }
    }
  })
})

test('every language of the chat page has the sentences of the chat, each of its own', () => {
  expect(Object.keys(sentences)).toEqual(tags)
  for (const key of ['invalidAnswer', 'invalidEmail', 'noPayment'] as const) {
    expect(new Set(Object.values(sentences).map((each) => each[key])).size).toBe(tags.length)
  }
})

test.each([
  ['pt-BR', 'date input', '12 de maio de 2026', '12/05/2026'],
  ['pt-BR', 'date input', 'O dia 12 de maio', '12/05/2024'],
  ['pt-BR', 'date input', '31 de fevereiro de 2026', undefined],
  ['de', 'date input', '1. märz 2026', '01/03/2026'],
  ['de', 'date input', 'kein Datum', undefined],
  ['de', 'date input', '12.5.26', '12/05/2026'],
  ['fr', 'date input', '1er mai 2026', '01/05/2026'],
  ['es', 'date input', 'martes 3 de marzo de 2026', '03/03/2026'],
  ['ja', 'date input', '2026/5/12', '12/05/2026'],
  ['ko', 'date input', '12/05/2026', '12/05/2026'],
  ['en', 'date input', '3/4/2026', '03/04/2026'],
  ['nl', 'date input', 'May 12th 2026', '12/05/2026'],
  ['fr', 'time input', '16h45', '16:45'],
  ['de', 'time input', '16 Uhr', '16:00'],
  ['ko', 'time input', '오후 4시', '16:00'],
  ['id', 'time input', '16.45', '16:45'],
  ['de', 'time input', 'später', undefined],
])('in %s a %s reads %s as %s', async (language, type, reply, expected) => {
  expect(await answerTo(input(type), reply, language)).toBe(expected)
})

describe('conditions', () => {
  async function decide(left: string, operator: string, right: string, options: object[], language?: string) {
    const [first, second = first] = options
    const comparisons = [
      {
        id: 'c',
        variableId: idOf('A'),
        comparisonOperator: operator,
        value: right.startsWith('=') ? '{{B}}' : right,
      },
    ]
    const isGiven = right.startsWith('=')
    const settings = language === undefined ? {} : { general: { language } }
    const flow = bot(
      {
        a: [{ type: 'Condition', items: [{ id: 'i', content: { comparisons }, to: 'yes' }] }, text('no')],
        yes: [text('yes')],
        inputs: [
          { type: 'date input', ...first, id: 'd1' },
          ...(isGiven ? [{ type: 'date input', ...second, id: 'd2' }] : []),
        ].map((block, index) => ({
          ...block,
          options: { variableId: idOf(index === 0 ? 'A' : 'B'), ...((block as Part).options as object) },
        })),
      },
      { variables, settings },
    )
    const prefilledVariables = { A: left, B: right.slice(1) }
    const client = await chat(flow, { options: { prefilledVariables } })
    return [client.texts()[0], client.logged('compares a date') !== undefined]
  }
  const dated = { options: {} }
  const american = { options: { format: 'MMMM d, yyyy' } }
  const other = { options: { variableId: 'x' } }

  test.each([
    ['12/05/2026', 'Less than', '=01/06/2026', [dated], 'yes'],
    ['25/03/2026', 'Greater than', '=24/02/2026', [dated], 'yes'],
    ['25/03/2026', 'Less or equal to', '=25/03/2026', [dated], 'yes'],
    ['12/05/2026', 'Less than', '2026-06-01', [dated], 'yes'],
    ['12/05/2026', 'Less than', '01/06/2026', [dated], 'yes'],
    ['12/05/2026', 'Greater than', '=May 11, 2026', [dated, american], 'yes'],
    ['12/05/2026', 'Less than', '2026-05-12T00:30:00+02:00', [dated], 'yes'],
    ['2026-05-12T01:00:00+02:00', 'Less than', '2026-05-12T00:30:00Z', [other], 'yes'],
    ['2026-05-12', 'Less than', '2026-06-01', [other], 'yes'],
    ['5/12/2026', 'Less than', '6/1/2026', [other], 'yes'],
    ['09:05', 'Less than', '=10:00', [{ type: 'time input' }], 'yes'],
    ['9:05 PM', 'Greater than', '=10:00 AM', [{ type: 'time input', options: { format: 'h:mm a' } }], 'yes'],
  ] as [string, string, string, object[], string][])(
    '%s %s %s is true for dates',
    async (left, operator, right, options, expected) => {
      expect(await decide(left, operator, right, options)).toEqual([expected, false])
    },
  )

  test('dates in the words of the bot are compared', async () => {
    expect(await decide('12 de maio de 2026', 'Less than', '1 de junho de 2026', [other], 'pt-BR')).toEqual([
      'yes',
      false,
    ])
    expect(await decide('12.05.2026', 'Less than', '01.06.2026', [other], 'de')).toEqual(['yes', false])
  })

  test('a text of very many digits is compared without looking for a date in it', async () => {
    const digits = `${'1'.repeat(200_000)}-`
    expect(await decide(digits, 'Greater than', '5', [other])).toEqual(['yes', false])
    expect(await decide(digits, 'Greater than', '5', [dated])).toEqual(['no', true])
  })

  test.each(['Less than', 'Greater than', 'Less or equal to', 'Greater or equal to'])(
    '%s is false and logged where one side is a date and the other is neither date nor number',
    async (operator) => {
      expect(await decide('12/05/2026', operator, 'soon', [dated])).toEqual(['no', true])
      expect(await decide('whenever', operator, '2026-05-12', [other])).toEqual(['no', true])
      expect(await decide('no date', operator, '12/05/2026', [dated])).toEqual(['no', true])
      // Without a date on either side texts are compared by their lengths.
      expect((await decide('abc', operator, 'abcd', [other]))[1]).toBe(false)
    },
  )
})

/** Zones whose clocks change at midnight, by half an hour, or during Ramadan, and one whose clocks never change. */
const someZones = [
  'Europe/Paris',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Tokyo',
]
const zones = runs(0, 1) === 1 ? Intl.supportedValuesOf('timeZone') : someZones

test('Yesterday and Tomorrow are calendar days of the zone whenever clocks change from 2018 to 2027', async () => {
  const hour = 3_600_000
  for (const name of zones) {
    const zone = IANAZone.create(name)
    const local = (at: number) => new Date(at + zone.offset(at) * 60_000).toISOString().slice(0, 10)
    const changes: number[] = []
    for (let at = Date.UTC(2018, 0, 1); at < Date.UTC(2028, 0, 1); at += 24 * hour) {
      if (zone.offset(at) !== zone.offset(at + 24 * hour)) changes.push(at)
    }
    for (const change of changes.slice(0, runs(2, 100))) {
      for (const hours of [-24.5, -1.5, 0.5, 12.25, 22.5, 25.5]) {
        const now = change + hours * hour
        const today = Date.parse(local(now))
        for (const [type, days] of [
          ['Yesterday', -1],
          ['Tomorrow', 1],
        ] as const) {
          const block = { type: 'Set variable', options: { variableId: idOf('A'), type, timeZone: name } }
          const client = await chat(bot({ a: [block, ask('B')] }, { variables }), {
            now: () => new Date(now),
            options,
          })
          const expected = new Date(today + days * 24 * hour).toISOString().slice(0, 10)
          const value = String(client.value('A'))
          expect([name, new Date(now), type, value.slice(0, 10)]).toEqual([
            name,
            new Date(now),
            type,
            expected,
          ])
          // Its offset is the one that the zone has then.
          expect(local(Date.parse(value))).toBe(expected)
        }
      }
    }
  }
}, 3_600_000)
