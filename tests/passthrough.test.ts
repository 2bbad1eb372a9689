import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { type App, startApp } from './support/app.ts'
import { type Answer, anyBody } from './support/client.ts'
import { flow, legacyFlow, makeWorld, type Site } from './support/world.ts'

/* Cost of a request for the database, and proof that a stored document is sent as its text, without being parsed. */

/** On a cluster what lies on several nodes is written by a statement each, in a transaction. */
const isCluster = process.env.CITUS === '1'

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  site = (await makeWorld(app)).here
})
afterEach(() => {
  jest.restoreAllMocks()
})

/** The statements that a request sends; each is one round trip. */
async function statementsOf(send: () => Promise<Answer>): Promise<string[]> {
  app.statements.length = 0
  const { status, text } = await send()
  if (status >= 300) throw new Error(text)
  return [...app.statements]
}

const asMember = (botId: string) => ({ as: site.member, params: { botId } })
const inWorkspace = () => ({ as: site.member, query: { workspaceId: site.workspaceId } })

describe('a read takes at most two round trips', () => {
  const reads: Record<string, () => Promise<Answer>> = {
    'of a bot': () => app.client.call('getBot', asMember(site.draft.id)),
    'of a bot shared publicly': () =>
      app.client.call('getBot', { as: site.guest, params: { botId: site.shared.id } }),
    'of a bot to convert': () =>
      app.client.call('getBot', { ...asMember(site.legacy.id), query: { migrateToLatestVersion: true } }),
    'of a published bot': () => app.client.call('getPublishedBot', asMember(site.published.id)),
    'of the bots': () => app.client.call('listBots', inWorkspace()),
    'of the bots of a folder': () =>
      app.client.call('listBots', {
        as: site.member,
        query: { workspaceId: site.workspaceId, folderId: site.folder },
      }),
    'of the results': () => app.client.call('listResults', asMember(site.published.id)),
    'of a result': () =>
      app.client.call('getResult', {
        as: site.member,
        params: { botId: site.published.id, resultId: site.results[0] },
      }),
    'of the statistics': () => app.client.call('getStats', asMember(site.published.id)),
    'of the folders': () => app.client.call('listFolders', inWorkspace()),
    'of a folder': () => app.client.call('getFolder', { as: site.member, params: { folderId: site.folder } }),
    'of the workspaces': () => app.client.call('listWorkspaces', { as: site.member }),
    'of a workspace': () =>
      app.client.call('getWorkspace', { as: site.member, params: { workspaceId: site.workspaceId } }),
    'of the members': () =>
      app.client.call('listMembers', { as: site.member, params: { workspaceId: site.workspaceId } }),
  }

  test.each(Object.entries(reads))('%s', async (_, read) => {
    const statements = await statementsOf(read)
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.slice(2)).toEqual([])
  })
})

const patch = (botId: string, bot: object) =>
  app.client.call('updateBot', { ...asMember(botId), body: anyBody({ bot: { version: '6.1', ...bot } }) })

/**
 * A publication is checked before its transaction, which reads the draft once more. Its end locks the bot first, to say
 * in the event what it is then. A deletion locks its results in a statement of its own, so that what a turn was writing
 * is deleted too, looks for conversations of Chatwoot and rows of sheets that wait, and whether a batch has left rows.
 */
const longer: Record<string, number> = {
  'that publishes a bot with a public id': 4,
  'that unpublishes a bot': 5,
  'that deletes results by id': 16,
}

describe('a write takes at most three round trips', () => {
  const writes: Record<string, () => Promise<Answer>> = {
    'that creates a bot': () =>
      app.client.call('createBot', { as: site.member, body: { workspaceId: site.workspaceId, bot: {} } }),
    'that renames a bot': () => patch(site.draft.id, { name: 'renamed' }),
    'that changes a flow': () => patch(site.draft.id, { groups: [], edges: [], theme: {} }),
    'that moves a bot': () => patch(site.draft.id, { folderId: site.deepFolder }),
    'that sends names back as they are': () =>
      patch(site.published.id, { publicId: site.published.publicId, customDomain: null }),
    'that converts a bot': () => patch(site.legacy.id, { name: 'converted' }),
    'that publishes a bot with a public id': () => app.client.call('publishBot', asMember(site.published.id)),
    'that unpublishes a bot': () => app.client.call('unpublishBot', asMember(site.published.id)),
    'that deletes results by id': () =>
      app.client.call('deleteResults', {
        ...asMember(site.published.id),
        query: { resultIds: site.results.join(',') },
      }),
    'that saves logs': () =>
      app.client.call('saveClientLogs', {
        params: { sessionId: site.session },
        body: { clientLogs: [{ description: 'Could not load' }] },
      }),
  }

  test.each(Object.entries(writes))('%s', async (name, write) => {
    const statements = await statementsOf(write)
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.slice(Math.max(isCluster ? 8 : 3, longer[name] ?? 0))).toEqual([])
  })

  test('a change of a small part sends no other part', async () => {
    const [, update = ''] = await statementsOf(() => patch(site.draft.id, { theme: {} }))
    expect(update).toMatch(
      /^with "bot" as \(update "bots" .*\) update "bot_drafts" set "theme" = \$\d+ from/s,
    )
    const [, rename = ''] = await statementsOf(() => patch(site.draft.id, { name: 'renamed' }))
    expect(rename).not.toContain('update "bot_drafts"')
  })
})

