import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { servePage } from '../page.ts'
import { readGuides } from './guides.ts'

/*
 * The reference page: guides from `contract/guides`, and below them the published document as `make generate` wrote it
 * as HTML, with requests that can be tried. Everything comes from this service, and every address is relative, so the
 * page works behind any path of a proxy.
 */

const own = new URL('server/pages/docs/', root)

const files = {
  'page.css': 'text/css',
  'reference.css': 'text/css',
  'page.js': 'text/javascript',
  'try.js': 'text/javascript',
  'early.js': 'text/javascript',
}

export function serveDocs(serve: (path: string, handler: RequestHandler) => void): void {
  servePage(serve, 'docs', { folder: own, files, page: readPage })
}

/** Made when somebody asks: it would take a tenth of the time in which the service starts. */
async function readPage(): Promise<string> {
  const { marked } = await import('marked')
  const texts = readGuides().map((guide) => ({ ...guide, html: toHtml(marked, guide.text) }))
  const links = texts.map(({ name, title }) => `<li><a href="#${name}">${title}</a></li>`)
  const sections = texts.map(({ name, html }) => `<section class="guide" id="${name}">\n${html}</section>`)
  const generated = (name: string) => readFileSync(new URL(`generated/reference/${name}.html`, root), 'utf8')
  return readFileSync(new URL('page.html', own), 'utf8')
    .replace('<!-- links -->', () => links.join('\n'))
    .replace('<!-- operations -->', () => generated('contents'))
    .replace('<!-- guides -->', () => sections.join('\n'))
    .replace('<!-- reference -->', () => generated('operations'))
}

/** The guides are ours, so their HTML needs no cleaning. Their titles are second to that of the page. */
function toHtml(marked: typeof import('marked').marked, markdown: string): string {
  const tokens = marked.lexer(markdown)
  for (const token of tokens) if (token.type === 'heading') token.depth += 1
  return marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}
