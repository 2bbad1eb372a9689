import type { BotsHandlers } from '../../generated/handlers.ts'
import { insertBot, newBot, newDraft } from '../bots/create.ts'
import { convertDraft, rememberDraft, withDraft } from '../bots/drafts.ts'
import { botPage, deleteBot, noSuchFolder, toBot } from '../bots/rows.ts'
import { toChange, updateBot } from '../bots/update.ts'
import type { Contexts } from '../context.ts'
import { transact } from '../db/client.ts'
import { paged } from '../db/page.ts'
import { folderIn } from '../workspaces/folders.ts'

export const bots: BotsHandlers<Contexts> = {
  async listBots({ query }, reply, { db, grant, cursorKey }) {
    const { folderId } = query
    const scope = ['bots', grant.workspace.id, folderId ?? '']
    const list = await paged(cursorKey, scope, query, (position, limit) =>
      botPage(db, grant, folderId, position, limit),
    )
    if ('issue' in list) return reply.fail('BAD_REQUEST', [list.issue])
    // A bot in the folder proves that the folder is there; only an empty page has to ask.
    if (list.page.length === 0 && folderId !== undefined && folderId !== 'root') {
      if (!(await folderIn(db, grant, folderId))) return reply.fail('NOT_FOUND')
    }
    return reply.ok({
      bots: list.page.map((row) => ({
        ...row,
        createdAt: row.createdAt.toISOString(),
        updatedAt: row.updatedAt.toISOString(),
        accessRight: grant.role === 'GUEST' ? 'read' : 'write',
      })),
      nextCursor: list.nextCursor,
    })
  },

  async createBot({ body, texts }, reply, { db, grant, now }) {
    const given = texts('bot')
    const row = newBot(body.bot, grant, given, now)
    const draft = newDraft(given, now)
    if (row.folderId !== null && !(await folderIn(db, grant, row.folderId))) {
      return reply.fail('BAD_REQUEST', [noSuchFolder])
    }
    const refused = await insertBot(db, row, draft)
    if (!refused) return reply.ok({ bot: toBot(row, draft) })
    return 'gone' in refused ? reply.fail('FORBIDDEN') : reply.fail('BAD_REQUEST', [refused.issue])
  },

  async getBot({ query }, reply, { db, grant }) {
    const found = await withDraft(db, grant)
    if (!found) return reply.fail('NOT_FOUND')
    const { bot, draft } = found
    const shown = query.migrateToLatestVersion
      ? convertDraft(bot.version, draft, '6.1')
      : { version: bot.version, draft }
    return reply.ok({
      bot: toBot({ ...bot, version: shown.version }, shown.draft),
      currentUserMode: grant.role === null ? 'guest' : grant.role === 'GUEST' ? 'read' : 'write',
    })
  },

  async updateBot({ body, texts }, reply, { db, grant, now }) {
    const outcome = await updateBot(db, grant, toChange(body, texts('bot')), now)
    if ('gone' in outcome) return reply.fail('NOT_FOUND')
    if ('conflict' in outcome) return reply.fail('CONFLICT', [outcome.conflict])
    if ('issues' in outcome) return reply.fail('BAD_REQUEST', outcome.issues)
    rememberDraft(db, outcome.bot, outcome.draft)
    return reply.ok({ bot: toBot(outcome.bot, outcome.draft) })
  },

  async deleteBot(_request, reply, { db, grant, now }) {
    const isDeleted = await transact(db, (tx) => deleteBot(tx, grant, now))
    return isDeleted ? reply.ok({ message: 'success' }) : reply.fail('NOT_FOUND')
  },
}
