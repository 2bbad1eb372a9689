import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '../contract/index.ts'
import { cases } from './cases/index.ts'
import { createAttacks, type Target } from './kit/hostile.ts'
import { type App, startApp } from './support/app.ts'
import type { Case } from './support/cases.ts'
import { published } from './support/published.ts'
import { clear } from './support/rows.ts'
import { runs } from './support/runs.ts'
import { makeWorld } from './support/world.ts'

/* Input that nearly fits, thrown at every operation: HOSTILE_RUNS times each (8, and 300 in `make test-long`). */

const numRuns = Number(process.env.HOSTILE_RUNS ?? runs(8, 300))

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app.stop())

const attack = createAttacks({
  operations,
  document: published,
  send: (...given) => app.client.send(...given),
  prepare,
})

test.each(Object.keys(operations))(
  '%s sends a documented response to a request that nearly fits, and no 500',
  async (id) => {
    await clear(app.pool)
    await attack(id, numRuns)
  },
  3_600_000,
)

test('the service is ready after all attacks', async () => {
  expect((await app.client.send('GET', '/readyz')).status).toBe(200)
})

async function prepare(id: string): Promise<Target> {
  const world = await makeWorld(app)
  const ok = cases[id as keyof typeof cases]?.ok as Case | Record<string, Case>
  const first = typeof ok === 'function' ? ok : Object.values(ok)[0]
  const { here, there, stranger } = world
  return {
    request: (await first?.(world, app)) ?? {},
    callers: [here.member, here.admin, here.member, here.admin, here.guest, there.admin, stranger, undefined],
    ids: [here, there].flatMap((site) => [
      site.workspaceId,
      site.folder,
      site.deepFolder,
      site.draft.id,
      site.legacy.id,
      site.published.id,
      site.published.publicationId,
      site.results[0],
      site.session,
      site.member.id,
      'root',
    ]),
  }
}
