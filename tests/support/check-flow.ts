import type { CheckedService } from '../../server/bots/checks/service.ts'
import { type Finding, findingsOf } from '../../server/bots/flow-check.ts'
import type { FlowDocument } from '../../server/documents/conversion/index.ts'

/** All findings, in one go. */
export function checkFlow(document: FlowDocument, service: CheckedService = { hasMail: true }): Finding[] {
  return [...findingsOf(document, service)].filter((found) => found !== undefined)
}
