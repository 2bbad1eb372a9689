import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { servePage } from '../page.ts'

/*
 * A page to look at the results of bots. It has no access of its own: it calls the public interface with a token that
 * its reader enters.
 */

const folder = new URL('server/pages/results/', root)

const files = {
  'page.css': 'text/css',
  'api.js': 'text/javascript',
  'columns.js': 'text/javascript',
  'download.js': 'text/javascript',
  'funnel.js': 'text/javascript',
  'page.js': 'text/javascript',
  'table.js': 'text/javascript',
}

export function serveResults(serve: (path: string, handler: RequestHandler) => void): void {
  servePage(serve, 'results', {
    folder,
    files,
    page: () => readFileSync(new URL('page.html', folder), 'utf8'),
  })
}
