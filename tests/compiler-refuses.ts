import { ask, choose, defineBot, goTo } from '../generated/client/builder.js'
import type { AnalyticsHandlers, FoldersHandlers } from '../generated/handlers.ts'
import type { BotGrant, WorkspaceGrant } from '../server/access/index.ts'
import type { Contexts } from '../server/context.ts'
import type { Database } from '../server/db/client.ts'
import { readGrantedDraft } from '../server/documents/drafts.ts'
import { folders } from '../server/handlers/folders.ts'
import { folderIn } from '../server/workspaces/folders.ts'
import { folders as folderCases } from './cases/folders.ts'
import type { Cases } from './support/cases.ts'

/*
 * Errors that the compiler finds, so that no review has to. `npm run typecheck` fails where it
 * accepts one, or rejects what is correct. Nothing runs this file.
 */

declare const db: Database
declare const botGrant: BotGrant
declare const workspaceGrant: WorkspaceGrant

export const correctBot = defineBot({
  name: 'Bot',
  variables: ['Age'],
  groups: {
    one: [goTo('other')],
    other: [choose({ Yes: 'one', No: 'other' })],
    last: [ask('text input', 'Age')],
  },
})

export const edgeToNowhere = defineBot({
  name: 'Bot',
  // @ts-expect-error There is no group "two".
  groups: { one: [goTo('two')], other: [] },
})

export const buttonToNowhere = defineBot({
  name: 'Bot',
  // @ts-expect-error There is no group "two".
  groups: { one: [choose({ Yes: 'one', No: 'two' })] },
})

export const unlistedVariable = defineBot({
  name: 'Bot',
  variables: ['Age'],
  // @ts-expect-error The bot lists no variable "Name".
  groups: { one: [ask('text input', 'Name')] },
})

const { getFolder: _handler, ...otherHandlers } = folders
// @ts-expect-error The handler of getFolder is missing.
export const missingHandler: FoldersHandlers<Contexts> = otherHandlers

const { getFolder: _cases, ...otherCases } = folderCases
// @ts-expect-error The cases of getFolder are missing.
export const missingCases: Cases<'folders'> = otherCases

const { NOT_FOUND: _case, ...getFolder } = folderCases.getFolder
// @ts-expect-error The case of NOT_FOUND is missing.
export const missingCase: Cases<'folders'>['getFolder'] = getFolder

export const undeclaredCase: Cases<'folders'>['getFolder'] = {
  ...folderCases.getFolder,
  // @ts-expect-error The operation does not declare CONFLICT.
  CONFLICT: () => ({}),
}

export const allCases: Cases<'folders'> = folderCases

type GetStats = Pick<AnalyticsHandlers<Contexts>, 'getStats'>
const stats = { totalViews: 3, totalStarts: 2, totalCompleted: 1 }

export const keepsTheContract: GetStats = {
  async getStats({ query }, respond) {
    if (query.timeFilter === 'today') return respond.fail('BAD_REQUEST', [])
    return respond.ok({ stats })
  },
}

export const answersWrongly: GetStats = {
  async getStats({ query }, respond, { grant }) {
    if (query.timeFilter === 'today') {
      // @ts-expect-error A number has another type.
      return respond.ok({ stats: { ...stats, totalViews: '3' } })
    }
    if (query.timeFilter === 'last7Days') {
      // @ts-expect-error The property totalCompleted is missing.
      return respond.ok({ stats: { totalViews: 3, totalStarts: 2 } })
    }
    if (query.timeFilter === 'last30Days') {
      // @ts-expect-error The contract has no costs.
      return respond.ok({ stats: { ...stats, costs: 4 } })
    }
    if (query.timeFilter === 'monthToDate') {
      // @ts-expect-error The operation does not declare CONFLICT.
      return respond.fail('CONFLICT')
    }
    if (query.timeFilter === 'yearToDate') {
      // @ts-expect-error No operation declares this code.
      return respond.fail('STATS_NOT_READY')
    }
    // @ts-expect-error The operation takes no parameter zone.
    query.zone
    // @ts-expect-error The grant is that of a bot.
    grant.workspace
    return respond.ok({ stats })
  },
}

export const answersByItself: GetStats = {
  // @ts-expect-error Only respond makes an answer.
  async getStats() {
    return { stats }
  },
}

export async function askWithGrants() {
  await folderIn(db, workspaceGrant, 'folder-1')
  // @ts-expect-error An id is no grant.
  await folderIn(db, 'workspace-1', 'folder-1')
  // @ts-expect-error The grant of a bot is not that of a workspace.
  await folderIn(db, botGrant, 'folder-1')
  await readGrantedDraft(db, botGrant)
  const { caller, role, bot } = botGrant
  // @ts-expect-error Only access makes grants.
  await readGrantedDraft(db, { caller, role, bot })
}
