/* What files are: by the ends of their names, and for pictures by their first bytes. */

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

/** The part of a name behind its last point, in lower case; undefined where there is none. */
export function extensionOf(name: string): string | undefined {
  return /\.([a-z\d]+)$/i.exec(name)?.[1]?.toLowerCase()
}

/** Whether a name ends as one of the types wants, each an extension or a MIME type. */
export function isOfType(name: string, types: string[]): boolean {
  const extension = extensionOf(name)
  return extension !== undefined && types.some((type) => extensionsOf(type).includes(extension))
}

export function extensionsOf(given: string): string[] {
  const type = given.trim().toLowerCase()
  if (!type.includes('/')) return [type.replace(/^\./, '')]
  if (!type.endsWith('/*')) return extensions[type] ?? []
  return Object.keys(extensions)
    .filter((each) => each.startsWith(type.slice(0, -1)))
    .flatMap((each) => extensions[each] ?? [])
}

/** Of files that no browser runs, whatever is in them. */
const pictures: [mediaType: string, first: RegExp][] = [
  ['image/png', /^\x89PNG\r\n.\n/s],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi[fs]/s],
]

/** How many bytes `mediaTypeOf` wants to see. */
export const FIRST_BYTES = 16

/** The media type that a file is served with, by its first bytes: that of a picture, or of bytes of which nothing is known. */
export function mediaTypeOf(first: Buffer): string {
  const text = first.toString('latin1')
  return pictures.find(([, beginning]) => beginning.test(text))?.[0] ?? 'application/octet-stream'
}

const LONGEST_NAME = 100

/**
 * A name that can be shown and saved anywhere: without folders, control characters, what turns the direction of text,
 * or what means something to a shell or a system. Of a long one the end stays, where its type is.
 */
export function safeName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[<>:"|?*,;%&#$`'!{}[\]^~=+@\s]+/g, '_')
    .replace(/^[._-]+/, '')
  let end = cleaned.length
  while (cleaned[end - 1] === '.' || cleaned[end - 1] === '_') end--
  const plain = cleaned.slice(0, end)
  const characters = [...plain]
  const extension = extensionOf(plain)
  if (characters.length <= LONGEST_NAME) return plain === '' ? 'file' : plain
  const tail = extension !== undefined && extension.length <= 10 ? `.${extension}` : ''
  return characters.slice(0, LONGEST_NAME - tail.length).join('') + tail
}
