import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { bot, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import {
  addressOf,
  endProcesses,
  freePort,
  newDataFolder,
  type Service,
  startService,
  until,
} from './support/process.ts'
import { runs } from './support/runs.ts'
import { createDatabase } from './support/server.ts'

/* A process is killed while files arrive: whole ones stay, and of the others nothing does. */

const kills = runs(2, 3)

const sockets: Socket[] = []
let dropDatabase: (() => Promise<unknown>) | undefined

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await endProcesses()
  await dropDatabase?.()
  dropDatabase = undefined
})

// biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
async function call({ url, token }: Service, path: string, body?: object): Promise<any> {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

async function upload({ url }: Service, sessionId: string, body: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/sessions/${sessionId}/uploads?fileName=whole.txt`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  })
  return ((await response.json()) as { upload: { url: string } }).upload.url
}

async function publishBot(service: Service) {
  const { workspaces } = await call(service, '/v1/workspaces')
  const { id: _, ...flow } = storable(bot({ Start: [{ type: 'file input' }, text('Thank you.')] }))
  const created = {
    workspaceId: workspaces[0].id,
    bot: { ...flow, name: 'Bot', publicId: 'files' },
  }
  const made = await call(service, '/v1/bots', created)
  await call(service, `/v1/bots/${made.bot.id}/publish`, {})
}

async function start(service: Service): Promise<string> {
  return (await call(service, '/api/v1/bots/files/startChat', {})).sessionId
}

const stored = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Sends the head of an upload and half of its body, and waits until some of it is on the disk. */
async function uploadHalf({ url }: Service, sessionId: string, folder: string) {
  const before = stored(folder).length
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket.on('error', () => {}))
  socket.write(
    `POST /api/v1/sessions/${sessionId}/uploads?fileName=half.bin HTTP/1.1\r\nHost: here\r\n` +
      'Content-Type: application/octet-stream\r\nContent-Length: 200000\r\n\r\n',
  )
  socket.write(Buffer.alloc(100_000, 'x'))
  await until('some of it has arrived', () => stored(folder).length > before)
}

test('after the process is killed, interrupted uploads leave nothing, and complete ones stay', async () => {
  const DATA_DIR = await newDataFolder()
  const folder = join(DATA_DIR, 'files')
  const variables = { DATA_DIR, PORT: String(await freePort()) }
  let service = await startService(variables)
  const { token } = service
  await publishBot(service)
  const wholes: { url: string; sessionId: string }[] = []
  for (let kill = 0; kill < kills; kill++) {
    const sessionId = await start(service)
    wholes.push({ url: await upload(service, sessionId, `whole ${kill}`), sessionId })
    await uploadHalf(service, await start(service), folder)
    await uploadHalf(service, await start(service), folder)
    service.signal('SIGKILL')
    await service.ended
    service = { ...(await startService(variables)), token }
  }
  expect(stored(folder).filter((name) => name.endsWith('.partial'))).toHaveLength(kills * 2)

  const last = wholes.pop()
  const step = await call(service, `/api/v1/sessions/${last?.sessionId}/continueChat`, { message: last?.url })
  expect(step.input).toBeUndefined()
  const client = new pg.Client({ connectionString: await addressOf(DATA_DIR) })
  await client.connect()
  try {
    // The hour, or the day, after which the background looks at them.
    await client.query(`UPDATE uploads SET remove_at = now() WHERE remove_at IS NOT NULL`)
    await until('only what was answered with is left', () => stored(folder).length === 1)
    await until('its row too', async () => (await client.query('SELECT FROM uploads')).rowCount === 1)
  } finally {
    await client.end()
  }
  expect(await (await fetch(String(last?.url))).text()).toBe(`whole ${kills - 1}`)
  for (const { url } of wholes) expect((await fetch(url)).status).toBe(404)
})

test('processes that share a database and FILES_DIR serve and remove the files of each other', async () => {
  const FILES_DIR = join(await newDataFolder(), 'not yet there')
  const { url: DATABASE_URL, drop } = await createDatabase('nothing')
  dropDatabase = drop
  const PUBLIC_URL = 'https://bots.example.com'
  const first = await startService({ DATABASE_URL, FILES_DIR, PUBLIC_URL, WORKERS: '2' })
  const second = { ...(await startService({ DATABASE_URL, FILES_DIR, PUBLIC_URL })), token: first.token }
  await publishBot(first)
  const sessionId = await start(first)
  const address = await upload(first, sessionId, 'shared')
  const readFrom = ({ url }: Service) => fetch(address.replace(PUBLIC_URL, url))
  const step = await call(second, `/api/v1/sessions/${sessionId}/continueChat`, { message: address })
  expect(step.input).toBeUndefined()
  for (const service of [first, second]) expect(await (await readFrom(service)).text()).toBe('shared')
  expect(stored(FILES_DIR)).toHaveLength(1)

  first.signal('SIGTERM')
  await first.ended
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    await client.query('UPDATE uploads SET remove_at = now()')
  } finally {
    await client.end()
  }
  await until('the file is removed by the other process', () => stored(FILES_DIR).length === 0)
  expect((await readFrom(second)).status).toBe(404)
})
