import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { purgeBatch } from '../../server/jobs/purge.ts'
import { removeFiles } from '../../server/jobs/uploads.ts'
import { extensionOf, safeName } from '../../server/uploads/kinds.ts'
import type { FileStore } from '../../server/uploads/store.ts'
import fc from '../kit/fast-check.ts'
import { type App, startApp } from '../support/app.ts'
import { bot, idOf, type Part, text } from '../support/chat.ts'
import { logsOf, type Published, publish, reply, reportOf, start, tryReply } from '../support/chats.ts'
import { anyBody } from '../support/client.ts'
import { until } from '../support/process.ts'
import { runs } from '../support/runs.ts'
import { makeWorld, type Site, type World } from '../support/world.ts'

/* Files from visitors: from the first byte to the purge that removes the last one. */

const MEGABYTE = 1024 * 1024

let app: App
let world: World
let here: Site
let made: Published

const fileInput = (options: object = {}): Part => ({
  type: 'file input',
  options: { variableId: idOf('Files'), isMultipleAllowed: true, ...options },
})

const asking = (...blocks: Part[]) => bot({ Start: [...blocks, text('{{Files}}')] }, { variables: ['Files'] })

beforeAll(async () => {
  app = await startApp({ config: { UPLOAD_MAX_SIZE: 1, UPLOAD_MAX_SIZE_PER_CHAT: 3 } })
  world = await makeWorld(app)
  here = world.here
  made = await publish(app, here, asking(fileInput()))
})

beforeEach(() => app.clock.set('2026-03-10T12:00:00.000Z'))

afterEach(async () => {
  await app.pool.query("UPDATE uploads SET remove_at = '2000-01-01'")
  while (await removeFiles(app.db, app.files, app.clock.now()));
})

afterAll(() => app.stop())

/** Uploads a file, whatever the answer is. */
function upload(sessionId: string, fileName: string, body: Buffer | string = 'bytes', headers = {}) {
  return app.client.call('uploadFile', {
    params: { sessionId },
    query: { fileName },
    body: anyBody(body),
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
  })
}

/** Starts a chat that waits for files, and uploads one. */
async function uploaded(published = made, name = 'plan.pdf') {
  const started = await start(app, published)
  const { status, body } = await upload(started.sessionId, name)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { ...started, url: String(body.upload.url) }
}

