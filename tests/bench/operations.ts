import { makeDocument } from './documents.ts'
import type { Load } from './load.ts'
import type { Seed } from './seed.ts'

/** What kind of work it is, which decides how near to the floor it has to be. */
type Kind = 'document' | 'small' | 'write'

export interface Measured {
  name: string
  title: string
  kind: Kind
  /** Whether only the service and the floor have it: the other servers have no engine for chats. */
  isChat?: boolean
  /** The bearer token is added to it, except where a caller needs none. */
  request: (isService: boolean) => Pick<Load, 'method' | 'target' | 'body' | 'setup' | 'sessionIds'>
}

/** The share of the floor's throughput and CPU time that each kind has to reach. */
export const bars: Record<Kind, number> = { document: 0.8, small: 0.6, write: 0.7 }

/** `sessionIds` are those of as many live chats as there are connections. */
export function operations(seed: Seed, sessionIds: string[]): Measured[] {
  const get = (target: string) => () => ({ method: 'GET', target })
  const bot = (id: string) => `/v1/bots/${id}`
  const post = (target: string, value: object) => ({
    method: 'POST',
    target,
    body: JSON.stringify(value),
  })
  const rename = (id: string) => () => ({
    method: 'PATCH',
    target: bot(id),
    body: JSON.stringify({ bot: { version: '6.1', name: 'Renamed' } }),
  })
  const document = makeDocument(27_000)
  const start = post(`/api/v1/bots/${seed.publicId}/startChat`, {})
  return [
    {
      name: 'getWorkspace',
      title: 'Get workspace',
      kind: 'small',
      request: get(`/v1/workspaces/${seed.workspaceId}`),
    },
    { name: 'getBotSmall', title: 'Get bot, 3 KB', kind: 'document', request: get(bot(seed.bots[3])) },
    { name: 'getBotLarge', title: 'Get bot, 27 KB', kind: 'document', request: get(bot(seed.bots[27])) },
    {
      name: 'listFirst',
      title: 'List results, first page',
      kind: 'document',
      request: get(`${bot(seed.crowded)}/results`),
    },
    {
      name: 'listDeep',
      title: 'List results, at depth 500,000',
      kind: 'document',
      request: (isService) => ({
        method: 'GET',
        target: `${bot(seed.crowded)}/results?cursor=${isService ? seed.deepCursor.signed : seed.deepCursor.plain}`,
      }),
    },
    {
      name: 'statsSmall',
      title: 'Get stats, all time, 1,000 results',
      kind: 'small',
      request: get(`${bot(seed.quiet)}/analytics/stats`),
    },
    {
      name: 'statsWeek',
      title: 'Get stats, 7 days, 1,000,000 results',
      kind: 'small',
      request: get(`${bot(seed.crowded)}/analytics/stats?timeFilter=last7Days`),
    },
    {
      name: 'statsAll',
      title: 'Get stats, all time, 1,000,000 results',
      kind: 'small',
      request: get(`${bot(seed.crowded)}/analytics/stats`),
    },
    {
      name: 'createBot',
      title: 'Create bot, 27 KB',
      kind: 'write',
      request: () => post('/v1/bots', { workspaceId: seed.workspaceId, bot: { name: 'New', ...document } }),
    },
    { name: 'updateSmall', title: 'Rename bot, 5 KB', kind: 'write', request: rename(seed.bots[5]) },
    { name: 'updateLarge', title: 'Rename bot, 1 MB', kind: 'write', request: rename(seed.bots[1000]) },
    {
      name: 'saveLogs',
      title: 'Save client logs',
      kind: 'write',
      request: () => ({
        ...post('/api/v2/sessions/{sessionId}/clientLogs', {
          clientLogs: [{ description: 'Could not load the script', details: 'net::ERR_BLOCKED_BY_CLIENT' }],
        }),
        sessionIds,
      }),
    },
    { name: 'startChat', title: 'Start chat', kind: 'write', isChat: true, request: () => start },
    {
      name: 'continueChat',
      title: 'Continue chat',
      kind: 'write',
      isChat: true,
      request: () => ({
        ...post('/api/v1/sessions/{sessionId}/continueChat', { message: 'A good one, thank you' }),
        setup: start,
      }),
    },
  ]
}
