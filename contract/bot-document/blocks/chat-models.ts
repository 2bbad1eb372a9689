import {
  component,
  flag,
  list,
  name,
  numberOrText,
  oneOf,
  phrase,
  prose,
  textList,
  url,
  variableReference,
} from '../fields.ts'
import { limits } from '../limits.ts'
import { quickText } from '../quick.ts'
import { pairs, responseMapping, vendorBlock } from './vendor.ts'

/** Vendor blocks that talk to language models and speech services. */

const completionItems = ['Message content', 'Total tokens', 'Prompt tokens', 'Completion tokens'] as const

const model = phrase('Name of the model.', 'gpt-4o').optional()
const message = prose('What is said; may hold placeholders.', '{{Question}}').optional()
const temperature = numberOrText('How freely the model answers, from 0 to 2.', 0.7).optional()

const chatMessage = component(
  'ChatMessage',
  'A message given to a model. The role tells which of the other properties are read.',
  {
    role: oneOf(
      ['system', 'user', 'assistant', 'Dialogue'],
      'Who speaks, or Dialogue for earlier messages kept in a variable. Absent: not chosen yet.',
    ).optional(),
    content: prose(
      'What is said, with the roles system, user and assistant.',
      'You are a helpful assistant.',
    ).optional(),
    dialogueVariableId: variableReference(
      'that holds the earlier messages, with role Dialogue',
      'varDialogue',
    ).optional(),
    startsBy: oneOf(['user', 'assistant'], 'Who spoke first, with role Dialogue. Default user.').optional(),
  },
)

const toolParameter = component('ChatToolParameter', 'A parameter of a function that the model can call.', {
  type: oneOf(['string', 'number', 'boolean', 'enum'], 'Kind of value.').optional(),
  name: name('Name of the parameter.', 'city').optional(),
  description: prose('What the parameter means.', 'City the weather is asked for').optional(),
  required: flag('Whether the model must give it. Default false.').optional(),
  values: textList(
    'With type enum: the allowed values.',
    ['Lyon', 'Paris'],
    quickText(limits.phrase),
  ).optional(),
}).meta({
  id: 'ChatToolParameter',
  description: 'A parameter of a function that the model can call.',
  example: {
    type: 'enum',
    name: 'city',
    description: 'City the weather is asked for',
    values: ['Lyon', 'Paris'],
  },
})

const tools = list(
  component('ChatTool', 'A function that the model can call.', {
    type: oneOf(['function'], 'Kind of tool.').optional(),
    name: name('Name of the function.', 'getWeather').optional(),
    description: prose('What the function does.', 'Gives the weather of a city').optional(),
    parameters: list(toolParameter, 'Parameters of the function.').optional(),
    code: prose('Body of the function.', 'return fetchWeather(city)').optional(),
  }),
  'Functions that the model can call.',
).optional()

const functions = list(
  component('AssistantFunction', 'The code of a function that the assistant knows by name.', {
    name: name('Name of the function.', 'getWeather').optional(),
    code: prose('Body of the function.', 'return fetchWeather(city)').optional(),
  }),
  'Functions that the assistant can call.',
).optional()

const messages = list(chatMessage, 'The messages, from the first to the last.').optional()

const variablesToExtract = list(
  component('VariableToExtract', 'A value that the model finds in the prompt.', {
    type: oneOf(['string', 'number', 'boolean', 'array', 'enum'], 'Kind of value.').optional(),
    variableId: variableReference('that takes the value', 'varCity').optional(),
    description: prose('What the value means.', 'City the visitor lives in').optional(),
    isRequired: flag('Whether the model must find it. Default true.').optional(),
    values: textList(
      'With type enum: the allowed values.',
      ['Lyon', 'Paris'],
      quickText(limits.phrase),
    ).optional(),
  }),
  'With action Generate variables: the values to find.',
).optional()

const prompt = prose('What the model is asked; may hold placeholders.', 'I live in {{Answer}}.').optional()
const speechVariable = variableReference('that takes the address of the sound', 'varSpeech').optional()

const completionAnswers = { 'Create chat completion': completionItems }

/** Properties of every block with a chat completion. */
const completion = {
  model,
  messages,
  tools,
  temperature,
  responseMapping: responseMapping(completionAnswers),
}

const openAiAnswers = {
  ...completionAnswers,
  'Ask Assistant': ['Message', 'Thread ID'],
  'Ask Model': ['Message', 'Response ID'],
}

