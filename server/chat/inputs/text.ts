/** Text, number and rating inputs. */
import { at, webUrl } from '../loose.ts'
import { fillNumber } from '../variables.ts'
import { uploadsOf } from './file.ts'
import { invalid, type ReadReply, understood } from './reading.ts'

/** A text, or a recording where the input takes one, with attachments where it takes them. */
export const readText: ReadReply = async (run, block, { text, message }) => {
  const { audioClip, attachments } = block.options
  if (typeof message === 'object' && message?.type === 'audio') {
    if (at(audioClip, 'isEnabled') !== true || webUrl(message.url) === null) return invalid
    const assignments = [{ variableId: at(audioClip, 'saveVariableId'), value: message.url }]
    const uploads = await uploadsOf(run, [message.url])
    return { kind: 'understood', content: message.url, assignments, uploads }
  }
  const given =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const attachedFileUrls = at(attachments, 'isEnabled') === true ? given : []
  if (attachedFileUrls.some((url) => webUrl(url) === null)) return invalid
  const [first, ...more] = attachedFileUrls
  if (first === undefined) return text === '' ? invalid : understood(text)
  // One file is a text, so that `{{File}}` in a text is its address; several are a list.
  const value = more.length === 0 ? first : attachedFileUrls
  const assignments = [{ variableId: at(attachments, 'saveVariableId'), value }]
  const uploads = await uploadsOf(run, attachedFileUrls)
  return { kind: 'understood', content: text, attachedFileUrls, assignments, uploads }
}

const maximumNumber = 100

/** Beyond so many digits a number is kept as it was typed, because it would be rounded. */
const exactDigits = 15

/**
 * The decimal number that the text begins with, with a comma or a point, whatever unit follows ("24 years"). What
 * begins with a zero stays as it is. Bounds of 0 are no bounds.
 */
export const readNumber: ReadReply = async (run, block, { text }) => {
  const number = leadingNumber(text.trim())
  if (number === null) return invalid
  const min = await fillNumber(run, block.options.min)
  const max = await fillNumber(run, block.options.max)
  if ((min && Number(number) < min) || (max && Number(number) > max)) return invalid
  const isExact = number.replace(/\D/g, '').length <= exactDigits
  return understood(isExact && !number.startsWith('0') ? String(Number(number)) : number)
}

function leadingNumber(text: string): string | null {
  const [head = ''] = /^[+-]?[\d.,\s]*/.exec(text) ?? []
  if (head.length > maximumNumber) return null
  const exponent = /^e[+-]?\d{1,3}(?![\p{L}\d])/iu.exec(text.slice(head.length))?.[0] ?? ''
  // Points and commas at the end belong to the sentence.
  const compact = head.replace(/\s/g, '').replace(/(?<![.,])[.,]+$/, '')
  const comma = compact.indexOf(',')
  const isGrouping = comma !== -1 && comma < compact.indexOf('.')
  const plain = (isGrouping ? compact.replaceAll(',', '') : compact.replace(',', '.')) + exponent
  const isHexadecimal = head.endsWith('0') && /^x/i.test(text.slice(head.length))
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain))
  return isNumber && !isHexadecimal ? plain : null
}

/** Any number up to the length of the scale. */
export const readRating: ReadReply = (_run, block, { text }) => {
  const length = typeof block.options.length === 'number' ? block.options.length : 10
  const trimmed = text.trim()
  const isNumber = trimmed.length <= 20 && /^-?\d+(\.\d+)?$/.test(trimmed)
  return isNumber && Number(trimmed) <= length ? understood(trimmed) : invalid
}
