import type { Issue } from '../../contract/errors.ts'
import { MAX_FOLDERS } from '../../contract/folders.ts'
import type { FoldersHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { FolderGrant } from '../access/index.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { entityTag } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { unknownRecord } from '../issues/records.ts'
import {
  deleteFolder,
  type FolderRow,
  folderIn,
  folderPage,
  folderState,
  insertFolder,
  updateFolder,
} from '../workspaces/folders.ts'

export const folders: FoldersHandlers<Contexts> = {
  async listFolders({ query }, respond, { db, grant, cursorKey }) {
    const { parentFolderId = 'root' } = query
    const parentId = parentFolderId === 'root' ? null : parentFolderId
    const scope = ['folders', grant.workspace.id, parentFolderId]
    const { cursor, limit = MAX_FOLDERS } = query
    const list = await readPage(cursorKey, scope, { cursor, limit }, (position, most) =>
      folderPage(db, grant, parentId, position, most),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    // A folder inside proves that the parent exists; only an empty page needs a query.
    if (list.page.length === 0 && parentId !== null && !(await folderIn(db, grant, parentId))) {
      return respond.fail('NOT_FOUND', [unknownRecord('query', 'parentFolderId', parentId)])
    }
    return respond.ok({ folders: list.page.map(toFolder), nextCursor: list.nextCursor })
  },

  async createFolder({ body }, respond, { db, grant, now }) {
    const { name, parentFolderId = null } = body.folder
    const row: FolderRow = {
      id: newId(now),
      workspaceId: grant.workspace.id,
      parentFolderId,
      name,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    }
    const rejection = await insertFolder(db, grant, row)
    if (!rejection) return respond.ok({ folder: toFolder(row) })
    return 'isDeleted' in rejection
      ? respond.fail('NOT_FOUND')
      : respond.fail('BAD_REQUEST', [rejection.issue])
  },

  async getFolder({ query, conditions }, respond, { grant }) {
    if (isElsewhere(grant, query.workspaceId)) return respond.fail('NOT_FOUND', [elsewhere('query')])
    const etag = folderTag(grant.folder)
    return respond.notModified(conditions, etag) ?? respond.ok({ folder: toFolder(grant.folder) }, etag)
  },

  async updateFolder({ body, conditions }, respond, { db, grant, now }) {
    if (isElsewhere(grant, body.workspaceId)) return respond.fail('NOT_FOUND', [elsewhere('body')])
    const { name, parentFolderId } = body.folder
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(parentFolderId === undefined ? {} : { parentFolderId }),
    }
    const outcome = await updateFolder(db, grant, conditions, change, now)
    if (outcome && 'stale' in outcome) return respond.preconditionFailed(conditions, folderTag(outcome.stale))
    if (!outcome) return respond.fail('NOT_FOUND')
    return 'row' in outcome
      ? respond.ok({ folder: toFolder(outcome.row) }, folderTag(outcome.row))
      : respond.fail('BAD_REQUEST', [outcome.issue])
  },

  async deleteFolder({ query, conditions }, respond, { db, grant, now }) {
    if (isElsewhere(grant, query.workspaceId)) return respond.fail('NOT_FOUND', [elsewhere('query')])
    const outcome = await deleteFolder(db, grant, conditions, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    return 'stale' in outcome
      ? respond.preconditionFailed(conditions, folderTag(outcome.stale))
      : respond.ok({ folder: toFolder(outcome.row) })
  },
}

const elsewhere = (place: 'query' | 'body'): Issue => ({
  path: [place, 'workspaceId'],
  code: 'unknown_folder',
  message: 'The folder is not in this workspace; leave workspaceId out, or send that of the folder',
})

/** The entity tag of a folder, which everybody sees alike. */
function folderTag(row: FolderRow): string {
  return entityTag(folderState(row), null)
}

function isElsewhere(grant: FolderGrant, workspaceId: string | undefined): boolean {
  return workspaceId !== undefined && workspaceId !== grant.folder.workspaceId
}

function toFolder(row: FolderRow): components['schemas']['Folder'] {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    name: row.name,
    parentFolderId: row.parentFolderId,
    workspaceId: row.workspaceId,
  }
}
