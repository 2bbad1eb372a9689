import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { RequestHandler } from 'express'

/*
 * Files that callers may keep: with an entity tag, and compressed. Each is compressed once, when somebody first asks for
 * it so; express answers 304 by the tag.
 */

const codings = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
  identity: async (bytes: Buffer) => bytes,
}

type Coding = keyof typeof codings

/** For pages whose parts must be of one release: kept, and asked for before every use. */
export const askAlways = 'public, no-cache'

/** For what is whole by itself. */
const tenMinutes = 'public, max-age=600'

/** Answers with a file. `read` is called at the first requests, and must give the same ever after. */
export function kept(
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
    // What could not be read, is read again.
    form.catch(() => forms.delete(coding))
    const { body, etag } = await form
    response.set({ ETag: etag, 'Cache-Control': caching })
    response.vary('Accept-Encoding')
    if (coding !== 'identity' && !request.fresh) response.set('Content-Encoding', coding)
    response.set('Content-Type', `${mediaType}; charset=utf-8`).send(body)
  }
}
