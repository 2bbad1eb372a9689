import { credentialData, secret, serviceAddress } from '../../../credential-data.ts'
import { phrase, prose, variableReference } from '../../fields.ts'
import {
  type ActionResult,
  bearer,
  type Call,
  fromPairs,
  type Probe,
  pairs,
  pick,
  pickList,
  responseMapping,
  type VendorRequest,
  vendor,
} from './vendor.ts'

const difyData = credentialData(
  'DifyData',
  'An application, or the knowledge bases of an account, at Dify.',
  {
    apiKey: secret('Key of the application, for Create Chat Message.', 'app-example').optional(),
    knowledgeApiKey: secret(
      'Key of the knowledge bases, for Query Knowledge Base.',
      'dataset-example',
    ).optional(),
    apiEndpoint: serviceAddress(
      'Address of Dify. Default https://api.dify.ai.',
      'https://dify.example.com',
    ).optional(),
  },
)

const chatItems = [
  'Answer',
  'Total Tokens',
  'Message content',
  'Total tokens',
  'Prompt tokens',
  'Completion tokens',
]

const options = {
  query: prose('Text of the query; may hold placeholders.', '{{Question}}').optional(),
  conversationVariableId: variableReference(
    'that holds the id of the conversation',
    'varConversation',
  ).optional(),
  user: phrase('Id of the visitor at the vendor. Default: an id of the session.', '{{User ID}}').optional(),
  inputs: pairs('Inputs of the application.'),
  datasetId: phrase('With action Query Knowledge Base: id of the knowledge base.', 'ds_abc123').optional(),
  responseMapping: responseMapping(
    `With action Create Chat Message: ${chatItems.join(', ')}. With action Query Knowledge Base: Retrieved chunks.`,
  ),
}

type DifyCall = Call<typeof options, typeof difyData>

const noKey = { status: 'error', description: 'No API key provided' } as const

/** Addresses of installations may end with the version. */
const versioned = (base: string, path: string) => (/\/v1$/.test(base) ? path : `/v1${path}`)

/** Always streams the response: agent applications reject other response modes. */
function message({ base, options, credentials, visitorId }: DifyCall, conversation: string): VendorRequest {
  return {
    path: versioned(base, '/chat-messages'),
    headers: bearer(credentials.apiKey ?? ''),
    json: {
      inputs: fromPairs(options.inputs),
      query: options.query,
      response_mode: 'streaming',
      conversation_id: conversation,
      user: options.user ?? visitorId,
    },
  }
}

/** The JSON of each event of a stream. */
function eventsOf(stream: unknown): unknown[] {
  if (typeof stream !== 'string') return []
  return stream.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith('data:')) return []
    try {
      return [JSON.parse(line.slice('data:'.length))]
    } catch {
      return []
    }
  })
}

function readStream(stream: unknown): ActionResult {
  let words = ''
  let conversation: unknown
  let usage: unknown
  for (const event of eventsOf(stream)) {
    switch (pick(event, 'event')) {
      case 'message':
      case 'agent_message':
        words += String(pick(event, 'answer') ?? '')
        break
      case 'message_replace':
        words = String(pick(event, 'answer') ?? '')
        break
      case 'message_end':
        usage = pick(event, 'metadata', 'usage')
        break
      case 'error':
        return { error: String(pick(event, 'message') ?? pick(event, 'code') ?? 'The stream has an error') }
      default:
    }
    conversation = pick(event, 'conversation_id') ?? conversation
  }
  if (conversation === undefined && words === '') return { error: 'The answer has no message' }
  const text = words.replace(/<think>[\s\S]*?(<\/think>|$)/g, '').trim()
  return {
    items: {
      Answer: text,
      'Message content': text,
      'Total Tokens': pick(usage, 'total_tokens'),
      'Total tokens': pick(usage, 'total_tokens'),
      'Prompt tokens': pick(usage, 'prompt_tokens'),
      'Completion tokens': pick(usage, 'completion_tokens'),
    },
    variables: { conversationVariableId: conversation },
  }
}

