import { type OperationId, operations } from '../index.ts'
import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'
import type { Operation } from '../operation.ts'
import { flowChange, MAX_FLOW_CHANGES } from './changes.ts'

/*
 * The tools of `/mcp`. A tool is an operation with the mark `tool`, or one of those below, which call several. Agents
 * read names and descriptions with every task, so both are short; a test bounds them all in tokens.
 */

const botId = text(64, 1).meta({ description: 'Id of the bot, from find_bots.' })

const etag = text(255, 1).meta({
  description: 'The `etag` of the draft you read. If the draft has changed since, nothing is done.',
})

const dryRun = z
  .boolean()
  .optional()
  .meta({ description: 'True checks everything, says what would happen, and does nothing.' })

const inputs = {
  find_bots: z.strictObject({
    workspaceId: text(64, 1).optional(),
    name: text(255, 1).optional().meta({ description: 'Part of the name, in any case.' }),
  }),
  create_bot: z.strictObject({
    workspaceId: text(64, 1).meta({ description: 'Id of the workspace, from find_bots.' }),
    name: text(255, 1),
    copyOf: text(64, 1)
      .optional()
      .meta({ description: 'Id of a bot of the workspace whose draft the new bot starts with.' }),
  }),
  read_flow: z.strictObject({
    botId,
    groupId: text(255, 1).optional().meta({ description: 'Read this group completely.' }),
    part: z
      .enum(['events', 'edges', 'variables', 'theme', 'settings'])
      .optional()
      .meta({ description: 'Read this part completely.' }),
    offset: z
      .int()
      .min(0)
      .max(100_000)
      .optional()
      .meta({ description: 'Index of the first group or entry, where a response says `nextOffset`.' }),
  }),
  describe_block: z.strictObject({
    type: text(255, 1).optional().meta({ description: 'Type of block. Absent lists all types.' }),
  }),
  change_flow: z.strictObject({
    botId,
    etag,
    changes: z.array(flowChange).min(1).max(MAX_FLOW_CHANGES).meta({
      description: 'Made in order, all or none. Later changes may name ids of earlier ones.',
    }),
    dryRun,
  }),
  preview_chat: z.strictObject({
    botId,
    sessionId: text(64, 1).optional().meta({ description: 'Continue this chat. Absent starts one.' }),
    message: text(200_000).optional().meta({
      description: 'Reply of the visitor; for buttons the text of one. Absent skips an optional input.',
    }),
    groupId: text(255, 1).optional().meta({ description: 'Group to start at in place of the start event.' }),
  }),
  publish_bot: z.strictObject({ botId, etag, dryRun }),
  restore_publication: z.strictObject({
    botId,
    publicationId: text(64, 1).meta({ description: 'From list_publications.' }),
    etag,
    dryRun,
  }),
  delete_bot: z.strictObject({ botId, etag, dryRun }),
} satisfies Record<string, z.ZodObject>

/** A tool that calls several operations. */
export type ToolName = keyof typeof inputs
export type ToolInput<Name extends ToolName> = z.output<(typeof inputs)[Name]>

export interface Tool {
  description: string
  input: z.ZodObject
  /** Operations that it calls; those that write or destroy decide its hints. */
  operations: readonly OperationId[]
  isDestructive?: true
}

/** Tools that call several operations, by name. */
export const composedTools: Record<ToolName, Tool> = {
  find_bots: {
    input: inputs.find_bots,
    description: 'Finds workspaces and their bots, newest first. Start here to get ids.',
    operations: ['listWorkspaces', 'listBots'],
  },
  create_bot: {
    input: inputs.create_bot,
    description:
      'Creates an empty bot, or a copy of another one. It is a draft: nobody can chat with it before publish_bot.',
    operations: ['createBot', 'duplicateBot'],
  },
  read_flow: {
    input: inputs.read_flow,
    description:
      'Reads the draft of a bot. Without groupId and part: an outline of events, groups, blocks, edges and variables with their ids, and the `etag` that changes need.',
    operations: ['getBot'],
  },
  describe_block: {
    input: inputs.describe_block,
    description:
      'Lists the types of blocks, or gives the JSON Schema of one. Read it before you write a block of that type.',
    operations: [],
  },
  change_flow: {
    input: inputs.change_flow,
    description:
      'Changes the draft by small changes, and keeps everything else. A flow is groups of blocks that run in order; an edge from an event, block or item leads to a group. The start event has to be connected. Texts may hold variables: {{Name}}. A text bubble is {"type":"text","content":{"plainText":"Hello"}}. Removing cannot be undone in the draft; try it with dryRun. Returns the new etag.',
    operations: ['getBot', 'updateBot'],
    isDestructive: true,
  },
  preview_chat: {
    input: inputs.preview_chat,
    description:
      'Chats with the draft as a visitor would; no result is stored and no e-mail sent, but requests to other services are. Returns the messages of the bot, and the input it waits at.',
    operations: ['startPreview', 'continueChat'],
  },
  publish_bot: {
    input: inputs.publish_bot,
    description:
      'Makes the draft the flow that visitors get, at once. Replaces the live flow; restore_publication brings an earlier one back. With dryRun it lists differences and errors. Afterwards read_flow gives the next etag.',
    operations: ['publishBot', 'compareBot', 'checkBot', 'getBot'],
    isDestructive: true,
  },
  restore_publication: {
    input: inputs.restore_publication,
    description:
      'DESTROYS the draft: replaces it by an earlier publication. With dryRun it lists what would change. Publish afterwards to roll back what visitors get.',
    operations: ['restorePublication', 'compareBot', 'getBot'],
    isDestructive: true,
  },
  delete_bot: {
    input: inputs.delete_bot,
    description:
      'DESTROYS a bot with its draft, publications and results, for good. With dryRun it says what would be lost. Ask a person first.',
    operations: ['deleteBot', 'getBot', 'getStats'],
    isDestructive: true,
  },
}

/** Tools that are one operation, by name. */
export const markedTools: Record<string, { id: OperationId; operation: Operation }> = Object.fromEntries(
  Object.entries<Operation>(operations).flatMap(([id, operation]) =>
    operation.tool ? [[operation.tool.name, { id: id as OperationId, operation }]] : [],
  ),
)

/** Instructions that every client of `/mcp` gets. */
export const instructions =
  'Builds bots that chat with visitors. Order of work: find_bots or create_bot, read_flow (gives ids and the etag), describe_block, change_flow with that etag, check_bot, preview_chat, publish_bot with the last etag. If a call says that the draft has changed, somebody else edited it: read_flow again and repeat your change on what is there now. Guides are resources.'
