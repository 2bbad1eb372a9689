import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import type { z } from '../zod.ts'

/** Events that a service posts to endpoints of its users. */
export interface PostedEvents {
  /** With a tag of operations, generators would write two classes with one name. */
  tag: { id: string; name: string; description: string }
  /** Headers of each delivery. */
  headers: z.ZodObject
  /** Follows the first sentence of every description. */
  delivery: string
  byType: Record<string, { when: string; body: z.ZodType; example: object }>
}

export function registerEvent(
  registry: OpenAPIRegistry,
  type: string,
  { tag, headers, delivery, byType }: PostedEvents,
) {
  const { when, body, example } = byType[type] as PostedEvents['byType'][string]
  const operationId = `on${type.replaceAll(/(?:^|\.)([a-z])/g, (_, first: string) => first.toUpperCase())}`
  registry.registerWebhook({
    method: 'post',
    path: type,
    operationId,
    tags: [tag.id],
    'x-internal': false,
    summary: `Event \`${type}\``,
    description: `${when} ${delivery}`,
    security: [],
    request: {
      headers,
      body: {
        required: true,
        description: 'The event. The signature covers the bytes as they are sent.',
        content: {
          'application/json': {
            schema: body,
            examples: {
              event: {
                summary: when,
                value: { type, timestamp: '2026-03-05T12:31:00.000Z', data: example },
              },
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'The event was accepted.' },
      '410': { description: 'The endpoint no longer exists: it gets no more events.' },
      '4XX': { description: 'The event is sent again later.' },
    },
  } as unknown as Parameters<OpenAPIRegistry['registerWebhook']>[0])
}
