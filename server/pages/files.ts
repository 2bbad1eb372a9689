import { pipeline } from 'node:stream/promises'
import type { RequestHandler, Response } from 'express'
import { readCredential } from '../access/bearer-tokens.ts'
import { decideAccess } from '../access/index.ts'
import type { Services } from '../context.ts'
import { sendProblem } from '../kit/response.ts'
import { findUpload, type ServedFile } from '../uploads/uploads.ts'

/*
 * Files of visitors. Their content is unknown, so a browser must save them and never run them: they are downloads,
 * with no media type but those of pictures, and sandboxed in case one is opened all the same. Sounds and pictures that
 * the service made are shown in place.
 */

const policy = "default-src 'none'; sandbox"

export function serveFiles(
  serve: (path: string, handler: RequestHandler) => void,
  { db, files, now }: Services,
): void {
  serve('/files/:botId/:id/:name', async (request, response) => {
    const { botId, id, name } = request.params as { botId: string; id: string; name: string }
    const file = files && (await findUpload(db, { botId, id, name }, now()))
    if (!file) return sendProblem(response, 'NOT_FOUND')
    // Callers who may not read a file must not learn that it exists.
    if (file.isPrivate && !(await isMember(request, botId))) return sendProblem(response, 'NOT_FOUND')
    writeHead(response, id, file)
    if (request.fresh) return response.status(304).end()
    const condition = request.headers['if-range']
    const isPart = request.method === 'GET' && (condition === undefined || condition === etagOf(id))
    const range = isPart ? rangeOf(request.headers.range, file.size) : undefined
    if (range === 'outside') {
      response.setHeader('Content-Range', `bytes */${file.size}`)
      return response.status(416).end()
    }
    const { start, end } = range ?? { start: 0, end: file.size - 1 }
    const bytes = request.method === 'HEAD' ? undefined : await files.read(id, range)
    if (request.method !== 'HEAD' && !bytes) return sendProblem(response, 'NOT_FOUND')
    if (range) response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`)
    response.setHeader('Content-Type', file.mediaType)
    response.setHeader('Content-Length', end - start + 1)
    if (!bytes) return response.end()
    // A caller that goes away ends the stream.
    await pipeline(bytes, response).catch(() => response.destroy())
  })

  async function isMember(request: Parameters<typeof readCredential>[0], botId: string): Promise<boolean> {
    const credential = readCredential(request)
    if ('issue' in credential) return false
    const access = {
      kind: 'bot',
      role: 'MEMBER',
      missing: 'NOT_FOUND',
      publicShare: false,
      scope: 'results',
    } as const
    return 'grant' in (await decideAccess(db, access, credential.hash, botId, now()))
  }
}

function writeHead(response: Response, id: string, { name, isPrivate, isGenerated }: ServedFile) {
  response.setHeader('ETag', etagOf(id))
  response.setHeader('Cache-Control', 'private, no-cache')
  if (isPrivate) response.vary('Authorization')
  response.setHeader('Accept-Ranges', 'bytes')
  const disposition = isGenerated ? 'inline' : 'attachment'
  response.setHeader('Content-Disposition', `${disposition}; filename*=UTF-8''${encodeURIComponent(name)}`)
  response.setHeader('Content-Security-Policy', policy)
  // Pages of other origins show pictures that their visitors sent.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

const etagOf = (id: string) => `"${id}"`

/** One range of bytes; undefined for the whole file, also if the header is invalid or has several ranges. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'outside' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (!first && !last) return undefined
  if (first && last && Number(first) > Number(last)) return undefined
  const start = first ? Number(first) : Math.max(0, size - Number(last))
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1
  return start < size ? { start, end } : 'outside'
}
