/* The columns of answers, as `server/results/columns.ts` has them for exports; a test compares the two. */

const isInput = ({ type }) => type.endsWith('input') || type === 'cards'

/** The bots whose answers are in the results of the one that has this flow. */
export function mergedBots({ groups = [] }) {
  return groups
    .flatMap(({ blocks = [] }) => blocks.filter(({ type }) => type === 'Bot link'))
    .map(({ options }) => options ?? {})
    .filter(({ botId, mergeResults }) => mergeResults === true && botId && botId !== 'current')
    .map(({ botId }) => botId)
}

const keyOf = ({ id, name }) => JSON.stringify([id, name])

/**
 * Columns of the flow of a bot and of those that merge their results into it. A variable of a linked bot shares the
 * column of its name. `earlier`: the publications before, newest first, which name deleted blocks.
 */
export function columnsOf([own = {}, ...linked], earlier = []) {
  const ofKeys = new Map()
  const ofNames = new Map()
  const ofIds = new Map()
  for (const variable of own.variables ?? []) {
    const column = { title: variable.name }
    ofIds.set(variable.id, column)
    ofKeys.set(keyOf(variable), column)
    if (!ofNames.has(variable.name)) ofNames.set(variable.name, column)
  }
  for (const variable of linked.flatMap(({ variables = [] }) => variables)) {
    const column = ofNames.get(variable.name) ?? { title: variable.name }
    ofNames.set(variable.name, column)
    if (!ofKeys.has(keyOf(variable))) ofKeys.set(keyOf(variable), column)
  }
  const exactly = new Set(ofKeys.keys())
  const columnOf = (variable) =>
    ofKeys.get(keyOf(variable)) ?? ofNames.get(variable.name) ?? ofIds.get(variable.id)
  for (const variable of earlier.flatMap(({ variables = [] }) => variables)) {
    if (columnOf(variable)) continue
    const column = { title: variable.name }
    ofKeys.set(keyOf(variable), column)
    ofNames.set(variable.name, column)
    ofIds.set(variable.id, column)
  }
  const questions = new Set()
  const ofBlocks = new Map()
  for (const { groups = [], variables = [] } of [own, ...linked]) {
    const filled = new Map(variables.map((variable) => [variable.id, ofKeys.get(keyOf(variable))]))
    for (const group of groups) {
      for (const block of (group.blocks ?? []).filter(isInput)) {
        const column = filled.get(block.options?.variableId) ?? { title: group.title ?? block.id }
        questions.add(column)
        // Answers have no bot here: if two blocks have the same id, they belong to the first.
        if (!ofBlocks.has(block.id)) ofBlocks.set(block.id, column)
      }
    }
  }
  const ofEarlierBlocks = new Map()
  for (const { groups = [], variables = [] } of earlier) {
    const filled = new Map(variables.map((variable) => [variable.id, columnOf(variable)]))
    for (const group of groups) {
      for (const { id, options } of (group.blocks ?? []).filter(isInput)) {
        const column = filled.get(options?.variableId) ?? { title: group.title ?? id }
        if (!ofBlocks.has(id) && !ofEarlierBlocks.has(id)) ofEarlierBlocks.set(id, column)
      }
    }
  }
  return {
    questions: [...questions],
    others: [...new Set(ofKeys.values())].filter((column) => !questions.has(column)),
    ofBlocks,
    ofEarlierBlocks,
    ofVariable(variable) {
      const column = columnOf(variable)
      return column && { column, isOwn: exactly.has(keyOf(variable)) }
    },
  }
}

/** The columns that are shown of these results: those of flows, and between them those of deleted blocks. */
export function shownOf(results, { questions, others, ofBlocks, ofEarlierBlocks }) {
  const answered = new Set(results.flatMap(({ answers }) => answers.map(({ blockId }) => blockId)))
  const deletedIds = [...answered].filter((id) => !ofBlocks.has(id)).sort()
  const ofAll = new Map(ofBlocks)
  for (const id of deletedIds) ofAll.set(id, ofEarlierBlocks.get(id) ?? { title: `Deleted block ${id}` })
  const shown = new Set([...questions, ...others])
  const between = new Set(deletedIds.map((id) => ofAll.get(id)).filter((column) => !shown.has(column)))
  return { shown: [...questions, ...between, ...others], ofBlocks: ofAll }
}

/** Further columns of one title are numbered, as in exports. */
export function distinct(given) {
  const titles = new Set(given)
  const seen = new Set()
  return given.map((wanted) => {
    let title = wanted
    for (let number = 1; seen.has(title) || (title !== wanted && titles.has(title)); number++)
      title = `${wanted} (${number})`
    seen.add(title)
    return title
  })
}

/** The answers of each column, and the values of variables that are not the last of these. */
export function cellsOf({ answers, variables }, { ofBlocks, ofVariable }) {
  const cells = new Map()
  for (const answer of answers) {
    const column = ofBlocks.get(answer.blockId)
    if (!column) continue
    const cell = cells.get(column)
    if (cell) cell.answers.push(answer)
    else cells.set(column, { answers: [answer] })
  }
  const own = new Set()
  for (const variable of variables) {
    const found = ofVariable(variable)
    if (!found || (own.has(found.column) && !found.isOwn)) continue
    if (found.isOwn) own.add(found.column)
    const { value } = variable
    const text = Array.isArray(value) ? value.map((item) => item ?? '').join(', ') : String(value)
    const cell = cells.get(found.column)
    if (cell?.answers?.at(-1)?.content !== text) cells.set(found.column, { ...cell, value: text })
  }
  return cells
}
