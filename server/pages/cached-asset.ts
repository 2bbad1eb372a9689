import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { RequestHandler } from 'express'

/*
 * Files that callers may cache: with an entity tag, and compressed. Each coding is computed once, on its first
 * request; express sends 304 by the tag.
 */

const codings = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
  identity: async (bytes: Buffer) => bytes,
}

type Coding = keyof typeof codings

/** For pages whose parts must be of one release: cached, but revalidated before every use. */
export const askAlways = 'public, no-cache'

/** For files that need no other file of the same release. */
const tenMinutes = 'public, max-age=600'

/** Serves a file. `read` is called on the first requests, and must always return the same. */
export function cachedAsset(
  mediaType: string,
  read: () => string | Buffer | Promise<string>,
  caching: typeof askAlways | typeof tenMinutes = tenMinutes,
): RequestHandler {
  const forms = new Map<Coding, Promise<{ body: Buffer; etag: string }>>()
  const make = async (coding: Coding) => {
    const bytes = Buffer.from(await read())
    const digest = hash('sha256', bytes, 'hex').slice(0, 32)
    // Another coding is another sequence of bytes, hence another strong tag.
    return { body: await codings[coding](bytes), etag: `"${digest}-${coding}"` }
  }
  return async (request, response) => {
    const coding = (request.acceptsEncodings(Object.keys(codings)) || 'identity') as Coding
    const form = forms.get(coding) ?? make(coding)
    forms.set(coding, form)
    // A failed read is retried the next time.
    form.catch(() => forms.delete(coding))
    const { body, etag } = await form
    response.set({ ETag: etag, 'Cache-Control': caching })
    response.vary('Accept-Encoding')
    if (coding !== 'identity' && !request.fresh) response.set('Content-Encoding', coding)
    response.set('Content-Type', `${mediaType}; charset=utf-8`).send(body)
  }
}
