import { vendorRow } from '../../contract/bot-document/blocks/vendors/all.ts'
import type { FlowFinding } from '../../contract/publications.ts'
import { takesFiles } from '../chat/engine/upload-policy.ts'
import { blocksOf, type FlowDocument, isRecord } from '../documents/conversion/document.ts'
import { blockIssues } from './checks/blocks.ts'
import { unsentMails } from './checks/credentials.ts'
import { type Findings, type Flow, issue, readFlow } from './checks/flow.ts'
import { endlessLoops } from './checks/loops.ts'
import { idleIssues } from './checks/people.ts'
import { startIssues, unreachableGroups } from './checks/reach.ts'
import { duplicateIds, edgeIssues, eventIssues } from './checks/references.ts'
import type { CheckedService } from './checks/service.ts'
import { settingIssues } from './checks/settings.ts'

/** An error stops a chat from following the flow; a warning is probably a mistake of its author. */
export interface Finding extends FlowFinding {
  severity: 'error' | 'warning'
}

/**
 * Finds doubtful parts of a flow, in the order of the document: references to things that do not exist, duplicate ids,
 * blocks, edges and groups that no chat runs, follows or reaches, a bot without a start. Such a flow can be stored and
 * published, because the runtime treats a reference that leads nowhere as absent; its author wants to know.
 *
 * Takes documents of every version, the legacy ones with their start block. Reads everything once, or as often as a
 * limit allows (the blocks of a group, the nesting, the `effort`), so the time grows with the size of the document
 * only. Pauses at each undefined that it yields. Never throws: it skips malformed parts, which the contract rejects.
 *
 * | code | what |
 * |---|---|
 * | `duplicate_id` | an id is there before: of a group, block, edge, event or variable; of an item in its block |
 * | `missing_start` | the bot has no start event, or no start block |
 * | `start_without_edge` | the start leads nowhere |
 * | `missing_edge` | `outgoingEdgeId` names no edge |
 * | `missing_source` | edges start at a block, item, path or event that does not exist; all of them are one finding |
 * | `missing_target` | an edge, a jump or a link within the bot leads to a group or block that does not exist |
 * | `unused_edge` | what an edge starts at does not leave by it, and chats follow `outgoingEdgeId` alone |
 * | `skipped_block` | chats do not run blocks of this type: it is misspelt, or of an outside service |
 * | `unknown_variable` | a variable that is not declared |
 * | `unreachable_group` | no path leads from the start or another event to the group |
 * | `endless_loop` | a chat goes round in it without asking anything, until it is stopped |
 * | `unknown_property` | a property that the block does not have, where it has one of almost that name |
 * | `unknown_name` | a placeholder names no variable |
 * | `invalid_code` | code that does not parse |
 * | `empty_bubble` | a bubble shows nothing |
 * | `empty_item` | an item shows nothing, compares nothing, or there is none |
 * | `closed_address` | a request to an address that this installation never sends one to |
 * | `foreign_address` | an address of a model that its key is never sent to |
 * | `unknown_file_type` | an entry of the file types of an input that takes no file |
 * | `unmatched_origin` | an allowed origin that no page can have |
 * | `open_origins` | the allowed origin `*`, which is everyone |
 * | `missing_setting` | the block does nothing without it: a URL, a variable, a group, a recipient |
 * | `doubtful_format` | a format of dates has `D` or `Y` where `d` or `y` is the usual one |
 * | `no_mail_server` | e-mail blocks without an account, where the service has no mail server |
 * | `missing_credentials` | a block asks a language model, and has no credentials of the workspace for that |
 * | `needs_chat_host` | a tracker, a widget or head code, where the bot has no host that serves chats alone |
 * | `no_file_store` | inputs for files and blocks that make some, where the service has no place for them |
 */
export function* findingsOf(
  document: FlowDocument,
  service: CheckedService,
): Generator<Finding | undefined, void> {
  const flow = yield* readFlow(document)
  let broken = 0
  for (const found of allButReach(flow, service)) {
    if (found && brokenConnections.has(found.code)) broken += 1
    yield found && withSeverity(found)
  }
  for (const found of unreachableGroups(flow, broken)) yield found && withSeverity(found)
}

function* allButReach(flow: Flow, service: CheckedService): Findings {
  yield* duplicateIds(flow)
  yield* startIssues(flow)
  yield* eventIssues(flow)
  yield* idleIssues(flow)
  yield* blockIssues(flow, service)
  if (!service.hasMail) yield* unsentMails(flow)
  if (service.hasFiles === false) yield* untakenFiles(flow)
  yield* edgeIssues(flow)
  yield* endlessLoops(flow)
  yield* settingIssues(flow, service)
}

function withSeverity(found: FlowFinding): Finding {
  return { ...found, severity: errors.has(found.code) ? 'error' : 'warning' }
}

const brokenConnections = new Set(['missing_edge', 'missing_target', 'unused_edge'])

const errors = new Set([
  'duplicate_id',
  'missing_start',
  'start_without_edge',
  'missing_target',
  'skipped_block',
  'endless_loop',
  'invalid_code',
  'missing_setting',
  'no_mail_server',
  'missing_credentials',
  'no_file_store',
  'needs_chat_host',
  'closed_address',
  'unmatched_origin',
  'unknown_time',
  'unknown_time_zone',
])

function hasFileOutput({ type, options }: { type?: unknown; options?: unknown }): boolean {
  const action = vendorRow(type)?.actions[String(isRecord(options) ? options.action : '')]
  return action?.file !== undefined || action?.hasFileOutput === true
}

/** One finding for all of them: it is one thing to set. */
function* untakenFiles({ groups }: Flow): Findings {
  for (const [groupIndex, group] of groups.entries()) {
    const index = blocksOf(group).findIndex(
      (block) =>
        isRecord(block) &&
        typeof block.type === 'string' &&
        (hasFileOutput(block) ||
          takesFiles({ type: block.type, options: isRecord(block.options) ? block.options : {} })),
    )
    if (index === -1) continue
    const path = ['groups', groupIndex, 'blocks', index, 'type']
    const message = 'No file can be stored: the service has no place for files (FILES_DIR or S3_ENDPOINT).'
    yield issue(path, 'no_file_store', message)
    return
  }
}
