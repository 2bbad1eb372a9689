import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { escapeHtml } from '../../html.ts'
import { root } from '../../root.ts'
import { askAlways, cachedAsset } from '../cached-asset.ts'
import { servePage } from '../page.ts'
import { type Guide, readGuides, readOperatorGuides } from './guides.ts'

/*
 * The reference: guides from `contract/guides` and `server/guides`, a page for each resource as `make generate` wrote
 * it as HTML, with requests that can be tried, and the news. Everything comes from this service, and every address is
 * relative, so the pages work behind any path of a proxy.
 */

const folder = new URL('server/pages/docs/', root)

const files = {
  'page.css': 'text/css',
  'reference.css': 'text/css',
  'page.js': 'text/javascript',
  'json.js': 'text/javascript',
  'schemas.js': 'text/javascript',
  'search.js': 'text/javascript',
  'try.js': 'text/javascript',
  'early.js': 'text/javascript',
}

interface Page {
  name: string
  title: string
  description: string
}

const start: Page = {
  name: '',
  title: 'Bot builder service',
  description: 'Guides and reference of the interface, with requests to try.',
}

const changes: Page = { name: 'changes', title: 'Changes', description: 'What is new, release by release.' }

const operating: Page = {
  name: 'operating',
  title: 'Running the service',
  description: 'Guides for those who run the service: configuration, users, databases, backups, monitoring.',
}

/** Pages that are not made of the contract. */
const own = [operating, changes]

export function serveDocs(
  serve: (path: string, handler: RequestHandler) => void,
  publicUrl: () => string,
): string[] {
  const { version, pages } = JSON.parse(readGenerated('pages.json')) as { version: string; pages: Page[] }
  servePage(serve, 'docs', { folder, files, page: () => readPage(start, version, pages) })
  for (const page of [...pages, ...own]) {
    servePage(serve, `docs/${page.name}`, {
      folder,
      files: {},
      page: () => readPage(page, version, pages),
    })
  }
  serve('/docs/files/search.json', cachedAsset('application/json', buildSearchEntries, askAlways))
  for (const guide of readGuides()) {
    serve(
      `/docs/${guide.name}.md`,
      cachedAsset('text/markdown', () => atHome(guide.text, publicUrl())),
    )
  }
  serve(
    '/llms.txt',
    cachedAsset('text/plain', () => listForPrograms(pages, publicUrl())),
  )
  return [...pages, ...own].map(({ name }) => `/docs/${name}`)
}

function readGenerated(name: string): string {
  return readFileSync(new URL(`generated/reference/${name}`, root), 'utf8')
}

