/** Reads the body of a response: unpacks it, limits its size and decodes its text. */
import type { IncomingMessage } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { parse } from 'content-type'
import { BrokenOff, fail, messageOf, type OutboundFailure } from './failure.ts'

/** Some servers call a body deflate that lacks the header of that format. */
const decoders: Record<string, (first: Buffer) => Duplex> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
}

const MAX_ENCODINGS = 2

/** Room is taken for so many bytes of a response, and for as many again each time that it has more. */
const MIN_RESERVED_BYTES = 16 * 1024

export type ReserveMemory = (bytes: number) => Promise<boolean>

/** Throws `BrokenOff` where the body is too large, ends before its end, or cannot be unpacked. */
export async function* readBody(
  response: IncomingMessage,
  maximumBytes: number,
  end: (isWhole: boolean) => void,
  whyLate: () => OutboundFailure | undefined,
  reserveMemory: ReserveMemory = async () => true,
): AsyncGenerator<Buffer> {
  let isWhole = false
  try {
    const packed = limitBytes(receiveChunks(response, whyLate), maximumBytes)
    yield* countBytes(limitBytes(decompress(response, packed), maximumBytes), reserveMemory)
    isWhole = true
  } finally {
    end(isWhole)
  }
}

async function* receiveChunks(
  response: IncomingMessage,
  whyLate: () => OutboundFailure | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* response as AsyncIterable<Buffer>
  } catch (error) {
    throw new BrokenOff(whyLate() ?? fail('network', `The answer broke off: ${messageOf(error)}`))
  }
}

async function* limitBytes(bytes: AsyncIterable<Buffer>, maximumBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maximumBytes) {
      throw new BrokenOff(fail('size', `The answer is larger than ${maximumBytes} bytes`))
    }
    yield chunk
  }
}

async function* countBytes(
  bytes: AsyncIterable<Buffer>,
  reserveMemory: ReserveMemory,
): AsyncGenerator<Buffer> {
  let size = 0
  let taken = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > taken) {
      const more = Math.max(MIN_RESERVED_BYTES, taken, size - taken)
      if (!(await reserveMemory(more))) {
        throw new BrokenOff(fail('size', 'The answer is larger than the service has room for now'))
      }
      taken += more
    }
    yield chunk
  }
}

async function* decompress(
  { headers }: IncomingMessage,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(',')
  const encodings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  let bytes = packed
  // The last one was applied last.
  for (const encoding of encodings.reverse()) {
    if (!Object.hasOwn(decoders, encoding) || encodings.length > MAX_ENCODINGS) {
      throw new BrokenOff(fail('network', `The answer has the encoding ${encoding}, which cannot be read`))
    }
    bytes = decodeChunks(bytes, encoding)
  }
  yield* bytes
}

/** An empty body is no stream of any encoding, but a response without a body. */
async function* decodeChunks(packed: AsyncGenerator<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const first = await packed.next()
  if (first.done) return
  const decoder = decoders[encoding]?.(first.value) as Duplex
  const all = async function* () {
    yield first.value
    yield* packed
  }
  pipeline(all, decoder, () => {})
  try {
    yield* decoder as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof BrokenOff) throw error
    throw new BrokenOff(fail('network', `The answer is no valid ${encoding}: ${messageOf(error)}`))
  }
}

/** With the text of its body in the charset that its media type names, UTF-8 by default. */
export function withText<Whole extends { ok: true; body: Uint8Array; contentType: string }>(
  response: Whole | OutboundFailure,
): (Whole & { text: string }) | OutboundFailure {
  if (!response.ok) return response
  const charset = parse(response.contentType).parameters.charset?.trim() || 'utf-8'
  try {
    const decoder = new TextDecoder(charset)
    // Without `stream`, Node 20 takes windows-1252 for Latin 1.
    return { ...response, text: decoder.decode(response.body, { stream: true }) + decoder.decode() }
  } catch {
    return fail('network', `The answer has the charset ${charset.slice(0, 40)}, which cannot be read`)
  }
}
