import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { root } from '../server/root.ts'
import { builtOf } from './support/build.ts'
import { ask, bot, set, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import { call, endProcesses, freePort, startProgram, tokenIn, until } from './support/process.ts'
import { createDatabase } from './support/server.ts'

/* The files of the package, which the image and npx have, suffice to serve: a folder with nothing else in it does. */

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  await endProcesses()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const code = 'return new URL("https://a/?b=" + (40 + 2)).searchParams.get("b")'

async function textOf(url: URL): Promise<string> {
  const response = await fetch(url)
  expect([url.pathname, response.status]).toEqual([url.pathname, 200])
  return response.text()
}

test('a folder of what the image has serves pages and chats, and answers its health check', async () => {
  const image = readFileSync(new URL('Dockerfile', root), 'utf8').split(/^FROM/m).at(-1) ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'bots-image-'))
  cleanUps.push(() => rmSync(folder, { recursive: true }))
  const top = fileURLToPath(root)
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const listed = JSON.parse(spawnSync('npm', words, { cwd: top, encoding: 'utf8' }).stdout)
  for (const { path } of listed[0].files as { path: string }[]) {
    // The build of the tests is elsewhere.
    if (!path.startsWith('dist/')) cpSync(join(top, path), join(folder, path))
  }
  cpSync(join(top, builtOf('server/main.ts'), '..'), join(folder, 'dist/server'), { recursive: true })
  symlinkSync(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'))

  const database = await createDatabase('nothing')
  cleanUps.push(database.drop)
  const port = String(await freePort())
  const variables = { DATABASE_URL: database.url, NODE_ENV: 'production', PORT: port, SHUTDOWN_DELAY: '0' }
  const [, healthCheck = ''] = /^HEALTHCHECK .*\\\n +CMD (.+)$/m.exec(image) ?? []
  const [node, ...check]: string[] = JSON.parse(healthCheck)
  expect(node).toBe('node')
  const health = () =>
    spawnSync(process.execPath, check, { cwd: folder, env: { PATH: process.env.PATH, PORT: port } }).status
  expect(health()).toBe(1)
  const program = startProgram('dist/server/main.js', [], variables, folder)
  let hasEnded = false
  void program.ended.then(() => (hasEnded = true))
  await until('it is healthy', () => hasEnded || health() === 0)
  expect(program.errors()).not.toContain('Error')

  const url = `http://127.0.0.1:${port}`
  const token = () => tokenIn(program.errors())
  await until('its token was read', () => token() !== undefined)
  const caller = { url, token: token() }
  const { body: all } = await call(caller, 'GET', '/v1/workspaces')
  const { id: _, ...flow } = storable(
    bot({ Start: [set('Sum', code, { isCode: true }), text('{{Sum}}'), ask()] }, { variables: ['Sum'] }),
  )
  const made = await call(caller, 'POST', '/v1/bots', {
    workspaceId: all.workspaces[0].id,
    bot: { ...flow, name: 'Image', publicId: 'image' },
  })
  await call(caller, 'POST', `/v1/bots/${made.body.bot.id}/publish`, {})
  const { body } = await call({ url }, 'POST', '/api/v1/bots/image/startChat', {})
  expect(JSON.stringify(body.messages)).toContain('"42"')

  const pages = [
    '/',
    '/docs',
    '/results',
    '/bots',
    '/chat/image',
    '/embed.js',
    '/arazzo.yaml',
    '/openapi-overlay.yaml',
  ]
  const seen = new Set<string>()
  for (const page of pages) {
    const text = await textOf(new URL(page, url))
    for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"#:]+)"/g))
      seen.add(new URL(link, url + page).href)
  }
  expect(seen.size).toBeGreaterThan(8)
  for (const link of seen) await textOf(new URL(link))
  program.signal('SIGTERM')
  expect((await program.ended).code).toBe(0)
})
