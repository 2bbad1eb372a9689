import type { Issue } from '../../contract/errors.ts'
import type { Role } from '../../contract/operation.ts'
import type { GetWorkspace, WorkspacesHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Config } from '../config.ts'
import type { Contexts } from '../context.ts'
import { transact } from '../db/client.ts'
import { memoizeOn } from '../db/interned-rows.ts'
import { toIso } from '../db/iso-time.ts'
import { readPage } from '../db/page.ts'
import { entityTag } from '../entity-tags.ts'
import { asProperty, toJsonText } from '../kit/json/json-text.ts'
import {
  createWorkspace,
  deleteWorkspace,
  updateWorkspace,
  type WorkspaceRow,
  workspacePage,
  workspaceState,
} from '../workspaces/rows.ts'

export const workspaces: WorkspacesHandlers<Contexts> = {
  async listWorkspaces({ query }, respond, { db, grant, cursorKey }) {
    const { userId, boundTo } = grant.caller
    const list = await readPage(cursorKey, ['workspaces', userId, boundTo ?? ''], query, (position) =>
      workspacePage(db, grant, position),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({
      workspaces: list.page.map(({ workspace }) => ({ ...workspace, plan: toPlan(workspace.plan) })),
      nextCursor: list.nextCursor,
    })
  },

  async createWorkspace({ body }, respond, { db, grant, now, config }) {
    const { name, icon = null, resultsRetentionDays = null } = body
    const tooLong = longerThanInstallation(resultsRetentionDays, config)
    if (tooLong) return respond.fail('BAD_REQUEST', [tooLong])
    const properties = { name, icon, resultsRetentionDays }
    const created = await createWorkspace(db, grant, properties, config.MAX_WORKSPACES_PER_USER, now)
    return created
      ? respond.ok({ workspace: toWorkspace(created) })
      : respond.fail('FORBIDDEN', [tooManyWorkspaces(config)])
  },

  async getWorkspace({ conditions }, respond, { grant }) {
    const { workspace, role } = grant
    const etag = workspaceTag(workspace, role)
    const notModified = respond.notModified(conditions, etag)
    if (notModified) return notModified
    return respond.ok(
      asProperty(memoizeOn(workspace, `answer ${role}`, () => toJsonText(toAnswer(workspace, role)))),
      etag,
    )
  },

  async updateWorkspace({ body, conditions }, respond, { db, grant, now, config }) {
    const { name, icon, resultsRetentionDays } = body
    const tooLong = longerThanInstallation(resultsRetentionDays, config)
    if (tooLong) return respond.fail('BAD_REQUEST', [tooLong])
    // Properties that are undefined stay as they are.
    const change = { name, icon, resultsRetentionDays }
    const outcome = await updateWorkspace(db, grant, conditions, change, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    if ('stale' in outcome)
      return respond.preconditionFailed(conditions, workspaceTag(outcome.stale, grant.role))
    const { row } = outcome
    return respond.ok({ workspace: { name: row.name, icon: row.icon } }, workspaceTag(row, grant.role))
  },

  async deleteWorkspace({ conditions }, respond, { db, grant, now }) {
    const rejection = await transact(db, (tx) => deleteWorkspace(tx, grant, conditions, now))
    if (!rejection) return respond.ok({ message: 'Workspace deleted' })
    return 'stale' in rejection
      ? respond.preconditionFailed(conditions, workspaceTag(rejection.stale, grant.role))
      : respond.fail('NOT_FOUND')
  },
}

function tooManyWorkspaces({ MAX_WORKSPACES_PER_USER: maximum }: Config): Issue {
  const message = `You have created ${maximum} workspaces, as many as this installation allows. Delete one first.`
  return { path: ['header', 'authorization'], code: 'quota_exceeded', message }
}

/** Returns an issue if a retention is longer than the installation's. */
function longerThanInstallation(
  days: number | null | undefined,
  { RESULTS_RETENTION_DAYS: maximum = Number.POSITIVE_INFINITY }: Config,
): Issue | undefined {
  if (!days || days <= maximum) return undefined
  return {
    path: ['body', 'resultsRetentionDays'],
    code: 'too_big',
    message: `Too big: this installation keeps results for ${maximum} days`,
  }
}

/** The entity tag of a workspace as a caller of this role sees it. */
function workspaceTag(workspace: WorkspaceRow, role: Role): string {
  return memoizeOn(workspace, `tag ${role}`, () => {
    return entityTag(workspaceState(workspace), role)
  })
}

type Plan = components['schemas']['Workspace']['plan']

/** Operators write plans, and the database allows only those of the list. */
function toPlan(plan: string): Plan {
  return plan as Plan
}

function toWorkspace(row: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: row.id,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    name: row.name,
    icon: row.icon,
    plan: toPlan(row.plan),
    billingId: row.billingId,
    settings: row.settings && asProperty(row.settings),
    isSuspended: row.isSuspended,
    isPastDue: row.isPastDue,
    isVerified: row.isVerified,
    chatsHardLimit: row.chatsHardLimit,
    lastActivityAt: toTime(row.lastActivityAt),
    inactiveFirstEmailSentAt: toTime(row.inactiveFirstEmailSentAt),
    inactiveSecondEmailSentAt: toTime(row.inactiveSecondEmailSentAt),
  }
}

/** The workspace as `getWorkspace` shows it. */
function toAnswer(workspace: WorkspaceRow, role: Role): GetWorkspace['responseBody'] {
  const { customChatsLimit, customSeatsLimit, resultsRetentionDays } = workspace
  return {
    workspace: { ...toWorkspace(workspace), customChatsLimit, customSeatsLimit, resultsRetentionDays },
    currentUserMode: ({ ADMIN: 'write', MEMBER: 'read', GUEST: 'guest' } as const)[role],
  }
}

function toTime(time: Date | null): string | null {
  return time && toIso(time)
}
