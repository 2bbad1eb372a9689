/** Text, number and rating inputs. */
import { at, webUrl } from '../loose.ts'
import { fillNumber } from '../variables.ts'
import { invalid, type ReadReply, understood } from './reading.ts'

/** A text, or a recording where the input takes one, with attachments where it takes them. */
export const readText: ReadReply = (_run, block, { text, message }) => {
  const { audioClip, attachments } = block.options
  if (typeof message === 'object' && message?.type === 'audio') {
    if (at(audioClip, 'isEnabled') !== true || webUrl(message.url) === null) return invalid
    const assignments = [{ variableId: at(audioClip, 'saveVariableId'), value: message.url }]
    return { kind: 'understood', content: message.url, assignments }
  }
  const given =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const attachedFileUrls = at(attachments, 'isEnabled') === true ? given : []
  if (attachedFileUrls.some((url) => webUrl(url) === null)) return invalid
  if (attachedFileUrls.length === 0) return text === '' ? invalid : understood(text)
  const assignments = [{ variableId: at(attachments, 'saveVariableId'), value: attachedFileUrls }]
  return { kind: 'understood', content: text, attachedFileUrls, assignments }
}

/** A decimal number, with a comma or a point. Bounds of 0 are no bounds. */
export const readNumber: ReadReply = async (run, block, { text }) => {
  const compact = text.replace(/\s/g, '')
  const comma = compact.indexOf(',')
  const isGrouping = comma !== -1 && comma < compact.indexOf('.')
  const plain = isGrouping ? compact.replaceAll(',', '') : compact.replace(',', '.')
  if (plain.length > 100 || !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return invalid
  const min = await fillNumber(run, block.options.min)
  const max = await fillNumber(run, block.options.max)
  if ((min && Number(plain) < min) || (max && Number(plain) > max)) return invalid
  return understood(plain)
}

/** Any number up to the length of the scale. */
export const readRating: ReadReply = (_run, block, { text }) => {
  const length = typeof block.options.length === 'number' ? block.options.length : 10
  const trimmed = text.trim()
  const isNumber = trimmed.length <= 20 && /^-?\d+(\.\d+)?$/.test(trimmed)
  return isNumber && Number(trimmed) <= length ? understood(trimmed) : invalid
}
