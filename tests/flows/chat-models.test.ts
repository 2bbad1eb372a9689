import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'
import { logsOf, publish, reply, start, textsOf } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Bots that use credentials of their workspace, through the service. */

let app: App
let world: World
let models: ModelServer
let mails: Awaited<ReturnType<typeof startMailServer>>

const key = 'sk-of-this-workspace'

beforeAll(async () => {
  models = await startModelServer()
  mails = await startMailServer()
  const allowed = [models.host, '127.0.0.1:2', new URL(mails.url).host]
  app = await startApp({ config: { OUTBOUND_ALLOWED_HOSTS: allowed } })
  world = await makeWorld(app)
})
afterAll(async () => {
  await app.stop()
  await models.stop()
  mails.close()
})

async function credentialsOf(
  site: Site,
  data: object = { apiKey: key, baseUrl: models.url },
  type = 'openai',
) {
  const body = anyBody({ type, name: 'Model', data })
  const params = { workspaceId: site.workspaceId }
  return (await app.client.ok('createCredentials', { as: site.member, params, body })).credentials.id
}

const asking = (credentialsId: string): Part => ({
  type: 'openai',
  options: {
    credentialsId,
    action: 'Create chat completion',
    model: 'model-1',
    messages: [{ role: 'user', content: '{{Question}}' }],
    responseMapping: [{ item: 'Message content', variableId: idOf('Answer') }],
  },
})

const botOf = (part: Part) =>
  bot(
    { g: [ask('Question'), part, text('{{Answer}}!'), ask('Question')] },
    { variables: ['Question', 'Answer'] },
  )

/** Returns the text of the bot after a question, and the log of its result. */
async function answered(site: Site, part: Part) {
  const published = await publish(app, site, botOf(part))
  const { sessionId, resultId = '' } = await start(app, published)
  const step = await reply(app, sessionId, 'Who?', 1)
  const logs = await logsOf(app, published.id, resultId, site.member)
  return { texts: textsOf(step), step, logs, id: published.id }
}

describe('a model', () => {
  test('is called with the key of the workspace, which no other caller sees', async () => {
    models.says('Nobody')
    const { texts, step, logs, id } = await answered(world.here, asking(await credentialsOf(world.here)))
    expect(texts).toEqual(['Nobody!'])
    expect(models.asked.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
    const exported = await app.client.call('exportBot', { as: world.here.member, params: { botId: id } })
    for (const place of [step, logs, exported.body, app.logs])
      expect(JSON.stringify(place)).not.toContain(key)
  })

  test('is not called with credentials of another workspace, and import, check and publish say so', async () => {
    const before = models.asked.length
    const part = asking(await credentialsOf(world.there))
    const { texts, logs, id } = await answered(world.here, part)
    expect(texts).toEqual(['!'])
    expect(logs).toMatchObject([
      { status: 'error', description: 'Could not find credentials for block openai', context: 'g.1' },
    ])
    expect(models.asked).toHaveLength(before)

    const at = { as: world.here.member, params: { botId: id } }
    const { findings } = await app.client.ok('checkBot', at)
    expect(findings[0]).toMatchObject({ code: 'missing_credentials', severity: 'error' })
    expect(await app.client.ok('publishBot', at)).toMatchObject({ errorsFound: 1 })
    const { bot: document } = await app.client.ok('exportBot', at)
    const imported = await app.client.ok('importBot', {
      as: world.here.member,
      body: anyBody({ workspaceId: world.here.workspaceId, bot: document }),
    })
    expect(imported.warnings).toMatchObject([{ code: 'missing_credentials' }])

    const own = await publish(app, world.here, botOf(asking(await credentialsOf(world.here))))
    const again = { as: world.here.member, params: { botId: own.id } }
    expect(await app.client.ok('publishBot', again)).toMatchObject({ errorsFound: 0 })
  })

  test('is not called once the credentials or their key are deleted', async () => {
    const credentialsId = await credentialsOf(world.here)
    const published = await publish(app, world.here, botOf(asking(credentialsId)))
    await app.pool.query("UPDATE credentials SET key_id = 'lost' WHERE id = $1", [credentialsId])
    const { sessionId, resultId = '' } = await start(app, published)
    expect(textsOf(await reply(app, sessionId, 'Who?', 1))).toEqual(['!'])
    const [lost] = await logsOf(app, published.id, resultId, world.here.member)
    expect(lost).toMatchObject({
      status: 'error',
      description: 'The credentials of the block openai cannot be read',
      details: 'The credentials cannot be read now: the log of the service says why',
    })
    const params = { workspaceId: world.here.workspaceId, credentialsId }
    await app.client.ok('deleteCredentials', { as: world.here.member, params })
    const next = await start(app, published)
    await reply(app, next.sessionId, 'Who?', 1)
    const logs = await logsOf(app, published.id, next.resultId ?? '', world.here.member)
    expect(logs).toMatchObject([{ description: 'Could not find credentials for block openai' }])
  })

  test('is called once for equal replies at once', async () => {
    models.says((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      setTimeout(() => response.end('{"choices":[{"message":{"content":"Me"}}]}'), 300)
    })
    const published = await publish(app, world.here, botOf(asking(await credentialsOf(world.here))))
    const { sessionId } = await start(app, published)
    const before = models.asked.length
    const steps = await Promise.all([1, 2, 3].map(() => reply(app, sessionId, 'Who?', 1)))
    for (const step of steps) expect(textsOf(step)).toEqual(['Me!'])
    expect(models.asked).toHaveLength(before + 1)
  })
})

describe('an e-mail', () => {
  const mail = (credentialsId: string): Part => ({
    type: 'Email',
    options: {
      credentialsId,
      recipients: ['ada@example.com'],
      subject: 'Hi',
      isCustomBody: true,
      body: 'Hi',
    },
  })
  const account = (host: string, port: number) => ({ host, port, from: { email: 'bots@example.com' } })

  test('is sent by an account of the workspace, from its sender', async () => {
    const data = {
      ...account('127.0.0.1', Number(new URL(mails.url).port)),
      from: { email: 'us@example.com', name: 'Us' },
    }
    const { logs } = await answered(world.here, mail(await credentialsOf(world.here, data, 'smtp')))
    expect(logs).toMatchObject([{ status: 'success', description: 'E-mail was sent' }])
    expect(mails.mails.at(-1)).toContain('From: Us <us@example.com>')
  })

  test('is not sent to a server that is private or no mail server', async () => {
    for (const [data, details] of [
      [account('127.0.0.1', 25), 'The host is in a private network'],
      [account('mail.example.com', 80), 'Port 80 is not open'],
      [account('127.0.0.1', 2), 'ECONNREFUSED'],
    ] as const) {
      const { texts, logs } = await answered(world.here, mail(await credentialsOf(world.here, data, 'smtp')))
      expect(texts).toEqual(['!'])
      expect(logs).toMatchObject([
        {
          status: 'error',
          description: 'E-mail could not be sent',
          details: expect.stringContaining(details),
        },
      ])
    }
  })
})