function probe(part: string, path: string, key: string): Probe {
  return { part, method: 'GET', path, headers: bearer(key) }
}

export const difyAi = vendor({
  type: 'dify-ai',
  prefix: 'DifyAi',
  title: 'Dify',
  base: 'https://api.dify.ai',
  baseKey: 'apiEndpoint',
  probes: ({ apiKey, knowledgeApiKey }, base) => [
    ...(apiKey === undefined ? [] : [probe('apiKey', versioned(base, '/parameters'), apiKey)]),
    ...(knowledgeApiKey === undefined
      ? []
      : [probe('knowledgeApiKey', versioned(base, '/datasets?limit=1'), knowledgeApiKey)]),
  ],
  credentials: difyData,
  exampleCredentials: { apiKey: 'app-example', knowledgeApiKey: 'dataset-example' },
  options,
  actions: {
    'Create Chat Message': {
      items: chatItems,
      required: { query: 'Query is empty' },
      context: 'While creating Dify chat message',
      timeoutMs: 60_000,
      request: (call) => {
        if (call.credentials.apiKey === undefined) return noKey
        return message(call, call.valueOf(call.options.conversationVariableId) ?? '')
      },
      // Conversations expire at the vendor.
      requestAgain: (status, call) =>
        status === 404 && call.valueOf(call.options.conversationVariableId) !== undefined
          ? message(call, '')
          : undefined,
      read: readStream,
      example: {
        options: { query: 'Hello', inputs: [{ key: 'tone', value: 'kind' }], user: 'u1' },
        request: {
          path: '/v1/chat-messages',
          headers: { authorization: 'Bearer app-example' },
          body: {
            inputs: { tone: 'kind' },
            query: 'Hello',
            response_mode: 'streaming',
            conversation_id: '',
            user: 'u1',
          },
        },
        response: [
          'data: {"event": "workflow_started", "conversation_id": "c1"}',
          'data: {"event": "agent_message", "answer": "<think>Hm</think>Good ", "conversation_id": "c1"}',
          'event: ping',
          'data: {"event": "message", "answer": "day", "conversation_id": "c1"}',
          'data: {"event": "message_end", "conversation_id": "c1", "metadata": {"usage": {"total_tokens": 9, "prompt_tokens": 4, "completion_tokens": 5}}}',
          '',
        ].join('\n\n'),
        savedValues: {
          Answer: 'Good day',
          'Message content': 'Good day',
          'Total Tokens': '9',
          'Total tokens': '9',
          'Prompt tokens': '4',
          'Completion tokens': '5',
          conversationVariableId: 'c1',
        },
      },
    },
    'Query Knowledge Base': {
      items: ['Retrieved chunks'],
      required: {
        datasetId: 'Knowledge Base ID is empty',
        query: 'Query is empty',
        responseMapping: 'Missing result variable',
      },
      context: 'While querying Dify knowledge base',
      request: ({ base, options: { datasetId = '', query }, credentials }) =>
        credentials.knowledgeApiKey === undefined
          ? noKey
          : {
              path: versioned(base, `/datasets/${encodeURIComponent(datasetId)}/retrieve`),
              headers: bearer(credentials.knowledgeApiKey),
              json: { query },
            },
      read: (body) => ({
        items: {
          'Retrieved chunks': pickList(body, 'records').map((record) => pick(record, 'segment', 'content')),
        },
      }),
      example: {
        options: { datasetId: 'ds1', query: 'Hello' },
        request: {
          path: '/v1/datasets/ds1/retrieve',
          headers: { authorization: 'Bearer dataset-example' },
          body: { query: 'Hello' },
        },
        response: { records: [{ segment: { content: 'One' } }, { segment: { content: 'Two' } }] },
        savedValues: { 'Retrieved chunks': ['One', 'Two'] },
      },
    },
  },
})