/** Keys of the files that are there, whole or not. */
function stored(): string[] {
  return readdirSync(app.filesFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}

async function rows(): Promise<string[]> {
  return (await app.pool.query('SELECT id FROM uploads')).rows.map(({ id }) => id)
}

const statusOf = async (url: string, headers = {}) => (await fetch(url, { headers })).status

async function purge() {
  const now = app.clock.now()
  while (await purgeBatch(app.db, now));
  while (await removeFiles(app.db, app.files, app.clock.now()));
}

test('a file that the store cannot delete does not keep others', async () => {
  const [kept, other] = [await uploaded(), await uploaded()]
  const keyOf = ({ url }: { url: string }) => stored().find((key) => url.includes(key)) as string
  const keys = [keyOf(kept), keyOf(other)]
  await app.pool.query("UPDATE uploads SET remove_at = '2000-01-01' WHERE id = $1", [keys[0]])
  await app.pool.query("UPDATE uploads SET remove_at = '2000-01-02' WHERE id = $1", [keys[1]])
  const own = app.files as FileStore
  const remove = async (key: string) => {
    if (key === keys[0]) throw new Error('Access denied')
    await own.remove(key)
  }
  const files = { ...own, remove }
  for (let again = 0; again < 2; again++) await removeFiles(app.db, files, app.clock.now()).catch(() => {})
  expect(stored()).toEqual([keys[0]])
  app.clock.advance(2 * 60 * 60 * 1000)
  await removeFiles(app.db, app.files, app.clock.now())
  expect(stored()).toEqual([])
})

test('files are deleted in one batch beside many that the store cannot delete', async () => {
  const urls: string[] = []
  for (let number = 0; number < 12; number++) urls.push((await uploaded()).url)
  await app.pool.query("UPDATE uploads SET remove_at = '2000-01-01'")
  const own = app.files as FileStore
  const rejected = new Set(stored().slice(0, 8))
  const remove = (key: string) => (rejected.has(key) ? Promise.reject(new Error('Denied')) : own.remove(key))
  await expect(removeFiles(app.db, { ...own, remove }, app.clock.now())).rejects.toThrow('Denied')
  expect(new Set(stored())).toEqual(rejected)
  app.clock.advance(2 * 60 * 60 * 1000)
  await purge()
  expect(stored()).toEqual([])
})

describe('an answer', () => {
  test('names a file however its address is percent-encoded', async () => {
    for (const name of ['plan (1).pdf', 'é.pdf']) {
      const { sessionId, url } = await uploaded(made, name)
      const strict = url.replace(/[()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
      const { status, body } = await tryReply(app, sessionId, name === 'é.pdf' ? decodeURI(url) : strict)
      expect([status, body.input?.type]).not.toEqual([200, 'file input'])
    }
  })

  test('names an uploaded file, which is kept and deleted with the result', async () => {
    const { sessionId, resultId = '', url } = await uploaded()
    const second = await upload(sessionId, 'ça va?.PNG')
    const urls = [url, second.body.upload.url]
    const step = await reply(app, sessionId, urls.join(', '), 1)
    expect(JSON.stringify(step.messages)).toContain('plan.pdf')
    const { results, csv } = await reportOf(app, made, here.member)
    const result = results.find(({ id }) => id === resultId)
    expect(result).toMatchObject({
      answers: [{ content: urls.join(', ') }],
      variables: [{ value: urls.join(', ') }],
    })
    expect(csv).toContain(url)

    app.clock.advance(30 * 24 * 60 * 60 * 1000)
    await purge()
    for (const each of urls) expect(await statusOf(each)).toBe(200)
    const query = { resultIds: resultId }
    await app.client.ok('deleteResults', { as: here.member, params: { botId: made.id }, query })
    for (const each of urls) expect(await statusOf(each)).toBe(404)
    await purge()
    expect(await rows()).toEqual([])
    expect(stored()).toEqual([])
  })

  test('names no other address, no file of another chat, and none twice', async () => {
    const { sessionId, url } = await uploaded()
    const other = await uploaded()
    for (const wrong of [
      'https://example.com/plan.pdf',
      other.url,
      `${url}, ${other.url}`,
      url.replace('plan.pdf', 'plan.exe'),
      url.replace('127.0.0.1', 'localhost'),
      `${url}?x`,
    ]) {
      const step = await reply(app, sessionId, wrong)
      expect([wrong, step.input?.type]).toEqual([wrong, 'file input'])
    }
    const step = await reply(app, sessionId, { type: 'text', text: '', attachedFileUrls: [url, url] })
    expect(step.input).toBeUndefined()
    expect(step.messages).toMatchObject([{ type: 'text' }])
  })

  test('a file that no answer refers to is deleted after a day, and not before', async () => {
    const { url, sessionId } = await uploaded()
    app.clock.advance(23 * 60 * 60 * 1000)
    await purge()
    expect(await statusOf(url)).toBe(200)
    app.clock.advance(2 * 60 * 60 * 1000)
    expect(await statusOf(url)).toBe(404)
    expect((await reply(app, sessionId, url)).input?.type).toBe('file input')
    await purge()
    expect(stored()).toEqual([])
    expect(await rows()).toEqual([])
  })

  test('to a text input keeps its attachments and recordings, and accepts none from elsewhere', async () => {
    const feature = (name: string) => ({ isEnabled: true, saveVariableId: idOf(name) })
    const options = { attachments: feature('Files'), audioClip: feature('Files') }
    const both = await publish(
      app,
      here,
      asking({ type: 'text input', options }, { type: 'text input', options }),
    )
    const { sessionId, url } = await uploaded(both)
    const elsewhere = 'https://example.com/a.png'
    const other = (await uploaded(both)).url
    for (const attachedFileUrls of [[url, elsewhere], [other]]) {
      const { body } = await tryReply(app, sessionId, { type: 'text', text: 'Look', attachedFileUrls })
      expect(JSON.stringify(body.messages)).toContain('That answer cannot be used here')
    }
    await reply(app, sessionId, { type: 'text', text: 'Look', attachedFileUrls: [url] })
    const recording = (await upload(sessionId, 'recording.webm')).body.upload.url
    await reply(app, sessionId, { type: 'audio', url: recording })
    app.clock.advance(30 * 24 * 60 * 60 * 1000)
    await purge()
    expect([await statusOf(url), await statusOf(recording)]).toEqual([200, 200])
    await app.client.ok('deleteResults', { as: here.member, params: { botId: both.id } })
    expect([await statusOf(url), await statusOf(recording)]).toEqual([404, 404])
    await purge()
    expect(stored()).toEqual([])
  })

  test('in a linked bot is deleted with the result of that bot', async () => {
    const inner = await publish(app, here, asking(fileInput()))
    const outer = await publish(
      app,
      here,
      bot({ Outer: [{ type: 'Bot link', options: { botId: inner.id } }, text('.')] }),
    )
    const { sessionId, url } = await uploaded(outer)
    await reply(app, sessionId, url)
    await app.client.ok('deleteResults', { as: here.member, params: { botId: outer.id } })
    await purge()
    expect(await statusOf(url)).toBe(200)
    await app.client.ok('deleteResults', { as: here.member, params: { botId: inner.id } })
    expect(await statusOf(url)).toBe(404)
    await purge()
    expect(stored()).toEqual([])
  })
})

describe('deletion of files', () => {
  test('follows that of all results, of the bot and of the workspace', async () => {
    const bots = await Promise.all([1, 2].map(() => publish(app, here, asking(fileInput()))))
    const there = await publish(app, world.there, asking(fileInput()))
    const answered = await uploaded(bots[0])
    await reply(app, answered.sessionId, answered.url)
    const files = [answered, await uploaded(bots[1]), await uploaded(there)]
    const params = (one?: Published) => ({ botId: String(one?.id) })
    await app.client.ok('deleteResults', { as: here.member, params: params(bots[0]) })
    await app.client.ok('deleteBot', { as: here.member, params: params(bots[1]) })
    const { workspaceId, admin } = world.there
    await app.client.ok('deleteWorkspace', { as: admin, params: { workspaceId } })
    for (const { url } of files) expect(await statusOf(url)).toBe(404)
    await purge()
    expect(stored()).toEqual([])
    expect(await rows()).toEqual([])
  })
})

describe('an uploaded file', () => {
  const removeResult = (botId: string, resultIds: string) =>
    app.client.ok('deleteResults', { as: here.member, params: { botId }, query: { resultIds } })
  const removeResults = (botId: string) =>
    app.client.ok('deleteResults', { as: here.member, params: { botId } })
  const removeBot = (botId: string) => app.client.ok('deleteBot', { as: here.member, params: { botId } })

  test.each([
    ['its result was deleted', 'due', removeResult],
    ['its result was deleted', 'removed', removeResult],
    ['all results were deleted', 'removed', removeResults],
    ['its bot was deleted', 'removed', removeBot],
  ] as const)('is rejected when %s and its row is %s, and leaves nothing', async (_name, row, remove) => {
    const own = await publish(app, here, asking(fileInput()))
    const { sessionId, resultId = '' } = await start(app, own)
    const files = app.files as FileStore
    const { write } = files
    const writing = jest.spyOn(files, 'write').mockImplementationOnce(async (key, bytes) => {
      await remove(own.id, resultId)
      if (row === 'removed') await purge()
      expect(await rows()).toHaveLength(row === 'removed' ? 0 : 1)
      await write(key, bytes)
    })
    try {
      expect(await upload(sessionId, 'late.pdf')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      expect(writing).toHaveBeenCalledTimes(1)
    } finally {
      writing.mockRestore()
    }
    expect(stored()).toEqual([])
    expect(await rows()).toEqual([])
  })
})

describe('a served file', () => {
  test('is a download that no browser runs', async () => {
    for (const [name, bytes, type] of [
      ['page.html', '<script>alert(1)</script>', 'application/octet-stream'],
      [
        'picture.svg',
        '<svg onload="alert(1)" xmlns="http://www.w3.org/2000/svg"/>',
        'application/octet-stream',
      ],
      ['picture.png', '<html>', 'application/octet-stream'],
      ['page.html', Buffer.from('ffd8ffe000104a46', 'hex'), 'image/jpeg'],
    ] as const) {
      const { sessionId } = await start(app, made)
      const { body } = await upload(sessionId, name, bytes as string)
      const { headers } = await fetch(body.upload.url)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''[\w%.-]+$/),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      })
    }
  })

  test('is sent in parts, and is a 304 for a caller that has it', async () => {
    const { url } = await uploaded()
    const part = await fetch(url, { headers: { Range: 'bytes=1-2' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 1-2/5',
      'yt',
    ])
    expect(await statusOf(url, { Range: 'bytes=9-' })).toBe(416)
    const etag = String(part.headers.get('etag'))
    // Without the second header fetch would ask for a new one.
    expect(await statusOf(url, { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' })).toBe(304)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5'])
  })

  test.each([
    ['names another ETag in If-Range', { Range: 'bytes=0-3', 'If-Range': '"other"' }, 200, null],
    ['names a date in If-Range', { Range: 'bytes=0-3', 'If-Range': new Date(0).toUTCString() }, 200, null],
    ['asks for an invalid range', { Range: 'bytes=3-2' }, 200, null],
    ['asks for something that is no range', { Range: 'bytes=-' }, 200, null],
    ['asks for a range with an unknown unit', { Range: 'items=99-100' }, 200, null],
    ['asks for two ranges', { Range: 'bytes=0-1,3-4' }, 200, null],
    ['asks for the last bytes', { Range: 'bytes=-2' }, 206, 'bytes 3-4/5'],
    ['asks for more last bytes than there are', { Range: 'bytes=-99' }, 206, 'bytes 0-4/5'],
    ['asks for more bytes than there are', { Range: 'bytes=3-99' }, 206, 'bytes 3-4/5'],
    ['asks for what is behind the end', { Range: 'bytes=5-' }, 416, 'bytes */5'],
    ['asks for the last no bytes', { Range: 'bytes=-0' }, 416, 'bytes */5'],
  ])(
    'is a response to a request that %s with the part or the whole that RFC 9110 requires',
    async (_, headers, status, range) => {
      const { url } = await uploaded()
      const response = await fetch(url, { headers })
      expect([response.status, response.headers.get('content-range')]).toEqual([status, range])
      expect(await response.text()).toHaveLength(
        status === 200 ? 5 : status === 416 ? 0 : range === 'bytes 0-4/5' ? 5 : 2,
      )
    },
  )

  test('is sent in part to a request with its ETag in If-Range, and never to HEAD', async () => {
    const { url } = await uploaded()
    const etag = String((await fetch(url)).headers.get('etag'))
    const headers = { Range: 'bytes=1-2', 'If-Range': etag }
    expect(await statusOf(url, headers)).toBe(206)
    expect((await fetch(url, { method: 'HEAD', headers })).status).toBe(200)
  })

  test('is found at its own address alone', async () => {
    const { url } = await uploaded()
    for (const wrong of [
      url.replace('plan.pdf', 'plan.html'),
      url.replace(/.(?=\/plan)/, (last) => (last === 'a' ? 'b' : 'a')),
      url.replace(made.id, here.published.id),
    ]) {
      expect([wrong, await statusOf(wrong)]).toEqual([wrong, 404])
    }
  })

  test('is readable by members alone where the input says so', async () => {
    const own = await publish(app, here, asking(fileInput({ visibility: 'Private' })))
    const { url } = await uploaded(own)
    const as = ({ token }: { token: string }) => statusOf(url, { Authorization: `Bearer ${token}` })
    expect(await statusOf(url)).toBe(404)
    expect([await as(here.member), await as(here.guest), await as(world.stranger)]).toEqual([200, 404, 404])
  })
})

describe('bounds', () => {
  test('are those of the input, else of the installation, and are part of the input', async () => {
    const small = await publish(app, here, asking(fileInput({ sizeLimit: 0.5 })))
    for (const [published, limit] of [
      [small, MEGABYTE / 2],
      [made, MEGABYTE],
    ] as const) {
      const started = await start(app, published)
      expect(started.input).toMatchObject({ upload: { maximumSize: limit } })
      const answers = [
        await upload(started.sessionId, 'a.bin', Buffer.alloc(limit)),
        await upload(started.sessionId, 'a.bin', Buffer.alloc(limit + 1)),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 413])
      expect(answers[1]?.body.issues[0]).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining(`${limit}`),
      })
    }
  })

  test('apply to a chat as a whole, also to concurrent uploads', async () => {
    const { sessionId } = await start(app, made)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => upload(sessionId, 'a.bin', Buffer.alloc(MEGABYTE))),
    )
    const rejected = answers.filter(({ status }) => status !== 200)
    expect(rejected).toHaveLength(3)
    for (const { body } of rejected) expect(body.issues[0]).toMatchObject({ code: 'too_many_files' })
  })

  test('apply to the number of files', async () => {
    const { sessionId } = await start(app, made)
    const answers = []
    for (let index = 0; index < 101; index++) answers.push((await upload(sessionId, 'a.txt')).status)
    expect(answers.filter((status) => status === 200)).toHaveLength(100)
    expect(answers.at(-1)).toBe(400)
  })
})

