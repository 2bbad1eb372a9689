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
  variableReference,
} from '../../fields.ts'
import { limits } from '../../limits.ts'
import { quickText } from '../../quick.ts'
import { anyValue, responseMapping } from './vendor.ts'

/** Options that blocks of several language models share. */

export const completionItems = [
  'Message content',
  'Total tokens',
  'Prompt tokens',
  'Completion tokens',
] as const

export const model = phrase('Name of the model.', 'gpt-4o').optional()
export const message = prose('Text of the message; may hold placeholders.', '{{Question}}').optional()
export const temperature = numberOrText('Sampling temperature of the model, from 0 to 2.', 0.7).optional()

const chatMessage = component(
  'ChatMessage',
  'A message to a model. The role decides which other properties apply.',
  {
    role: oneOf(
      ['system', 'user', 'assistant', 'Dialogue'],
      'Speaker, or Dialogue for earlier messages from a variable. Missing until chosen.',
    ).optional(),
    content: prose(
      'Text of the message, with the roles system, user and assistant.',
      'You are a helpful assistant.',
    ).optional(),
    dialogueVariableId: variableReference(
      'that holds the earlier messages, with role Dialogue',
      'varDialogue',
    ).optional(),
    startsBy: oneOf(['user', 'assistant'], 'First speaker, with role Dialogue. Default user.').optional(),
  },
)

const toolParameter = component('ChatToolParameter', 'A parameter of a function that the model can call.', {
  type: oneOf(['string', 'number', 'boolean', 'enum'], 'Kind of value.').optional(),
  name: name('Name of the parameter.', 'city').optional(),
  description: prose('Meaning of the parameter.', 'City the weather is asked for').optional(),
  required: flag('True if the model must send the parameter. Default false.').optional(),
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

export const tools = list(
  component('ChatTool', 'A function that the model can call.', {
    type: oneOf(['function'], 'Kind of tool.').optional(),
    name: name('Name of the function.', 'getWeather').optional(),
    description: prose('Purpose of the function.', 'Gives the weather of a city').optional(),
    parameters: list(toolParameter, 'Parameters of the function.').optional(),
    code: prose('Body of the function.', 'return fetchWeather(city)').optional(),
  }),
  'Functions that the model can call.',
).optional()

export const functions = list(
  component('AssistantFunction', 'A function that the model can call.', {
    name: name('Name of the function.', 'getWeather').optional(),
    description: prose('Purpose of the function.', 'Gives the weather of a city').optional(),
    parameters: anyValue('Parameters of the function: a JSON Schema, or a list like that of a ChatTool.', [
      { type: 'enum', name: 'city', values: ['Lyon', 'Paris'] },
    ]),
    code: prose('Body of the function.', 'return fetchWeather(city)').optional(),
  }),
  'Functions that the model can call.',
).optional()

export const messages = list(chatMessage, 'The messages, oldest first.').optional()

export const variablesToExtract = list(
  component('VariableToExtract', 'A value that the model finds in the prompt.', {
    type: oneOf(['string', 'number', 'boolean', 'array', 'enum'], 'Kind of value.').optional(),
    variableId: variableReference('that stores the value', 'varCity').optional(),
    description: prose('Meaning of the value.', 'City the visitor lives in').optional(),
    isRequired: flag('True if the model must find the value. Default true.').optional(),
    values: textList(
      'With type enum: the allowed values.',
      ['Lyon', 'Paris'],
      quickText(limits.phrase),
    ).optional(),
  }),
  'With action Generate variables: the values to find.',
).optional()

export const prompt = prose(
  'Prompt for the model; may hold placeholders.',
  'I live in {{Answer}}.',
).optional()
export const speechVariable = variableReference(
  'that stores the address of the sound',
  'varSpeech',
).optional()

/** Properties of every block with a chat completion. */
export const completion = {
  model,
  messages,
  tools,
  temperature,
  responseMapping: responseMapping(`With action Create chat completion: ${completionItems.join(', ')}.`),
}
