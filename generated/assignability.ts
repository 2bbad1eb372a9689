// Made by `make generate` from contract/. Do not edit.
import type { events, groups, legacyGroupsByVersion } from '../contract/bot-document/index.ts'
import type { operations as contract } from '../contract/index.ts'
import type { z } from '../contract/kit/zod.ts'
import type { components, operations as wire } from './openapi.ts'

/** An error here names the operation, the part and the property that the contract and the document tell apart. */
type Fits<Wide, Narrow extends Wide> = Narrow
export type ContractFitsWire = Fits<Wire, Contract>
export type WireFitsContract = Fits<Contract, Wire>

interface Contract {
  Block: { [B in z.output<typeof groups>[number]['blocks'][number] as string extends B['type'] ? never : B['type']]: B }
  LegacyBlock: { [B in NonNullable<z.output<(typeof legacyGroupsByVersion)['5']>[number]['blocks']>[number] as string extends B['type'] ? never : B['type']]: B }
  FlowEvent: { [B in z.output<typeof events>[number] as string extends B['type'] ? never : B['type']]: B }
  listWorkspaces: {
    query: Required<z.output<(typeof contract)['listWorkspaces']['query']>>
    responseBody: z.output<(typeof contract)['listWorkspaces']['success']['body']>
  }
  createWorkspace: {
    body: z.input<(typeof contract)['createWorkspace']['body']>
    responseBody: z.output<(typeof contract)['createWorkspace']['success']['body']>
  }
  getWorkspace: {
    params: z.output<(typeof contract)['getWorkspace']['params']>
    responseBody: z.output<(typeof contract)['getWorkspace']['success']['body']>
  }
  updateWorkspace: {
    params: z.output<(typeof contract)['updateWorkspace']['params']>
    body: z.input<(typeof contract)['updateWorkspace']['body']>
    responseBody: z.output<(typeof contract)['updateWorkspace']['success']['body']>
  }
  deleteWorkspace: {
    params: z.output<(typeof contract)['deleteWorkspace']['params']>
    responseBody: z.output<(typeof contract)['deleteWorkspace']['success']['body']>
  }
  listMembers: {
    params: z.output<(typeof contract)['listMembers']['params']>
    query: Required<z.output<(typeof contract)['listMembers']['query']>>
    responseBody: z.output<(typeof contract)['listMembers']['success']['body']>
  }
  addMember: {
    params: z.output<(typeof contract)['addMember']['params']>
    body: z.input<(typeof contract)['addMember']['body']>
    responseBody: z.output<(typeof contract)['addMember']['success']['body']>
  }
  updateMember: {
    params: z.output<(typeof contract)['updateMember']['params']>
    body: z.input<(typeof contract)['updateMember']['body']>
    responseBody: z.output<(typeof contract)['updateMember']['success']['body']>
  }
  removeMember: {
    params: z.output<(typeof contract)['removeMember']['params']>
    responseBody: z.output<(typeof contract)['removeMember']['success']['body']>
  }
  createInvitation: {
    params: z.output<(typeof contract)['createInvitation']['params']>
    body: z.input<(typeof contract)['createInvitation']['body']>
    responseBody: z.output<(typeof contract)['createInvitation']['success']['body']>
  }
  listInvitations: {
    params: z.output<(typeof contract)['listInvitations']['params']>
    query: Required<z.output<(typeof contract)['listInvitations']['query']>>
    responseBody: z.output<(typeof contract)['listInvitations']['success']['body']>
  }
  revokeInvitation: {
    params: z.output<(typeof contract)['revokeInvitation']['params']>
    responseBody: z.output<(typeof contract)['revokeInvitation']['success']['body']>
  }
  listCredentials: {
    params: z.output<(typeof contract)['listCredentials']['params']>
    responseBody: z.output<(typeof contract)['listCredentials']['success']['body']>
  }
  createCredentials: {
    params: z.output<(typeof contract)['createCredentials']['params']>
    body: z.input<(typeof contract)['createCredentials']['body']>
    responseBody: z.output<(typeof contract)['createCredentials']['success']['body']>
  }
  getCredentials: {
    params: z.output<(typeof contract)['getCredentials']['params']>
    responseBody: z.output<(typeof contract)['getCredentials']['success']['body']>
  }
  updateCredentials: {
    params: z.output<(typeof contract)['updateCredentials']['params']>
    body: z.input<(typeof contract)['updateCredentials']['body']>
    responseBody: z.output<(typeof contract)['updateCredentials']['success']['body']>
  }
  testCredentials: {
    params: z.output<(typeof contract)['testCredentials']['params']>
    responseBody: z.output<(typeof contract)['testCredentials']['success']['body']>
  }
  deleteCredentials: {
    params: z.output<(typeof contract)['deleteCredentials']['params']>
    responseBody: z.output<(typeof contract)['deleteCredentials']['success']['body']>
  }
  listAuditLog: {
    params: z.output<(typeof contract)['listAuditLog']['params']>
    query: Required<z.output<(typeof contract)['listAuditLog']['query']>>
    responseBody: z.output<(typeof contract)['listAuditLog']['success']['body']>
  }
  listFolders: {
    query: Required<z.output<(typeof contract)['listFolders']['query']>>
    responseBody: z.output<(typeof contract)['listFolders']['success']['body']>
  }
  createFolder: {
    body: z.input<(typeof contract)['createFolder']['body']>
    responseBody: z.output<(typeof contract)['createFolder']['success']['body']>
  }
  getFolder: {
    params: z.output<(typeof contract)['getFolder']['params']>
    query: Required<z.output<(typeof contract)['getFolder']['query']>>
    responseBody: z.output<(typeof contract)['getFolder']['success']['body']>
  }
  updateFolder: {
    params: z.output<(typeof contract)['updateFolder']['params']>
    body: z.input<(typeof contract)['updateFolder']['body']>
    responseBody: z.output<(typeof contract)['updateFolder']['success']['body']>
  }
  deleteFolder: {
    params: z.output<(typeof contract)['deleteFolder']['params']>
    query: Required<z.output<(typeof contract)['deleteFolder']['query']>>
    responseBody: z.output<(typeof contract)['deleteFolder']['success']['body']>
  }
  listBots: {
    query: Required<z.output<(typeof contract)['listBots']['query']>>
    responseBody: z.output<(typeof contract)['listBots']['success']['body']>
  }
  createBot: {
    body: z.input<(typeof contract)['createBot']['body']>
    responseBody: z.output<(typeof contract)['createBot']['success']['body']>
  }
  getBot: {
    params: z.output<(typeof contract)['getBot']['params']>
    query: Required<z.output<(typeof contract)['getBot']['query']>>
    responseBody: z.output<(typeof contract)['getBot']['success']['body']>
  }
  updateBot: {
    params: z.output<(typeof contract)['updateBot']['params']>
    body: z.input<(typeof contract)['updateBot']['body']>
    responseBody: z.output<(typeof contract)['updateBot']['success']['body']>
  }
  deleteBot: {
    params: z.output<(typeof contract)['deleteBot']['params']>
    responseBody: z.output<(typeof contract)['deleteBot']['success']['body']>
  }
  listTemplates: {
    responseBody: z.output<(typeof contract)['listTemplates']['success']['body']>
  }
  getTemplate: {
    params: z.output<(typeof contract)['getTemplate']['params']>
    responseBody: z.output<(typeof contract)['getTemplate']['success']['body']>
  }
  importBot: {
    body: z.input<(typeof contract)['importBot']['body']>
    responseBody: z.output<(typeof contract)['importBot']['success']['body']>
  }
  duplicateBot: {
    params: z.output<(typeof contract)['duplicateBot']['params']>
    body: z.input<(typeof contract)['duplicateBot']['body']>
    responseBody: z.output<(typeof contract)['duplicateBot']['success']['body']>
  }
  exportBot: {
    params: z.output<(typeof contract)['exportBot']['params']>
    responseBody: z.output<(typeof contract)['exportBot']['success']['body']>
  }
  checkBot: {
    params: z.output<(typeof contract)['checkBot']['params']>
    responseBody: z.output<(typeof contract)['checkBot']['success']['body']>
  }
  compareBot: {
    params: z.output<(typeof contract)['compareBot']['params']>
    query: Required<z.output<(typeof contract)['compareBot']['query']>>
    responseBody: z.output<(typeof contract)['compareBot']['success']['body']>
  }
  listWebhookBlocks: {
    params: z.output<(typeof contract)['listWebhookBlocks']['params']>
    responseBody: z.output<(typeof contract)['listWebhookBlocks']['success']['body']>
  }
  getResultExample: {
    params: z.output<(typeof contract)['getResultExample']['params']>
    responseBody: z.output<(typeof contract)['getResultExample']['success']['body']>
  }
  subscribeWebhookBlock: {
    params: z.output<(typeof contract)['subscribeWebhookBlock']['params']>
    body: z.input<(typeof contract)['subscribeWebhookBlock']['body']>
    responseBody: z.output<(typeof contract)['subscribeWebhookBlock']['success']['body']>
  }
  unsubscribeWebhookBlock: {
    params: z.output<(typeof contract)['unsubscribeWebhookBlock']['params']>
    responseBody: z.output<(typeof contract)['unsubscribeWebhookBlock']['success']['body']>
  }
  publishBot: {
    params: z.output<(typeof contract)['publishBot']['params']>
    responseBody: z.output<(typeof contract)['publishBot']['success']['body']>
  }
  unpublishBot: {
    params: z.output<(typeof contract)['unpublishBot']['params']>
    responseBody: z.output<(typeof contract)['unpublishBot']['success']['body']>
  }
  getPublishedBot: {
    params: z.output<(typeof contract)['getPublishedBot']['params']>
    query: Required<z.output<(typeof contract)['getPublishedBot']['query']>>
    responseBody: z.output<(typeof contract)['getPublishedBot']['success']['body']>
  }
  listPublications: {
    params: z.output<(typeof contract)['listPublications']['params']>
    query: Required<z.output<(typeof contract)['listPublications']['query']>>
    responseBody: z.output<(typeof contract)['listPublications']['success']['body']>
  }
  getPublication: {
    params: z.output<(typeof contract)['getPublication']['params']>
    responseBody: z.output<(typeof contract)['getPublication']['success']['body']>
  }
  restorePublication: {
    params: z.output<(typeof contract)['restorePublication']['params']>
    responseBody: z.output<(typeof contract)['restorePublication']['success']['body']>
  }
  listResults: {
    params: z.output<(typeof contract)['listResults']['params']>
    query: Required<z.output<(typeof contract)['listResults']['query']>>
    responseBody: z.output<(typeof contract)['listResults']['success']['body']>
  }
  deleteResults: {
    params: z.output<(typeof contract)['deleteResults']['params']>
    query: Required<z.output<(typeof contract)['deleteResults']['query']>>
    responseBody: z.output<(typeof contract)['deleteResults']['success']['body']>
  }
  getResult: {
    params: z.output<(typeof contract)['getResult']['params']>
    responseBody: z.output<(typeof contract)['getResult']['success']['body']>
  }
  getTranscript: {
    params: z.output<(typeof contract)['getTranscript']['params']>
    responseBody: z.output<(typeof contract)['getTranscript']['success']['body']>
  }
  listResultLogs: {
    params: z.output<(typeof contract)['listResultLogs']['params']>
    query: Required<z.output<(typeof contract)['listResultLogs']['query']>>
    responseBody: z.output<(typeof contract)['listResultLogs']['success']['body']>
  }
  exportResults: {
    params: z.output<(typeof contract)['exportResults']['params']>
    query: Required<z.output<(typeof contract)['exportResults']['query']>>
  }
  getStats: {
    params: z.output<(typeof contract)['getStats']['params']>
    query: Required<z.output<(typeof contract)['getStats']['query']>>
    responseBody: z.output<(typeof contract)['getStats']['success']['body']>
  }
  getBlockStats: {
    params: z.output<(typeof contract)['getBlockStats']['params']>
    query: Required<z.output<(typeof contract)['getBlockStats']['query']>>
    responseBody: z.output<(typeof contract)['getBlockStats']['success']['body']>
  }
  startChat: {
    params: z.output<(typeof contract)['startChat']['params']>
    body: z.input<(typeof contract)['startChat']['body']>
    responseBody: z.output<(typeof contract)['startChat']['success']['body']>
  }
  getSession: {
    params: z.output<(typeof contract)['getSession']['params']>
    responseBody: z.output<(typeof contract)['getSession']['success']['body']>
  }
  listSessionEvents: {
    params: z.output<(typeof contract)['listSessionEvents']['params']>
    query: Required<z.output<(typeof contract)['listSessionEvents']['query']>>
    responseBody: z.output<(typeof contract)['listSessionEvents']['success']['body']>
  }
  continueChat: {
    params: z.output<(typeof contract)['continueChat']['params']>
    body: z.input<(typeof contract)['continueChat']['body']>
    responseBody: z.output<(typeof contract)['continueChat']['success']['body']>
  }
  startPreview: {
    params: z.output<(typeof contract)['startPreview']['params']>
    body: z.input<(typeof contract)['startPreview']['body']>
    responseBody: z.output<(typeof contract)['startPreview']['success']['body']>
  }
  executeWebhook: {
    params: z.output<(typeof contract)['executeWebhook']['params']>
    body: z.input<(typeof contract)['executeWebhook']['body']>
    responseBody: z.output<(typeof contract)['executeWebhook']['success']['body']>
  }
  saveClientLogs: {
    params: z.output<(typeof contract)['saveClientLogs']['params']>
    body: z.input<(typeof contract)['saveClientLogs']['body']>
    responseBody: z.output<(typeof contract)['saveClientLogs']['success']['body']>
  }
  listChats: {
    params: z.output<(typeof contract)['listChats']['params']>
    query: Required<z.output<(typeof contract)['listChats']['query']>>
    responseBody: z.output<(typeof contract)['listChats']['success']['body']>
  }
  listWorkspaceChats: {
    params: z.output<(typeof contract)['listWorkspaceChats']['params']>
    query: Required<z.output<(typeof contract)['listWorkspaceChats']['query']>>
    responseBody: z.output<(typeof contract)['listWorkspaceChats']['success']['body']>
  }
  getChat: {
    params: z.output<(typeof contract)['getChat']['params']>
    responseBody: z.output<(typeof contract)['getChat']['success']['body']>
  }
  updateChat: {
    params: z.output<(typeof contract)['updateChat']['params']>
    body: z.input<(typeof contract)['updateChat']['body']>
    responseBody: z.output<(typeof contract)['updateChat']['success']['body']>
  }
  sendMessage: {
    params: z.output<(typeof contract)['sendMessage']['params']>
    body: z.input<(typeof contract)['sendMessage']['body']>
    responseBody: z.output<(typeof contract)['sendMessage']['success']['body']>
  }
  updateTypingSign: {
    params: z.output<(typeof contract)['updateTypingSign']['params']>
    body: z.input<(typeof contract)['updateTypingSign']['body']>
    responseBody: z.output<(typeof contract)['updateTypingSign']['success']['body']>
  }
  receiveChatwootEvent: {
    params: z.output<(typeof contract)['receiveChatwootEvent']['params']>
    query: Required<z.output<(typeof contract)['receiveChatwootEvent']['query']>>
    body: z.input<(typeof contract)['receiveChatwootEvent']['body']>
    responseBody: z.output<(typeof contract)['receiveChatwootEvent']['success']['body']>
  }
  listWebhookEndpoints: {
    params: z.output<(typeof contract)['listWebhookEndpoints']['params']>
    responseBody: z.output<(typeof contract)['listWebhookEndpoints']['success']['body']>
  }
  createWebhookEndpoint: {
    params: z.output<(typeof contract)['createWebhookEndpoint']['params']>
    body: z.input<(typeof contract)['createWebhookEndpoint']['body']>
    responseBody: z.output<(typeof contract)['createWebhookEndpoint']['success']['body']>
  }
  getWebhookEndpoint: {
    params: z.output<(typeof contract)['getWebhookEndpoint']['params']>
    responseBody: z.output<(typeof contract)['getWebhookEndpoint']['success']['body']>
  }
  updateWebhookEndpoint: {
    params: z.output<(typeof contract)['updateWebhookEndpoint']['params']>
    body: z.input<(typeof contract)['updateWebhookEndpoint']['body']>
    responseBody: z.output<(typeof contract)['updateWebhookEndpoint']['success']['body']>
  }
  deleteWebhookEndpoint: {
    params: z.output<(typeof contract)['deleteWebhookEndpoint']['params']>
    responseBody: z.output<(typeof contract)['deleteWebhookEndpoint']['success']['body']>
  }
  testWebhookEndpoint: {
    params: z.output<(typeof contract)['testWebhookEndpoint']['params']>
    responseBody: z.output<(typeof contract)['testWebhookEndpoint']['success']['body']>
  }
  rotateWebhookSecret: {
    params: z.output<(typeof contract)['rotateWebhookSecret']['params']>
    responseBody: z.output<(typeof contract)['rotateWebhookSecret']['success']['body']>
  }
  listWebhookDeliveries: {
    params: z.output<(typeof contract)['listWebhookDeliveries']['params']>
    query: Required<z.output<(typeof contract)['listWebhookDeliveries']['query']>>
    responseBody: z.output<(typeof contract)['listWebhookDeliveries']['success']['body']>
  }
  getWebhookDelivery: {
    params: z.output<(typeof contract)['getWebhookDelivery']['params']>
    responseBody: z.output<(typeof contract)['getWebhookDelivery']['success']['body']>
  }
  redeliverWebhookDelivery: {
    params: z.output<(typeof contract)['redeliverWebhookDelivery']['params']>
    responseBody: z.output<(typeof contract)['redeliverWebhookDelivery']['success']['body']>
  }
  uploadFile: {
    params: z.output<(typeof contract)['uploadFile']['params']>
    query: Required<z.output<(typeof contract)['uploadFile']['query']>>
    responseBody: z.output<(typeof contract)['uploadFile']['success']['body']>
  }
  getCurrentUser: {
    responseBody: z.output<(typeof contract)['getCurrentUser']['success']['body']>
  }
  listBrowserSessions: {
    query: Required<z.output<(typeof contract)['listBrowserSessions']['query']>>
    responseBody: z.output<(typeof contract)['listBrowserSessions']['success']['body']>
  }
  revokeBrowserSession: {
    params: z.output<(typeof contract)['revokeBrowserSession']['params']>
    responseBody: z.output<(typeof contract)['revokeBrowserSession']['success']['body']>
  }
  listTokens: {
    query: Required<z.output<(typeof contract)['listTokens']['query']>>
    responseBody: z.output<(typeof contract)['listTokens']['success']['body']>
  }
  createToken: {
    body: z.input<(typeof contract)['createToken']['body']>
    responseBody: z.output<(typeof contract)['createToken']['success']['body']>
  }
  revokeToken: {
    params: z.output<(typeof contract)['revokeToken']['params']>
    responseBody: z.output<(typeof contract)['revokeToken']['success']['body']>
  }
  startDeviceLogin: {
    body: z.input<(typeof contract)['startDeviceLogin']['body']>
    responseBody: z.output<(typeof contract)['startDeviceLogin']['success']['body']>
  }
  continueDeviceLogin: {
    body: z.input<(typeof contract)['continueDeviceLogin']['body']>
    responseBody: z.output<(typeof contract)['continueDeviceLogin']['success']['body']>
  }
}