describe('a caller who names the workspace in the body', () => {
  const create = (bot: object) =>
    app.client.call('createBot', {
      as: site.member,
      body: anyBody({ workspaceId: site.workspaceId, bot }),
    })
  const bots = async () =>
    (await app.pool.query('SELECT id FROM bots WHERE workspace_id = $1', [site.workspaceId])).rowCount

  test('is looked up once when cached', async () => {
    await create({})
    expect(await statementsOf(() => create({}))).toHaveLength(isCluster ? 7 : 2)
  })

  test.each([
    ['a body that fits', {}],
    ['one that does not', { name: 5 }],
  ])('is rejected from the moment the token is revoked, with %s', async (_, bot) => {
    await create({})
    const before = await bots()
    await app.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE owner_user_id = $1', [
      site.member.id,
    ])
    const answer = await create(bot)
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(await bots()).toBe(before)
  })
})

describe('a document in a request', () => {
  const headers = { 'Content-Type': 'application/json' }
  const groups = Array.from({ length: 60 }, (_, at) => ({
    ...flow.groups[0],
    id: `group-${at}`,
    2: 'ü',
    1: '🎈',
  }))
  const wide = { version: '6.1', ...flow, groups }
  const create = (text: string) =>
    app.client.send('POST', '/v1/bots', { as: site.member, headers, body: text })
  const asText = (bot: object) => JSON.stringify({ workspaceId: site.workspaceId, bot })

  test('is not parsed on the way, and is stored like a parsed one', async () => {
    const text = asText(wide)
    const parse = jest.spyOn(JSON, 'parse')
    const [unparsed, parsed] = [await create(text), await create(` ${text}`)]
    const [first, second] = parse.mock.calls
      .map(([input]) => input)
      .filter((input) => input.includes('"bot":{"version"'))
    expect([first?.includes('group-1'), second?.includes('group-1')]).toEqual([false, true])

    const partsOf = ({ body }: Answer) => {
      const { groups, events, edges, variables, theme, settings } = body.bot
      return { groups, events, edges, variables, theme, settings }
    }
    expect(partsOf(unparsed)).toEqual(partsOf(parsed))
    const { rows } = await app.pool.query('SELECT groups::text FROM bot_drafts WHERE bot_id = $1', [
      unparsed.body.bot.id,
    ])
    expect(rows).toEqual([{ groups: JSON.stringify(groups) }])
  })

  test('is rejected like a parsed one', async () => {
    const text = asText({ ...wide, groups: [...groups, { id: 'group-60' }] })
    const [one, other] = [await create(text), await create(` ${text}`)]
    expect([one.status, one.body.issues]).toEqual([400, other.body.issues])
  })
})

