/** Files that blocks read and make. Uploads of the chat come from the store, private ones too, never by HTTP. */
import { addAbortSignal } from 'node:stream'
import { webUrl } from '../../json/access.ts'
import type { FoundUpload } from '../../uploads/uploads.ts'
import {
  computeRemainingMilliseconds,
  currentFrame,
  type Execution,
  noMemory,
  reserveMemory,
  spendOutboundCall,
  waitFor,
} from './execution.ts'
import { resultBotOf } from './frames.ts'

const FETCH_TIMEOUT_MS = 10_000

/** Uploads of the chat among some addresses, by these. */
export async function findUploads(run: Execution, addresses: string[]): Promise<Map<string, FoundUpload>> {
  const { uploads } = run.effects
  return uploads === null || addresses.length === 0
    ? new Map()
    : waitFor(run, uploads.find(addresses.slice(0, 100)))
}

/** The bytes of an upload; a text says why there are none. */
export async function readUpload(
  run: Execution,
  upload: FoundUpload,
  maximumBytes: number,
  tooLarge: string,
): Promise<Buffer | string> {
  return waitFor(run, collect(run, upload, maximumBytes, tooLarge))
}

async function collect(
  run: Execution,
  upload: FoundUpload,
  maximumBytes: number,
  tooLarge: string,
): Promise<Buffer | string> {
  if (upload.size > maximumBytes) return tooLarge
  try {
    const bytes = await run.effects.uploads?.read(upload)
    if (bytes === undefined) return 'The file is gone'
    addAbortSignal(AbortSignal.timeout(Math.max(1, Math.ceil(computeRemainingMilliseconds(run)))), bytes)
    // Chunks beside the whole would take its memory twice.
    const whole = Buffer.allocUnsafe(upload.size)
    let size = 0
    for await (const chunk of bytes) size += (chunk as Buffer).copy(whole, size)
    return whole.subarray(0, size)
  } catch {
    return 'The file could not be read'
  }
}

/** The bytes and the media type at an address of another service; a text says why there are none. */
export async function fetchFile(
  run: Execution,
  url: URL,
  maximumBytes?: number,
): Promise<{ bytes: Uint8Array; mediaType: string } | string> {
  if (!(await spendOutboundCall(run))) return 'One turn may not call out more often, or has no room in memory'
  const milliseconds = Math.max(1, Math.min(FETCH_TIMEOUT_MS, computeRemainingMilliseconds(run)))
  const request = { url: url.href, method: 'GET', headers: {}, milliseconds }
  const response = await waitFor(
    run,
    run.effects.httpRequest(maximumBytes === undefined ? request : { ...request, maximumBytes }),
  )
  if (!response.ok) return response.message
  return response.status < 300
    ? { bytes: response.body, mediaType: response.contentType }
    : `Status ${response.status}`
}

/** The file at an address: an upload of the chat, or one of another service. */
export async function readFileAt(
  run: Execution,
  address: string,
  maximumBytes: number,
  tooLarge: string,
): Promise<{ bytes: Uint8Array; mediaType: string; name: string } | string> {
  const url = webUrl(address)
  if (url === null) return 'This is no web address'
  const upload = (await findUploads(run, [address])).get(address)
  if (upload === undefined) {
    const fetched = await fetchFile(run, url, maximumBytes)
    return typeof fetched === 'string' ? fetched : { ...fetched, name: url.pathname.split('/').at(-1) ?? '' }
  }
  if (!(await reserveMemory(run, upload.size))) return noMemory
  const bytes = await readUpload(run, upload, maximumBytes, tooLarge)
  return typeof bytes === 'string' ? bytes : { bytes, mediaType: upload.mediaType, name: upload.name }
}

/** Stores a file that a block made, and returns its address; `problem` says why it could not. */
export async function storeFile(
  run: Execution,
  file: { name: string; mediaType: string; bytes: Uint8Array },
): Promise<{ address: string } | { problem: string }> {
  const { uploads } = run.effects
  if (uploads === null) return { problem: 'The service has no place for files' }
  const frame = currentFrame(run)
  const owner = { botId: resultBotOf(run.frames) ?? frame.botId, resultId: frame.resultId }
  const stored = await waitFor(run, uploads.store(file, owner))
  if (typeof stored === 'string') return { problem: stored }
  run.uploads.push(stored.upload)
  return { address: stored.address }
}
