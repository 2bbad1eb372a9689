import { expect, test } from '@jest/globals'
import {
  type Edit,
  isShown,
  moveColumn,
  noPreferences,
  orderColumns,
  type Preferences,
  showAllColumns,
  showColumn,
  widthOf,
} from '../../server/pages/members/app/results/preferences.ts'
import { createSaver, type PreferencesRemote } from '../../server/pages/members/app/results/saver.ts'
import fc from '../kit/fast-check.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'

/* The columns of the table of results: their order, which are shown, and how both are saved. */

const columns = ['name', 'score', 'city'].map((name) => ({ name, ids: [`block-${name}`, `var-${name}`] }))
const [name, score, city] = columns as [(typeof columns)[0], (typeof columns)[0], (typeof columns)[0]]
const namesIn = (preferences: Preferences) => orderColumns(columns, preferences).map((column) => column.name)
const stored = (change: Partial<Preferences>): Preferences => ({ ...noPreferences, ...change })

test('columns have the order of the flow, then the stored one, and new ones follow the one before', () => {
  expect(namesIn(noPreferences)).toEqual(['name', 'score', 'city'])
  expect(namesIn(stored({ columnsOrder: ['date', 'block-city', 'var-name', 'logs'] }))).toEqual([
    'city',
    'name',
    'score',
  ])
})

test('a column is found by the id of its block or of its variable, and keeps it', () => {
  const of = stored({
    columnsVisibility: { 'var-score': false },
    columnsWidth: { 'block-city': 240, 'var-name': 5 },
  })
  expect(columns.map((column) => isShown(of, column))).toEqual([true, false, true])
  expect(columns.map((column) => widthOf(of, column))).toEqual([60, undefined, 240])
  expect(showColumn(score, true)(of).columnsVisibility).toEqual({ 'var-score': true })
  expect(showColumn(city, false)(of).columnsVisibility).toEqual({ 'var-score': false, 'block-city': false })
})

test('an edit keeps other properties that another editor stored: ids of other columns, widths, and properties of its own', () => {
  const theirs = {
    columnsOrder: ['select', 'date', 'block-name', 'gone', 'block-score', 'block-city', 'logs'],
    columnsVisibility: { date: false, gone: true },
    columnsWidth: { date: 180 },
    density: 'compact',
  }
  const edits = [moveColumn(columns, city, 'before', name), showColumn(score, false), showAllColumns(columns)]
  expect(edits.reduce<Preferences>((value, edit) => edit(value), theirs)).toEqual({
    columnsOrder: ['select', 'date', 'block-city', 'block-name', 'gone', 'block-score', 'logs'],
    columnsVisibility: { date: false, gone: true, 'block-score': true },
    columnsWidth: { date: 180 },
    density: 'compact',
  })
})

test('moveColumn puts a column beside the other one and loses none, for any stored order', () => {
  const ids = columns.flatMap((column) => column.ids).concat('date', 'logs')
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...ids)),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('before' as const, 'after' as const), fc.nat(2))),
      (columnsOrder, moves) => {
        let preferences = stored({ columnsOrder })
        for (const [from, side, to] of moves) {
          const [column, other] = [columns[from], columns[to]]
          if (!column || !other || column === other) continue
          preferences = moveColumn(columns, column, side, other)(preferences)
          const order = namesIn(preferences)
          const distance = order.indexOf(column.name) - order.indexOf(other.name)
          expect(distance).toBe(side === 'before' ? -1 : 1)
        }
        expect(preferences.columnsOrder).toEqual(expect.arrayContaining(columnsOrder))
        expect(new Set(preferences.columnsOrder).size).toBe(preferences.columnsOrder.length)
      },
    ),
    { numRuns: runs(50, 1_000) },
  )
})

/** The bot, as far as people who save columns see it. */
function newBot(preferences: Preferences | null = null) {
  const bot = { preferences, count: 0, writes: 0, isAway: false, beforeWrite: () => {} }
  const remote: PreferencesRemote = {
    async read() {
      if (bot.isAway) throw new Error('away')
      return { preferences: structuredClone(bot.preferences), tag: String(bot.count), version: '6.1' }
    },
    async write(next, { tag }) {
      bot.beforeWrite()
      if (tag !== String(bot.count)) throw new Error('stale')
      bot.preferences = structuredClone(next)
      bot.count += 1
      bot.writes += 1
    },
    isStale: (error) => (error as Error).message === 'stale',
  }
  return { bot, remote }
}

function open(remote: PreferencesRemote) {
  const seen: { waiting: Edit[]; errors: string[] } = { waiting: [], errors: [] }
  const save = createSaver(remote, ({ waiting, error }) => {
    seen.waiting = waiting
    if (error) seen.errors.push((error as Error).message)
  })
  return { seen, save, settled: () => until('all is saved', async () => seen.waiting.length === 0) }
}

test('two members who save columns at once lose nothing to each other', async () => {
  const { bot, remote } = newBot()
  const [ada, ben] = [open(remote), open(remote)]
  ada.save(showColumn(name, false))
  ben.save(showColumn(score, false))
  ada.save(moveColumn(columns, city, 'before', name))
  await Promise.all([ada.settled(), ben.settled()])
  expect(bot.preferences).toMatchObject({
    columnsOrder: ['block-city', 'block-name', 'block-score'],
    columnsVisibility: { 'block-name': false, 'block-score': false },
  })
})

test('edits made during a save are sent in one request, and an edit without effect sends none', async () => {
  const { bot, remote } = newBot()
  const { save, settled } = open(remote)
  for (let times = 0; times < 5; times++) save(showColumn(name, times % 2 === 0))
  await settled()
  expect(bot.writes).toBeLessThanOrEqual(2)
  const { writes } = bot
  save(showColumn(name, true))
  await settled()
  expect(bot.writes).toBe(writes)
})

test('a failed edit shows an error, and is saved with the next edit', async () => {
  const { bot, remote } = newBot()
  const { save, seen, settled } = open(remote)
  bot.isAway = true
  save(showColumn(name, false))
  await until('it is told', async () => seen.errors.length === 1)
  expect([seen.errors, seen.waiting.length]).toEqual([['away'], 1])
  bot.isAway = false
  save(showColumn(score, false))
  await settled()
  expect(bot.preferences?.columnsVisibility).toEqual({ 'block-name': false, 'block-score': false })
})

test('saving gives up with an error when others save before every attempt', async () => {
  const { bot, remote } = newBot()
  bot.beforeWrite = () => {
    bot.count += 1
  }
  const { save, seen } = open(remote)
  save(showColumn(name, false))
  await until('it is told', async () => seen.errors.length === 1)
  expect(seen.errors[0]).toContain('Change a column again')
  bot.beforeWrite = () => {}
  save(showColumn(score, false))
  await until('all is saved', async () => seen.waiting.length === 0)
  expect(bot.preferences?.columnsVisibility).toEqual({ 'block-name': false, 'block-score': false })
})
