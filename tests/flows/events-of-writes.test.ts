import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { EventType } from '../../contract/events.ts'
import type { OperationId, operations } from '../../contract/index.ts'
import { fanOutAll } from '../../server/webhooks/outbox.ts'
import { cases } from '../cases/index.ts'
import { type App, startApp } from '../support/app.ts'
import type { Case } from '../support/cases.ts'
import { addEndpoints } from '../support/endpoints.ts'
import { clear } from '../support/rows.ts'
import { makeWorld } from '../support/world.ts'

/*
 * Events that the first case of each write sends to an endpoint for all types. A write that the contract adds does not
 * compile until it names its own, so that none changes a bot, a result or a chat and says nothing.
 */

type WriteId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'get' ? never : Id
}[OperationId]

const events: Record<WriteId, EventType[]> = {
  createWorkspace: [],
  updateWorkspace: [],
  deleteWorkspace: [],
  addMember: [],
  updateMember: [],
  removeMember: [],
  createInvitation: [],
  revokeInvitation: [],
  createCredentials: [],
  updateCredentials: [],
  testCredentials: [],
  deleteCredentials: [],
  createFolder: [],
  updateFolder: [],
  // The job that moves its bots sends theirs.
  deleteFolder: [],
  createBot: ['bot.created'],
  updateBot: ['bot.updated'],
  deleteBot: ['bot.deleted'],
  importBot: ['bot.created'],
  duplicateBot: ['bot.created'],
  subscribeWebhookBlock: ['bot.updated'],
  unsubscribeWebhookBlock: ['bot.updated'],
  // It gets its public id.
  publishBot: ['bot.updated', 'bot.published'],
  unpublishBot: ['bot.unpublished'],
  restorePublication: ['bot.updated'],
  deleteResults: ['results.deleted'],
  startChat: [],
  continueChat: ['result.started', 'result.answered', 'result.completed'],
  startPreview: [],
  executeWebhook: [],
  saveClientLogs: [],
  // Its first case sets a variable; tests/flows/chat-events.test.ts has those that hand a chat over.
  updateChat: [],
  sendMessage: [],
  updateTypingSign: [],
  receiveChatwootEvent: [],
  createWebhookEndpoint: [],
  updateWebhookEndpoint: [],
  deleteWebhookEndpoint: [],
  testWebhookEndpoint: [],
  rotateWebhookSecret: [],
  redeliverWebhookDelivery: [],
  uploadFile: [],
  revokeBrowserSession: [],
  createToken: [],
  revokeToken: [],
  startDeviceLogin: [],
  continueDeviceLogin: [],
}

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
beforeEach(() => clear(app.pool))

test.each(Object.keys(events) as WriteId[])('%s sends its events', async (id) => {
  const world = await makeWorld(app)
  const ok = cases[id]?.ok as Case | Record<string, Case>
  const first = typeof ok === 'function' ? ok : Object.values(ok)[0]
  const request = await first?.(world, app)
  await addEndpoints(app, world.here.workspaceId, [{ id: 'all', url: 'https://93.184.216.34/all' }])
  const { status } = await app.client.call(id, request ?? {})
  await fanOutAll(app.db)
  const { rows } = await app.pool.query(
    "SELECT type FROM webhook_deliveries WHERE endpoint_id = 'all' ORDER BY created_at, seq",
  )
  expect([status < 300, rows.map(({ type }) => type)]).toEqual([true, events[id]])
})
