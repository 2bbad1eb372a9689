import { exampleFlow } from '../bots/examples.ts'
import type { JsonObject } from '../kit/emit/schemas.ts'

/** The most common sequences of requests as Arazzo workflows. A test runs them. */
export function toWorkflows(version: string): JsonObject {
  return {
    arazzo: '1.0.1',
    info: { title: 'Workflows of the bot builder service', version },
    sourceDescriptions: [{ name: 'api', url: './openapi.yaml', type: 'openapi' }],
    workflows: [fromNothing, editSafely],
  }
}

const succeeded = (status: number) => [{ condition: `$statusCode == ${status}` }]
const inPath = (name: string, value: string) => ({ name, in: 'path', value })
const json = (payload: unknown) => ({ contentType: 'application/json', payload })

const fromNothing = {
  workflowId: 'fromNothingToAResult',
  summary: 'From nothing to a published bot with a result',
  description: 'Creates a workspace and a bot, publishes it, chats with it once, and reads the answer.',
  inputs: {
    type: 'object',
    required: ['publicId'],
    properties: {
      publicId: { type: 'string', description: 'Unique name in the address of the bot.' },
    },
  },
  steps: [
    {
      stepId: 'createWorkspace',
      operationId: 'createWorkspace',
      requestBody: json({ name: 'Acme' }),
      successCriteria: succeeded(201),
      outputs: { workspaceId: '$response.body#/workspace/id' },
    },
    {
      stepId: 'createBot',
      operationId: 'createBot',
      requestBody: json({
        workspaceId: '$steps.createWorkspace.outputs.workspaceId',
        bot: { version: '6.1', name: 'Lead generation', publicId: '$inputs.publicId', ...exampleFlow },
      }),
      successCriteria: succeeded(201),
      outputs: { botId: '$response.body#/bot/id' },
    },
    {
      stepId: 'publishBot',
      operationId: 'publishBot',
      parameters: [inPath('botId', '$steps.createBot.outputs.botId')],
      successCriteria: succeeded(200),
    },
    {
      stepId: 'startChat',
      operationId: 'startChat',
      parameters: [inPath('publicId', '$inputs.publicId')],
      requestBody: json({}),
      successCriteria: succeeded(200),
      outputs: { sessionId: '$response.body#/sessionId', revision: '$response.body#/revision' },
    },
    {
      stepId: 'continueChat',
      operationId: 'continueChat',
      parameters: [inPath('sessionId', '$steps.startChat.outputs.sessionId')],
      requestBody: json({ message: 'ada@example.com', revision: '$steps.startChat.outputs.revision' }),
      successCriteria: succeeded(200),
    },
    {
      stepId: 'listResults',
      operationId: 'listResults',
      parameters: [inPath('botId', '$steps.createBot.outputs.botId')],
      successCriteria: [
        ...succeeded(200),
        { condition: "$response.body#/results/0/answers/0/content == 'ada@example.com'" },
      ],
      outputs: { resultId: '$response.body#/results/0/id' },
    },
  ],
  outputs: {
    botId: '$steps.createBot.outputs.botId',
    resultId: '$steps.listResults.outputs.resultId',
  },
}

const editSafely = {
  workflowId: 'editSafely',
  summary: 'Edit a bot without undoing the changes of somebody else',
  description:
    'Sends a change of a bot with the time of the last change that was read. A stale time is a conflict; then reads the bot again and repeats the change.',
  inputs: {
    type: 'object',
    required: ['botId', 'name', 'staleTime'],
    properties: {
      botId: { type: 'string', description: 'Id of the bot.' },
      name: { type: 'string', description: 'The new name.' },
      staleTime: {
        type: 'string',
        description: 'A time of the last change that is older than the stored one.',
      },
    },
  },
  steps: [
    {
      stepId: 'tooLate',
      operationId: 'updateBot',
      parameters: [inPath('botId', '$inputs.botId')],
      requestBody: json({ bot: { version: '6.1', name: '$inputs.name', updatedAt: '$inputs.staleTime' } }),
      successCriteria: [...succeeded(409), { condition: "$response.body#/code == 'CONFLICT'" }],
      outputs: { storedAt: '$response.body#/issues/0/current/updatedAt' },
    },
    {
      stepId: 'readAgain',
      operationId: 'getBot',
      parameters: [inPath('botId', '$inputs.botId')],
      successCriteria: [
        ...succeeded(200),
        { condition: '$response.body#/bot/updatedAt == $steps.tooLate.outputs.storedAt' },
      ],
      outputs: { updatedAt: '$response.body#/bot/updatedAt' },
    },
    {
      stepId: 'repeat',
      operationId: 'updateBot',
      parameters: [inPath('botId', '$inputs.botId')],
      requestBody: json({
        bot: { version: '6.1', name: '$inputs.name', updatedAt: '$steps.readAgain.outputs.updatedAt' },
      }),
      successCriteria: [...succeeded(200), { condition: '$response.body#/bot/name == $inputs.name' }],
      outputs: { updatedAt: '$response.body#/bot/updatedAt' },
    },
  ],
  outputs: { updatedAt: '$steps.repeat.outputs.updatedAt' },
}
