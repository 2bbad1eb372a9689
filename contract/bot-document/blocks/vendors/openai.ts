import { apiKeyData } from '../../../credential-data.ts'
import { flag, numberOrText, phrase, prose, textList, url, variableReference } from '../../fields.ts'
import { limits } from '../../limits.ts'
import { quickText } from '../../quick.ts'
import {
  completion,
  completionItems,
  functions,
  message,
  prompt,
  speechVariable,
  variablesToExtract,
} from './model-options.ts'
import { bearer, keyProbe, responseMapping, vendor } from './vendor.ts'

/** Other hosts of the API expect the key in a header of their own and the version in the query. */
export function openAiAccess({ apiKey }: { apiKey: string }, apiVersion: string | undefined) {
  const isVersioned = apiVersion !== undefined
  return {
    headers: { ...bearer(apiKey), ...(isVersioned ? { 'api-key': apiKey } : {}) },
    query: { 'api-version': apiVersion },
  }
}

export const openAi = vendor({
  type: 'openai',
  prefix: 'OpenAi',
  title: 'OpenAI',
  base: 'https://api.openai.com/v1',
  probes: keyProbe('/models'),
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'sk-example' },
  options: {
    ...completion,
    responseMapping: responseMapping(
      `With action Create chat completion: ${completionItems.join(', ')}. With action Ask Assistant: Message, Thread ID. With action Ask Model: Message, Response ID.`,
    ),
    baseUrl: url(
      'Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key.',
      'https://api.openai.com/v1',
    ).optional(),
    apiVersion: phrase('Version of the API.', '2024-06-01').optional(),
    assistantId: phrase('With action Ask Assistant: id of the assistant.', 'asst_abc123').optional(),
    threadVariableId: variableReference(
      'that holds the id of the thread, with action Ask Assistant',
      'varThread',
    ).optional(),
    threadId: phrase(
      'Id of the thread, in older documents; threadVariableId replaces it.',
      'thread_abc123',
    ).optional(),
    message,
    functions,
    additionalInstructions: prose(
      'With action Ask Assistant: additions to its instructions.',
      'Answer in French.',
    ).optional(),
    instructions: prose(
      'With the actions Ask Model and Create speech: instructions for the text or the voice.',
      'Be brief.',
    ).optional(),
    responseIdVariableId: variableReference(
      'that holds the id of the last response, with action Ask Model',
      'varResponse',
    ).optional(),
    fileSearchVectorStoreIds: textList(
      'With action Ask Model: ids of the vector stores to search.',
      ['vs_abc123'],
      quickText(limits.phrase),
    ).optional(),
    fileSearchMaxNumResults: numberOrText(
      'With action Ask Model: maximum number of results of a file search.',
      10,
    ).optional(),
    fileSearchScoreThreshold: numberOrText(
      'With action Ask Model: minimum score of a file search, from 0 to 1.',
      0.5,
    ).optional(),
    webSearchEnabled: flag(
      'With action Ask Model: true if the model searches the web. Default false.',
    ).optional(),
    codeInterpreterEnabled: flag(
      'With action Ask Model: true if the model runs code. Default false.',
    ).optional(),
    prompt,
    variablesToExtract,
    input: prose('With action Create speech: the text to speak.', '{{Answer}}').optional(),
    voice: phrase('With action Create speech: name of the voice.', 'alloy').optional(),
    saveUrlInVariableId: speechVariable,
    url: url('With action Create transcription: address of the sound.', '{{Recording}}').optional(),
    transcriptionVariableId: variableReference(
      'that stores the text, with action Create transcription',
      'varText',
    ).optional(),
  },
  actions: {
    'Create chat completion': { items: completionItems },
    'Ask Assistant': {
      items: ['Message', 'Thread ID'],
      shutdownNotice: 'OpenAI shut its Assistants API down on 26 August 2026. Use the action Ask Model',
    },
    'Ask Model': {
      items: ['Message', 'Response ID'],
      required: { model: 'Model is empty', message: 'Message is empty' },
      context: 'While asking OpenAI model',
      timeoutMs: 60_000,
    },
    'Generate variables': {},
    'Create speech': {
      required: {
        input: 'Create speech input is empty',
        voice: 'Create speech voice is empty',
        saveUrlInVariableId: 'Create speech save variable is empty',
      },
      context: 'While generating speech',
      timeoutMs: 60_000,
      request: ({ options: { input, voice, instructions, model = 'tts-1', apiVersion }, credentials }) => ({
        path: '/audio/speech',
        ...openAiAccess(credentials, apiVersion),
        json: {
          model,
          input,
          voice,
          ...(instructions === undefined || model.startsWith('tts-1') ? {} : { instructions }),
        },
      }),
      file: { into: 'saveUrlInVariableId', name: 'speech.mp3', mediaType: 'audio/mpeg' },
      example: {
        options: { input: 'Hello', voice: 'alloy', instructions: 'Kindly', model: 'gpt-4o-mini-tts' },
        request: {
          path: '/audio/speech',
          headers: { authorization: 'Bearer sk-example' },
          body: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy', instructions: 'Kindly' },
        },
        response: 'ID3 sound',
        savedValues: { saveUrlInVariableId: '<file>' },
      },
    },
    'Create transcription': {
      required: { url: 'Audio URL is empty', transcriptionVariableId: 'Missing transcription variable' },
      context: 'While creating OpenAI transcription',
      timeoutMs: 60_000,
    },
  },
})
