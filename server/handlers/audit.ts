import type { AuditHandlers } from '../../generated/handlers.ts'
import { auditPage } from '../audit/log.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { asProperty } from '../kit/json/json-text.ts'

export const audit: AuditHandlers<Contexts> = {
  async listAuditLog({ query }, respond, { db, grant, cursorKey }) {
    const list = await readPage(cursorKey, ['audit', grant.workspace.id], query, (position, limit) =>
      auditPage(db, grant, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({
      entries: list.page.map(({ createdAt, details, ...row }) => ({
        ...row,
        createdAt: createdAt.toISOString(),
        details: details && asProperty(details),
      })),
      nextCursor: list.nextCursor,
    })
  },
}
