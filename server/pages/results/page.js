import { element } from '../../chat/files/dom.js'
import { headerProblem } from '../../chat/files/token.js'
import { ask, ofBot, Refusal, token } from './api.js'
import { mergedBots } from './columns.js'
import { readExport, save } from './download.js'
import { count, percent, showFunnel } from './funnel.js'
import { readFlow, tableOf } from './table.js'

/*
 * A token, then a workspace and a bot, then the results of its chats. The fragment of the address names the bot, so
 * that the page can be reloaded and linked to.
 */

const part = (id) => document.getElementById(id)
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
const PAGE = 50
/** Pages of results that are read at a time until one is not empty. */
const PAGES = 12
/** Linked bots whose flows are read, as for exports. */
const MAX_LINKED_BOTS = 20
/** Publications before the live one that are read, as for exports. */
const MAX_EARLIER_PUBLICATIONS = 10

/** The current work; a later choice aborts that of an earlier one. */
let running = new AbortController()
let flow = readFlow()
let shown = { results: [], cursor: null }

/** Runs the work of a choice, and shows its error. */
function run(work) {
  running.abort()
  running = new AbortController()
  return add(work)
}

/** Runs work that adds to the current choice, concurrently with its other work and until the next choice. */
async function add(work) {
  const { signal } = running
  part('problem').hidden = true
  try {
    await work(signal)
  } catch (error) {
    if (!signal.aborted) fail(error)
  }
}

function fail(error) {
  const isRefused = error instanceof Refusal && (error.status === 401 || error.status === 403)
  // Without a choice there is no other way on than another token, or the same one again.
  if (isRefused && (error.status === 401 || part('choice').hidden)) enter()
  else if (part('choice').hidden) part('entry').hidden = false
  part('problem').textContent =
    error instanceof Refusal && error.status === 404 ? 'Bot not found for this token.' : error.message
  part('problem').hidden = false
}

// Caller and bot

function enter() {
  token.forget()
  part('token').value = ''
  for (const id of ['choice', 'report']) part(id).hidden = true
  part('entry').hidden = false
  part('token').focus()
}

part('entry').addEventListener('submit', (event) => {
  event.preventDefault()
  const typed = part('token').value.trim() || token.get()
  const problem = headerProblem(typed)
  if (problem !== undefined) return fail(new Error(`The token ${problem}`))
  token.set(typed)
  void run(open)
})

part('forget').addEventListener('click', () => {
  running.abort()
  downloading.abort()
  part('problem').hidden = true
  enter()
})

const fragment = () => location.hash.slice(1).split('/')

async function open(signal) {
  const { workspaces } = await ask('v1/workspaces', {}, signal)
  if (workspaces.length === 0) throw new Error('This token reaches no workspace.')
  token.keep()
  part('workspace').replaceChildren(
    ...workspaces.map(({ id, name }) => element('option', { value: id }, name)),
  )
  part('token').value = ''
  part('entry').hidden = true
  part('choice').hidden = false
  await follow(signal)
}

/** Goes where the address of the page says. */
async function follow(signal) {
  const [workspaceId] = fragment()
  const select = part('workspace')
  if (workspaceId !== '') select.value = workspaceId
  if (select.selectedIndex === -1) {
    part('report').hidden = true
    part('more-bots').hidden = true
    part('bot').replaceChildren()
    throw new Error('Workspace not found: the token does not reach the one that this link names.')
  }
  await openWorkspace(signal)
}

async function openWorkspace(signal) {
  part('report').hidden = true
  part('bot').replaceChildren()
  part('more-bots').value = ''
  part('more-bots').hidden = true
  const [workspaceId, named] = fragment()
  const botId = workspaceId === part('workspace').value ? named : undefined
  do await addBots(signal)
  while (part('more-bots').value && botId && !hasBot(botId))
  if (part('bot').options.length === 0) throw new Error('There is no bot in this workspace.')
  if (botId) part('bot').value = botId
  if (part('bot').selectedIndex === -1)
    throw new Error('Bot not found: the workspace has none with the id that this link names.')
  await openBot(signal)
}

const hasBot = (id) => [...part('bot').options].some(({ value }) => value === id)

async function addBots(signal) {
  const more = part('more-bots')
  const query = { workspaceId: part('workspace').value, limit: 100, cursor: more.value }
  more.disabled = true
  try {
    const { bots, nextCursor } = await ask('v1/bots', query, signal)
    part('bot').append(...bots.map(({ id, name }) => element('option', { value: id }, name)))
    more.value = nextCursor ?? ''
    more.hidden = nextCursor === null
  } finally {
    more.disabled = false
  }
}

