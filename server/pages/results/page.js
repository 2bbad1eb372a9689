import { element } from '../../chat/files/dom.js'
import { ask, ofBot, Refusal, token } from './api.js'
import { readExport, save } from './download.js'
import { count, percent, showFunnel } from './funnel.js'
import { readFlow, tableOf } from './table.js'

/*
 * A token, then a workspace and a bot, then what its chats came to. Which bot it is stands in the fragment of the
 * address, so that the page can be reloaded and linked to.
 */

const part = (id) => document.getElementById(id)
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
const PAGE = 50
/** So many pages are asked for at a time until one has something. */
const PAGES = 12

/** What the page is doing; a later choice ends what was begun for an earlier one. */
let running = new AbortController()
let flow = readFlow()
let shown = { results: [], cursor: null }

/** Runs what a choice asks for, and tells what is wrong with it. */
function run(work) {
  running.abort()
  running = new AbortController()
  return add(work)
}

/** Runs what adds to what was chosen, beside what is still under way for that and until something else is chosen. */
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
  if (error instanceof Refusal && error.status === 401) enter()
  part('problem').textContent =
    error instanceof Refusal && error.status === 404 ? 'There is no such bot for this token.' : error.message
  part('problem').hidden = false
}

// Who is asking, and for which bot

function enter() {
  token.forget()
  part('token').value = ''
  for (const id of ['choice', 'report']) part(id).hidden = true
  part('entry').hidden = false
  part('token').focus()
}

part('entry').addEventListener('submit', (event) => {
  event.preventDefault()
  token.set(part('token').value.trim())
  void run(open)
})

part('forget').addEventListener('click', () => {
  running.abort()
  part('problem').hidden = true
  enter()
})

const fragment = () => location.hash.slice(1).split('/')

async function open(signal) {
  const { workspaces } = await ask('v1/workspaces', {}, signal)
  if (workspaces.length === 0) throw new Error('This token has no workspace.')
  part('workspace').replaceChildren(
    ...workspaces.map(({ id, name }) => element('option', { value: id }, name)),
  )
  const [workspaceId] = fragment()
  if (workspaces.some(({ id }) => id === workspaceId)) part('workspace').value = workspaceId
  part('token').value = ''
  part('entry').hidden = true
  part('choice').hidden = false
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
  if (hasBot(botId)) part('bot').value = botId
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

async function openBot(signal) {
  const botId = part('bot').value
  // What is there is another bot's, and more of it can be asked for.
  part('report').hidden = true
  history.replaceState(null, '', `#${part('workspace').value}/${botId}`)
  flow = readFlow(await flowOf(botId, signal))
  part('variable').replaceChildren(
    element('option', { value: '' }, 'Any'),
    ...flow.variables.map(({ name }) => element('option', { value: name }, name)),
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

// What is shown of it

part('period').addEventListener('change', () => {
  for (const label of document.querySelectorAll('.between')) label.hidden = part('period').value !== 'between'
})

part('filters').addEventListener('submit', (event) => {
  event.preventDefault()
  void run(show)
})

/** Which chats are wanted: by their time and state, which everything knows, and by their answers. */
function readFilters() {
  const period = part('period').value
  const day = (id, days) => {
    const chosen = part(id).value
    if (period !== 'between' || !chosen) return undefined
    const [year, month, date] = chosen.split('-').map(Number)
    return new Date(year, month - 1, date + days).toISOString()
  }
  const range = {
    ...(period === 'between' ? {} : { timeFilter: period, timeZone }),
    createdAfter: day('first-day', 0),
    createdBefore: day('last-day', 1),
    status: part('status').value,
  }
  const { value: variable } = part('variable')
  const sought = {
    answerContains: part('words').value,
    variable: variable && `${variable}:${part('value').value}`,
  }
  return { range, sought }
}

async function show(signal) {
  const botId = part('bot').value
  const { range, sought } = readFilters()
  shown = { botId, query: { ...range, ...sought }, results: [], cursor: '' }
  for (const id of ['overview', 'funnel-about', 'funnel', 'answers']) part(id).replaceChildren()
  part('shown').textContent = 'Looking …'
  part('more').hidden = true
  await Promise.all([
    showOverview(botId, range, signal),
    showBlocks(botId, range, sought, signal),
    showMore(signal),
  ])
}

async function showOverview(botId, range, signal) {
  const { stats } = await ask(ofBot(botId, 'analytics/stats'), range, signal)
  const { totalViews, totalStarts, totalCompleted } = stats
  const share = (number, of) => of > 0 && element('small', {}, ` ${percent(number / of)}`)
  part('overview').replaceChildren(
    ...[
      ['Chats', count(totalViews)],
      ['With an answer', count(totalStarts), share(totalStarts, totalViews)],
      ['Completed', count(totalCompleted), share(totalCompleted, totalStarts)],
    ].map(([title, ...value]) => element('div', {}, element('dt', {}, title), element('dd', {}, value))),
  )
}

async function showBlocks(botId, range, { answerContains, variable }, signal) {
  const about = part('funnel-about')
  let blocks = []
  try {
    blocks = (await ask(ofBot(botId, 'analytics/blocks'), range, signal)).blocks
    about.textContent =
      answerContains || variable
        ? 'Of all chats of this period and state, whatever was answered in them.'
        : 'Each question of the published bot, in its order.'
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
  more.disabled = true
  try {
    // Who looks for something is answered after so many results, whatever was found among them.
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
  const found = results.length === 0 ? 'None found' : `${count(results.length)} shown, newest first`
  const isCut = shown.cursor !== null
  part('shown').textContent = isCut ? `${found}; there may be more.` : `${found}; there are no more.`
  if (results.length > 0) part('answers').replaceChildren(tableOf(results, flow))
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
