import { type FlowDocument, isRecord, listOf, mapShared } from './document.ts'

/**
 * Version 3 to 4: HTTP requests move into their blocks.
 *
 * In version 3 the request of a `Webhook`, `Zapier`, `Make.com` or `Pabbly` block was a record beside the bot, found
 * through the block's `webhookId`. Such records do not exist here, so the block itself is the only source. For every
 * such block:
 *
 * 1. A request that stands in `options.webhook` already stays as it is. It gets an `id`, which version 4 requires,
 *    only if it has none: the `webhookId`, or an empty text.
 * 2. Without one, `options.webhook` becomes an empty request: method `POST` and the `id` of rule 1.
 * 3. `webhookId` is removed; it lives on as the `id`.
 *
 * Everything else stays, and the version becomes 4.
 */
export function from3To4(document: FlowDocument): FlowDocument {
  const groups = Array.isArray(document.groups) ? mapShared(document.groups, withRequests) : document.groups
  return { ...document, version: '4', groups }
}

const REQUEST_BLOCKS = new Set<unknown>(['Webhook', 'Zapier', 'Make.com', 'Pabbly'])

function withRequests(group: unknown): unknown {
  if (!isRecord(group)) return group
  const before = listOf(group.blocks)
  const blocks = mapShared(before, withRequest)
  return blocks === before ? group : { ...group, blocks }
}

function withRequest(block: unknown): unknown {
  if (!isRecord(block) || !REQUEST_BLOCKS.has(block.type)) return block
  const { webhookId, ...rest } = block
  const id = typeof webhookId === 'string' ? webhookId : ''
  const options = isRecord(block.options) ? block.options : {}
  const request = isRecord(options.webhook) ? options.webhook : { method: 'POST' }
  const webhook = typeof request.id === 'string' ? request : { ...request, id }
  if (webhook === options.webhook && !('webhookId' in block)) return block
  return { ...rest, options: { ...options, webhook } }
}
