/** Blocks of outside services: the request of their row, or a runner where one request is not enough. */
import { type VendorType, vendorRow } from '../../../../../contract/bot-document/blocks/vendors/all.ts'
import { filledText } from '../../../../json/access.ts'
import { leave, type Next, type Run } from '../../execution.ts'
import type { Block } from '../../flow-index.ts'
import type { Position } from '../../types.ts'
import { redirectInBlink, sendFeedEvent } from './blink.ts'
import { showCalendar } from './cal-com.ts'
import { failCall, prepareCall, type VendorCall } from './call.ts'
import { searchNocoDb, updateNocoDb } from './nocodb.ts'
import { runRequest } from './send.ts'
import { openZendesk } from './zendesk.ts'

/** Runs an action. Without an outcome the flow goes on by the edge of the block. */
type RunAction = (run: Run, made: VendorCall, position: Position) => Promise<Next | void> | Next | void

/** Actions that need more than one request of their row, by type and action. */
const runners: { [Type in VendorType]?: Record<string, RunAction> } = {
  nocodb: { 'Search Records': searchNocoDb, 'Update Existing Record': updateNocoDb },
  'cal-com': { 'Book event': showCalendar },
  zendesk: { 'Open Web Widget': openZendesk },
  blink: { 'Send Feed Event': sendFeedEvent, Redirect: redirectInBlink },
}

/** How chats run an action of a vendor; null if they do not. */
function runnerOf(type: string, name: string): RunAction | null {
  const action = vendorRow(type)?.actions[name]
  if (action?.request !== undefined) return runRequest
  const ofType = Object.hasOwn(runners, type) ? runners[type as VendorType] : undefined
  return ofType !== undefined && Object.hasOwn(ofType, name) ? (ofType[name] ?? null) : null
}

export function runsVendorAction(type: string, name: string): boolean {
  return runnerOf(type, name) !== null
}

export async function runVendor(run: Run, block: Block, position: Position): Promise<Next> {
  const row = vendorRow(block.type)
  const name = filledText(block.options.action)
  const action =
    name !== undefined && Object.hasOwn(row?.actions ?? {}, name) ? row?.actions[name] : undefined
  const runner = name === undefined ? null : runnerOf(block.type, name)
  if (name === undefined) failCall(run, block, `${block.type} is not configured`)
  else if (action?.ended !== undefined)
    failCall(run, block, `${block.type}: "${name}" was skipped. ${action.ended}`)
  else if (row === undefined || action === undefined || runner === null) {
    failCall(run, block, `${block.type}: this service does not run "${name}", it was skipped`)
  } else {
    const made = await prepareCall(run, block, row, action)
    const outcome = made === null ? undefined : await runner(run, made, position)
    if (outcome !== undefined) return outcome
  }
  return leave(run, block)
}
