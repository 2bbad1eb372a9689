import { asStrings, valueAt, webUrl } from '../../../json/access.ts'
import { isOfType } from '../../../uploads/kinds.ts'
import type { Upload } from '../../../uploads/uploads.ts'
import { type Execution, waitFor } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import type { Answer, Message } from '../types.ts'
import { readVariable } from '../variables.ts'

/* Outcomes of reading a reply to an input, and the readers of texts and files. */

export type Reading =
  | {
      kind: 'valid'
      /** Stored as the answer, and in the variable of the input unless `value` differs. */
      content: string
      value?: string | string[]
      /** Text that clients show for the answer if it differs from the content; empty for a picture without words. */
      shown?: string
      attachedFileUrls?: Answer['attachedFileUrls']
      /** Files of the chat that the answer names. */
      uploads?: Upload[]
      /** Edge of the chosen item. It goes before the edge of the block. */
      edgeId?: string | undefined
      /** Further variables to set. */
      assignments?: { variableId: unknown; value: string | string[] }[]
    }
  | { kind: 'skipped' }
  | { kind: 'invalid'; retryMessage?: string }

export type ReadReply = (run: Execution, block: Block, reply: Reply) => Promise<Reading> | Reading

export interface Reply {
  /** Empty when nothing was sent. */
  text: string
  message: Message | null
}

export const invalidReading: Reading = { kind: 'invalid' }

export function toReading(content: string): Reading {
  return { kind: 'valid', content }
}

/** A text, or a recording where the input takes one, with attachments where it takes them. */
export const readText: ReadReply = async (run, block, { text, message }) => {
  const { audioClip, attachments } = block.options
  if (typeof message === 'object' && message?.type === 'audio') {
    if (valueAt(audioClip, 'isEnabled') !== true || webUrl(message.url) === null) return invalidReading
    const assignments = [{ variableId: valueAt(audioClip, 'saveVariableId'), value: message.url }]
    const uploads = await uploadsOf(run, [message.url])
    if (run.effects.uploads !== null && uploads.length === 0) return invalidReading
    return { kind: 'valid', content: message.url, assignments, uploads }
  }
  const given =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const attachedFileUrls = valueAt(attachments, 'isEnabled') === true ? given : []
  if (attachedFileUrls.some((url) => webUrl(url) === null)) return invalidReading
  const [first, ...more] = attachedFileUrls
  if (first === undefined) return text === '' ? invalidReading : toReading(text)
  // One file is a text, so that `{{File}}` in a text is its address; several are a list.
  const value = more.length === 0 ? first : attachedFileUrls
  const assignments = [{ variableId: valueAt(attachments, 'saveVariableId'), value }]
  const uploads = await uploadsOf(run, attachedFileUrls)
  if (run.effects.uploads !== null && uploads.length < new Set(attachedFileUrls).size) return invalidReading
  return { kind: 'valid', content: text, attachedFileUrls, assignments, uploads }
}

const MAX_FILES = 50

/**
 * Addresses of files that were uploaded for this chat; where the service has no place for files, any. Nothing at all
 * skips an input that is not required.
 */
export const readFiles: ReadReply = async (run, block, { text, message }) => {
  const { isRequired, isMultipleAllowed, allowedFileTypes } = block.options
  const attached =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const given = attached.length > 0 ? attached : text.split(', ').filter((url) => url.trim() !== '')
  const urls = [...new Set(given.map((url) => url.trim()))]
  if (urls.length === 0) return isRequired === false ? { kind: 'skipped' } : invalidReading
  if (urls.length > (isMultipleAllowed === true ? MAX_FILES : 1)) return invalidReading
  const types =
    valueAt(allowedFileTypes, 'isEnabled') === true ? asStrings(valueAt(allowedFileTypes, 'types')) : []
  if (!urls.every((url) => isAllowed(url, types))) return invalidReading
  const uploads = await uploadsOf(run, urls)
  if (run.effects.uploads !== null && uploads.length < urls.length) return invalidReading
  const content = urls.join(', ')
  const isList = Array.isArray(readVariable(run, block.options.variableId))
  return { kind: 'valid', content, value: isList ? urls : content, uploads }
}

/** Those among the addresses that are files of this chat. */
export async function uploadsOf(run: Execution, urls: string[]): Promise<Upload[]> {
  const { uploads } = run.effects
  if (uploads === null || urls.length === 0) return []
  return [...(await waitFor(run, uploads.find(urls))).values()]
}

function isAllowed(value: string, types: string[]): boolean {
  const url = webUrl(value)
  return url !== null && (types.length === 0 || isOfType(url.pathname, types))
}
