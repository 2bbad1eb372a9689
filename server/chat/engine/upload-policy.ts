/* Limits of uploads to a chat, set by the input that waits. */

import { asStrings, type JsonObject, valueAt } from '../../json/access.ts'
import { extensionsOf, isOfType } from '../../uploads/kinds.ts'
import { type Block, findBlock, indexFlow } from './flow-index.ts'
import { resultBotOf } from './frames.ts'
import type { Effects, Flow, SessionState } from './types.ts'

/** An input that takes files, and the bot that it is in. */
export interface UploadInput {
  botId: string
  /** Null in a preview. */
  resultId: string | null
  /** Extensions and MIME types; none allows all. */
  types: string[]
  /** Bytes of one file, where the input says so itself. */
  maximumSize: number | undefined
  isPrivate: boolean
}

const MEGABYTE = 1024 * 1024

/** The input that a chat waits at, if it takes files. */
export async function uploadInputOf(
  flow: Flow,
  state: SessionState,
  effects: Pick<Effects, 'loadFlow'>,
): Promise<UploadInput | undefined> {
  const frame = state.frames.at(-1)
  if (!frame || !state.waiting) return undefined
  const own = frame.flowId === null ? flow : await effects.loadFlow(frame.flowId)
  const block = own && findBlock(indexFlow(own), state.waiting)
  if (!block || !takesFiles(block)) return undefined
  const { options } = block
  const { allowedFileTypes, visibility } = options
  const types =
    valueAt(allowedFileTypes, 'isEnabled') === true ? asStrings(valueAt(allowedFileTypes, 'types')) : []
  const isPrivate = [visibility, ...featuresOf(options).map((feature) => valueAt(feature, 'visibility'))]
  return {
    botId: resultBotOf(state.frames) ?? frame.botId,
    resultId: frame.resultId,
    types,
    maximumSize: ownSizeOf(block),
    isPrivate: isPrivate.includes('Private'),
  }
}

/** While people handle a chat, they and the visitor may send any file. */
export function filesForPeople(botId: string, { resultId }: SessionState): UploadInput {
  return { botId, resultId, types: [], maximumSize: undefined, isPrivate: false }
}

/** True if a reply to the block may name files. */
export function takesFiles({ type, options }: Pick<Block, 'type' | 'options'>): boolean {
  return type === 'file input' || (type === 'text input' && featuresOf(options).length > 0)
}

/** Bytes of one file, where an input of an old document says so. */
export function ownSizeOf({ type, options }: Pick<Block, 'type' | 'options'>): number | undefined {
  const { sizeLimit } = options
  const isGiven = type === 'file input' && typeof sizeLimit === 'number' && sizeLimit > 0
  return isGiven ? Math.floor(sizeLimit * MEGABYTE) : undefined
}

/** Returns the features of a text input that take files and are enabled. */
function featuresOf({ attachments, audioClip }: JsonObject): unknown[] {
  return [attachments, audioClip].filter((feature) => valueAt(feature, 'isEnabled') === true)
}

/** Returns why the input does not accept a file of this name; undefined if it does. */
export function refusedType({ types }: UploadInput, name: string): string | undefined {
  if (types.length === 0 || isOfType(name, types)) return undefined
  const taken = [...new Set(types.flatMap(extensionsOf))]
  return taken.length === 0
    ? 'The input names only types that are not known, so it takes no files'
    : `The input takes files that end in ${taken.map((each) => `.${each}`).join(', ')}`
}

/** Bytes of a file and of all files of a chat, as the installation has it. */
export function uploadLimits(config: { UPLOAD_MAX_SIZE: number; UPLOAD_MAX_SIZE_PER_CHAT: number }) {
  return {
    file: config.UPLOAD_MAX_SIZE * MEGABYTE,
    chat: config.UPLOAD_MAX_SIZE_PER_CHAT * MEGABYTE,
  }
}
