import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { ask, bot } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { makeWorld } from '../support/world.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test('continueChat takes over a turn of a dead process once the lease is over by the clock of the database', async () => {
  const { here } = await makeWorld(app)
  const flow = bot({ Start: [ask('One'), ask('Two')] }, { variables: ['One', 'Two'] })
  const made = await publish(app, here, flow)
  const { sessionId } = await start(app, made)
  const duration = async (seconds: number) => {
    await app.pool.query(
      `UPDATE chat_sessions SET lease_id = revision::text || '/dead', leased_until = now() + $2 * interval '1 second'
      WHERE id = $1`,
      [sessionId, seconds],
    )
    const since = performance.now()
    await reply(app, sessionId, 'Ada')
    return performance.now() - since
  }
  expect(await duration(1)).toBeGreaterThanOrEqual(1_000)
  // A process that lives shorter than a lease does not wait for a whole one.
  expect(await duration(-1)).toBeLessThan(5_000)
  const { rows } = await app.pool.query('SELECT revision FROM chat_sessions WHERE id = $1', [sessionId])
  expect(rows[0].revision).toBe(3)
})
