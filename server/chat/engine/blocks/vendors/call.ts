/** A call of an outside service: its options with placeholders filled in, its credentials and its address. */

import { randomUUID } from 'node:crypto'
import type { Action, Call, VendorRow } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { z } from '../../../../../contract/kit/zod.ts'
import { asString, filledText, type JsonObject } from '../../../../json/access.ts'
import type { OutboundFailure } from '../../../../outbound/failure.ts'
import { trimSlashes } from '../../../../outbound/trim-slashes.ts'
import { type Execution, log } from '../../execution.ts'
import type { Block } from '../../flow-index.ts'
import { fillDeep, fillValue, readVariable, textOfValue } from '../../variables.ts'

/** A call without the types of its row. */
export interface VendorCall {
  row: VendorRow
  action: Action
  block: Block
  call: Call
  /** The sender stores the outcome of its last request here. */
  last?: LastExchange
}

/** The outcome of a request: a status, or the reason for which there is no response. */
export interface LastExchange {
  status?: number | undefined
  reason?: OutboundFailure['reason'] | undefined
  retryAfterMs?: number
}

const MAX_PRUNED_DEPTH = 64

/** Prepares a call; null if it cannot be made, which is in the log then. */
export async function prepareCall(run: Execution, block: Block, row: VendorRow, action: Action) {
  const credentials = await readCredentials(run, block, row, action)
  if (credentials === null) return null
  const options = await fillOptions(run, block, row)
  for (const [option, description] of Object.entries(action.required ?? {})) {
    if (options[option] !== undefined) continue
    failCall(run, block, description ?? `${row.title}: ${option} is empty`)
    return null
  }
  const base = baseOf(row, credentials, options)
  if (base === null) {
    failCall(
      run,
      block,
      `${row.type}: nothing was sent, since the address of the block is not that of its credentials`,
    )
    return null
  }
  const call: Call = {
    options: options as Call['options'],
    credentials,
    base,
    valueOf: (variableId) => filledText(textOfValue(readVariable(run, variableId))),
    visitorId: run.state.userId,
    now: run.effects.now(),
    uuid: randomUUID,
  }
  return { row, action, block, call }
}

/** Null where the block names another host than its vendor: a key goes there only by its credentials. */
function baseOf({ base, baseKey }: VendorRow, credentials: JsonObject, options: JsonObject): string | null {
  const ofCredentials = filledText(asString(credentials[baseKey])?.trim())
  const own = base === undefined ? undefined : filledText(asString(options.baseUrl)?.trim())
  if (ofCredentials === undefined && own !== undefined) {
    if (!URL.canParse(own) || new URL(own).origin !== new URL(base ?? '').origin) return null
  }
  return trimSlashes(ofCredentials ?? own ?? base ?? '')
}

async function readCredentials(
  run: Execution,
  block: Block,
  { type, credentials: data, noCredentials, unknownCredentials }: VendorRow,
  { canRunWithoutCredentials }: Action,
): Promise<JsonObject | null> {
  if (data === undefined) return {}
  const id = filledText(block.options.credentialsId)
  try {
    const found = id === undefined ? null : await run.effects.findCredentials(id, type)
    if (found !== null) return found
  } catch (error) {
    failCall(run, block, `The credentials of the block ${type} cannot be read`, (error as Error).message)
    return null
  }
  if (canRunWithoutCredentials === true) return {}
  const description = id === undefined ? noCredentials : unknownCredentials
  failCall(run, block, description ?? `Could not find credentials for block ${type}`)
  return null
}

/** Options of the wrong form are absent, as everywhere in a document. */
async function fillOptions(run: Execution, block: Block, { optionsShape }: VendorRow): Promise<JsonObject> {
  const options: JsonObject = {}
  for (const [key, schema] of Object.entries(optionsShape)) {
    const given = block.options[key]
    if (given === undefined || given === null || !z.safeParse(schema, given).success) continue
    const value =
      typeof given === 'string' && isUnknown(schema)
        ? await fillValue(run, given)
        : ((await fillDeep(run, { [key]: given })) as JsonObject)[key]
    const filled = pruneEmpty(value)
    if (filled !== undefined) options[key] = filled
  }
  return options
}

/** An option of any type takes a list where a text one takes its JSON. */
function isUnknown(schema: unknown): boolean {
  return schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodUnknown
}

/** Without empty texts in objects, which count as absent. */
function pruneEmpty(value: unknown, depth = 0): unknown {
  if (value === '' || value === null || depth > MAX_PRUNED_DEPTH) return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => pruneEmpty(item, depth + 1) ?? '')
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const prunedValue = pruneEmpty(inner, depth + 1)
    return prunedValue === undefined ? [] : [[key, prunedValue]]
  })
  return Object.fromEntries(entries)
}

/** An error in the log; the flow goes on. */
export function failCall(
  run: Execution,
  block: Block,
  description: string,
  details?: unknown,
  context = block.id,
): void {
  log(run, 'error', description, {
    ...(details === undefined ? {} : { details }),
    context,
    isInternal: true,
  })
}
