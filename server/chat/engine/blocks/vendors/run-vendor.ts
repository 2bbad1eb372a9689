/** Blocks of outside services: the request of their row, or a runner where one request is not enough. */
import { type VendorType, vendorRow } from '../../../../../contract/bot-document/blocks/vendors/all.ts'
import { filledText } from '../../../../json/access.ts'
import { type BlockOutcome, type Execution, followBlockEdge } from '../../execution.ts'
import type { Block } from '../../flow-index.ts'
import type { Position } from '../../types.ts'
import { askOpenAiModel } from './ask-model.ts'
import { redirectInBlink, sendFeedEvent } from './blink.ts'
import { showCalendar } from './cal-com.ts'
import { failCall, prepareCall, type VendorCall } from './call.ts'
import { sendByGmail } from './gmail.ts'
import { getFromSheet, insertIntoSheet, updateSheet } from './google-sheets.ts'
import { searchNocoDb, updateNocoDb } from './nocodb.ts'
import { generateQrCode } from './qr-code.ts'
import { runRequest } from './send.ts'
import { createTranscription } from './transcription.ts'
import { openZendesk } from './zendesk.ts'

/** Runs an action, after which the flow goes on by the edge of the block. */
type RunAction = (run: Execution, made: VendorCall) => Promise<void>

/** Runs an action that the chat waits for. */
type RunWaitingAction = (run: Execution, made: VendorCall, position: Position) => BlockOutcome

/** Actions that need more than one request of their row, by type and action. */
const runners: { [Type in VendorType | 'Google Sheets']?: Record<string, RunAction> } = {
  'Google Sheets': {
    'Get data from sheet': getFromSheet,
    'Insert a row': insertIntoSheet,
    'Update a row': updateSheet,
  },
  openai: { 'Ask Model': askOpenAiModel, 'Create transcription': createTranscription },
  'qr-code': { 'Generate a QR Code': generateQrCode },
  nocodb: { 'Search Records': searchNocoDb, 'Update Existing Record': updateNocoDb },
  zendesk: { 'Open Web Widget': openZendesk },
  gmail: { 'Send email': sendByGmail },
  blink: { 'Send Feed Event': sendFeedEvent, Redirect: redirectInBlink },
}

const waitingRunners: Readonly<Record<string, RunWaitingAction>> = { 'Book event': showCalendar }

/** The runner of an action of a vendor; null if chats skip it. */
function runnerOf(type: string, name: string): RunAction | null {
  const action = vendorRow(type)?.actions[name]
  if (action?.request !== undefined) return runRequest
  const ofType = Object.hasOwn(runners, type) ? runners[type as VendorType] : undefined
  return ofType !== undefined && Object.hasOwn(ofType, name) ? (ofType[name] ?? null) : null
}

export function runsVendorAction(type: string, name: string): boolean {
  return isWaiting(type, name) || runnerOf(type, name) !== null
}

function isWaiting(type: string, name: string): boolean {
  return type === 'cal-com' && Object.hasOwn(waitingRunners, name)
}

export async function runVendor(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const { type } = block
  const row = vendorRow(type)
  const name = filledText(block.options.action)
  const action =
    row !== undefined && name !== undefined && Object.hasOwn(row.actions, name)
      ? row.actions[name]
      : undefined
  if (name === undefined) failCall(run, block, `${type} is not configured`)
  else if (action?.shutdownNotice !== undefined) {
    failCall(run, block, `${type}: "${name}" was skipped. ${action.shutdownNotice}`)
  } else if (row === undefined || action === undefined || !runsVendorAction(type, name)) {
    failCall(run, block, `${type}: this service does not run "${name}", it was skipped`)
  } else {
    const preparation = await prepareCall(run, block, row, action)
    const waiting = isWaiting(type, name) ? waitingRunners[name] : undefined
    if (preparation !== null && waiting !== undefined) return waiting(run, preparation, position)
    if (preparation !== null) await runnerOf(type, name)?.(run, preparation)
  }
  return followBlockEdge(run, block)
}
