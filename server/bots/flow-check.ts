import type { FlowFinding } from '../../contract/publications.ts'
import type { FlowDocument } from '../conversion/document.ts'
import { readFlow } from './checks/flow.ts'
import { startIssues, unreachableGroups } from './checks/reach.ts'
import { blockIssues, duplicateIds, edgeIssues, eventIssues } from './checks/references.ts'

/**
 * What is doubtful in a flow, in the order of the document: references to things that do not exist, ids that are
 * there twice, blocks, edges and groups that no chat runs, follows or reaches, a bot without a beginning. Such a flow
 * can be stored and published, because the runtime treats a reference that leads nowhere as absent; its author wants
 * to know.
 *
 * Takes documents of every version, the legacy ones with their start block. Looks at everything once, so the time
 * grows with the size of the document only. Never throws: what has an odd shape is skipped, the contract judges it.
 *
 * | code | what |
 * |---|---|
 * | `duplicate_id` | an id is there before: of a group, block, edge, event or variable; of an item in its block |
 * | `missing_start` | the bot has no start event, or no start block |
 * | `start_without_edge` | the start leads nowhere |
 * | `missing_edge` | `outgoingEdgeId` names no edge |
 * | `missing_source` | an edge starts at a block, item, path or event that does not exist |
 * | `missing_target` | an edge, a jump or a link within the bot leads to a group or block that does not exist |
 * | `unused_edge` | what an edge starts at does not leave by it, and chats follow `outgoingEdgeId` alone |
 * | `skipped_block` | chats do not run blocks of this type: it is misspelt, or of an outside service |
 * | `unknown_variable` | a variable that is not declared |
 * | `unreachable_group` | no path leads from the start or another event to the group |
 */
export function checkFlow(document: FlowDocument): FlowFinding[] {
  const flow = readFlow(document)
  return [
    ...duplicateIds(flow),
    ...startIssues(flow),
    ...eventIssues(flow),
    ...blockIssues(flow),
    ...edgeIssues(flow),
    ...unreachableGroups(flow),
  ]
}
