import {
  component,
  id,
  list,
  notOneOf,
  numberOrText,
  oneOf,
  phrase,
  prose,
  reference,
  url,
  variableReference,
} from '../fields.ts'
import { limits } from '../limits.ts'
import { quickText } from '../quick.ts'
import { selectUnion, wrongType } from '../union.ts'
import { block } from './block.ts'

/** The built-in OpenAI block. It is older than the vendor blocks and still part of every version. */

const messagesSequence = component(
  'ClassicOpenAiMessagesSequence',
  'Earlier messages, from two list variables in turn.',
  {
    assistantMessagesVariableId: variableReference(
      'with the messages of the assistant',
      'varBotMessages',
    ).optional(),
    userMessagesVariableId: variableReference('with the messages of the user', 'varUserMessages').optional(),
  },
)

const sequenceRole = 'Messages sequence ✨'
const messageText = quickText(limits.prose)

const message = component(
  'ClassicOpenAiMessage',
  'A message to the model. The role decides which other properties apply.',
  {
    id: id('Id of the message.', 'msgSystem'),
    role: oneOf(
      ['system', 'user', 'assistant', sequenceRole, 'Dialogue'],
      'Speaker, or source of earlier messages. Missing until chosen.',
    ).optional(),
    content: selectUnion([messageText, messagesSequence], (value) => {
      if (typeof value === 'string') return messageText
      if (typeof value === 'object' && value !== null) return messagesSequence
      return wrongType('Expected a text, or an object with the role "Messages sequence ✨"')
    })
      .meta({
        description:
          'Text of the message; with role Messages sequence ✨ the variables that hold earlier messages.',
        example: 'You are a helpful assistant.',
      })
      .optional(),
    name: phrase('Name of the speaker.', 'Ada').optional(),
    dialogueVariableId: variableReference(
      'that holds the earlier messages, with role Dialogue',
      'varDialogue',
    ).optional(),
    startsBy: oneOf(['user', 'assistant'], 'First speaker, with role Dialogue. Default user.').optional(),
  },
  ({ role, content }) => {
    if (content === undefined || role === undefined || role === 'Dialogue') return undefined
    return (typeof content === 'string') === (role === sequenceRole)
      ? {
          path: ['content'],
          message: `Expected ${role === sequenceRole ? 'an object' : 'a text'} with the role "${role}"`,
        }
      : undefined
  },
)

const completionValues = ['Message content', 'Total tokens', 'Prompt tokens', 'Completion tokens'] as const
const imageValues = ['Image URL'] as const

export const classicOpenAiBlock = block(
  'ClassicOpenAiBlock',
  'OpenAI',
  'Calls an OpenAI model. Chats of this service run the task Create chat completion, with credentials of type openai, and skip other tasks. Newer documents use the block of type openai.',
  {
    options: component(
      'ClassicOpenAiOptions',
      'Request to the model. The task decides which other properties apply.',
      {
        credentialsId: reference('Id of the credentials of the account.', 'crdOpenAi').optional(),
        baseUrl: url(
          'Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key.',
          'https://api.openai.com/v1',
        ).optional(),
        apiVersion: phrase('Version of the API.', '2024-06-01').optional(),
        task: oneOf(
          ['Create chat completion', 'Create speech', 'Create image'],
          'Task of the block. Without a task the block does nothing.',
        ).optional(),
        model: phrase('Name of the model.', 'gpt-4o').optional(),
        messages: list(message, 'With task Create chat completion: the messages.').optional(),
        advancedSettings: component('ClassicOpenAiSettings', 'Settings of a chat completion.', {
          temperature: numberOrText('Sampling temperature of the model, from 0 to 2.', 0.7).optional(),
        }).optional(),
        prompt: prose('With task Create image: content of the picture.', 'A cat on a roof').optional(),
        advancedOptions: component(
          'ClassicOpenAiImageOptions',
          'Settings of a picture. Required with task Create image.',
          {
            size: oneOf(['256x256', '512x512', '1024x1024'], 'Width and height in pixels.').optional(),
          },
        ).optional(),
        input: prose('With task Create speech: the text to speak.', '{{Answer}}').optional(),
        voice: oneOf(
          ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'],
          'With task Create speech: the voice.',
        ).optional(),
        saveUrlInVariableId: variableReference(
          'that stores the address of the sound, with task Create speech',
          'varSpeech',
        ).optional(),
        responseMapping: list(
          component('ClassicOpenAiMapping', 'Stores one part of the response in a variable.', {
            id: id('Id of the entry.', 'mapReply'),
            valueToExtract: phrase(
              'Part of the response: `Image URL` for pictures, else `Message content`, `Total tokens`, `Prompt tokens` or `Completion tokens`. Default, also if empty: Message content.',
              'Message content',
            ).optional(),
            variableId: variableReference('that stores the part', 'varReply').optional(),
          }),
          'Parts of the response and the variables that store them. Required with task Create image.',
        ).optional(),
      },
      ({ task, advancedOptions, responseMapping }) => {
        if (task !== 'Create image') return undefined
        if (advancedOptions === undefined) return missingKey('advancedOptions')
        if (responseMapping === undefined) return missingKey('responseMapping')
        return undefined
      },
      ({ task, responseMapping = [] }) => {
        const allowed: readonly string[] =
          task === 'Create chat completion'
            ? ['', ...completionValues]
            : task === 'Create image'
              ? imageValues
              : ['', ...completionValues, ...imageValues]
        const index = responseMapping.findIndex(
          ({ valueToExtract }) => valueToExtract !== undefined && !allowed.includes(valueToExtract),
        )
        return index < 0 ? undefined : notOneOf(['responseMapping', index, 'valueToExtract'], allowed)
      },
    ).optional(),
  },
)

function missingKey(key: string) {
  return { path: [key], message: `Required with task "Create image"` }
}
