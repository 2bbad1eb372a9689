import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type App, startApp } from '../support/app.ts'
import { type Run, runBots } from '../support/command.ts'
import { newBrowser, signIn } from '../support/sign-in.ts'
import { makeWorld, type Site } from '../support/world.ts'

/* `bots login` at a terminal: a person allows it on the page, or pastes a token where the service is older. */

let app: App
let here: Site
let top: string

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  top = mkdtempSync(join(tmpdir(), 'bots-login-'))
})

afterAll(async () => {
  rmSync(top, { recursive: true })
  await app.stop()
})

const terminal = (...lines: string[]) => Object.assign(Readable.from(lines), { isTTY: true })

const login = (argv: string[], options: Run, at: { url: string } = app) =>
  runBots(at, top, ['login', at.url, ...argv], { as: null, stdin: terminal(), ...options })

/** A person who decides on the page while the command waits, after some questions of it. */
async function personWho(decision: 'allowed' | 'denied', opened: string[], questions = 1) {
  const browser = newBrowser(app.url)
  browser.jar.set('session', (await signIn(app, here.member)).cookie)
  let asked = 0
  return async (milliseconds: number) => {
    app.clock.advance(milliseconds)
    if (asked++ !== questions) return
    const code = new URL(opened[0] as string).searchParams.get('code') as string
    await browser.send('/device', { form: { code } })
    await browser.send('/device', { form: { code, decision } })
  }
}

test('login opens the page with its code, waits until a person allows it, and stores the token', async () => {
  const opened: string[] = []
  const delay = await personWho('allowed', opened)
  const { code, out, err } = await login(
    ['--name', 'here', '--scopes', 'read,write', '--workspace', here.workspaceId],
    { opened, delay },
  )
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^Open ${app.url}/device and allow the code`)),
  ])
  expect(out).toContain(`${here.member.email} is logged in`)
  const userCode = new URL(opened[0] as string).searchParams.get('code') as string
  expect(err).toContain(userCode)
  const { profiles } = JSON.parse(readFileSync(join(top, 'config', 'bots', 'profiles.json'), 'utf8'))
  const { token } = profiles.here
  expect(out + err).not.toContain(token)
  const { apiTokens } = await app.client.ok('listTokens', { as: { token } })
  expect(apiTokens).toMatchObject([
    { scopes: ['read', 'write'], workspaceId: here.workspaceId, name: expect.stringMatching(/^bots on /) },
  ])
  expect((await runBots(app, top, ['list', '--profile', 'here'], { as: null })).code).toBe(0)
})

test('login that is declined, or not allowed in time, ends with a message and stores nothing', async () => {
  const env = { XDG_CONFIG_HOME: join(top, 'refused') }
  const opened: string[] = []
  const rejected = await login([], { env, opened, delay: await personWho('denied', opened) })
  expect([rejected.code, rejected.err]).toEqual([1, expect.stringContaining('The login was refused')])
  const late = await login([], { env, delay: async (milliseconds) => void app.clock.advance(milliseconds) })
  expect([late.code, late.err]).toEqual([1, expect.stringContaining('Nobody allowed the login in time')])
  const { err } = await runBots(app, top, ['list'], { as: null, env })
  expect(err).toContain('run bots login')
})

test('login opens the given address, whatever the service names', async () => {
  const opened: string[] = []
  const hostile = createServer(async (request, response) => {
    if (!request.url?.endsWith('/deviceLogins')) return void forward(request, response)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const verificationUri = 'file://elsewhere/program'
    const codes = { deviceCode: 'x'.repeat(43), userCode: 'BCDF\u001b[2J-GHJK' }
    response.end(
      JSON.stringify({
        ...codes,
        verificationUri,
        verificationUriComplete: verificationUri,
        expiresIn: 5,
        interval: 5,
      }),
    )
  })
  await withServer(hostile, async (at) => {
    const { err } = await login([], { opened, delay: async () => {} }, at)
    expect(opened).toEqual([expect.stringMatching(`^${at.url}/device\\?code=BCDF`)])
    expect(err).not.toContain('\u001b')
    expect(err).not.toContain('elsewhere')
  })
})

test('login rejects invalid scopes and days', async () => {
  expect((await login(['--scopes', 'read,all'], {})).code).toBe(2)
  expect((await login(['--days', '0'], {})).code).toBe(2)
})

test('login continues after its service was unavailable for a moment', async () => {
  const opened: string[] = []
  const person = await personWho('allowed', opened, 0)
  let answered = 0
  const flaky = createServer(async (request, response) => {
    if (request.url?.endsWith('/continue') && answered++ === 0) return void request.socket.destroy()
    forward(request, response)
  })
  await withServer(flaky, async (at) => {
    const { code, out } = await login([], { opened, delay: person }, at)
    expect([code, out, answered]).toEqual([0, expect.stringContaining('is logged in'), 2])
  })
})

test.each([404, 401, 405])(
  'login reads a pasted token where the service responds with %i',
  async (status) => {
    const older = createServer((request, response) => {
      if (!request.url?.startsWith('/v1/deviceLogins')) return void forward(request, response)
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ message: 'No such path', code: 'NOT_FOUND' }))
    })
    await withServer(older, async (at) => {
      const opened: string[] = []
      const stdin = terminal(`${here.admin.token}\n`)
      const { code, out, err } = await login([], { opened, stdin }, at)
      const [page] = opened
      expect([code, page]).toEqual([0, expect.stringMatching(/\/account\?token=bots\+on\+/)])
      expect(err).toContain(page)
      expect(err + out).not.toContain(here.admin.token)
    })
  },
)

test('login rejects limits where the service has no device login, and opens nothing', async () => {
  const older = createServer((_request, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ message: 'No such path', code: 'NOT_FOUND' }))
  })
  await withServer(older, async (at) => {
    const opened: string[] = []
    const { code, err } = await login(['--days', '30'], { opened, stdin: terminal('a-token\n') }, at)
    expect([code, opened]).toEqual([2, []])
    expect(err).toContain(`create one with your limits on ${at.url}/account`)
  })
})

/** Passes a request on to the service. */
async function forward(
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { authorization = '', 'content-type': contentType = 'application/json' } = request.headers
  const answer = await fetch(`${app.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { ...(authorization && { authorization }), 'content-type': contentType },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  response.writeHead(answer.status, { 'Content-Type': 'application/json' })
  response.end(await answer.text())
}

async function withServer(
  server: ReturnType<typeof createServer>,
  work: (at: { url: string }) => Promise<void>,
) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
