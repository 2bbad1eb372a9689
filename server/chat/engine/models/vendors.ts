/** Vendors of language models, and the blocks that call them. */
import { vendorRow } from '../../../../contract/bot-document/blocks/vendors/all.ts'
import { type ModelVendor, modelVendors } from '../../../../contract/credentials.ts'
import { filledText } from '../../../json/access.ts'
import type { Block } from '../flow-index.ts'

export type ModelBlockType = ModelVendor | 'OpenAI'

const EXTRACTION = 'Generate variables'

/** Actions that converse with a model or extract values. Other actions of these vendors run as those of any vendor. */
const modelActions: readonly string[] = ['Create chat completion', 'Create Chat Message', EXTRACTION]

const types: ReadonlySet<string> = new Set(['OpenAI', ...modelVendors])

export function isModelBlock(type: string): type is ModelBlockType {
  return types.has(type)
}

/** Returns the action of the block; undefined where none is chosen yet. */
export function actionOf({ options }: Pick<Block, 'options'>, type: string): string | undefined {
  return filledText(type === 'OpenAI' ? options.task : options.action)
}

/** The older block of OpenAI as the newer one, which has its options under the same names. */
export function asVendorBlock(block: Block): Block {
  if (block.type !== 'OpenAI') return block
  return { ...block, type: 'openai', options: { ...block.options, action: block.options.task } }
}

/** True if the action calls a model of the vendor. */
export function asksModel(type: ModelBlockType, action: string): boolean {
  if (type === 'OpenAI') return action === 'Create chat completion'
  return modelActions.includes(action) && vendorRow(type)?.actions[action] !== undefined
}

/** Address of the API of the vendor. */
export function baseUrlOfVendor(type: ModelBlockType): string {
  return vendorRow(credentialsTypeOf(type))?.base ?? ''
}

export function protocolOf(type: ModelBlockType): 'openai' | 'anthropic' {
  return type === 'anthropic' ? 'anthropic' : 'openai'
}

/** The type of the credentials that a block needs. */
export function credentialsTypeOf(type: ModelBlockType): ModelVendor {
  return type === 'OpenAI' ? 'openai' : type
}

export const extracts = (action: string) => action === EXTRACTION
