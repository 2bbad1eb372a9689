import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { finishUpgrade, isBesideFirstRelease, noteReleases } from '../../server/db/releases.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish, reply, start, transcriptOf, tryReply } from '../support/chats.ts'
import { makeWorld, type Site } from '../support/world.ts'

/*
 * Chats while release 1.0 may serve the same database: what that reads is written for it, and the steps that it wrote, or
 * that were written for it, go with those of this release alone.
 */

let app: App
/** On the same database; takes release 1.0 to be there. */
let beside: App
let site: Site
let made: Published
beforeAll(async () => {
  app = await startApp()
  beside = await startApp({ databaseUrl: app.databaseUrl, besideFirstRelease: true })
  site = (await makeWorld(app)).here
})
afterAll(async () => {
  await beside.stop()
  await app.stop()
})

const document = bot(
  {
    Start: [
      text('Name?'),
      ask('Name'),
      text('Age?'),
      ask('Age'),
      text('Town?'),
      ask('Town'),
      text('Bye {{Name}}.'),
    ],
  },
  { variables: ['Name', 'Age', 'Town'] },
)
beforeEach(async () => {
  made = await publish(app, site, document)
})

const rows = async (statement: string, values: unknown[]) => (await app.pool.query(statement, values)).rows

async function said(resultId: string) {
  return (await transcriptOf(app, made.id, resultId, site.member)).map(({ text }) => text)
}

const whole = ['Name?', 'Ada', 'Age?', '36', 'Town?', 'London', 'Bye Ada.']

test('a step has no row for what was said alone, and its answer once', async () => {
  const { sessionId, resultId = '' } = await start(app, made)
  for (const message of ['Ada', '36', 'London']) await reply(app, sessionId, message)
  expect(await said(resultId)).toEqual(whole)
  expect(await rows('SELECT FROM result_transcripts WHERE result_id = $1', [resultId])).toEqual([])
  const [session] = await rows('SELECT last_answer FROM chat_sessions WHERE id = $1', [sessionId])
  expect(session.last_answer).toBeNull()
})

test('release 1.0 finds the transcript and the last answer where it looks for them', async () => {
  const { sessionId, resultId = '' } = await start(beside, made)
  const answer = await reply(beside, sessionId, 'Ada')
  const entries = await rows(
    `SELECT e->>'text' AS text FROM result_transcripts t, json_array_elements(t.entries) e
     WHERE t.result_id = $1 ORDER BY t.id`,
    [resultId],
  )
  expect(entries.map((row) => row.text)).toEqual(whole.slice(0, 3))
  const [session] = await rows('SELECT last_answer::text AS answer FROM chat_sessions WHERE id = $1', [
    sessionId,
  ])
  expect(JSON.parse(session.answer)).toEqual(answer)
})

test.each([
  ['first for it, then not', [0, 0, 1, 1]],
  ['first not, then for it', [1, 1, 0, 0]],
  ['in turn', [0, 1, 0, 1]],
  ['in turn, the other way round', [1, 0, 1, 0]],
])('steps are whole and in order: %s', async (_, turns) => {
  const [first, ...others] = turns.map((turn) => (turn === 0 ? beside : app)) as [App, ...App[]]
  const { sessionId, resultId = '' } = await start(first, made)
  for (const [at, by] of others.entries()) {
    const message = ['Ada', '36', 'London'][at] as string
    const answer = await reply(by, sessionId, message, at + 1)
    // Sent again, to whichever process.
    for (const other of [app, beside]) expect(await reply(other, sessionId, message, at + 1)).toEqual(answer)
    const { body } = await app.client.call('getSession', { params: { sessionId } })
    expect(body).toMatchObject({ revision: at + 2, ...(answer.input && { input: answer.input }) })
    expect(body.turns).toHaveLength(2 * at + 3)
  }
  expect(await said(resultId)).toEqual(whole)
})

test('a step of release 1.0 itself is repeated, and said in its place', async () => {
  const { sessionId, resultId = '' } = await start(beside, made)
  await reply(beside, sessionId, 'Ada', 1)
  // It counts the rows only, keeps no steps, and packs nothing.
  await rows(`UPDATE result_transcripts SET id = split_part(id, '.', 1) WHERE result_id = $1`, [resultId])
  await rows('DELETE FROM chat_steps WHERE session_id = $1', [sessionId])
  expect((await tryReply(app, sessionId, 'Ada', 1)).body).toMatchObject({ revision: 2 })
  const { body } = await app.client.call('getSession', { params: { sessionId } })
  expect(body.input).toMatchObject({ type: 'text input' })
  await reply(app, sessionId, '36', 2)
  await reply(app, sessionId, 'London', 3)
  expect(await said(resultId)).toEqual(whole)
})

test('it is known to be gone where the database is new, or somebody says so', async () => {
  expect(isBesideFirstRelease(app.db)).toBe(false)
  await app.pool.query('DELETE FROM ended_releases')
  const other = await startApp({ databaseUrl: app.databaseUrl })
  try {
    expect(isBesideFirstRelease(other.db)).toBe(true)
    await finishUpgrade(other.db, app.clock.now())
    await finishUpgrade(other.db, app.clock.now())
    // Readers of a standby have to know it as well.
    const reads = connectTo(app.databaseUrl)
    await noteReleases(other.db, reads.db)
    expect([other.db, reads.db].map(isBesideFirstRelease)).toEqual([false, false])
    await reads.pool.end()
  } finally {
    await other.stop()
  }
})