test('without a file store, inputs for files say so, and accept addresses', async () => {
  const none = await startApp({ databaseUrl: app.databaseUrl, hasFiles: false })
  try {
    const started = await start(none, made)
    expect(started.input).not.toHaveProperty('upload')
    const answer = await none.client.call('uploadFile', {
      params: { sessionId: started.sessionId },
      query: { fileName: 'a.pdf' },
      body: anyBody('bytes'),
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ code: 'files_not_kept' }] } })
    const logs = await logsOf(none, made.id, started.resultId ?? '', here.member)
    expect(logs).toMatchObject([
      { status: 'error', description: expect.stringContaining('no place for files') },
    ])
    const step = await reply(none, started.sessionId, 'https://example.com/plan.pdf')
    expect(step.input).toBeUndefined()
    const codesOf = async ({ client }: App) => {
      const { findings } = await client.ok('checkBot', { as: here.member, params: { botId: made.id } })
      return findings.map(({ code }) => code)
    }
    expect(await codesOf(none)).toContain('no_file_store')
    expect(await codesOf(app)).not.toContain('no_file_store')
  } finally {
    await none.stop()
  }
})

// Hostile uploads

const hostileName = fc.oneof(
  fc.constantFrom(
    '../../../etc/passwd',
    '..\\..\\windows\\system32\\cmd.exe',
    '/etc/passwd',
    'C:\\a.html',
    '.htaccess',
    '..',
    '.',
    'index.html',
    'a.svg',
    'a.xhtml',
    'a.js',
    'con',
    'a\u202Egnp.exe',
    'a"; filename="b.html',
    'a\r\nSet-Cookie: x=y',
    "a'; DROP TABLE uploads; --",
    '{{Name}}',
    'a, b.pdf',
    '%2e%2e%2fx',
    '.partial',
    `${'x'.repeat(250)}.pdf`,
    '😀'.repeat(200),
    '   ',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
)

const hostileUpload = fc.record({
  name: hostileName,
  content: fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '<svg/onload=alert(1)>',
      '%PDF-1.4',
      '',
      'GIF89a<script>',
      '\x89PNG\r\n\x1a\n<html>',
    ),
    fc.string({ unit: 'binary', maxLength: 200 }),
  ),
  size: fc.constantFrom(0, 0, 0, 1, 65_536, MEGABYTE, MEGABYTE + 1),
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('application/octet-stream') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/html', 'multipart/form-data; boundary=x', 'application/json', ''),
    },
  ),
  /** Form of the body: whole, in chunks, cut off, or shorter or longer than announced. */
  way: fc.constantFrom('length', 'length', 'chunked', 'chunked', 'cut', 'cut chunked', 'empty head'),
  encoding: fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constant('gzip') },
  ),
})

