import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { policy } from '../home/index.ts'
import { fillPage, languageOf } from '../texts/index.ts'

/** Programs call these, and get JSON whatever they accept. */
const interfaces = /^\/(v1|api|mcp|files)(\/|$)|\.(json|yaml)$/

/** Responds to unknown paths with a page if a browser accepts one. */
export function notFoundPage(): RequestHandler {
  const page = readFileSync(new URL('server/pages/not-found/page.html', root), 'utf8')
  // A host of chats has no start page.
  const pageWithoutHome = page.replace('<p><a href="%home%">%goHome%</a></p>', '')
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || interfaces.test(request.path)) return next()
    response.vary('Accept')
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return next()
    // Relative, since only a proxy knows below which path the service lies.
    const home = '../'.repeat(request.path.split('/').length - 2) || './'
    response.setHeader('Content-Security-Policy', policy)
    response.vary('Accept-Language')
    const language = languageOf(undefined, request)
    const shown = response.locals.visited?.kind === 'main' ? page : pageWithoutHome
    response
      .status(404)
      .type('text/html')
      .send(fillPage(shown, language, { ...language.texts, home }))
  }
}
