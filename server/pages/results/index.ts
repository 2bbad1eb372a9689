import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { askAlways, kept } from '../kept.ts'

/*
 * A page for people who want to look at the results of their bots. It has no access of its own: it asks the public
 * interface, with a token that its reader types.
 */

const folder = new URL('server/pages/results/', root)

const files = {
  'page.css': 'text/css',
  'api.js': 'text/javascript',
  'download.js': 'text/javascript',
  'funnel.js': 'text/javascript',
  'page.js': 'text/javascript',
  'table.js': 'text/javascript',
}

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

export function serveResults(serve: (path: string, handler: RequestHandler) => void): void {
  for (const [name, mediaType] of Object.entries(files)) {
    const content = readFileSync(new URL(name, folder))
    serve(
      `/results/files/${name}`,
      kept(mediaType, () => content, askAlways),
    )
  }
  const page = readFileSync(new URL('page.html', folder))
  const send = kept('text/html', () => page, askAlways)
  serve('/results', (request, response, next) => {
    response.setHeader('Content-Security-Policy', policy)
    return send(request, response, next)
  })
}
