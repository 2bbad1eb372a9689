import { cursor, limitOr, name, nextCursor, readOnly, recordId, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, folder, workspace } from './operation.ts'
import { exampleIds } from './shared.ts'

const folderId = recordId('Id of the folder, as create and list return it.', exampleIds.folder)
const workspaceId = recordId('Id of the workspace the folder is in.', exampleIds.workspace)
const parentFolderId = recordId('Id of the folder this one is in.', exampleIds.parentFolder)
  .nullable()
  .meta({ description: 'Id of the folder this one is in; null at the top level.' })
const folderName = name('Name of the folder. Names need not be unique.', 'Lead forms')

const folderSchema = z
  .object({
    id: folderId,
    createdAt: timestamp('When the folder was created.'),
    updatedAt: timestamp('When the folder was last changed.'),
    name: folderName,
    parentFolderId,
    workspaceId,
  })
  .meta({ id: 'Folder', description: 'A folder of a workspace, holding bots and other folders.' })

const folderBody = z
  .object({ folder: folderSchema })
  .meta({ id: 'FolderBody', description: 'One folder, without its contents.' })

const ignored = {
  id: readOnly('id'),
  createdAt: readOnly('time of creation'),
  updatedAt: readOnly('time of the last change'),
}

const folderCreate = z
  .strictObject({
    name: folderName,
    parentFolderId: parentFolderId.optional(),
    ...ignored,
    workspaceId: readOnly('workspace, which is taken from the property beside `folder`'),
  })
  .meta({ id: 'FolderCreate', description: 'The folder to create.' })

const folderUpdate = z
  .strictObject({
    name: folderName.optional(),
    parentFolderId: parentFolderId.optional(),
    ...ignored,
    workspaceId: readOnly('workspace; folders stay in their workspace'),
  })
  .meta({ id: 'FolderUpdate', description: 'Changes; absent properties stay as they are.' })

const exampleFolder = {
  id: exampleIds.folder,
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:15:30.120Z',
  name: 'Lead forms',
  parentFolderId: null,
  workspaceId: exampleIds.workspace,
}

/** Maximum folders of a page if the request has no `limit`. */
export const MAX_FOLDERS = 1_000

const params = z.object({ folderId })
const optionalWorkspace = z.strictObject({
  workspaceId: recordId('Id of the workspace the folder must be in.', exampleIds.workspace)
    .optional()
    .meta({ description: 'When given, the folder must be in this workspace; otherwise it is not found.' }),
})

export const folders = define({
  listFolders: {
    method: 'get',
    path: '/v1/folders',
    tag: 'folders',
    summary: 'List the folders of a workspace',
    description:
      'Returns the folders directly in one folder, or those at the top level of the workspace, newest first, in pages. Bots and deeper folders are not included.',
    access: workspace('GUEST', 'query'),
    query: z.strictObject({
      workspaceId: recordId('Id of the workspace whose folders are listed.', exampleIds.workspace),
      parentFolderId: recordId('Id of the folder whose folders are listed.', exampleIds.folder)
        .optional()
        .meta({
          description:
            'List the folders directly in this folder. Absent or `root` means the top level; an unknown folder is not found.',
        }),
      limit: limitOr('1,000'),
      cursor,
    }),
    success: {
      status: 200,
      description: 'The folders, newest first.',
      body: z
        .object({
          folders: z.array(folderSchema).max(MAX_FOLDERS).meta({ description: 'The folders, newest first.' }),
          nextCursor,
        })
        .meta({ id: 'FolderList', description: 'Folders of one level.' }),
      examples: {
        topLevel: { summary: 'The top level', value: { folders: [exampleFolder], nextCursor: null } },
      },
    },
  },
  createFolder: {
    method: 'post',
    path: '/v1/folders',
    tag: 'folders',
    summary: 'Create a folder',
    description:
      'Creates a folder at the top level of a workspace or inside another folder of the same workspace, and returns it. Names need not be unique; a parent of another workspace is invalid input.',
    access: workspace('MEMBER', 'body'),
    body: z
      .strictObject({
        workspaceId: recordId('Id of the workspace to create the folder in.', exampleIds.workspace),
        folder: folderCreate,
      })
      .meta({ id: 'CreateFolderBody', description: 'The folder to create, and its workspace.' }),
    requestExamples: {
      topLevel: {
        summary: 'At the top level',
        value: { workspaceId: exampleIds.workspace, folder: { name: 'Lead forms' } },
      },
      nested: {
        summary: 'Inside another folder',
        value: {
          workspaceId: exampleIds.workspace,
          folder: { name: '2026', parentFolderId: exampleIds.folder },
        },
      },
    },
    success: {
      status: 201,
      description: 'The new folder with its id.',
      body: folderBody,
      location: '/v1/folders/{folder.id}',
      examples: { created: { summary: 'The new folder', value: { folder: exampleFolder } } },
    },
  },
  getFolder: {
    method: 'get',
    path: '/v1/folders/{folderId}',
    tag: 'folders',
    summary: 'Get a folder',
    description: 'Returns one folder. List folders and list bots return its contents.',
    access: folder('GUEST'),
    params,
    query: optionalWorkspace,
    isConditional: true,
    success: {
      status: 200,
      description: 'The folder, without its contents.',
      body: folderBody,
      examples: { folder: { summary: 'A folder', value: { folder: exampleFolder } } },
    },
  },
  updateFolder: {
    method: 'patch',
    path: '/v1/folders/{folderId}',
    tag: 'folders',
    summary: 'Rename or move a folder',
    description:
      'Changes the name of a folder, or moves it with its contents. It moves to another folder of its workspace or, with null, to the top level. A folder cannot be moved into itself or into a folder inside it. Returns the folder as stored.',
    access: folder('MEMBER'),
    params,
    body: z
      .strictObject({
        workspaceId: recordId('Id of the workspace the folder must be in.', exampleIds.workspace)
          .optional()
          .meta({
            description: 'When given, the folder must be in this workspace; otherwise it is not found.',
          }),
        folder: folderUpdate,
      })
      .meta({ id: 'UpdateFolderBody', description: 'The change to a folder.' }),
    requestExamples: {
      rename: { summary: 'Rename', value: { folder: { name: 'Lead forms 2026' } } },
      move: { summary: 'Move to the top level', value: { folder: { parentFolderId: null } } },
    },
    isConditional: true,
    success: {
      status: 200,
      description: 'The folder as it is now.',
      body: folderBody,
      examples: {
        renamed: {
          summary: 'Renamed',
          value: {
            folder: { ...exampleFolder, name: 'Lead forms 2026', updatedAt: '2026-03-05T08:00:00.000Z' },
          },
        },
      },
    },
  },
  deleteFolder: {
    method: 'delete',
    path: '/v1/folders/{folderId}',
    tag: 'folders',
    summary: 'Delete a folder',
    description:
      'Deletes a folder and returns it. Its folders and bots are kept: they move to its parent folder, or to the top level.',
    access: folder('MEMBER'),
    isAudited: true,
    params,
    query: optionalWorkspace,
    isConditional: true,
    success: {
      status: 200,
      description: 'The folder that was deleted.',
      body: folderBody,
      examples: { deleted: { summary: 'The deleted folder', value: { folder: exampleFolder } } },
    },
  },
})
