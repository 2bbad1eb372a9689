import { element } from '../../chat/files/dom.js'
import { ask, isOfService } from './api.js'
import { cellsOf, columnsOf, distinct, shownOf } from './columns.js'
import { save } from './download.js'

/* The answers as a table: a row per chat, and the columns of the CSV. */

/**
 * The columns of flows: that of a bot, then those that merge their results into it; `earlier`: its publications before.
 */
export function readFlow(flows = [], earlier = []) {
  const columns = columnsOf(flows, earlier)
  const titles = new Map(
    [...columns.ofEarlierBlocks, ...columns.ofBlocks].map(([id, { title }]) => [id, title]),
  )
  return { columns, titles, variables: flows[0]?.variables ?? [] }
}

export function tableOf(results, { columns }) {
  const { shown, ofBlocks } = shownOf(results, columns)
  const heads = distinct(['Began', 'State', ...shown.map(({ title }) => title)])
  const rows = results.map((result) => {
    const cells = cellsOf(result, { ...columns, ofBlocks })
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, momentOf(result.createdAt)),
      element('td', { class: 'state' }, result.isCompleted ? 'Completed' : 'Not completed'),
      shown.map((column) => element('td', { dir: 'auto' }, contentOf(cells.get(column)))),
    )
  })
  const head = heads.map((title) => element('th', { scope: 'col', dir: 'auto' }, title))
  return scrollingTable('Table of answers', head, rows)
}

/** A table that is moved within the page where it is wider. */
export function scrollingTable(label, head, rows) {
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, head)),
    element('tbody', {}, rows),
  )
  return element('div', { class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': label }, table)
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function momentOf(text) {
  return element('time', { datetime: text, title: text }, moments.format(new Date(text)))
}

function contentOf({ answers = [], value } = {}) {
  if (value !== undefined) return value
  return answers.flatMap(({ content, attachedFileUrls = [] }, index) => [
    index > 0 && ', ',
    // The text of an answer without words is the addresses of its files.
    content === attachedFileUrls.join(', ') ? '' : content,
    attachedFileUrls.length > 0 && content !== attachedFileUrls.join(', ') && ' ',
    ...attachedFileUrls.flatMap(linkOf),
  ])
}

function linkOf(url, index) {
  const before = index > 0 && ', '
  if (!/^https?:/.test(url)) return [before, url]
  const name = decodePart(url.split('/').at(-1) ?? url)
  const link = element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, name)
  if (isOfService(url)) {
    link.addEventListener('click', (event) => {
      event.preventDefault()
      void fetchFile(url, name, link)
    })
  }
  return [before, link]
}

async function fetchFile(url, name, link) {
  try {
    save(await ask(url, {}, AbortSignal.timeout(600_000), (response) => response.blob()), name)
  } catch (error) {
    link.after(` (${error.message})`)
  }
}

function decodePart(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
