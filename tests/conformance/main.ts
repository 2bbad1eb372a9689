import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { exampleIds } from '../../contract/shared.ts'
import { startApp } from '../support/app.ts'
import { startTestServer } from '../support/server.ts'
import { makeWorld } from '../support/world.ts'

/*
 * Holds a live service against its published document with Schemathesis. Arguments are passed on, such as
 * `--max-examples 1000` or `--include-operation-id updateBot`.
 */

const folder = new URL('./', import.meta.url)
const databaseServer = await startTestServer()
const app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 1_000_000 } })
// They would fill the memory; only faults are worth reading.
const forgetting = setInterval(() => {
  for (const line of app.logs.splice(0)) if (Number(line.level) >= 50) console.error(JSON.stringify(line))
  app.statements.length = 0
}, 1_000)

const { here, there } = await makeWorld(app)
const pools = {
  workspaces: [here.workspaceId],
  folders: [here.folder, here.subfolder, here.deepFolder],
  bots: [here.draft.id, here.legacy.id, here.published.id, here.published.id, there.shared.id],
  publications: [here.published.publicationId],
  results: [...here.results, here.unansweredResult],
  sessions: await startChats(),
  emails: [here.guest.email, there.guest.email],
  'public-ids': [here.published.publicId],
}
await mkdir(new URL('pools/', folder), { recursive: true })
for (const [name, values] of Object.entries(pools)) {
  await writeFile(new URL(`pools/${name}.txt`, folder), `${values.map((value) => `"${value}"`).join('\n')}\n`)
}

const real = {
  [exampleIds.workspace]: here.workspaceId,
  [exampleIds.folder]: here.folder,
  [exampleIds.parentFolder]: here.folder,
  [exampleIds.bot]: here.published.id,
  [exampleIds.user]: here.guest.id,
  [exampleIds.result]: here.results[0],
  [exampleIds.session]: pools.sessions[0],
  [exampleIds.publication]: here.published.publicationId,
  'lead-generation-8k2m4p6': here.published.publicId,
}
const kept = [...Object.values(pools).flat(), ...Object.values(real), here.admin.id, here.admin.tokenId]
const wishes = process.argv.slice(2)
const has = (option: RegExp) => wishes.some((wish) => option.test(wish))
// After other phases the stateful one ends with a dozen scenarios; by itself it makes as many as it may. A few
// operations that were picked may have no links for it to follow.
const passes = [
  ['--phases', 'examples,coverage,fuzzing'],
  ...(has(/^--(in|ex)clude/) ? [] : [['--phases', 'stateful']]),
]
for (const phases of has(/^--phases/) ? [[]] : passes) {
  const code = await run([...phases, ...wishes])
  process.exitCode ||= code
}

clearInterval(forgetting)
await app.stop()
await databaseServer.stop()

/** Chats that wait for a reply. */
async function startChats(): Promise<string[]> {
  const sessions: string[] = []
  for (let count = 0; count < 20; count++) {
    const response = await fetch(`${app.url}/api/v1/bots/${here.published.publicId}/startChat`, {
      method: 'POST',
    })
    const { sessionId } = (await response.json()) as { sessionId: string }
    sessions.push(sessionId)
  }
  return sessions
}

function run(options: string[]): Promise<number> {
  const schemathesis = spawn(
    fileURLToPath(new URL('.venv/bin/schemathesis', folder)),
    [
      '--config-file',
      'schemathesis.toml',
      'run',
      `${app.url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${here.admin.token}`,
      ...options,
    ],
    {
      cwd: folder,
      stdio: 'inherit',
      env: {
        ...process.env,
        CONFORMANCE_KEPT: JSON.stringify(kept),
        CONFORMANCE_REAL: JSON.stringify(real),
        SCHEMATHESIS_DISABLE_TELEMETRY: '1',
      },
    },
  )
  return new Promise((resolve) => schemathesis.on('close', (code) => resolve(code ?? 1)))
}
