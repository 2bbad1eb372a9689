import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { replay } from '../kit/replay/replay.ts'
import { type App, startApp } from '../support/app.ts'
import { published } from '../support/published.ts'
import { digestOf } from '../support/rows.ts'
import { makeWorld } from '../support/world.ts'

/* The replay of a foreign server against our own, which it knows from the published document alone. */

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test('the replay finds no drift in this service, and writes nothing', async () => {
  const { here } = await makeWorld(app)
  const before = await digestOf(app)
  const report = await replay(published, {
    server: app.url,
    token: here.admin.token,
    values: {
      workspaceId: here.workspaceId,
      folderId: here.folder,
      botId: here.published.id,
      resultId: here.results[0],
      publicId: here.published.publicId,
      publicationId: here.published.publicationId,
      sessionId: here.session,
    },
    largeBytes: 5_000_000,
  })
  expect(report.findings).toEqual([])
  expect(await digestOf(app)).toEqual(before)
  const came = (status: number) => report.provoked.filter((line) => line.endsWith(` ${status}`)).length
  const missing = (status: number) => report.unprovoked[status] ?? []
  expect([missing(401), missing(415), missing(431)]).toEqual([[], [], []])
  expect(came(400)).toBeGreaterThan(40)
  expect(came(404)).toBeGreaterThan(30)
  expect(came(200)).toBeGreaterThan(20)
  // The rest needs a state or a fault that no request alone brings about.
  expect(report.provoked.length).toBeGreaterThan(300)
  expect(report.attempts).toBeGreaterThan(600)
})
