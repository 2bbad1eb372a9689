import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Answer, type Finding, replay, sendRequest } from '../kit/replay/replay.ts'
import { type App, startApp } from '../support/app.ts'
import { published } from '../support/published.ts'
import { digestOf } from '../support/rows.ts'
import { makeWorld, type World } from '../support/world.ts'

/* The replay of a foreign server against our own, which it knows from the published document alone. */

let app: App
let world: World

beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
})
afterAll(() => app.stop())

function replayOf(server: string, id?: string) {
  const { here } = world
  return replay(published, {
    server,
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
    wants: (operation) => id === undefined || operation.id === id,
  })
}

test('the replay finds no drift in this service, and writes nothing', async () => {
  const before = await digestOf(app)
  const report = await replayOf(app.url)
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

/** Serves the responses of this service with a change, as another release of it might. */
async function startDrifting(drift: (answer: Answer) => void) {
  // The service itself has to say how large headers may be.
  const server = createServer({ maxHeaderSize: 64 * 1024 }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, ...headers } = request.headers
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
    const url = new URL(`${app.url}${request.url}`)
    const answer = await sendRequest(url, String(request.method), headers as Record<string, string>, body)
    drift(answer)
    for (const name of ['content-length', 'transfer-encoding', 'connection']) answer.headers.delete(name)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(answer.status === 304 ? undefined : answer.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

type Drift = (answer: Answer) => void

/** Changes responses of one status. */
const on =
  (status: number, change: Drift): Drift =>
  (answer) => {
    if (answer.status === status) change(answer)
  }

const withStatus = (from: number, to: number) =>
  on(from, (answer) => {
    answer.status = to
  })

const withHeader = (status: number, name: string, value?: string) =>
  on(status, ({ headers }) => (value === undefined ? headers.delete(name) : headers.set(name, value)))

interface FolderResponse {
  folder: Record<string, unknown>
  folders: Record<string, unknown>[]
}

/** Changes the body of responses of one status. */
const withBody = (status: number, change: (body: FolderResponse) => unknown) =>
  on(status, (answer) => {
    const body = JSON.parse(answer.text)
    change(body)
    answer.text = JSON.stringify(body)
  })

const drifts: [name: string, kind: Finding['kind'], id: string, drift: Drift][] = [
  ['a 404 that became a 410', 'status', 'getFolder', withStatus(404, 410)],
  ['a 401 that became a 407', 'status', 'createFolder', withStatus(401, 407)],
  ['a 415 that became a 406', 'status', 'createFolder', withStatus(415, 406)],
  ['a 413 that became a 507', 'status', 'updateFolder', withStatus(413, 507)],
  ['a 200 that became a 203', 'status', 'listFolders', withStatus(200, 203)],
  ['a 400 that became a success', 'accepted', 'createFolder', withStatus(400, 201)],
  ['a field that is gone', 'body', 'getFolder', withBody(200, ({ folder }) => delete folder.name)],
  [
    'a field with another name',
    'body',
    'getFolder',
    withBody(200, ({ folder }) => Object.assign(folder, { title: folder.name, name: undefined })),
  ],
  [
    'a field of another type',
    'body',
    'listFolders',
    withBody(200, ({ folders }) => Object.assign(folders[0] ?? {}, { id: 7 })),
  ],
  [
    'a field that became null',
    'body',
    'getFolder',
    withBody(200, ({ folder }) => Object.assign(folder, { createdAt: null })),
  ],
  [
    'a field that nobody documented',
    'field',
    'getFolder',
    withBody(200, ({ folder }) => Object.assign(folder, { color: 'red' })),
  ],
  [
    'a field of errors that nobody documented',
    'field',
    'getFolder',
    withBody(404, (body) => Object.assign(body, { stack: 'at' })),
  ],
  ['a challenge that is gone', 'header', 'getFolder', withHeader(401, 'www-authenticate')],
  ['a request id that is gone', 'header', 'listFolders', withHeader(200, 'x-request-id')],
  ['an entity tag of another form', 'header', 'getFolder', withHeader(200, 'etag', 'unquoted')],
  [
    'another code of a 404',
    'body',
    'getFolder',
    withBody(404, (body) => Object.assign(body, { code: 'GONE' })),
  ],
  [
    'another code of a 400',
    'body',
    'createFolder',
    withBody(400, (body) => Object.assign(body, { code: 'VALIDATION' })),
  ],
  ['an error as a page', 'media type', 'getFolder', withHeader(404, 'content-type', 'text/html')],
  [
    'an error of another media type',
    'media type',
    'createFolder',
    withHeader(400, 'content-type', 'application/problem+json'),
  ],
  ['a success as text', 'media type', 'listFolders', withHeader(200, 'content-type', 'text/plain')],
]

test.each(drifts)('the replay finds %s', async (_name, kind, id, drift) => {
  const drifting = await startDrifting(drift)
  try {
    const { findings } = await replayOf(drifting.url, id)
    // The drift is found, and nothing that did not drift.
    expect([...new Set(findings.map((finding) => `${finding.operation} ${finding.kind}`))]).toEqual([
      `${id} ${kind}`,
    ])
  } finally {
    await drifting.stop()
  }
})