const openAiBlock = vendorBlock(
  {
    prefix: 'OpenAi',
    type: 'openai',
    vendor: 'OpenAI',
    actions: [
      'Create chat completion',
      'Ask Assistant',
      'Ask Model',
      'Generate variables',
      'Create speech',
      'Create transcription',
    ],
    answers: openAiAnswers,
    run: ['Create chat completion', 'Generate variables'],
  },
  {
    ...completion,
    responseMapping: responseMapping(openAiAnswers),
    baseUrl: url(
      'Address of the API, where the credentials name none; only one of the vendor, since the key goes there.',
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
      'With action Ask Assistant: added to its instructions.',
      'Answer in French.',
    ).optional(),
    instructions: prose(
      'With the actions Ask Model and Create speech: how to answer or speak.',
      'Be brief.',
    ).optional(),
    responseIdVariableId: variableReference(
      'that holds the id of the last response, with action Ask Model',
      'varResponse',
    ).optional(),
    fileSearchVectorStoreIds: textList(
      'With action Ask Model: ids of the vector stores that are searched.',
      ['vs_abc123'],
      quickText(limits.phrase),
    ).optional(),
    fileSearchMaxNumResults: numberOrText(
      'With action Ask Model: most results of a file search.',
      10,
    ).optional(),
    fileSearchScoreThreshold: numberOrText(
      'With action Ask Model: lowest score of a file search, from 0 to 1.',
      0.5,
    ).optional(),
    webSearchEnabled: flag('With action Ask Model: whether the web is searched. Default false.').optional(),
    codeInterpreterEnabled: flag(
      'With action Ask Model: whether the model runs code. Default false.',
    ).optional(),
    prompt,
    variablesToExtract,
    input: prose('With action Create speech: what is spoken.', '{{Answer}}').optional(),
    voice: phrase('With action Create speech: name of the voice.', 'alloy').optional(),
    saveUrlInVariableId: speechVariable,
    url: url('With action Create transcription: address of the sound.', '{{Recording}}').optional(),
    transcriptionVariableId: variableReference(
      'that takes the text, with action Create transcription',
      'varText',
    ).optional(),
  },
)

const anthropicAnswers = { 'Create Chat Message': ['Message content'] }

const anthropicBlock = vendorBlock(
  {
    prefix: 'Anthropic',
    type: 'anthropic',
    vendor: 'Anthropic',
    actions: ['Create Chat Message', 'Generate variables'],
    answers: anthropicAnswers,
    run: ['Create Chat Message', 'Generate variables'],
  },
  {
    model,
    messages,
    tools,
    systemMessage: prose(
      'Instructions that hold for the whole conversation.',
      'Answer in French.',
    ).optional(),
    temperature,
    maxTokens: numberOrText('Most tokens of the answer.', 1024).optional(),
    responseMapping: responseMapping(anthropicAnswers),
    prompt,
    variablesToExtract,
  },
)

const mistralBlock = vendorBlock(
  {
    prefix: 'Mistral',
    type: 'mistral',
    vendor: 'Mistral',
    actions: ['Create chat completion', 'Generate variables'],
    answers: completionAnswers,
    run: ['Create chat completion', 'Generate variables'],
  },
  { ...completion, prompt, variablesToExtract },
)

const groqBlock = completionBlock('Groq', 'groq', 'Groq')

const togetherAiBlock = completionBlock('TogetherAi', 'together-ai', 'Together AI')

const openRouterBlock = completionBlock('OpenRouter', 'open-router', 'OpenRouter')

const perplexityBlock = completionBlock('Perplexity', 'perplexity', 'Perplexity')

const deepSeekBlock = completionBlock('DeepSeek', 'deepseek', 'DeepSeek')

const difyAnswers = {
  'Create Chat Message': ['Answer', 'Total Tokens', ...completionItems],
  'Query Knowledge Base': ['Retrieved chunks'],
}

const difyAiBlock = vendorBlock(
  {
    prefix: 'DifyAi',
    type: 'dify-ai',
    vendor: 'Dify',
    actions: ['Create Chat Message', 'Query Knowledge Base'],
    answers: difyAnswers,
  },
  {
    query: prose('What is asked; may hold placeholders.', '{{Question}}').optional(),
    conversationVariableId: variableReference(
      'that holds the id of the conversation',
      'varConversation',
    ).optional(),
    user: phrase('Id of the visitor at the vendor.', '{{User ID}}').optional(),
    inputs: pairs('Inputs of the application.'),
    datasetId: phrase('With action Query Knowledge Base: id of the knowledge base.', 'ds_abc123').optional(),
    responseMapping: responseMapping(difyAnswers),
  },
)

const chatNodeAnswers = { 'Send Message': ['Message', 'Thread ID'] }

const chatNodeBlock = vendorBlock(
  {
    prefix: 'ChatNode',
    type: 'chat-node',
    vendor: 'ChatNode',
    actions: ['Send Message'],
    answers: chatNodeAnswers,
  },
  {
    botId: phrase('Id of the bot at the vendor.', 'b1c2d3').optional(),
    threadId: phrase('Id of the thread.', '{{Thread}}').optional(),
    message,
    responseMapping: responseMapping(chatNodeAnswers),
  },
)

const elevenLabsBlock = vendorBlock(
  { prefix: 'ElevenLabs', type: 'elevenlabs', vendor: 'ElevenLabs', actions: ['Convert text to speech'] },
  {
    text: prose('What is spoken.', '{{Answer}}').optional(),
    voiceId: phrase('Id of the voice.', 'vceRachel').optional(),
    modelId: phrase('Id of the model.', 'eleven_multilingual_v2').optional(),
    saveUrlInVariableId: speechVariable,
  },
)

function completionBlock<const Type extends string>(prefix: string, type: Type, vendor: string) {
  return vendorBlock(
    {
      prefix,
      type,
      vendor,
      actions: ['Create chat completion'],
      answers: completionAnswers,
      run: ['Create chat completion'],
    },
    completion,
  )
}

export const chatModels = [
  openAiBlock,
  anthropicBlock,
  mistralBlock,
  groqBlock,
  togetherAiBlock,
  openRouterBlock,
  perplexityBlock,
  deepSeekBlock,
  difyAiBlock,
  chatNodeBlock,
  elevenLabsBlock,
] as const
