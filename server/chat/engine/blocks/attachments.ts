/** Files that e-mails have attached: uploads of the chat come from the store, others through the outbound client. */
import { webUrl } from '../../../json/access.ts'
import { MAX_RESPONSE_BYTES } from '../../../outbound/client.ts'
import type { Mail } from '../../../outbound/mail.ts'
import type { FoundUpload } from '../../../uploads/uploads.ts'
import { type Execution, log, noMemory, reserveMemory } from '../execution.ts'
import { fetchFile, findUploads, readUpload } from '../files.ts'
import type { VariableValue } from '../types.ts'

const MAX_ATTACHMENTS = 10

/**
 * The files at the addresses of a list, or of a text with commas between them. Those that are left out are in the log.
 */
export async function readAttachments(
  run: Execution,
  context: string,
  value: VariableValue,
  maximumBytes: number,
): Promise<Mail['attachments']> {
  const entries = Array.isArray(value) ? value : (value ?? '').split(', ')
  const addresses = entries.slice(0, MAX_ATTACHMENTS).map((entry) => (entry ?? '').trim())
  const own = await findUploads(run, addresses)
  const read: Mail['attachments'] = []
  if (!(await reserveMemory(run, Math.min(maximumBytes, sizeOfFiles(addresses, own))))) {
    log(run, 'error', 'The attachments were left out', { details: noMemory, context, isInternal: true })
    return read
  }
  const tooLarge = `All attachments together may have ${maximumBytes} bytes`
  let left = maximumBytes
  for (const address of addresses) {
    const url = webUrl(address)
    if (url === null) continue
    const upload = own.get(address)
    const file = upload ? await readAttachment(run, upload, left, tooLarge) : await fetchAttachment(run, url)
    if (typeof file !== 'string' && file.content.length <= left) {
      left -= file.content.length
      read.push(file)
      continue
    }
    const details = typeof file === 'string' ? file : tooLarge
    log(run, 'error', 'An attachment was left out', { details, context, isInternal: true })
  }
  return read
}

/** Bytes of all attachments at most. */
function sizeOfFiles(addresses: string[], own: Map<string, FoundUpload>): number {
  const sizes = addresses.map((address) => {
    const upload = own.get(address)
    return upload ? upload.size : webUrl(address) === null ? 0 : MAX_RESPONSE_BYTES
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A text says why there is no attachment. */
type Attachment = Mail['attachments'][number] | string

async function readAttachment(
  run: Execution,
  upload: FoundUpload,
  maximumBytes: number,
  tooLarge: string,
): Promise<Attachment> {
  const content = await readUpload(run, upload, maximumBytes, tooLarge)
  return typeof content === 'string' ? content : { filename: upload.name, content }
}

async function fetchAttachment(run: Execution, url: URL): Promise<Attachment> {
  const file = await fetchFile(run, url)
  return typeof file === 'string' ? file : { filename: nameOf(url), content: file.bytes }
}

function nameOf(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? ''
  return last.replace(/%[\da-f]{2}|[^\w.-]/gi, '_').slice(-100) || 'attachment'
}
