import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { askAlways, cachedAsset } from './cached-asset.ts'

/** For a page that calls the public interface and loads nothing from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves a page of this service at `/name`, and below `/name/files/` the files of its folder that it loads: names
 * with their media types. All are read on the first request.
 */
export function servePage(
  serve: (path: string, handler: RequestHandler) => void,
  name: string,
  {
    folder,
    files,
    page,
  }: { folder: URL; files: Record<string, string>; page: () => string | Promise<string> },
): void {
  for (const [file, mediaType] of Object.entries(files)) {
    serve(
      `/${name}/files/${file}`,
      cachedAsset(mediaType, () => readFileSync(new URL(file, folder)), askAlways),
    )
  }
  const send = cachedAsset('text/html', page, askAlways)
  serve(`/${name}`, (request, response, next) => {
    response.setHeader('Content-Security-Policy', policy)
    return send(request, response, next)
  })
}
