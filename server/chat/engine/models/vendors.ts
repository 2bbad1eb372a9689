/** Vendors of language models, and the blocks that call them. */
import type { ModelVendor } from '../../../../contract/credentials.ts'
import { filledText } from '../../../json/access.ts'
import type { Block } from '../flow-index.ts'

export type ModelBlockType = ModelVendor | 'OpenAI'

interface Vendor {
  protocol: 'openai' | 'anthropic'
  baseUrl: string
  /** Supported actions of its blocks, by their names in documents. */
  actions: readonly string[]
}

const completion = 'Create chat completion'
const extraction = 'Generate variables'

const openAi: Vendor = {
  protocol: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  actions: [completion, extraction],
}

export const vendors: Readonly<Record<ModelBlockType, Vendor>> = {
  OpenAI: { ...openAi, actions: [completion] },
  openai: openAi,
  anthropic: {
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    actions: ['Create Chat Message', extraction],
  },
  mistral: { ...openAi, baseUrl: 'https://api.mistral.ai/v1' },
  groq: { protocol: 'openai', baseUrl: 'https://api.groq.com/openai/v1', actions: [completion] },
  'together-ai': { protocol: 'openai', baseUrl: 'https://api.together.xyz/v1', actions: [completion] },
  'open-router': { protocol: 'openai', baseUrl: 'https://openrouter.ai/api/v1', actions: [completion] },
  perplexity: { protocol: 'openai', baseUrl: 'https://api.perplexity.ai', actions: [completion] },
  deepseek: { protocol: 'openai', baseUrl: 'https://api.deepseek.com', actions: [completion] },
}

export function isModelBlock(type: string): type is ModelBlockType {
  return Object.hasOwn(vendors, type)
}

/** Returns the action of the block; undefined where none is chosen yet. */
export function actionOf({ options }: Pick<Block, 'options'>, type: string): string | undefined {
  return filledText(type === 'OpenAI' ? options.task : options.action)
}

/** The type of the credentials that a block needs. */
export function credentialsTypeOf(type: ModelBlockType): ModelVendor {
  return type === 'OpenAI' ? 'openai' : type
}

export const extracts = (action: string) => action === extraction
