/** Text inputs. */
import { at, webUrl } from '../../../json/access.ts'
import { uploadsOf } from './file.ts'
import { invalidReading, type ReadReply, understood } from './reading.ts'

/** A text, or a recording where the input takes one, with attachments where it takes them. */
export const readText: ReadReply = async (run, block, { text, message }) => {
  const { audioClip, attachments } = block.options
  if (typeof message === 'object' && message?.type === 'audio') {
    if (at(audioClip, 'isEnabled') !== true || webUrl(message.url) === null) return invalidReading
    const assignments = [{ variableId: at(audioClip, 'saveVariableId'), value: message.url }]
    const uploads = await uploadsOf(run, [message.url])
    if (run.effects.uploads !== null && uploads.length === 0) return invalidReading
    return { kind: 'understood', content: message.url, assignments, uploads }
  }
  const given =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const attachedFileUrls = at(attachments, 'isEnabled') === true ? given : []
  if (attachedFileUrls.some((url) => webUrl(url) === null)) return invalidReading
  const [first, ...more] = attachedFileUrls
  if (first === undefined) return text === '' ? invalidReading : understood(text)
  // One file is a text, so that `{{File}}` in a text is its address; several are a list.
  const value = more.length === 0 ? first : attachedFileUrls
  const assignments = [{ variableId: at(attachments, 'saveVariableId'), value }]
  const uploads = await uploadsOf(run, attachedFileUrls)
  if (run.effects.uploads !== null && uploads.length < new Set(attachedFileUrls).size) return invalidReading
  return { kind: 'understood', content: text, attachedFileUrls, assignments, uploads }
}
