import type { BrowserSessionsHandlers } from '../../generated/handlers.ts'
import { browserSessionPage, revokeBrowserSession, toBrowserSession } from '../access/browser-sessions.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'

export const browserSessions: BrowserSessionsHandlers<Contexts> = {
  async listBrowserSessions({ query }, reply, { db, grant, now, cursorKey }) {
    const list = await readPage(
      cursorKey,
      ['browser sessions', grant.caller.userId],
      query,
      (position, limit) => browserSessionPage(db, grant, now, position, limit),
    )
    if ('issue' in list) return reply.fail('BAD_REQUEST', [list.issue])
    return reply.ok({ browserSessions: list.page.map(toBrowserSession), nextCursor: list.nextCursor })
  },

  async revokeBrowserSession({ params }, reply, { db, grant, now }) {
    const row = await revokeBrowserSession(db, grant, params.browserSessionId, now)
    return row ? reply.ok({ browserSession: toBrowserSession(row) }) : reply.fail('NOT_FOUND')
  },
}
