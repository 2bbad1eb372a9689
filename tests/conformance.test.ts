import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ExampleClient } from './conformance/client.ts'
import { type App, startApp } from './support/app.ts'
import { endpoints, parametersOf } from './support/published.ts'
import { signIn } from './support/sign-in.ts'
import { makeWorld } from './support/world.ts'

/*
 * The story that the examples of openapi.yaml tell, lived through by a client that knows only that document:
 * every operation and every example of a body, sent to a running service, which starts without any of it.
 */

let app: App
let client: ExampleClient

beforeAll(async () => {
  app = await startApp()
  const { stranger, here } = await makeWorld(app)
  client = new ExampleClient(app.client, stranger)
  // Only users can be invited, and no operation makes a user.
  client.let('ada@example.com', here.guest.email)
  await signIn(app, stranger)
})

afterAll(() => app.stop())

/** Operations, each with the name of the example that is its body, if it has one. */
const beginning = [
  'getCurrentUser',
  'listBrowserSessions',
  'createWorkspace acme',
  'listWorkspaces',
  'getWorkspace',
  'updateWorkspace rename',
  'updateWorkspace retention',
  'listMembers',
  'addMember member',
  'updateMember guest',
  'removeMember',
  'createInvitation invite',
  'listInvitations',

  'createWebhookEndpoint completed',
  'testWebhookEndpoint',
  'testWebhookEndpoint',
  'updateWebhookEndpoint pause',
  'redeliverWebhookDelivery',
  'rotateWebhookSecret',

  'createCredentials smtp',
  'createCredentials openai',
  'listCredentials',
  'getCredentials',
  'updateCredentials rename',
  'updateCredentials replace',

  'createFolder topLevel',
  'createFolder nested',
  'listFolders',
  'getFolder',
  'updateFolder rename',
  'updateFolder move',

  'createBot empty',
  'createBot flow',
  'listBots',
  'getBot',
  'updateBot rename',
  'updateBot publicId',
  'checkBot',
  'publishBot',
  'publishBot',
  'getPublishedBot',
  'listPublications',
  'getPublication',

  'startPreview group',
  'startPreview simulation',
  'startChat prefilled',
  'continueChat reply',
  'startChat plain',
  'continueChat reply',
  'startChat plain',
  'startChat plain',
  'updateChat variables',
  'saveClientLogs one',
  'saveClientLogs one',
  'listResults',
  'getResult',
  'getTranscript',
  'listResultLogs',
  'exportResults',
  'getStats',
]

/** Goes on once the lists, which now have more than one entry, have been paged through. */
const ending = [
  'updateChat take',
  'updateTypingSign typing',
  'sendMessage text',
  'updateChat return',
  'updateChat end',
  'createCredentials chatwoot',
  'receiveChatwootEvent message',
  'updateBot webhook',
  'listWebhookBlocks',
  'subscribeWebhookBlock hook',
  'getResultExample',
  'unsubscribeWebhookBlock',
  'publishBot',
  'startChat plain',
  'executeWebhook paid',
  'restorePublication',
  'exportBot',
  'duplicateBot beside',
  'duplicateBot named',
  'deleteResults',
  'unpublishBot',
  'importBot current',
  'importBot legacy',
  'updateBot legacy',
  'revokeInvitation',
  'deleteBot',
  'deleteFolder',
  'testCredentials',
  'deleteCredentials',
  'deleteWebhookEndpoint',
  'createToken quarter',
  'createToken limited',
  'listTokens',
  'startDeviceLogin command',
  'continueDeviceLogin ask',
  'revokeBrowserSession',
  'revokeToken',
  'deleteWorkspace',
]

/** Every operation with every example of a body, as steps; but files, for which no chat of the story waits. */
const shown = endpoints.flatMap(({ method, operation: { operationId, requestBody } }) => {
  if (requestBody?.content['application/octet-stream']) return []
  const examples = Object.keys(requestBody?.content['application/json']?.examples ?? {})
  const steps = examples.length > 0 ? examples.map((example) => `${operationId} ${example}`) : [operationId]
  return steps.map((step) => ({ method, step }))
})

/** Reads are inserted wherever there is something to read. */
const told = [...beginning, ...ending]
for (const { method, step } of shown) {
  if (method === 'GET' && !told.includes(step)) beginning.push(step)
}

/** Lists; an export has its next cursor in a header, since its lines are no JSON object. */
const paged = endpoints.filter(
  ({ operation }) =>
    operation.operationId !== 'exportResults' &&
    parametersOf(operation).some(({ name }) => name === 'cursor'),
)

/** Lists that have one record at most in the story. */
const single = new Set([
  'listBrowserSessions',
  'listInvitations',
  'listMembers',
  'listTokens',
  'listWorkspaces',
  'listWorkspaceChats',
])

describe('a client that knows only the document', () => {
  test.each(beginning)('%s', succeed)

  test.each(paged.map(({ operation }) => operation.operationId))('%s, page by page', async (operationId) => {
    const { nextCursor: first } = await client.call(operationId, { query: { limit: 1 } })
    let pages = 1
    for (let cursor = first; cursor !== null; pages++) {
      cursor = (await client.call(operationId, { query: { limit: 1, cursor } })).nextCursor
    }
    expect(pages).toBeGreaterThan(single.has(operationId) ? 0 : 1)
  })

  test.each(ending)('%s', succeed)

  test('has called every operation, with every documented body', () => {
    const steps = [...beginning, ...ending]
    const missing = shown.filter(({ step }) => !steps.includes(step))
    const gone = steps.filter((step) => !shown.some((one) => one.step === step))
    expect([
      ...missing.map(
        ({ step }) => `add '${step}' to the beginning or the ending above, where the story bears it`,
      ),
      ...gone.map((step) => `take '${step}' away: the document does not show it`),
    ]).toEqual([])
  })
})

async function succeed(step: string) {
  const [operationId, example] = step.split(' ') as [string, string?]
  await client.call(operationId, { example })
}
