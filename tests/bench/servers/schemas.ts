import { z } from 'zod'

/* Zod schemas of the requests of the Express and the Hono server. */

const id = z.string().regex(/^[\w-]{1,64}$/)
const name = z.string().min(1).max(255)

export const workspaceParams = z.object({ workspaceId: id })
export const botParams = z.object({ botId: id })
export const sessionParams = z.object({ sessionId: id })

export const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(200).optional(),
})

export const statsQuery = z.strictObject({
  timeFilter: z.enum(['today', 'last7Days', 'allTime']).default('allTime'),
})

const block = z.looseObject({ id, type: z.string() })

export const create = z.strictObject({
  workspaceId: id,
  bot: z.strictObject({
    name,
    groups: z.array(
      z.looseObject({
        id,
        title: z.string(),
        graphCoordinates: z.object({ x: z.number(), y: z.number() }),
        blocks: z.array(block),
      }),
    ),
    events: z.array(block),
    edges: z.array(
      z.looseObject({ id, from: z.record(z.string(), z.string()), to: z.record(z.string(), z.string()) }),
    ),
    variables: z.array(z.looseObject({ id, name: z.string() })),
    theme: z.looseObject({}),
    settings: z.looseObject({}),
  }),
})

export const rename = z.strictObject({ bot: z.strictObject({ version: z.enum(['6', '6.1']), name }) })

const text = z.string().max(10_000)

export const logs = z.strictObject({
  clientLogs: z
    .array(
      z.strictObject({
        description: text,
        status: text.optional(),
        details: text.optional(),
        context: text.optional(),
      }),
    )
    .max(100),
})
