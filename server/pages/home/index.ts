import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { cachedAsset } from '../cached-asset.ts'
import { readGuides } from '../docs/guides.ts'

/* The page at the address of the service itself, for those who open it in a browser: where to go from here. */

const folder = new URL('server/pages/home/', root)

/** For pages that load nothing but a style sheet. */
export const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function serveHome(serve: (path: string, handler: RequestHandler) => void): void {
  const style = readFileSync(new URL('page.css', folder))
  serve(
    '/home.css',
    cachedAsset('text/css', () => style),
  )
  const links = readGuides().map(({ name, title }) => `<li><a href="docs#${name}">${title}</a></li>`)
  const page = readFileSync(new URL('page.html', folder), 'utf8').replace('<!-- guides -->', () =>
    links.join('\n        '),
  )
  serve('/', (_request, response) => {
    response.setHeader('Content-Security-Policy', policy)
    response.type('text/html').send(page)
  })
}
