import { apiKeyData } from '../../../credential-data.ts'
import { numberOrText, prose } from '../../fields.ts'
import {
  completion,
  completionItems,
  messages,
  model,
  prompt,
  temperature,
  tools,
  variablesToExtract,
} from './model-options.ts'
import { keyProbe, responseMapping, vendor } from './vendor.ts'

/** Language models besides those of OpenAI. */

const example = { credentials: apiKeyData, exampleCredentials: { apiKey: 'sk-example' } }

export const anthropic = vendor({
  type: 'anthropic',
  prefix: 'Anthropic',
  title: 'Anthropic',
  base: 'https://api.anthropic.com',
  // Addresses are written with and without the version.
  probes: ({ apiKey }, base) => [
    {
      method: 'GET',
      path: /\/v1$/.test(base) ? '/models' : '/v1/models',
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    },
  ],
  ...example,
  options: {
    model,
    messages,
    tools,
    systemMessage: prose('Instructions for the whole conversation.', 'Answer in French.').optional(),
    temperature,
    maxTokens: numberOrText('Maximum number of tokens in the response.', 1024).optional(),
    responseMapping: responseMapping('With action Create Chat Message: Message content.'),
    prompt,
    variablesToExtract,
  },
  actions: { 'Create Chat Message': { items: ['Message content'] }, 'Generate variables': {} },
})

export const mistral = vendor({
  type: 'mistral',
  prefix: 'Mistral',
  title: 'Mistral',
  base: 'https://api.mistral.ai/v1',
  probes: keyProbe('/models'),
  ...example,
  options: { ...completion, prompt, variablesToExtract },
  actions: { 'Create chat completion': { items: completionItems }, 'Generate variables': {} },
})

/** A vendor that offers only chat completions. */
function completions<const Type extends string>(
  type: Type,
  prefix: string,
  title: string,
  base: string,
  probe = '/models',
) {
  return vendor({
    type,
    prefix,
    title,
    base,
    probes: keyProbe(probe),
    ...example,
    options: completion,
    actions: { 'Create chat completion': { items: completionItems } },
  })
}

export const groq = completions('groq', 'Groq', 'Groq', 'https://api.groq.com/openai/v1')

export const togetherAi = completions(
  'together-ai',
  'TogetherAi',
  'Together AI',
  'https://api.together.xyz/v1',
)

export const openRouter = completions(
  'open-router',
  'OpenRouter',
  'OpenRouter',
  'https://openrouter.ai/api/v1',
  // Its list of models is public.
  '/key',
)

export const perplexity = completions(
  'perplexity',
  'Perplexity',
  'Perplexity',
  'https://api.perplexity.ai',
  // It lists no models.
  '/async/chat/completions',
)

export const deepSeek = completions('deepseek', 'DeepSeek', 'DeepSeek', 'https://api.deepseek.com')
