import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { removeFiles } from '../../server/jobs/uploads.ts'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, idOf, text } from '../support/chat.ts'
import { publish, reply, start, textsOf } from '../support/chats.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* Files that the service makes for a chat, through the service. */

let app: App
let here: Site

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
})
afterAll(() => app.stop())

const code = {
  type: 'qr-code',
  options: {
    action: 'Generate a QR Code',
    data: 'https://x.test/{{Name}}',
    saveUrlInVariableId: idOf('Code'),
  },
}

const filesStored = () =>
  readdirSync(app.filesFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length

async function purge() {
  while (await purgeBatch(app.db, app.clock.now()));
  while (await removeFiles(app.db, app.files, app.clock.now()));
}

test.each(['the first turn', 'a later turn'])(
  'a picture made in %s is shown in its bubble, and deleted with its result',
  async (when) => {
    const blocks = [...(when === 'a later turn' ? [ask('Name')] : []), code, text('{{Code}}'), ask('Name')]
    const published = await publish(app, here, bot({ g: blocks }, { variables: ['Name', 'Code'] }))
    const started = await start(app, published)
    const step = when === 'a later turn' ? await reply(app, started.sessionId, 'Ada', 1) : started
    const [address = ''] = textsOf(step)
    const response = await fetch(address)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''qr-code.png")
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    const part = await fetch(address, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])

    app.clock.set(new Date(app.clock.now().getTime() + 3 * 24 * 3_600_000).toISOString())
    await purge()
    expect(filesStored()).toBe(1)
    await app.client.ok('deleteResults', {
      as: here.member,
      params: { botId: published.id },
      query: { resultIds: started.resultId ?? '' },
    })
    expect((await fetch(address)).status).toBe(404)
    await purge()
    expect(filesStored()).toBe(0)
  },
)

test('a preview makes files too', async () => {
  const { id } = await publish(
    app,
    here,
    bot({ g: [code, text('{{Code}}'), ask('Name')] }, { variables: ['Name', 'Code'] }),
  )
  const step = await app.client.ok('startPreview', { as: here.member, params: { botId: id }, body: {} })
  expect(step.logs).toBeUndefined()
  expect((await fetch(textsOf(step)[0] ?? '')).status).toBe(200)
})