describe('a stored document is sent as it is stored', () => {
  /** JSON that is printed in another way once it is parsed. */
  const text = (size = 1) => `{ "b":1.0,\n "1" : 1e0, "a" :"\\u00e9", "a": ["${'x'.repeat(size)}" ] }`

  async function plant(size?: number) {
    const { id } = site.published
    const parts = ['groups', 'events', 'edges', 'variables', 'theme', 'settings']
    for (const table of ['bot_drafts', 'bot_publications']) {
      const set = parts.map((part) => `${part} = $2`).join(', ')
      await app.pool.query(`UPDATE ${table} SET ${set} WHERE bot_id = $1`, [id, text(size)])
    }
    // As after a write that this process does not know of.
    await app.pool.query('UPDATE bots SET draft_updated_at = now() WHERE id = $1', [id])
    await app.pool.query('UPDATE results SET variables = $2 WHERE bot_id = $1', [id, text(size)])
    return parts.map((part) => `"${part}":${text(size)}`)
  }

  async function raw(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${site.member.token}` }
    const response = await fetch(`${app.url}/v1/bots/${site.published.id}${path}`, { headers })
    expect(response.status).toBe(200)
    return response.text()
  }

  test.each(['', '/publishedBot'])('GET /v1/bots/{botId}%s', async (path) => {
    const planted = await plant()
    const answer = await raw(path)
    for (const part of planted) expect(answer).toContain(part)
  })

  test('GET /v1/bots/{botId}/results', async () => {
    await plant()
    expect(await raw('/results')).toContain(`"variables":${text()}`)
  })

  const latest = '?migrateToLatestVersion=true'
  test.each(['', latest, '/publishedBot', `/publishedBot${latest}`, '/results'])(
    'without being parsed or printed on the way: GET /v1/bots/{botId}%s',
    async (path) => {
      const size = 100_000
      await plant(size)
      const parse = jest.spyOn(JSON, 'parse')
      const stringify = jest.spyOn(JSON, 'stringify')
      const answer = await raw(path)
      const parsed = parse.mock.calls.map(([input]) => input.length)
      const printed = stringify.mock.results.map(({ value }) => String(value).length)
      expect(answer.length).toBeGreaterThan(size)
      expect(Math.max(0, ...parsed, ...printed)).toBeLessThan(size)
    },
  )

  test('is not parsed even if long, however often it is sent', async () => {
    const variables = Array.from({ length: 2_000 }, (_, at) => ({ id: `v${at}`, name: `Grüße, 🎈 ${at}` }))
    await patch(site.draft.id, { variables })
    // As for a process that does not know them yet.
    await app.pool.query('UPDATE bots SET draft_updated_at = now() WHERE id = $1', [site.draft.id])
    const first = await app.client.call('getBot', asMember(site.draft.id))
    expect(first.body.bot.variables).toEqual(variables)
    expect(first.headers['content-length']).toBe(String(Buffer.byteLength(first.text)))

    const again = await app.client.call('getBot', asMember(site.draft.id))
    expect(again.text === first.text).toBe(true)
    const headers = { authorization: `Bearer ${site.member.token}` }
    const head = await fetch(`${app.url}/v1/bots/${site.draft.id}`, { method: 'HEAD', headers })
    expect([head.headers.get('content-length'), await head.text()]).toEqual([
      first.headers['content-length'],
      '',
    ])
    const renamed = await patch(site.draft.id, { name: 'Long' })
    const { updatedAt } = renamed.body.bot
    expect(renamed.body.bot).toEqual({ ...first.body.bot, name: 'Long', updatedAt })
    const query = { migrateToLatestVersion: true }
    const latest = await app.client.call('getBot', { ...asMember(site.draft.id), query })
    expect(latest.body.bot).toEqual(renamed.body.bot)
  })

  test('is parsed and printed if it is converted', async () => {
    const text = JSON.stringify(legacyFlow.groups.map((group) => ({ ...group, title: 'xxx' })))
    await app.pool.query('UPDATE bot_drafts SET groups = $2 WHERE bot_id = $1', [site.legacy.id, text])
    const parse = jest.spyOn(JSON, 'parse')
    const stringify = jest.spyOn(JSON, 'stringify')
    const query = { migrateToLatestVersion: true }
    const params = { botId: site.legacy.id }
    const answer = await app.client.call('getBot', { as: site.member, params, query })
    expect(answer.text).toContain('xxx')
    expect(parse.mock.calls.map(([input]) => input)).toContain(text)
    expect(stringify.mock.results.some(({ value }) => String(value).includes('xxx'))).toBe(true)
  })

  test.each(['', '/publishedBot'])(
    'is not parsed by a second read that converts: GET /v1/bots/{botId}%s',
    async (path) => {
      const botId = site.legacy.id
      await app.client.ok('publishBot', { as: site.member, params: { botId } })
      const size = 50_000
      const variables = [{ id: 'v', name: 'x'.repeat(200), value: 'x'.repeat(size) }]
      const patchAndPublish = async (name: string) => {
        const body = { bot: { version: '5', variables: [{ ...variables[0], name }] } } as const
        await app.client.ok('updateBot', { as: site.member, params: { botId }, body: anyBody(body) })
        await app.client.ok('publishBot', { as: site.member, params: { botId } })
      }
      const query = { migrateToLatestVersion: true }
      const read = () =>
        app.client.call(path === '' ? 'getBot' : 'getPublishedBot', {
          as: site.member,
          params: { botId },
          query,
        })
      await patchAndPublish('first')
      const first = await read()
      const parse = jest.spyOn(JSON, 'parse')
      const again = await read()
      const parsed = parse.mock.calls.filter(([input]) => input.length > size && input !== again.text)
      expect(parsed).toEqual([])
      expect(again.text).toBe(first.text)
      jest.restoreAllMocks()
      await patchAndPublish('second')
      const changed = await read()
      expect([changed.text.includes('"second"'), changed.text.includes('"first"')]).toEqual([true, false])
    },
  )
})
