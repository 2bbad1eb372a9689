import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { exampleIds } from '../../contract/shared.ts'
import { startApp } from '../support/app.ts'
import { bot } from '../support/chat.ts'
import { publish, start } from '../support/chats.ts'
import { endpoints } from '../support/published.ts'
import { startTestServer } from '../support/server.ts'
import { signIn } from '../support/sign-in.ts'
import { makeWorld } from '../support/world.ts'

/*
 * Holds a live service against its published document with Schemathesis. Arguments are passed on, such as
 * `--max-examples 1000` or `--include-operation-id updateBot`.
 */

const folder = new URL('./', import.meta.url)
const databaseServer = await startTestServer()
const app = await startApp({ config: { MAX_WORKSPACES_PER_USER: 1_000_000, RATE_LIMIT: false } })
// They would fill the memory; only faults are worth reading.
const forgetting = setInterval(() => {
  for (const line of app.logs.splice(0)) if (Number(line.level) >= 50) console.error(JSON.stringify(line))
  app.statements.length = 0
}, 1_000)

const { here, there } = await makeWorld(app)
// Bots that nothing changes: one to chat with, one whose chats wait at a webhook, and one whose chats take files.
const question = [{ type: 'text', content: { richText: [] } }, { type: 'text input' }]
const help = { id: 'help', type: 'command', options: { command: 'help' }, to: 'welcome' }
const talking = await publish(app, here, bot({ welcome: question }, { events: [help] }))
const waiting = await publish(app, here, bot({ main: [{ id: 'webhook', type: 'webhook' }] }))
const taking = await publish(app, here, bot({ main: [{ type: 'file input' }] }))
const elsewhere = await app.client.ok('createFolder', {
  as: here.admin,
  body: { workspaceId: here.workspaceId, folder: { name: 'Elsewhere' } },
})
const { webhookEndpoint } = await app.client.ok('createWebhookEndpoint', {
  as: here.admin,
  params: { workspaceId: here.workspaceId },
  // A public address, which needs no DNS query. This run sends nothing.
  body: { url: 'https://93.184.216.34/hook' },
})
const { webhookDelivery } = await app.client.ok('testWebhookEndpoint', {
  as: here.admin,
  params: { workspaceId: here.workspaceId, endpointId: webhookEndpoint.id },
})
const { credentials } = await app.client.ok('createCredentials', {
  as: here.admin,
  params: { workspaceId: here.workspaceId },
  body: { type: 'openai', name: 'Company account', data: { apiKey: 'sk-example' } },
})
const { apiToken } = await app.client.ok('createToken', { as: here.admin, body: { name: 'Stays' } })
// A bot with a block whose address an app may set, and one that answers in conversations of Chatwoot.
const sending = await publish(app, here, bot({ main: [{ id: 'send', type: 'Webhook' }] }))
const secret = 'chatwoot-secret-example'
const { credentials: agent } = await app.client.ok('createCredentials', {
  as: here.admin,
  params: { workspaceId: here.workspaceId },
  body: {
    type: 'chatwoot',
    name: 'Support',
    data: { baseUrl: 'https://chatwoot.example.com', accountId: 1, accessToken: 'token', secret },
  },
})
const { invitation } = await app.client.ok('createInvitation', {
  as: here.admin,
  params: { workspaceId: here.workspaceId },
  body: { email: 'stays@example.com', role: 'GUEST' },
})
const { deviceCode } = await app.client.ok('startDeviceLogin', { body: { name: 'A program' } })
for (let count = 0; count < 40; count++) await signIn(app, here.admin)
const { browserSessions } = await app.client.ok('listBrowserSessions', {
  as: here.admin,
  query: { limit: 100 },
})
const [browserSession, ...expendable] = browserSessions.map(({ id }) => id)
const { templates } = await app.client.ok('listTemplates', { as: here.admin })
const pools = {
  workspaces: [here.workspaceId],
  folders: [here.folder, here.subfolder, here.deepFolder],
  bots: [here.draft.id, here.legacy.id, here.published.id, here.published.id],
  publications: [here.published.publicationId],
  results: [...here.results, here.unansweredResult],
  sessions: await startChats(),
  endpoints: [webhookEndpoint.id],
  deliveries: [webhookDelivery.id],
  credentials: [credentials.id],
  invitations: [invitation.id],
  templates: templates.map(({ id }) => id),
}
await mkdir(new URL('pools/', folder), { recursive: true })
// Written by hooks.py: an operation a line.
const successes = new URL('pools/succeeded.txt', folder)
await rm(successes, { force: true })
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
  [exampleIds.webhookEndpoint]: webhookEndpoint.id,
  [exampleIds.webhookDelivery]: webhookDelivery.id,
  [exampleIds.credentials]: credentials.id,
  [exampleIds.token]: apiToken.id,
  [exampleIds.invitation]: invitation.id,
  ...(browserSession ? { [exampleIds.browserSession]: browserSession } : {}),
  'lead-generation-8k2m4p6': here.published.publicId,
}
const still = [talking.id, waiting.id, taking.id, sending.id, elsewhere.folder.id]
const kept = [
  ...still,
  ...Object.values(pools).flat(),
  ...Object.values(real),
  here.admin.id,
  here.admin.tokenId,
]
const sandbox = {
  url: app.url,
  token: here.admin.token,
  workspaceId: here.workspaceId,
  elsewhere: elsewhere.folder.id,
  email: there.guest.email,
  publicId: talking.publicId,
  botId: talking.id,
  sessions: pools.sessions,
  waitingBotId: waiting.id,
  waitingPublicId: waiting.publicId,
  takingPublicId: taking.publicId,
  sendingBlock: { botId: sending.id, blockId: 'send' },
  agentBot: { path: { botId: talking.id, credentialsId: agent.id }, query: { secret } },
  delivery: {
    workspaceId: here.workspaceId,
    endpointId: webhookEndpoint.id,
    deliveryId: webhookDelivery.id,
  },
  deviceCode,
  browserSessions: expendable,
  timeZones: ['UTC', 'Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'],
  changing: { botId: here.draft.id, folderId: here.folder },
  still,
  real,
  kept,
}
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
if (!has(/^--(in|ex)clude/)) reportUntried()

clearInterval(forgetting)
await app.stop()
await databaseServer.stop()

/** Fails the run if an operation never succeeded: then only its rejections were tried. */
function reportUntried() {
  const succeeded = new Set(readFileSync(successes, 'utf8').split('\n'))
  const untried = endpoints.flatMap(({ operation: { operationId } }) =>
    succeeded.has(operationId) ? [] : [operationId],
  )
  console.log(
    `${endpoints.length - untried.length} of ${endpoints.length} operations succeeded at least once`,
  )
  if (untried.length === 0) return
  console.error(`No request succeeded of ${untried.join(', ')}: give them records in sandbox.py`)
  process.exitCode ||= 1
}

/** Chats that wait for a reply. */
async function startChats(): Promise<string[]> {
  const sessions: string[] = []
  while (sessions.length < 20) sessions.push((await start(app, talking)).sessionId)
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
        CONFORMANCE_SANDBOX: JSON.stringify(sandbox),
        SCHEMATHESIS_DISABLE_TELEMETRY: '1',
      },
    },
  )
  return new Promise((resolve) => schemathesis.on('close', (code) => resolve(code ?? 1)))
}
