/** File inputs: the client uploads the files and replies with their addresses. */

import { asStrings, at, webUrl } from '../../../json/access.ts'
import { isOfType } from '../../../uploads/kinds.ts'
import type { Upload } from '../../../uploads/uploads.ts'
import { type Execution, waitFor } from '../execution.ts'
import { readVariable } from '../variables.ts'
import { invalidReading, type ReadReply } from './reading.ts'

const maximumFiles = 50

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
  if (urls.length > (isMultipleAllowed === true ? maximumFiles : 1)) return invalidReading
  const types = at(allowedFileTypes, 'isEnabled') === true ? asStrings(at(allowedFileTypes, 'types')) : []
  if (!urls.every((url) => isAllowed(url, types))) return invalidReading
  const uploads = await uploadsOf(run, urls)
  if (run.effects.uploads !== null && uploads.length < urls.length) return invalidReading
  const content = urls.join(', ')
  const isList = Array.isArray(readVariable(run, block.options.variableId))
  return { kind: 'understood', content, value: isList ? urls : content, uploads }
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
