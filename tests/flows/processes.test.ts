import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { anyBody } from '../support/client.ts'
import { flow, legacyFlow, makeWorld, type Site } from '../support/world.ts'

/*
 * Two processes of one installation. Each remembers drafts it has read or written; neither may answer with one
 * that the other has changed since.
 */

let here: App
let there: App
let site: Site
beforeAll(async () => {
  here = await startApp()
  there = await startApp({ databaseUrl: here.databaseUrl })
})
afterAll(async () => {
  await there.stop()
  await here.stop()
})
beforeEach(async () => {
  site = (await makeWorld(here)).here
})
afterEach(() => {
  there.beforeStatement = undefined
})

const named = (title: string) => ({
  ...flow,
  groups: flow.groups.map((group) => ({ ...group, title })),
})

async function patch(app: App, change: object) {
  const answer = await app.client.call('updateBot', {
    as: site.member,
    params: { botId: site.draft.id },
    body: anyBody({ bot: { version: '6.1', ...change } }),
  })
  expect(answer.status).toBe(200)
  return answer.body.bot
}

async function read(app: App) {
  const answer = await app.client.call('getBot', { as: site.member, params: { botId: site.draft.id } })
  expect(answer.status).toBe(200)
  return answer.body.bot
}

const titles = ({ groups }: { groups: readonly { title: string }[] }) => groups.map(({ title }) => title)
const all = (title: string) => flow.groups.map(() => title)

/** Lets something happen elsewhere before the next statement here that reads or writes a draft. */
function before(app: App, pattern: RegExp, happening: () => Promise<unknown>) {
  app.beforeStatement = async (text) => {
    if (!pattern.test(text)) return
    app.beforeStatement = undefined
    await happening()
  }
}

describe('a process with a cached draft', () => {
  test('reads the writes of another one', async () => {
    const { groups } = named('First')
    await patch(here, { groups })
    expect(titles(await read(there))).toEqual(all('First'))
    await patch(here, { groups: named('Second').groups })
    expect(titles(await read(there))).toEqual(all('Second'))
  })

  test('does not read it again, nor after it has changed a part or the name', async () => {
    await read(there)
    for (const change of [{ groups: named('New').groups }, { name: 'New' }]) {
      const answered = await patch(there, change)
      there.statements.length = 0
      expect(await read(there)).toEqual(answered)
      expect(there.statements).toHaveLength(1)
    }
    expect(await read(here)).toEqual(await read(there))
  })

  test('still uses it after another one changed the header alone', async () => {
    const known = await read(there)
    await patch(here, { name: 'Renamed' })
    there.statements.length = 0
    expect(await read(there)).toEqual({ ...known, name: 'Renamed', updatedAt: expect.any(String) })
    expect(there.statements).toHaveLength(1)
  })

  test('renames beside a write of another one', async () => {
    await read(there)
    await patch(here, { groups: named('Elsewhere').groups })
    expect(titles(await patch(there, { name: 'Renamed' }))).toEqual(all('Elsewhere'))
  })

  test('renames beside a concurrent write of another one', async () => {
    await read(there)
    before(there, /update "bots"/i, () => patch(here, { groups: named('Elsewhere').groups }))
    expect(titles(await patch(there, { name: 'Renamed' }))).toEqual(all('Elsewhere'))
    expect(await read(there)).toEqual(await read(here))
  })

  test('drops an uncommitted draft', async () => {
    await patch(here, { publicId: `taken-${site.draft.id}` })
    const known = await read(there)
    const rejected = await there.client.call('updateBot', {
      as: site.member,
      params: { botId: site.draft.id },
      body: anyBody({
        bot: { version: '6.1', groups: named('Refused').groups, publicId: site.published.publicId },
      }),
    })
    expect(rejected.status).toBe(400)
    expect(await read(there)).toEqual(known)
  })

  test('reads again from a database that was restored to an older state', async () => {
    const { revision } = (await here.pool.query('SELECT revision FROM bots WHERE id = $1', [site.draft.id]))
      .rows[0]
    await patch(there, { groups: named('Lost').groups })
    await here.pool.query('UPDATE bots SET revision = $2 WHERE id = $1', [site.draft.id, revision])
    expect(titles(await patch(here, { groups: named('Kept').groups }))).toEqual(all('Kept'))
    expect(titles(await read(there))).toEqual(all('Kept'))
  })
})

describe('a process without a cached draft', () => {
  test('changes a part, and returns the others', async () => {
    const { updatedAt: _, variables, ...rest } = await read(here)
    const { updatedAt, ...changed } = await patch(there, { variables: [] })
    expect(changed).toEqual({ ...rest, variables: [] })
    expect(variables).not.toEqual([])
    expect(await read(here)).toEqual({ ...changed, updatedAt })
  })

  test('renames, and returns the draft', async () => {
    const { updatedAt: _, ...rest } = await read(here)
    expect(await patch(there, { name: 'Renamed' })).toMatchObject({ ...rest, name: 'Renamed' })
  })

  test('returns one revision, while another one writes', async () => {
    before(there, /bot_drafts/, () => patch(here, { ...legacyFlow, events: undefined, version: '5' }))
    const { version, groups, events } = await read(there)
    expect({ version, groups, events }).toEqual({ version: '5', groups: legacyFlow.groups, events: null })
  })
})