interface Wire {
  Block: { [B in components['schemas']['Block'] as string extends B['type'] ? never : B['type']]: B }
  LegacyBlock: { [B in components['schemas']['LegacyBlock'] as string extends B['type'] ? never : B['type']]: B }
  FlowEvent: { [B in components['schemas']['FlowEvent'] as string extends B['type'] ? never : B['type']]: B }
  listWorkspaces: {
    query: Required<NonNullable<wire['listWorkspaces']['parameters']['query']>>
    responseBody: wire['listWorkspaces']['responses'][200]['content']['application/json']
  }
  createWorkspace: {
    body: NonNullable<wire['createWorkspace']['requestBody']>['content']['application/json']
    responseBody: wire['createWorkspace']['responses'][201]['content']['application/json']
  }
  getWorkspace: {
    params: wire['getWorkspace']['parameters']['path']
    responseBody: wire['getWorkspace']['responses'][200]['content']['application/json']
  }
  updateWorkspace: {
    params: wire['updateWorkspace']['parameters']['path']
    body: NonNullable<wire['updateWorkspace']['requestBody']>['content']['application/json']
    responseBody: wire['updateWorkspace']['responses'][200]['content']['application/json']
  }
  deleteWorkspace: {
    params: wire['deleteWorkspace']['parameters']['path']
    responseBody: wire['deleteWorkspace']['responses'][200]['content']['application/json']
  }
  listMembers: {
    params: wire['listMembers']['parameters']['path']
    query: Required<NonNullable<wire['listMembers']['parameters']['query']>>
    responseBody: wire['listMembers']['responses'][200]['content']['application/json']
  }
  addMember: {
    params: wire['addMember']['parameters']['path']
    body: NonNullable<wire['addMember']['requestBody']>['content']['application/json']
    responseBody: wire['addMember']['responses'][201]['content']['application/json']
  }
  updateMember: {
    params: wire['updateMember']['parameters']['path']
    body: NonNullable<wire['updateMember']['requestBody']>['content']['application/json']
    responseBody: wire['updateMember']['responses'][200]['content']['application/json']
  }
  removeMember: {
    params: wire['removeMember']['parameters']['path']
    responseBody: wire['removeMember']['responses'][200]['content']['application/json']
  }
  createInvitation: {
    params: wire['createInvitation']['parameters']['path']
    body: NonNullable<wire['createInvitation']['requestBody']>['content']['application/json']
    responseBody: wire['createInvitation']['responses'][201]['content']['application/json']
  }
  listInvitations: {
    params: wire['listInvitations']['parameters']['path']
    query: Required<NonNullable<wire['listInvitations']['parameters']['query']>>
    responseBody: wire['listInvitations']['responses'][200]['content']['application/json']
  }
  revokeInvitation: {
    params: wire['revokeInvitation']['parameters']['path']
    responseBody: wire['revokeInvitation']['responses'][200]['content']['application/json']
  }
  listCredentials: {
    params: wire['listCredentials']['parameters']['path']
    responseBody: wire['listCredentials']['responses'][200]['content']['application/json']
  }
  createCredentials: {
    params: wire['createCredentials']['parameters']['path']
    body: NonNullable<wire['createCredentials']['requestBody']>['content']['application/json']
    responseBody: wire['createCredentials']['responses'][201]['content']['application/json']
  }
  getCredentials: {
    params: wire['getCredentials']['parameters']['path']
    responseBody: wire['getCredentials']['responses'][200]['content']['application/json']
  }
  updateCredentials: {
    params: wire['updateCredentials']['parameters']['path']
    body: NonNullable<wire['updateCredentials']['requestBody']>['content']['application/json']
    responseBody: wire['updateCredentials']['responses'][200]['content']['application/json']
  }
  testCredentials: {
    params: wire['testCredentials']['parameters']['path']
    responseBody: wire['testCredentials']['responses'][200]['content']['application/json']
  }
  deleteCredentials: {
    params: wire['deleteCredentials']['parameters']['path']
    responseBody: wire['deleteCredentials']['responses'][200]['content']['application/json']
  }
  listAuditLog: {
    params: wire['listAuditLog']['parameters']['path']
    query: Required<NonNullable<wire['listAuditLog']['parameters']['query']>>
    responseBody: wire['listAuditLog']['responses'][200]['content']['application/json']
  }
  listFolders: {
    query: Required<NonNullable<wire['listFolders']['parameters']['query']>>
    responseBody: wire['listFolders']['responses'][200]['content']['application/json']
  }
  createFolder: {
    body: NonNullable<wire['createFolder']['requestBody']>['content']['application/json']
    responseBody: wire['createFolder']['responses'][201]['content']['application/json']
  }
  getFolder: {
    params: wire['getFolder']['parameters']['path']
    query: Required<NonNullable<wire['getFolder']['parameters']['query']>>
    responseBody: wire['getFolder']['responses'][200]['content']['application/json']
  }
  updateFolder: {
    params: wire['updateFolder']['parameters']['path']
    body: NonNullable<wire['updateFolder']['requestBody']>['content']['application/json']
    responseBody: wire['updateFolder']['responses'][200]['content']['application/json']
  }
  deleteFolder: {
    params: wire['deleteFolder']['parameters']['path']
    query: Required<NonNullable<wire['deleteFolder']['parameters']['query']>>
    responseBody: wire['deleteFolder']['responses'][200]['content']['application/json']
  }
  listBots: {
    query: Required<NonNullable<wire['listBots']['parameters']['query']>>
    responseBody: wire['listBots']['responses'][200]['content']['application/json']
  }
  createBot: {
    body: NonNullable<wire['createBot']['requestBody']>['content']['application/json']
    responseBody: wire['createBot']['responses'][201]['content']['application/json']
  }
  getBot: {
    params: wire['getBot']['parameters']['path']
    query: Required<NonNullable<wire['getBot']['parameters']['query']>>
    responseBody: wire['getBot']['responses'][200]['content']['application/json']
  }
  updateBot: {
    params: wire['updateBot']['parameters']['path']
    body: NonNullable<wire['updateBot']['requestBody']>['content']['application/json']
    responseBody: wire['updateBot']['responses'][200]['content']['application/json']
  }
  deleteBot: {
    params: wire['deleteBot']['parameters']['path']
    responseBody: wire['deleteBot']['responses'][200]['content']['application/json']
  }
  listTemplates: {
    responseBody: wire['listTemplates']['responses'][200]['content']['application/json']
  }
  getTemplate: {
    params: wire['getTemplate']['parameters']['path']
    responseBody: wire['getTemplate']['responses'][200]['content']['application/json']
  }
  importBot: {
    body: NonNullable<wire['importBot']['requestBody']>['content']['application/json']
    responseBody: wire['importBot']['responses'][201]['content']['application/json']
  }
  duplicateBot: {
    params: wire['duplicateBot']['parameters']['path']
    body: NonNullable<wire['duplicateBot']['requestBody']>['content']['application/json']
    responseBody: wire['duplicateBot']['responses'][201]['content']['application/json']
  }
  exportBot: {
    params: wire['exportBot']['parameters']['path']
    responseBody: wire['exportBot']['responses'][200]['content']['application/json']
  }
  checkBot: {
    params: wire['checkBot']['parameters']['path']
    responseBody: wire['checkBot']['responses'][200]['content']['application/json']
  }
  compareBot: {
    params: wire['compareBot']['parameters']['path']
    query: Required<NonNullable<wire['compareBot']['parameters']['query']>>
    responseBody: wire['compareBot']['responses'][200]['content']['application/json']
  }
  listWebhookBlocks: {
    params: wire['listWebhookBlocks']['parameters']['path']
    responseBody: wire['listWebhookBlocks']['responses'][200]['content']['application/json']
  }
  getResultExample: {
    params: wire['getResultExample']['parameters']['path']
    responseBody: wire['getResultExample']['responses'][200]['content']['application/json']
  }
  subscribeWebhookBlock: {
    params: wire['subscribeWebhookBlock']['parameters']['path']
    body: NonNullable<wire['subscribeWebhookBlock']['requestBody']>['content']['application/json']
    responseBody: wire['subscribeWebhookBlock']['responses'][200]['content']['application/json']
  }
  unsubscribeWebhookBlock: {
    params: wire['unsubscribeWebhookBlock']['parameters']['path']
    responseBody: wire['unsubscribeWebhookBlock']['responses'][200]['content']['application/json']
  }
  publishBot: {
    params: wire['publishBot']['parameters']['path']
    responseBody: wire['publishBot']['responses'][200]['content']['application/json']
  }
  unpublishBot: {
    params: wire['unpublishBot']['parameters']['path']
    responseBody: wire['unpublishBot']['responses'][200]['content']['application/json']
  }
  getPublishedBot: {
    params: wire['getPublishedBot']['parameters']['path']
    query: Required<NonNullable<wire['getPublishedBot']['parameters']['query']>>
    responseBody: wire['getPublishedBot']['responses'][200]['content']['application/json']
  }
  listPublications: {
    params: wire['listPublications']['parameters']['path']
    query: Required<NonNullable<wire['listPublications']['parameters']['query']>>
    responseBody: wire['listPublications']['responses'][200]['content']['application/json']
  }
  getPublication: {
    params: wire['getPublication']['parameters']['path']
    responseBody: wire['getPublication']['responses'][200]['content']['application/json']
  }
  restorePublication: {
    params: wire['restorePublication']['parameters']['path']
    responseBody: wire['restorePublication']['responses'][200]['content']['application/json']
  }
  listResults: {
    params: wire['listResults']['parameters']['path']
    query: Required<NonNullable<wire['listResults']['parameters']['query']>>
    responseBody: wire['listResults']['responses'][200]['content']['application/json']
  }
  deleteResults: {
    params: wire['deleteResults']['parameters']['path']
    query: Required<NonNullable<wire['deleteResults']['parameters']['query']>>
    responseBody: wire['deleteResults']['responses'][200]['content']['application/json']
  }
  getResult: {
    params: wire['getResult']['parameters']['path']
    responseBody: wire['getResult']['responses'][200]['content']['application/json']
  }
  getTranscript: {
    params: wire['getTranscript']['parameters']['path']
    responseBody: wire['getTranscript']['responses'][200]['content']['application/json']
  }
  listResultLogs: {
    params: wire['listResultLogs']['parameters']['path']
    query: Required<NonNullable<wire['listResultLogs']['parameters']['query']>>
    responseBody: wire['listResultLogs']['responses'][200]['content']['application/json']
  }
  exportResults: {
    params: wire['exportResults']['parameters']['path']
    query: Required<NonNullable<wire['exportResults']['parameters']['query']>>
  }
  getStats: {
    params: wire['getStats']['parameters']['path']
    query: Required<NonNullable<wire['getStats']['parameters']['query']>>
    responseBody: wire['getStats']['responses'][200]['content']['application/json']
  }
  getBlockStats: {
    params: wire['getBlockStats']['parameters']['path']
    query: Required<NonNullable<wire['getBlockStats']['parameters']['query']>>
    responseBody: wire['getBlockStats']['responses'][200]['content']['application/json']
  }
  startChat: {
    params: wire['startChat']['parameters']['path']
    body: NonNullable<wire['startChat']['requestBody']>['content']['application/json']
    responseBody: wire['startChat']['responses'][200]['content']['application/json']
  }
  getSession: {
    params: wire['getSession']['parameters']['path']
    responseBody: wire['getSession']['responses'][200]['content']['application/json']
  }
  listSessionEvents: {
    params: wire['listSessionEvents']['parameters']['path']
    query: Required<NonNullable<wire['listSessionEvents']['parameters']['query']>>
    responseBody: wire['listSessionEvents']['responses'][200]['content']['application/json']
  }
  continueChat: {
    params: wire['continueChat']['parameters']['path']
    body: NonNullable<wire['continueChat']['requestBody']>['content']['application/json']
    responseBody: wire['continueChat']['responses'][200]['content']['application/json']
  }
  startPreview: {
    params: wire['startPreview']['parameters']['path']
    body: NonNullable<wire['startPreview']['requestBody']>['content']['application/json']
    responseBody: wire['startPreview']['responses'][200]['content']['application/json']
  }
  executeWebhook: {
    params: wire['executeWebhook']['parameters']['path']
    body: NonNullable<wire['executeWebhook']['requestBody']>['content']['application/json']
    responseBody: wire['executeWebhook']['responses'][200]['content']['application/json']
  }
  saveClientLogs: {
    params: wire['saveClientLogs']['parameters']['path']
    body: NonNullable<wire['saveClientLogs']['requestBody']>['content']['application/json']
    responseBody: wire['saveClientLogs']['responses'][200]['content']['application/json']
  }
  listChats: {
    params: wire['listChats']['parameters']['path']
    query: Required<NonNullable<wire['listChats']['parameters']['query']>>
    responseBody: wire['listChats']['responses'][200]['content']['application/json']
  }
  listWorkspaceChats: {
    params: wire['listWorkspaceChats']['parameters']['path']
    query: Required<NonNullable<wire['listWorkspaceChats']['parameters']['query']>>
    responseBody: wire['listWorkspaceChats']['responses'][200]['content']['application/json']
  }
  getChat: {
    params: wire['getChat']['parameters']['path']
    responseBody: wire['getChat']['responses'][200]['content']['application/json']
  }
  updateChat: {
    params: wire['updateChat']['parameters']['path']
    body: NonNullable<wire['updateChat']['requestBody']>['content']['application/json']
    responseBody: wire['updateChat']['responses'][200]['content']['application/json']
  }
  sendMessage: {
    params: wire['sendMessage']['parameters']['path']
    body: NonNullable<wire['sendMessage']['requestBody']>['content']['application/json']
    responseBody: wire['sendMessage']['responses'][200]['content']['application/json']
  }
  updateTypingSign: {
    params: wire['updateTypingSign']['parameters']['path']
    body: NonNullable<wire['updateTypingSign']['requestBody']>['content']['application/json']
    responseBody: wire['updateTypingSign']['responses'][200]['content']['application/json']
  }
  receiveChatwootEvent: {
    params: wire['receiveChatwootEvent']['parameters']['path']
    query: Required<NonNullable<wire['receiveChatwootEvent']['parameters']['query']>>
    body: NonNullable<wire['receiveChatwootEvent']['requestBody']>['content']['application/json']
    responseBody: wire['receiveChatwootEvent']['responses'][200]['content']['application/json']
  }
  listWebhookEndpoints: {
    params: wire['listWebhookEndpoints']['parameters']['path']
    responseBody: wire['listWebhookEndpoints']['responses'][200]['content']['application/json']
  }
  createWebhookEndpoint: {
    params: wire['createWebhookEndpoint']['parameters']['path']
    body: NonNullable<wire['createWebhookEndpoint']['requestBody']>['content']['application/json']
    responseBody: wire['createWebhookEndpoint']['responses'][201]['content']['application/json']
  }
  getWebhookEndpoint: {
    params: wire['getWebhookEndpoint']['parameters']['path']
    responseBody: wire['getWebhookEndpoint']['responses'][200]['content']['application/json']
  }
  updateWebhookEndpoint: {
    params: wire['updateWebhookEndpoint']['parameters']['path']
    body: NonNullable<wire['updateWebhookEndpoint']['requestBody']>['content']['application/json']
    responseBody: wire['updateWebhookEndpoint']['responses'][200]['content']['application/json']
  }
  deleteWebhookEndpoint: {
    params: wire['deleteWebhookEndpoint']['parameters']['path']
    responseBody: wire['deleteWebhookEndpoint']['responses'][200]['content']['application/json']
  }
  testWebhookEndpoint: {
    params: wire['testWebhookEndpoint']['parameters']['path']
    responseBody: wire['testWebhookEndpoint']['responses'][200]['content']['application/json']
  }
  rotateWebhookSecret: {
    params: wire['rotateWebhookSecret']['parameters']['path']
    responseBody: wire['rotateWebhookSecret']['responses'][200]['content']['application/json']
  }
  listWebhookDeliveries: {
    params: wire['listWebhookDeliveries']['parameters']['path']
    query: Required<NonNullable<wire['listWebhookDeliveries']['parameters']['query']>>
    responseBody: wire['listWebhookDeliveries']['responses'][200]['content']['application/json']
  }
  getWebhookDelivery: {
    params: wire['getWebhookDelivery']['parameters']['path']
    responseBody: wire['getWebhookDelivery']['responses'][200]['content']['application/json']
  }
  redeliverWebhookDelivery: {
    params: wire['redeliverWebhookDelivery']['parameters']['path']
    responseBody: wire['redeliverWebhookDelivery']['responses'][200]['content']['application/json']
  }
  uploadFile: {
    params: wire['uploadFile']['parameters']['path']
    query: Required<NonNullable<wire['uploadFile']['parameters']['query']>>
    responseBody: wire['uploadFile']['responses'][200]['content']['application/json']
  }
  getCurrentUser: {
    responseBody: wire['getCurrentUser']['responses'][200]['content']['application/json']
  }
  listBrowserSessions: {
    query: Required<NonNullable<wire['listBrowserSessions']['parameters']['query']>>
    responseBody: wire['listBrowserSessions']['responses'][200]['content']['application/json']
  }
  revokeBrowserSession: {
    params: wire['revokeBrowserSession']['parameters']['path']
    responseBody: wire['revokeBrowserSession']['responses'][200]['content']['application/json']
  }
  listTokens: {
    query: Required<NonNullable<wire['listTokens']['parameters']['query']>>
    responseBody: wire['listTokens']['responses'][200]['content']['application/json']
  }
  createToken: {
    body: NonNullable<wire['createToken']['requestBody']>['content']['application/json']
    responseBody: wire['createToken']['responses'][201]['content']['application/json']
  }
  revokeToken: {
    params: wire['revokeToken']['parameters']['path']
    responseBody: wire['revokeToken']['responses'][200]['content']['application/json']
  }
  startDeviceLogin: {
    body: NonNullable<wire['startDeviceLogin']['requestBody']>['content']['application/json']
    responseBody: wire['startDeviceLogin']['responses'][200]['content']['application/json']
  }
  continueDeviceLogin: {
    body: NonNullable<wire['continueDeviceLogin']['requestBody']>['content']['application/json']
    responseBody: wire['continueDeviceLogin']['responses'][200]['content']['application/json']
  }
}