type HostileUpload = typeof hostileUpload extends fc.Arbitrary<infer Value> ? Value : never

/** Sends an upload byte by byte as it is said; gives the status, or undefined where the connection was cut. */
function send(sessionId: string, { name, content, size, type, way, encoding }: HostileUpload) {
  const body = Buffer.concat([Buffer.from(content), Buffer.alloc(size, 'x')])
  const isChunked = way === 'chunked' || way === 'cut chunked'
  const isCut = way === 'cut' || way === 'cut chunked'
  const { host, port } = new URL(app.url)
  const head = [
    `POST /api/v1/sessions/${sessionId}/uploads?fileName=${encodeURIComponent(name)} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...(encoding === '' ? [] : [`Content-Encoding: ${encoding}`]),
    ...(way === 'empty head'
      ? []
      : [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length + (isCut ? 10 : 0)}`]),
  ]
  const chunk =
    isChunked && body.length > 0
      ? [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
      : []
  const bytes =
    way === 'empty head' ? [] : isChunked ? [...chunk, Buffer.from(isCut ? '' : '0\r\n\r\n')] : [body]
  return new Promise<{ status: number | undefined; url: string | undefined }>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    let answer = ''
    socket.on('data', (piece) => (answer += piece))
    socket.on('error', () => {})
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
      const url = /"url":"([^"]+)"/.exec(answer)?.[1]
      resolve({ status: status === undefined ? undefined : Number(status), url })
    })
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...bytes]), () => {
      if (isCut) socket.destroy()
    })
  })
}

