import { element } from '../../chat/files/dom.js'
import { ask, isOfService } from './api.js'
import { save } from './download.js'

/* The answers as a table: a row per chat, a column per question, then the variables that no question fills. */

/**
 * What is known of a flow: its questions by the ids of their blocks, in their order, and its variables. A question
 * is called as the variable that its answer goes to, or as the group that it stands in.
 */
export function readFlow({ groups = [], variables = [] } = {}) {
  const names = new Map(variables.map(({ id, name }) => [id, name]))
  const blocks = groups.flatMap((group) => (group.blocks ?? []).map((block) => ({ group, block })))
  const filled = new Set(blocks.map(({ block }) => block.options?.variableId))
  const seen = new Map()
  const titles = new Map(
    blocks
      .filter(({ block }) => block.type.endsWith('input') || block.type === 'cards')
      .map(({ group, block }) => {
        const title = names.get(block.options?.variableId) ?? group.title ?? block.id
        const earlier = seen.get(title) ?? 0
        seen.set(title, earlier + 1)
        return [block.id, earlier === 0 ? title : `${title} (${earlier})`]
      }),
  )
  return { titles, filled, variables }
}

export function tableOf(results, { titles, filled }) {
  const answered = new Set(results.flatMap(({ answers }) => answers.map(({ blockId }) => blockId)))
  const known = [...titles.keys()].filter((id) => answered.has(id))
  const gone = [...answered].filter((id) => !titles.has(id)).sort()
  const others = new Map(results.flatMap(({ variables }) => variables.map(({ id, name }) => [id, name])))
  for (const id of filled) others.delete(id)
  const heads = [
    'Began',
    'State',
    ...known.map((id) => titles.get(id)),
    ...gone.map((id) => `Deleted block ${id}`),
    ...others.values(),
  ]
  const rows = results.map((result) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, momentOf(result.createdAt)),
      element('td', { class: 'state' }, result.isCompleted ? 'Completed' : 'Not completed'),
      [...known, ...gone].map((id) => element('td', { dir: 'auto' }, answersOf(result, id))),
      [...others.keys()].map((id) => element('td', { dir: 'auto' }, variableOf(result, id))),
    ),
  )
  const head = heads.map((title) => element('th', { scope: 'col', dir: 'auto' }, title))
  return scrolling('Table of answers', head, rows)
}

/** A table that is moved within the page where it is wider. */
export function scrolling(label, head, rows) {
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

function answersOf({ answers }, blockId) {
  const given = answers.filter((answer) => answer.blockId === blockId)
  return given.flatMap(({ content, attachedFileUrls = [] }, index) => [
    index > 0 && ', ',
    // The words of an answer without words are the addresses of its files.
    content === attachedFileUrls.join(', ') ? '' : content,
    attachedFileUrls.length > 0 && content !== attachedFileUrls.join(', ') && ' ',
    ...attachedFileUrls.flatMap(linkOf),
  ])
}

function linkOf(url, index) {
  const before = index > 0 && ', '
  if (!/^https?:/.test(url)) return [before, url]
  const name = decoded(url.split('/').at(-1) ?? url)
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

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function variableOf({ variables }, id) {
  const value = variables.find((variable) => variable.id === id)?.value ?? ''
  return Array.isArray(value) ? value.map((item) => item ?? '').join(', ') : String(value)
}
