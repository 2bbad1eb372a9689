import type { BrowserSessionsHandlers } from '../../generated/handlers.ts'
import { browserSessionPage, revokeBrowserSession, toBrowserSession } from '../access/browser-sessions.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'

export const browserSessions: BrowserSessionsHandlers<Contexts> = {
  async listBrowserSessions({ query }, respond, { db, grant, now, cursorKey }) {
    const list = await readPage(
      cursorKey,
      ['browser sessions', grant.caller.userId],
      query,
      (position, limit) => browserSessionPage(db, grant, now, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({ browserSessions: list.page.map(toBrowserSession), nextCursor: list.nextCursor })
  },

  async revokeBrowserSession({ params }, respond, { db, grant, now }) {
    const row = await revokeBrowserSession(db, grant, params.browserSessionId, now)
    return row ? respond.ok({ browserSession: toBrowserSession(row) }) : respond.fail('NOT_FOUND')
  },
}
