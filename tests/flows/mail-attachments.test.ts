import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openFolder } from '../../server/uploads/folder.ts'
import type { FileStore } from '../../server/uploads/store.ts'
import { type App, startApp } from '../support/app.ts'
import { hasTestBuckets, makeBucket } from '../support/buckets.ts'
import { bot, idOf, text } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { startMailServer } from '../support/mail-server.ts'
import { makeWorld, type World } from '../support/world.ts'

/* Files that a visitor uploads and a mail brings: from the store, whichever it is, and not over the network. */

let folder: string
const stores: Record<string, () => Promise<FileStore>> = { folder: async () => openFolder(folder) }
if (hasTestBuckets) stores.bucket = makeBucket

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-attachments-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(Object.keys(stores))('from a %s', (name) => {
  let app: App
  let world: World
  let server: Awaited<ReturnType<typeof startMailServer>>

  beforeAll(async () => {
    server = await startMailServer()
    const files = await (stores[name] as () => Promise<FileStore>)()
    app = await startApp({ files, config: { SMTP_URL: server.url } })
    world = await makeWorld(app)
  })
  afterAll(async () => {
    await app.stop()
    server.close()
  })

  test.each(['Public', 'Private'])('a mail has the whole upload of 2 MB, which is %s', async (visibility) => {
    const made = await publish(
      app,
      world.here,
      bot(
        {
          Start: [
            { type: 'file input', options: { variableId: idOf('Files'), visibility } },
            {
              type: 'Email',
              options: {
                recipients: ['ada@example.com'],
                subject: 'A file',
                body: 'See the file',
                isCustomBody: true,
                attachmentsVariableId: idOf('Files'),
              },
            },
            text('Sent'),
          ],
        },
        { variables: ['Files'] },
      ),
    )
    const { sessionId } = await start(app, made)
    const bytes = randomBytes(2_000_000)
    const { body } = await app.client.call('uploadFile', {
      params: { sessionId },
      query: { fileName: 'plan.pdf' },
      body: anyBody(bytes),
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    await reply(app, sessionId, body.upload.url)
    const mail = server.mails.pop() ?? ''
    expect(mail).toContain('plan.pdf')
    expect(mail.replaceAll(/\s/g, '')).toContain(bytes.toString('base64').slice(0, 2_600_000))
  })
})
