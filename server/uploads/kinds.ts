/* Types of files: by the extension of the name, and for pictures by the first bytes. */

/** Extensions of the MIME types that authors of bots restrict files to. */
const extensions: Record<string, string[]> = {
  'application/json': ['json'],
  'application/msword': ['doc'],
  'application/pdf': ['pdf'],
  'application/rtf': ['rtf'],
  'application/vnd.oasis.opendocument.presentation': ['odp'],
  'application/vnd.oasis.opendocument.spreadsheet': ['ods'],
  'application/vnd.oasis.opendocument.text': ['odt'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/xml': ['xml'],
  'application/zip': ['zip'],
  'application/vnd.ms-powerpoint': ['ppt'],
  'application/x-7z-compressed': ['7z'],
  'application/gzip': ['gz'],
  'audio/aac': ['aac'],
  'audio/flac': ['flac'],
  'audio/mp4': ['m4a', 'mp4'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['ogg', 'oga'],
  'audio/wav': ['wav'],
  'audio/webm': ['webm', 'weba'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/gif': ['gif'],
  'image/heic': ['heic', 'heif'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/svg+xml': ['svg'],
  'image/tiff': ['tif', 'tiff'],
  'image/webp': ['webp'],
  'image/vnd.microsoft.icon': ['ico'],
  'text/calendar': ['ics'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/markdown': ['md', 'markdown'],
  'text/plain': ['txt'],
  'video/mp4': ['mp4', 'm4v'],
  'video/mpeg': ['mpeg', 'mpg'],
  'video/ogg': ['ogv'],
  'video/quicktime': ['mov'],
  'video/x-msvideo': ['avi'],
  'video/x-matroska': ['mkv'],
  'video/webm': ['webm'],
}

/** The part of a name behind its last point, in lower case; undefined where there is none. */
export function extensionOf(name: string): string | undefined {
  return /\.([a-z\d]+)$/i.exec(name)?.[1]?.toLowerCase()
}

/** Other names that browsers and offices have for types. */
const aliases: Record<string, string> = {
  'application/csv': 'text/csv',
  'application/x-pdf': 'application/pdf',
  'application/x-rtf': 'application/rtf',
  'application/x-zip-compressed': 'application/zip',
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'image/heif': 'image/heic',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'image/x-ms-bmp': 'image/bmp',
  'text/rtf': 'application/rtf',
  'text/xml': 'application/xml',
  'text/x-markdown': 'text/markdown',
  'video/avi': 'video/x-msvideo',
}

/** True if the extension of a name is allowed by one of the types, each an extension or a MIME type. */
export function isOfType(name: string, types: string[]): boolean {
  if (types.some(isAnyType)) return true
  const extension = extensionOf(name)
  return extension !== undefined && types.some((type) => extensionsOf(type).includes(extension))
}

const typeOf = (given: string) => given.replace(/;.*$/s, '').trim().toLowerCase()

/** True if a type allows all files. */
export const isAnyType = (given: string): boolean => ['*', '*/*', '.*'].includes(typeOf(given))

/** Extensions that a type allows: all of those of a MIME type; none if the type is unknown. */
export function extensionsOf(given: string): string[] {
  const type = typeOf(given)
  if (type.endsWith('/*')) {
    return Object.keys(extensions)
      .filter((each) => each.startsWith(type.slice(0, -1)))
      .flatMap((each) => extensions[each] ?? [])
  }
  if (type.includes('/')) return extensions[aliases[type] ?? type] ?? []
  const extension = type.replace(/^\*?\./, '')
  if (!/^[a-z\d]+$/.test(extension)) return []
  const same = Object.values(extensions).filter((list) => list.includes(extension) && list[0] !== 'm4a')
  return [...new Set([extension, ...(same.length === 1 ? same.flat() : [])])]
}

/** First bytes of files that no browser executes, whatever they contain. */
const pictures: [mediaType: string, first: RegExp][] = [
  ['image/png', /^\x89PNG\r\n.\n/s],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi[fs]/s],
]

/** Number of bytes that `mediaTypeOf` needs. */
export const FIRST_BYTES = 16

/** The media type in responses, by the first bytes of a file: that of a picture, or of unknown bytes. */
export function mediaTypeOf(first: Buffer): string {
  const text = first.toString('latin1')
  return pictures.find(([, beginning]) => beginning.test(text))?.[0] ?? 'application/octet-stream'
}

/** Characters and bytes of a name: systems take 255 bytes, of which some add a few of their own. */
const MAX_NAME_CHARACTERS = 100
const MAX_NAME_BYTES = 200

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * A name that can be shown and saved anywhere: without folders, control characters, characters that change the
 * direction of text, or special characters of shells and systems. Long names keep their end, with the extension.
 */
export function safeName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    // Joiners stay after a letter or a picture, since they change how it is read or shown.
    .replaceAll(/(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})[\u200c\u200d]/gu, '')
    .replaceAll(/[^\P{C}\u200c\u200d]|[\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[<>:"|?*,;%&#$`'!{}[\]^~=+@\s]+/g, '_')
    .replace(/^[._-]+/, '')
  let end = cleaned.length
  while (cleaned[end - 1] === '.' || cleaned[end - 1] === '_') end--
  const plain = cleaned.slice(0, end)
  if (plain === '') return 'file'
  // Windows takes these for devices, whatever follows.
  const named = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i.test(plain) ? `_${plain}` : plain
  return shortenName(named)
}

/** Cut between whole characters, as people see them. */
function shortenName(name: string): string {
  if ([...name].length <= MAX_NAME_CHARACTERS && Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const extension = extensionOf(name)
  const tail = extension !== undefined && extension.length <= 10 ? `.${extension}` : ''
  let characters = tail.length
  let bytes = tail.length
  let start = ''
  for (const { segment } of segmenter.segment(name.slice(0, 1_000))) {
    characters += [...segment].length
    bytes += Buffer.byteLength(segment)
    if (characters > MAX_NAME_CHARACTERS || bytes > MAX_NAME_BYTES) break
    start += segment
  }
  return start + tail
}