test('hostile uploads write nothing outside of the store, serve no page, and leave nothing after the purge', async () => {
  const count = runs(25, 1_000)
  const samples = fc.sample(hostileUpload, { numRuns: count })
  const statuses = new Map<string, number>()
  for (const sample of samples) {
    const { sessionId } = await start(app, made)
    const { status, url } = await send(sessionId, sample)
    const key = String(status)
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
    expect([sample, [200, 400, 413, 415, undefined].includes(status)]).toEqual([sample, true])
    if (!url) continue
    const file = await fetch(url)
    expect([sample, file.status]).toEqual([sample, 200])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w%.()-]+$/)
    expect(file.headers.get('content-type')).toMatch(
      /^(application\/octet-stream|image\/(png|jpeg|gif|webp|avif))$/,
    )
    const sent = Buffer.concat([Buffer.from(sample.content), Buffer.alloc(sample.size, 'x')])
    expect(Buffer.from(await file.arrayBuffer()).equals(sent)).toBe(true)
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
    expect(name).not.toMatch(/^\.|[/\\]|\p{C}/u)
    expect(extensionOf(name)).toBe(extensionOf(safeName(sample.name)))
  }
  // Uploads that were cut end a moment after their connection.
  await until('cut uploads have left nothing', async () => {
    const { rows } = await app.pool.query('SELECT FROM uploads WHERE NOT is_complete')
    return rows.length === 0
  })
  expect(statuses.get('200')).toBeGreaterThan(count / 10)
  expect(statuses.get('500')).toBeUndefined()
  const ids = await rows()
  expect(stored().sort()).toEqual(ids.sort())
  for (const id of stored()) expect(id).toMatch(/^[a-z\d]{58}$/)
  app.clock.advance(49 * 60 * 60 * 1000)
  await purge()
  expect(stored()).toEqual([])
  expect(await rows()).toEqual([])
})