/** Rendered on the first request: it would take a tenth of the time in which the service starts. */
async function readPage(page: Page, version: string, pages: Page[]): Promise<string> {
  const { marked } = await import('marked')
  const guides = readGuides()
  const title = page === start ? start.title : `${page.title} - ${start.title}`
  const filled: Record<string, string> = {
    title: escapeHtml(title),
    description: escapeHtml(page.description),
    version,
    root: page === start ? './' : '../',
    guides: guides.map((guide) => `<li><a href="/docs#${guide.name}">${guide.title}</a></li>`).join('\n'),
    operations: readGenerated('contents.html'),
    content: page === start ? startText(marked, guides, pages) : referenceText(marked, page),
  }
  const html = readFileSync(new URL('page.html', folder), 'utf8').replaceAll(
    /<!-- (\w+) -->|%(\w+)%/g,
    (_, comment, name) => filled[comment ?? name] ?? '',
  )
  const current = page === start ? '/docs' : `/docs/${page.name}`
  return html
    .replaceAll(`<a href="${current}">`, `<a href="${current}" aria-current="page">`)
    .replaceAll(/(href|src)="\/(?=\w)/g, `$1="${filled.root === './' ? '' : '../'}`)
}

type Marked = typeof import('marked').marked

function startText(marked: Marked, guides: Guide[], pages: Page[]): string {
  const sections = guideSections(
    marked,
    guides,
    (name) => `<p><a href="/docs/${name}.md">This guide as Markdown</a></p>`,
  )
  const items = pages.map(
    ({ name, title, description }) =>
      `<li><a href="/docs/${name}">${escapeHtml(title)}</a>: ${marked.parseInline(description)}</li>`,
  )
  return `<section class="guide" id="top"><h1>${start.title}</h1><p>${start.description}</p></section>\n${sections}\n<section class="guide" id="reference"><h2>Reference</h2><p>Every operation, with a form to try it.</p><ul>${items.join('\n')}</ul></section>`
}

function guideSections(marked: Marked, guides: Guide[], after: (name: string) => string): string {
  return guides
    .map(
      ({ name, text }) =>
        `<section class="guide" id="${name}">\n${toHtml(marked, text)}${after(name)}</section>`,
    )
    .join('\n')
}

function referenceText(marked: Marked, { name, title }: Page): string {
  if (name === operating.name) return guideSections(marked, readOperatorGuides(), () => '')
  if (name !== changes.name)
    return `<section id="reference"><h1>${escapeHtml(title)}</h1>\n${token}\n${readGenerated(`${name}.html`)}</section>`
  const text = readFileSync(new URL('CHANGELOG.md', root), 'utf8')
  return `<section class="guide" id="changes">\n${toHtml(marked, text)}</section>`
}

const token = `<p class="token">
  <label for="token">Access token</label>
  <input type="password" id="token" autocomplete="off" spellcheck="false" aria-describedby="token-about">
  <span id="token-about">Sent with what you try, and forgotten when this tab is closed.</span>
</p>
<noscript><p>Trying, searching and copying need JavaScript; reading does not.</p></noscript>`

/** The guides are ours, so their HTML needs no cleaning. Their titles are second to that of the page. */
function toHtml(marked: Marked, markdown: string): string {
  const tokens = marked.lexer(linkGuides(markdown, ''))
  for (const token of tokens) if (token.type === 'heading') token.depth += 1
  return marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}

/** Guides link to guides and operations as places of one page, `#limits` and `#operations-bots-getBot`. */
function linkGuides(markdown: string, address: string): string {
  return markdown
    .replaceAll(/\]\(#operations-([\w-]+)-(\w+)\)/g, `](${address}/docs/$1#$2)`)
    .replaceAll(/\]\(#/g, `](${address}/docs#`)
}

/** A guide as it is read on its own, with the addresses of this installation. */
function atHome(markdown: string, publicUrl: string): string {
  return linkGuides(markdown, publicUrl).replaceAll('http://localhost:3000', publicUrl)
}

/** Entries of the search: sections of guides, and the reference. */
function buildSearchEntries(): string {
  const entries = (guides: Guide[], page: string) =>
    guides.flatMap(({ name, title, text }) =>
      text
        .split(/^(?=## )/m)
        .map((part) => [/^## (.*)/.exec(part)?.[1] ?? title, `${page}#${name}`, `guide: ${title}`, part]),
    )
  return JSON.stringify([
    ...entries(readGuides(), '/docs'),
    ...entries(readOperatorGuides(), `/docs/${operating.name}`),
    ...JSON.parse(readGenerated('search.json')),
  ])
}

/** The file of https://llmstxt.org, an overview for programs that read texts. */
function listForPrograms(pages: Page[], publicUrl: string): string {
  const guides = readGuides().map(({ name, title }) => `- [${title}](${publicUrl}/docs/${name}.md)`)
  const reference = pages.map(
    ({ name, title, description }) => `- [${title}](${publicUrl}/docs/${name}): ${description}`,
  )
  return [
    `# ${start.title}`,
    '',
    '> Build, publish and run conversational bots over HTTP with JSON.',
    '',
    '## Tools',
    '',
    `- [Guide to the tools](${publicUrl}/docs/agents.md): \`${publicUrl}/mcp\` is a server of the Model Context Protocol (streamable HTTP, bearer token), whose tools build, check, preview and publish bots`,
    '',
    '## Guides',
    '',
    ...guides,
    '',
    '## Documents',
    '',
    `- [OpenAPI, slim](${publicUrl}/openapi-slim.yaml): every operation; flows are objects that are carried as they are`,
    `- [OpenAPI](${publicUrl}/openapi.yaml): every operation and every block`,
    `- [Workflows](${publicUrl}/arazzo.yaml): the main journeys in Arazzo`,
    '',
    '## Reference',
    '',
    ...reference,
    '',
  ].join('\n')
}
