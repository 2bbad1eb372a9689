/** File inputs: the client uploads elsewhere and replies with the addresses of the files. */
import { at, texts, webUrl } from '../loose.ts'
import { invalid, type ReadReply } from './reading.ts'

const maximumFiles = 50

/** Extensions of the MIME types that authors of bots restrict files to. */
const extensions: Record<string, string[]> = {
  'application/json': ['json'],
  'application/msword': ['doc'],
  'application/pdf': ['pdf'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/xml': ['xml'],
  'application/zip': ['zip'],
  'audio/mp4': ['m4a', 'mp4'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['ogg', 'oga'],
  'audio/wav': ['wav'],
  'audio/webm': ['webm', 'weba'],
  'image/avif': ['avif'],
  'image/gif': ['gif'],
  'image/heic': ['heic'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/svg+xml': ['svg'],
  'image/tiff': ['tif', 'tiff'],
  'image/webp': ['webp'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/markdown': ['md'],
  'text/plain': ['txt'],
  'video/mp4': ['mp4'],
  'video/mpeg': ['mpeg', 'mpg'],
  'video/ogg': ['ogv'],
  'video/quicktime': ['mov'],
  'video/webm': ['webm'],
}

/** Nothing at all skips an input that is not required. */
export const readFiles: ReadReply = (_run, block, { text, message }) => {
  const { isRequired, isMultipleAllowed, allowedFileTypes } = block.options
  const attached =
    typeof message === 'object' && message?.type === 'text' ? (message.attachedFileUrls ?? []) : []
  const urls = attached.length > 0 ? attached : text.split(', ').filter((url) => url.trim() !== '')
  if (urls.length === 0) return isRequired === false ? { kind: 'skipped' } : invalid
  if (urls.length > (isMultipleAllowed === true ? maximumFiles : 1)) return invalid
  const types = at(allowedFileTypes, 'isEnabled') === true ? texts(at(allowedFileTypes, 'types')) : []
  if (!urls.every((url) => isAllowed(url, types))) return invalid
  const content = urls.join(', ')
  return { kind: 'understood', content, value: isMultipleAllowed === true ? urls : content }
}

function isAllowed(value: string, types: string[]): boolean {
  const url = webUrl(value.trim())
  if (url === null) return false
  const extension = /\.([a-z\d]+)$/i.exec(url.pathname)?.[1]?.toLowerCase()
  return (
    types.length === 0 ||
    (extension !== undefined && types.some((type) => extensionsOf(type).includes(extension)))
  )
}

function extensionsOf(given: string): string[] {
  const type = given.trim().toLowerCase()
  if (!type.includes('/')) return [type.replace(/^\./, '')]
  if (!type.endsWith('/*')) return extensions[type] ?? []
  return Object.keys(extensions)
    .filter((each) => each.startsWith(type.slice(0, -1)))
    .flatMap((each) => extensions[each] ?? [])
}