part('workspace').addEventListener('change', () => run(openWorkspace))
part('bot').addEventListener('change', () => run(openBot))
part('more-bots').addEventListener('click', () => add(addBots))
addEventListener('hashchange', () => part('choice').hidden || run(follow))

async function openBot(signal) {
  const botId = part('bot').value
  // The report still shows another bot, and has a button to load more of it.
  part('report').hidden = true
  history.replaceState(null, '', `#${part('workspace').value}/${botId}`)
  flow = readFlow(...(await Promise.all([flowsOf(botId, signal), earlierOf(botId, signal)])))
  part('variable').replaceChildren(
    element('option', { value: '' }, 'Any'),
    // A filter takes the first colon for the end of the name.
    ...flow.variables
      .filter(({ name }) => !name.includes(':'))
      .map(({ name }) => element('option', { value: name }, name)),
  )
  part('report').hidden = false
  await show(signal)
}

/** The flow that chats run, or the draft where there is none. */
async function flowOf(botId, signal) {
  const query = { migrateToLatestVersion: true }
  try {
    return (await ask(ofBot(botId, 'publishedBot'), query, signal)).publishedBot
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    return (await ask(`v1/bots/${encodeURIComponent(botId)}`, query, signal)).bot
  }
}

/** The flow of a bot, then those that merge their results into it, as far as the token reaches them. */
async function flowsOf(botId, signal) {
  const flows = []
  const botIds = new Set([botId])
  // The set grows while it is walked, nearest bots first.
  for (const id of botIds) {
    const found = id === botId ? await flowOf(id, signal) : await linkedFlow(id, signal)
    if (!found) continue
    flows.push(found)
    for (const linkedId of mergedBots(found)) if (botIds.size <= MAX_LINKED_BOTS) botIds.add(linkedId)
  }
  return flows
}

/** The publications before the live one, newest first: they name deleted blocks. */
async function earlierOf(botId, signal) {
  const { publications } = await ask(
    ofBot(botId, 'publications'),
    { limit: MAX_EARLIER_PUBLICATIONS + 1 },
    signal,
  )
  const earlier = publications.filter(({ isLive }) => !isLive).slice(0, MAX_EARLIER_PUBLICATIONS)
  const read = async ({ id }) => {
    try {
      return (await ask(ofBot(botId, `publications/${encodeURIComponent(id)}`), {}, signal)).publication
    } catch (error) {
      // The installation may retain only some of them.
      if (error instanceof Refusal && error.status === 404) return {}
      throw error
    }
  }
  return Promise.all(earlier.map(read))
}

async function linkedFlow(botId, signal) {
  try {
    const query = { migrateToLatestVersion: true }
    return (await ask(ofBot(botId, 'publishedBot'), query, signal)).publishedBot
  } catch (error) {
    if (error instanceof Refusal && [400, 403, 404].includes(error.status)) return undefined
    throw error
  }
}

// Filters and results

part('period').addEventListener('change', () => {
  for (const label of document.querySelectorAll('.between')) label.hidden = part('period').value !== 'between'
})

part('filters').addEventListener('submit', (event) => {
  event.preventDefault()
  void run(show)
})

/** Returns the filter of chats: by time and state, which statistics know too, and by answers. */
function readFilters() {
  const period = part('period').value
  const day = (id, days) => {
    const chosen = part(id).value
    if (period !== 'between' || !chosen) return undefined
    const [year, month, date] = chosen.split('-').map(Number)
    const instant = new Date(year, month - 1, date + days)
    // A day may be the last that a timestamp can name.
    return instant.getFullYear() > 9999 ? '9999-12-31T23:59:59.999Z' : instant.toISOString()
  }
  const range = {
    ...(period === 'between' ? {} : { timeFilter: period, timeZone }),
    createdAfter: day('first-day', 0),
    createdBefore: day('last-day', 1),
    status: part('status').value,
  }
  if (range.createdAfter && range.createdBefore && range.createdAfter >= range.createdBefore)
    throw new Error('The last day is before the first day. Choose a later last day.')
  const { value: variable } = part('variable')
  const sought = {
    answerContains: part('words').value,
    variable: variable && `${variable}:${part('value').value}`,
  }
  return { range, sought }
}

