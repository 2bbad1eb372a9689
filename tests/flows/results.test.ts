import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { resultAnswers, results } from '../../server/db/schema.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Each way of reading results, against what is stored of them. */

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
  app.clock.set('2026-03-10T12:00:00.000Z')
  site = (await makeWorld(app)).here
})
afterAll(() => app.stop())

// PostgreSQL keeps all characters but one.
const text = fc.string({ unit: 'binary' }).map((made) => made.replaceAll('\0', ''))
// As if the statement had put it there that reads a page, which joins what is stored with such marks.
const marked = fc.constantFrom('\x7f1', '\x7f2', 'of\x7f3two', '\x7f3["a"]"', '\x7f3\\', '\x7f4', '\x7f5')
const odd = fc.constantFrom('"', '\\', '\n', '\u2028', '', '", "', '\x1f', '\x7f', '1')
const answers = (text: fc.Arbitrary<string>) =>
  fc.array(
    fc.record({
      blockId: text,
      content: fc.oneof(text, odd),
      attachedFileUrls: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.array(text, { maxLength: 2 }) },
      ),
    }),
    { maxLength: 3 },
  )
const result = fc.record({
  createdAt: fc.date({
    min: new Date('0100-01-01T00:00:00.000Z'),
    max: new Date('2026-03-10T11:59:59.999Z'),
    noInvalidDate: true,
  }),
  variables: fc.array(fc.record({ id: text, name: text, value: fc.oneof(text, fc.array(text)) })),
  isCompleted: fc.boolean(),
  hasStarted: fc.boolean(),
  lastChatSessionId: fc.option(fc.stringMatching(/^[a-z\d]{26}$/)),
  answers: fc.oneof(
    { weight: 9, arbitrary: answers(text) },
    { weight: 1, arbitrary: marked.chain((mark) => answers(fc.oneof(text, fc.constant(mark)))) },
  ),
})

test('results are listed in pages, found, read alone and exported as they are stored', async () => {
  const botId = site.draft.id
  const asMember = { as: site.member, params: { botId } }
  const property = fc.asyncProperty(fc.array(result, { minLength: 1, maxLength: 5 }), async (made) => {
    await app.db.delete(results)
    await app.db.delete(resultAnswers)
    const stored = made.map(({ createdAt, ...rest }, at) => ({
      id: `result-${at}`,
      createdAt: createdAt.toISOString(),
      botId,
      ...rest,
      isArchived: false,
    }))
    for (const { answers, variables, ...one } of stored) {
      const createdAt = new Date(one.createdAt)
      const times = { createdAt, updatedAt: createdAt }
      await app.db
        .insert(results)
        .values({ ...one, ...times, variables: new JsonText(JSON.stringify(variables)) })
      const rows = answers.map((answer, seq) => ({ botId, resultId: one.id, seq, ...answer, createdAt }))
      if (rows.length > 0) await app.db.insert(resultAnswers).values(rows)
    }
    // Absent where it is undefined.
    const expected = JSON.parse(JSON.stringify(stored)) as typeof stored
    const newest = expected
      .filter(({ hasStarted }) => hasStarted)
      .sort((one, other) => (`${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? 1 : -1))

    const page = await app.client.call('listResults', asMember)
    expect(page.body).toEqual({ results: newest, nextCursor: null })
    for (const status of ['started', 'completed'] as const) {
      const found = await app.client.ok('listResults', { ...asMember, query: { status } })
      expect(found.results).toEqual(
        newest.filter(({ isCompleted }) => isCompleted === (status === 'completed')),
      )
    }
    for (const one of expected) {
      const params = { botId, resultId: one.id }
      const alone = await app.client.call('getResult', { as: site.member, params })
      expect(alone.body).toEqual({ result: one })
      // To the byte, which is what HEAD of a page and GET of it are held against.
      if (one.hasStarted) expect(page.text).toContain(alone.text.slice('{"result":'.length, -1))
    }
    const exported = await app.client.call('exportResults', { ...asMember, query: { format: 'jsonl' } })
    const lines = exported.text.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(newest)
  })
  await fc.assert(property, { numRuns: runs(15, 500) })
})
