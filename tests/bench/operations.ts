import { makeDocument } from './documents.ts'
import type { Load } from './load.ts'
import type { Seed } from './seed.ts'

/** Kind of work, which decides how close to the floor the operation has to be. */
type Kind = 'document' | 'small' | 'write'

type Request = Pick<Load, 'method' | 'target' | 'body' | 'sessionIds'> & {
  headers?: Record<string, string>
  /** Request that starts a chat, sent once per connection and round and not measured. */
  setup?: { method: string; target: string; body: string }
}

export interface Measured {
  name: string
  title: string
  kind: Kind
  /** The servers that have it beside the service. */
  others: readonly string[]
  /** The bearer token is added to it. */
  request: (isService: boolean) => Request
}

/** The share of the floor's throughput and CPU time that each kind has to reach. */
export const bars: Record<Kind, number> = { document: 0.8, small: 0.6, write: 0.7 }

export const peers = ['fastify', 'hono', 'express']
/** The service again, as two processes that share the port. */
export const twoWorkers = 'two workers'
const floors = ['floor', 'rust A', 'rust B']
const all = [...floors, ...peers]

/** Requests that a service with this seed understands, even if it is an earlier release. */
export function operations(seed: Seed): Measured[] {
  const get = (target: string) => () => ({ method: 'GET', target })
  const bot = (id: string) => `/v1/bots/${id}`
  const post = (target: string, value: object) => ({ method: 'POST', target, body: JSON.stringify(value) })
  const rename = (id: string) => () => ({
    method: 'PATCH',
    target: bot(id),
    body: JSON.stringify({ bot: { version: '6.1', name: 'Renamed' } }),
  })
  const results = (id: string) => `${bot(id)}/results`
  const stats = (id: string) => `${bot(id)}/analytics/stats`
  const newBot = post('/v1/bots', {
    workspaceId: seed.workspaceId,
    bot: { name: 'New', ...makeDocument(27_000) },
  })
  const start = (publicId: string, body: object = {}) => post(`/api/v1/bots/${publicId}/startChat`, body)
  const answer = post('/api/v1/sessions/{sessionId}/continueChat', { message: 'A good one, thank you' })
  const { etag, watchedId, modelId, sessionIds } = seed
  const { signed, plain } = seed.deepCursor
  const rows: (Measured | undefined)[] = [
    {
      name: 'getWorkspace',
      title: 'Get workspace',
      kind: 'small',
      others: all,
      request: get(`/v1/workspaces/${seed.workspaceId}`),
    },
    {
      name: 'getBotSmall',
      title: 'Get bot, 3 KB',
      kind: 'document',
      others: all,
      request: get(bot(seed.bots[3])),
    },
    {
      name: 'getBotLarge',
      title: 'Get bot, 27 KB',
      kind: 'document',
      others: [twoWorkers, ...all],
      request: get(bot(seed.bots[27])),
    },
    etag === undefined
      ? undefined
      : {
          name: 'getBotUnchanged',
          title: 'Get bot, 27 KB, unchanged (304)',
          kind: 'small',
          others: floors,
          request: () => ({ ...get(bot(seed.bots[27]))(), headers: { 'If-None-Match': etag } }),
        },
    {
      name: 'listFirst',
      title: 'List results, first page',
      kind: 'document',
      others: all,
      request: get(results(seed.crowded)),
    },
    {
      name: 'listDeep',
      title: 'List results, at depth 500,000',
      kind: 'document',
      others: all,
      request: (isService) => get(`${results(seed.crowded)}?cursor=${isService ? signed : plain}`)(),
    },
    {
      name: 'listCompleted',
      title: 'List results, completed ones',
      kind: 'document',
      others: [],
      request: get(`${results(seed.crowded)}?status=completed`),
    },
    {
      name: 'listRare',
      title: 'List results, an answer nobody gave: 800 examined',
      kind: 'document',
      others: [],
      request: get(`${results(seed.crowded)}?answerContains=nobody`),
    },
    {
      name: 'statsSmall',
      title: 'Get stats, all time, 1,000 results',
      kind: 'small',
      others: all,
      request: get(stats(seed.quiet)),
    },
    {
      name: 'statsWeek',
      title: 'Get stats, 7 days, 1,000,000 results',
      kind: 'small',
      others: all,
      request: get(`${stats(seed.crowded)}?timeFilter=last7Days`),
    },
    {
      name: 'statsAll',
      title: 'Get stats, all time, 1,000,000 results',
      kind: 'small',
      others: all,
      request: get(stats(seed.crowded)),
    },
    {
      name: 'createBot',
      title: 'Create bot, 27 KB',
      kind: 'write',
      others: [twoWorkers, ...all],
      request: () => newBot,
    },
    // Keys came after tags; an earlier release does not look at them.
    etag === undefined
      ? undefined
      : {
          name: 'createBotKeyed',
          title: 'Create bot, 27 KB, with an idempotency key',
          kind: 'write',
          others: [],
          request: () => ({ ...newBot, headers: { 'Idempotency-Key': '{number}' } }),
        },
    {
      name: 'updateSmall',
      title: 'Rename bot, 5 KB',
      kind: 'write',
      others: all,
      request: rename(seed.bots[5]),
    },
    {
      name: 'updateLarge',
      title: 'Rename bot, 1 MB',
      kind: 'write',
      others: all,
      request: rename(seed.bots[1000]),
    },
    {
      name: 'saveLogs',
      title: 'Save client logs',
      kind: 'write',
      others: all,
      request: () => ({
        ...post('/api/v2/sessions/{sessionId}/clientLogs', {
          clientLogs: [{ description: 'Could not load the script', details: 'net::ERR_BLOCKED_BY_CLIENT' }],
        }),
        sessionIds,
      }),
    },
    {
      name: 'startChat',
      title: 'Start chat',
      kind: 'write',
      others: floors,
      request: () => start(seed.publicId),
    },
    {
      name: 'continueChat',
      title: 'Continue chat',
      kind: 'write',
      others: [twoWorkers, ...floors],
      request: () => ({ ...answer, setup: start(seed.publicId) }),
    },
    modelId === undefined
      ? undefined
      : {
          name: 'streamChat',
          title: 'Continue chat, a model streams 24 pieces',
          kind: 'write',
          others: [],
          request: () => ({
            ...answer,
            setup: start(modelId, { isStreamEnabled: true }),
            headers: { Accept: 'text/event-stream' },
          }),
        },
    // Last, since what it leaves behind is still being sent afterwards.
    watchedId === undefined
      ? undefined
      : {
          name: 'continueWatched',
          title: 'Continue chat, an endpoint is told',
          kind: 'write',
          others: [],
          request: () => ({ ...answer, setup: start(watchedId) }),
        },
  ]
  return rows.filter((row) => row !== undefined)
}
