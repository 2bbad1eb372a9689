/** Tables of NocoDB: records are searched page by page, and links are set apart from the other fields. */
import {
  pick,
  pickList,
  type VendorRequest,
} from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import {
  asObject,
  asObjects,
  asString,
  filledText,
  type JsonObject,
  parseJson,
} from '../../../../json/access.ts'
import { checkBudget, type Execution, log } from '../../execution.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'
import { chooseRows } from './choose-rows.ts'
import { reportStatus, sendRequest } from './send.ts'

const PAGE_RECORDS = 1_000
/** A search reads no more than these. */
const MAX_RECORDS = 5_000

const NO_RECORD = "Couldn't find any rows matching the filter"

/** Operators of the vendor, with the value that belongs to each. */
const operators: Record<string, (value: string) => string> = {
  'Equal to': (value) => `eq,${value}`,
  'Not equal': (value) => `neq,${value}`,
  Contains: (value) => `like,%${value}%`,
  'Does not contain': (value) => `nlike,%${value}%`,
  'Greater than': (value) => `gt,${value}`,
  'Greater or equal to': (value) => `gte,${value}`,
  'Less than': (value) => `lt,${value}`,
  'Less or equal to': (value) => `lte,${value}`,
  'Is set': () => 'isnot,null',
  'Is empty': () => 'is,null',
  'Starts with': (value) => `like,${value}%`,
  'Ends with': (value) => `like,%${value}`,
}

class UnsafeFilter extends Error {}

export async function searchNocoDb(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  const found = await findRecords(run, made)
  if (found === null) return
  const chosen = chooseRows(run, found, asString(options.returnType))
  if (chosen.length === 0) {
    log(run, 'info', NO_RECORD, { context: made.block.id, isInternal: true })
    return
  }
  for (const { fieldName, variableId } of asObjects(options.responseMapping)) {
    const name = filledText(fieldName)
    if (name === undefined) continue
    if (chosen.every((row) => !Object.hasOwn(row, name))) {
      failCall(run, made.block, `Field ${name} does not exist in the table`)
      continue
    }
    const values = chosen.map((row) => row[name] ?? null)
    setVariable(run, variableId, values.length === 1 ? values[0] : values)
  }
}

export async function updateNocoDb(run: Execution, made: VendorCall): Promise<void> {
  const { options } = made.call
  if (asObjects(asObject(options.filter).comparisons).length === 0) {
    return failCall(run, made.block, 'At least one filter is required')
  }
  const updates = asObjects(options.updates).flatMap(({ fieldName, value }) => {
    const name = filledText(fieldName)
    return name === undefined ? [] : [{ name, value: asString(value) ?? '' }]
  })
  if (updates.length === 0) return failCall(run, made.block, 'At least one update is required')
  const found = await findRecords(run, made)
  if (found === null) return
  if (found.length === 0) {
    log(run, 'info', NO_RECORD, { context: made.block.id, isInternal: true })
    return
  }
  const links = await linkColumns(run, made)
  if (links === null) return
  const ids = found.map(({ Id }) => Id).filter((id) => id !== undefined)
  const fields = updates.filter(({ name }) => !links.has(name))
  if (fields.length > 0) {
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value === '' ? null : value]))
    const json = ids.map((Id) => ({ Id, ...values }))
    if (!(await isDone(run, made, { method: 'PATCH', path: '/records', json }))) return
  }
  for (const { name, value } of updates) {
    const columnId = links.get(name)
    if (columnId === undefined || value === '') continue
    for (const id of ids) {
      const path = `/links/${encodeURIComponent(columnId)}/records/${encodeURIComponent(String(id))}`
      const json = linkedIds(value).map((Id) => ({ Id }))
      if (!(await isDone(run, made, { path, json }))) return
    }
  }
}

/** Ids of linked records: one, or a JSON list. */
function linkedIds(value: string): unknown[] {
  const parsed = parseJson(value)
  return Array.isArray(parsed) ? parsed : [parsed ?? value]
}

async function isDone(run: Execution, made: VendorCall, request: VendorRequest): Promise<boolean> {
  return (await ask(run, made, request)) !== null
}

/** The body of a response below 400; null if there is none, which is in the log then. */
async function ask(
  run: Execution,
  made: VendorCall,
  request: VendorRequest,
): Promise<{ body: unknown } | null> {
  const { options, credentials } = made.call
  const table = encodeURIComponent(asString(options.tableId) ?? '')
  const path = request.path.startsWith('/api/') ? request.path : `/api/v2/tables/${table}${request.path}`
  const headers = { 'xc-token': String(credentials.apiKey) }
  const response = await sendRequest(run, made, { ...request, path, headers })
  if (response !== null && response.status >= 400) {
    reportStatus(run, made, response)
    return null
  }
  return response
}

/** All records that the filter means, up to the maximum; null if they cannot be read. */
async function findRecords(run: Execution, made: VendorCall): Promise<JsonObject[] | null> {
  const { options } = made.call
  let where: string | undefined
  try {
    where = whereOf(options.filter)
  } catch (error) {
    if (!(error instanceof UnsafeFilter)) throw error
    failCall(run, made.block, `NocoDB: nothing was sent, since ${error.message}`)
    return null
  }
  const found: JsonObject[] = []
  for (;;) {
    const query = {
      where,
      viewId: asString(options.viewId),
      limit: String(PAGE_RECORDS),
      offset: String(found.length),
    }
    const response = await ask(run, made, { method: 'GET', path: '/records', query })
    if (response === null) return null
    const page = asObjects(pickList(response.body, 'list'))
    found.push(...page)
    const total = pick(response.body, 'pageInfo', 'totalRows')
    const isLast = page.length === 0 || typeof total !== 'number' || found.length >= total
    if (isLast || !(await checkBudget(run))) return found
    if (found.length < MAX_RECORDS) continue
    failCall(run, made.block, `NocoDB: only the first ${MAX_RECORDS} records were read`)
    return found
  }
}

/**
 * The filter as the vendor writes it; undefined without one. Throws `UnsafeFilter` where it would mean other records
 * than the block says.
 */
function whereOf(filter: unknown): string | undefined {
  const given = asObjects(asObject(filter).comparisons)
  const comparisons = given.map(({ input, operator, value }) => {
    const field = filledText(input)
    const write = Object.hasOwn(operators, String(operator)) ? operators[String(operator)] : undefined
    if (field === undefined) throw new UnsafeFilter('a comparison of the filter has no field')
    if (write === undefined) throw new UnsafeFilter(`the filter cannot compare by "${String(operator)}"`)
    const words = asString(value) ?? ''
    // The vendor has no quotes for values.
    if (/[(),~]/.test(field + words))
      throw new UnsafeFilter('a value of the filter has a comma, bracket or tilde')
    return `(${field},${write(words)})`
  })
  if (comparisons.length === 0) return undefined
  return comparisons.join(asObject(filter).joiner === 'OR' ? '~or' : '~and')
}

/** Ids of the columns that link to another table, by their titles. */
async function linkColumns(run: Execution, made: VendorCall): Promise<Map<string, string> | null> {
  const table = encodeURIComponent(asString(made.call.options.tableId) ?? '')
  const response = await ask(run, made, { method: 'GET', path: `/api/v2/meta/tables/${table}` })
  if (response === null) return null
  const links = asObjects(pickList(response.body, 'columns')).filter(
    ({ uidt }) => uidt === 'LinkToAnotherRecord' || uidt === 'Links',
  )
  return new Map(links.map(({ title, id }) => [String(title), String(id)]))
}
