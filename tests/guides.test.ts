import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runCommand } from '../server/admin/run-command.ts'
import { root } from '../server/root.ts'
import { type App, startApp } from './support/app.ts'
import { bot, idOf } from './support/chat.ts'
import { publish, start } from './support/chats.ts'
import { shellBlocksOf } from './support/guides.ts'
import { runShell, testWithCurl } from './support/shell.ts'
import { makeWorld, type World } from './support/world.ts'

/* Shell blocks of guides run as they stand, but for the address of the service and the token. */

let app: App
let world: World
let folder: string
beforeAll(async () => {
  app = await startApp({
    config: {
      RATE_LIMIT: true,
      RATE_LIMIT_TOKEN: 10_000,
      RATE_LIMIT_ADDRESS: 10_000,
      OUTBOUND_ALLOWED_HOSTS: ['example.com'],
    },
  })
  world = await makeWorld(app)
  folder = mkdtempSync(join(tmpdir(), 'bots-guides-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await app.stop()
})

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const blocksOf = (path: string) => shellBlocksOf(read(path))

/** Runs blocks in one shell; returns what each printed. */
async function run(blocks: string[], env: Record<string, string> = {}): Promise<string[]> {
  const script = blocks
    .map((block) => block.replaceAll('http://localhost:3000', app.url))
    .map((block) => block.replaceAll('botb_pat_...', world.here.admin.token))
    .join("\nprintf '\\0'\n")
  const output = await runShell(script, {
    cwd: folder,
    env: { URL: app.url, TOKEN: world.here.admin.token, ...env },
  })
  return output.split('\0')
}

/** Blocks that give `api`, `chat`, `get` and the variables that other guides use. */
const firstSteps = blocksOf('contract/guides/first-steps.md')

testWithCurl(
  'README.md: the tour creates a bot, publishes it, chats with it and reads its result',
  async () => {
    const readme = read('README.md')
    const shown = Array.from(readme.matchAll(/^```json\n(.*?)\n```/gms), ([, text]) => text)
    const output = await run(shellBlocksOf(readme).slice(1))
    expect(shown).toEqual([output[2]?.trim().split('\n').at(-1), output[3]?.trim()])
    expect(JSON.parse(output[4] ?? '').results).toMatchObject([
      { isCompleted: true, answers: [{ content: 'ada@example.com' }] },
    ])
  },
)

testWithCurl('first steps and the flow with branches have the promised responses', async () => {
  const output = await run([...firstSteps, ...blocksOf('contract/guides/flows.md')])
  const [published, thanks, result, checked, discount] = output.slice(-5)
  expect(JSON.parse(published ?? '')).toMatchObject({ errorsFound: 0 })
  expect(thanks).toContain('Thank you, Ada!')
  expect(result).toContain('"totalCompleted":1')
  expect(checked).toContain('{"findings":[]}')
  expect(discount).toContain('12 tickets: you get a discount.')
})

testWithCurl('the guides for callers work behind first steps', async () => {
  const names = ['paging', 'retries', 'limits', 'concurrent-edits', 'webhooks', 'authentication', 'moving']
  const pages = names.map((name) => blocksOf(`contract/guides/${name}.md`))
  const output = await run([...firstSteps, 'api $URL/v1/bots/$BOT/export > export.json', ...pages.flat()])
  const outputs = output.slice(firstSteps.length + 1)
  const [paging = [], retries = [], limits = [], edits = [], webhooks = [], tokens = [], moving = []] =
    pages.map((blocks) => outputs.splice(0, blocks.length))
  expect(paging[0]).toContain('"answers":[')
  expect(paging[3]).toMatch(/^results-remaining: 1\s/im)
  expect(retries.concat(limits).map((text) => Object.keys(JSON.parse(text))[0])).toEqual([
    'folder',
    'workspaces',
  ])
  expect(edits.map((text) => JSON.parse(text).bot.name)).toEqual(['Hello again', 'Hello again'])
  expect(webhooks.concat(tokens).join()).toMatch(/"secret":"whsec_.*"token":"botb_pat_/s)
  expect(moving.map((text) => JSON.parse(text).warnings)).toEqual([[], []])
})

testWithCurl('files.md: a file is uploaded and answers the input', async () => {
  const fileInput = { type: 'file input', options: { variableId: idOf('File') } }
  const published = await publish(app, world.here, bot({ Start: [fileInput] }, { variables: ['File'] }))
  const { sessionId: SESSION } = await start(app, published)
  writeFileSync(join(folder, 'plan.pdf'), '%PDF-1.7')
  const [upload = '', answer = ''] = blocksOf('contract/guides/files.md')
  const [uploaded = ''] = await run([upload], { SESSION })
  const [answered = ''] = await run([answer], { SESSION, FILE: JSON.parse(uploaded).upload.url })
  expect(JSON.parse(answered)).toEqual({ messages: [], revision: 2 })
})

testWithCurl('the guides for operators work behind the tour', async () => {
  const of = (name: string) => blocksOf(`server/guides/${name}.md`)
  const [headers = ''] = of('limits')
  const ownModel = of('models')[1] ?? ''
  const [, ...vendors] = of('vendors')
  const [, tour = ''] = blocksOf('README.md')
  const blocks = [headers, ...of('retention'), ownModel, ...vendors]
  const output = await run([tour.replaceAll(/^WORKSPACE=/gm, ': '), ...blocks], {
    WORKSPACE: world.here.workspaceId,
  })
  expect(output[1]).toMatch(/^RateLimit-Policy: "token";q=.*\r?\nRateLimit: "token";r=/im)
  expect(output.slice(2).map((text) => Object.keys(JSON.parse(text))[0])).toEqual([
    'workspace',
    'credentials',
    'credentials',
    'credentials',
  ])
})

test('the admin commands of the guides work in their order', async () => {
  const lines = ['users', 'monitoring', 'credentials'].flatMap((name) =>
    blocksOf(`server/guides/${name}.md`)
      .join('\n')
      .split('\n')
      .flatMap((line) => /^npm run --silent admin -- (.+)$/.exec(line)?.[1] ?? []),
  )
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
    const given = words.map((word) =>
      word.replaceAll(/['"]/g, '').replace('$WORKSPACE', world.here.workspaceId),
    )
    const written: string[] = []
    const terminal = {
      write: async (text: string) => void written.push(text),
      say: (text: string) => void written.push(text),
    }
    const variables = {
      DATABASE_URL: app.databaseUrl,
      ENCRYPTION_KEY: Buffer.alloc(32, 'key').toString('base64'),
    }
    const code = await runCommand(given, { variables, ...terminal })
    expect([line, code, written.join('')]).toEqual([line, 0, expect.stringMatching(/^\{.*\}\n$/s)])
  }
})