async function show(signal) {
  const botId = part('bot').value
  part('answers').replaceChildren()
  part('shown').textContent = ''
  part('more').hidden = true
  const { range, sought } = readFilters()
  shown = { botId, query: { ...range, ...sought }, results: [], cursor: '' }
  for (const id of ['overview-about', 'overview', 'funnel-about', 'funnel']) part(id).replaceChildren()
  part('shown').textContent = 'Loading …'
  await Promise.all([
    showOverview(botId, range, sought, signal),
    showBlocks(botId, range, sought, signal),
    showMore(signal),
  ])
}

/** Statistics know the time and the state of chats alone. */
const allInRange = 'All results in this range, whatever was answered in them.'

async function showOverview(botId, range, { answerContains, variable }, signal) {
  const { stats } = await ask(ofBot(botId, 'analytics/stats'), range, signal)
  const { totalViews, totalStarts, totalCompleted } = stats
  part('overview-about').textContent = answerContains || variable ? allInRange : ''
  const share = (number, of, base) => of > 0 && element('small', {}, ` ${percent(number / of)} of ${base}`)
  part('overview').replaceChildren(
    ...[
      ['Chats', count(totalViews)],
      ['With an answer', count(totalStarts), share(totalStarts, totalViews, 'all chats')],
      ['Completed', count(totalCompleted), share(totalCompleted, totalStarts, 'those with an answer')],
    ].map(([title, ...value]) => element('div', {}, element('dt', {}, title), element('dd', {}, value))),
  )
}

async function showBlocks(botId, range, { answerContains, variable }, signal) {
  const about = part('funnel-about')
  let blocks = []
  try {
    blocks = (await ask(ofBot(botId, 'analytics/blocks'), range, signal)).blocks
    about.textContent =
      answerContains || variable ? allInRange : 'Each question of the published bot, in its order.'
    if (blocks.length === 0) about.textContent = 'The published bot asks nothing.'
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    about.textContent = 'The bot is not published.'
  }
  if (blocks.length === 0) return part('funnel').replaceChildren()
  const titled = blocks.map((block) => ({ ...block, title: flow.titles.get(block.blockId) ?? block.blockId }))
  showFunnel(part('funnel'), titled)
}

async function showMore(signal) {
  const { botId, query, results } = shown
  const more = part('more')
  const hadFocus = document.activeElement === more
  more.disabled = true
  try {
    // The service ends a page after searching a maximum of results, even if none matched.
    for (let pages = 0; pages < PAGES && shown.cursor !== null; pages++) {
      const page = await ask(ofBot(botId, 'results'), { ...query, limit: PAGE, cursor: shown.cursor }, signal)
      results.push(...page.results)
      shown.cursor = page.nextCursor
      if (page.results.length > 0) break
    }
  } finally {
    more.disabled = false
  }
  more.hidden = shown.cursor === null
  part('shown').textContent = countText(results.length, shown.cursor !== null)
  if (results.length === 0) return
  const before = part('answers').querySelector('.scrolls')?.scrollLeft ?? 0
  const table = tableOf(results, flow)
  part('answers').replaceChildren(table)
  table.scrollLeft = before
  if (hadFocus) (more.hidden ? table : more).focus({ preventScroll: true })
}

/** The service counts no matches: their number is that of the rows that were read. */
function countText(number, isCut) {
  if (number === 0) return isCut ? 'No results so far; there may be more.' : 'No results'
  return isCut
    ? `Showing the newest ${count(number)} of at least ${count(number)} results`
    : number === 1
      ? 'Showing the only result'
      : `Showing all ${count(number)} results, newest first`
}

part('more').addEventListener('click', () => add(showMore))

// Downloads, which go on whatever is looked at meanwhile

let downloading = new AbortController()

for (const button of document.querySelectorAll('[data-format]')) {
  button.addEventListener('click', () => void download(button.dataset.format))
}

part('stop').addEventListener('click', () => downloading.abort())

async function download(format) {
  downloading = new AbortController()
  const { botId, query } = shown
  const buttons = [...document.querySelectorAll('[data-format]')]
  for (const button of buttons) button.disabled = true
  part('problem').hidden = true
  part('progress').removeAttribute('value')
  part('downloaded').textContent = 'Downloading'
  part('downloading').hidden = false
  try {
    const file = await readExport(botId, query, format, downloading.signal, (done, total) => {
      part('progress').max = Math.max(total, 1)
      part('progress').value = done
      part('downloaded').textContent = `${count(done)} of ${count(total)} results`
    })
    save(file, `results-${botId}.${format}`)
  } catch (error) {
    if (!downloading.signal.aborted) fail(error)
  } finally {
    part('downloading').hidden = true
    for (const button of buttons) button.disabled = false
  }
}

if (token.get()) void run(open)
else enter()
