import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Issue } from '../../contract/errors.ts'
import type { Config } from '../config.ts'
import { MS_PER_DAY } from '../durations.ts'

/*
 * Maximum bytes that visitors without a token may store per day, by address and by bot, since chats cost them nothing,
 * and maximum messages that members may write to them, by workspace. Counted in memory: addresses are never stored, and
 * other processes of the installation count for themselves.
 */

const MEGABYTE = 1024 * 1024
/** Addresses, bots or workspaces that are counted; beyond them the one that came longest ago begins anew. */
const MAX_COUNTED = 100_000

/** `uploads`: files. `text`: stored messages, variables, answers and logs of chats. */
type StoredKind = 'uploads' | 'text'

/** Remaining storage of the address of one request and of a bot. */
export interface Quota {
  /** Why so many bytes more are not stored; undefined where there is room for them. */
  findIssue(kind: StoredKind, botId: string, bytes?: number): Issue | undefined
  add(kind: StoredKind, botId: string, bytes: number): void
  /**
   * Counts so many bytes before they are stored, since others may reserve meanwhile. `settle` replaces them by the
   * stored bytes. Returns an issue if there is no room.
   */
  reserve(
    kind: StoredKind,
    botId: string,
    bytes: number,
  ): { issue: Issue } | { settle: (bytes: number) => void }
}

/** The quotas of a process; `perf` is its clock. Bytes without an address count for their bot alone. */
export function createQuotas(
  { config, log }: { config: Config; log: Logger },
  perf: { now: () => number } = performance,
): (address?: string) => Quota {
  const counter = (megabytes: number) => createCounter(megabytes * MEGABYTE, perf)
  const counters = {
    uploads: counter(config.UPLOAD_MAX_SIZE_PER_ADDRESS),
    text: counter(config.TEXT_MAX_SIZE_PER_ADDRESS),
    bot: counter(config.STORED_MAX_SIZE_PER_BOT),
  }
  const megabytes = {
    uploads: config.UPLOAD_MAX_SIZE_PER_ADDRESS,
    text: config.TEXT_MAX_SIZE_PER_ADDRESS,
  }
  return (address) => {
    const quota: Quota = {
      findIssue(kind, botId, bytes = 0) {
        // Without rate limits addresses are not counted, since a proxy limits callers; bots are.
        if (config.RATE_LIMIT && address !== undefined && !counters[kind].hasRoom(address, bytes)) {
          return quotaIssue(
            `The address may store ${megabytes[kind]} MB of ${what[kind]} in a day, which would be exceeded`,
          )
        }
        if (counters.bot.hasRoom(botId, bytes)) return undefined
        if (counters.bot.isFirstRejection(botId)) {
          log.warn({ botId }, 'a bot stores no more of its visitors today: STORED_MAX_SIZE_PER_BOT')
        }
        return quotaIssue(
          `The visitors of the bot may store ${config.STORED_MAX_SIZE_PER_BOT} MB in a day, which would be exceeded`,
        )
      },
      add(kind, botId, bytes) {
        if (config.RATE_LIMIT && address !== undefined) counters[kind].add(address, bytes)
        counters.bot.add(botId, bytes)
      },
      reserve(kind, botId, bytes) {
        const issue = quota.findIssue(kind, botId, bytes)
        if (issue) return { issue }
        quota.add(kind, botId, bytes)
        return { settle: (stored) => quota.add(kind, botId, stored - bytes) }
      },
    }
    return quota
  }
}

/**
 * Counts a message of a member, or a chat that one takes, before it is written; an issue where the workspace has no
 * more of them today.
 */
export type CountMessage = (workspaceId: string, bytes: number) => Issue | undefined

/** The messages of members that a process takes; `perf` is its clock. */
export function createMessageQuota(
  { config }: { config: Config },
  perf: { now: () => number } = performance,
): CountMessage {
  const { MEMBER_MESSAGES_PER_WORKSPACE: maxMessages, MEMBER_MESSAGES_MAX_SIZE: megabytes } = config
  const messages = createCounter(maxMessages, perf)
  const sizes = createCounter(megabytes * MEGABYTE, perf)
  return (workspaceId, bytes) => {
    const may = 'The members of the workspace may write'
    if (!messages.hasRoom(workspaceId, 1))
      return quotaIssue(`${may} ${maxMessages} messages in a day, which would be exceeded`)
    if (!sizes.hasRoom(workspaceId, bytes))
      return quotaIssue(`${may} ${megabytes} MB of messages in a day, which would be exceeded`)
    messages.add(workspaceId, 1)
    sizes.add(workspaceId, bytes)
    return undefined
  }
}

const what: Record<StoredKind, string> = { uploads: 'files', text: 'messages, answers and logs' }

function quotaIssue(message: string): Issue {
  return {
    path: [],
    code: 'daily_quota_exceeded',
    message: `${message}; try again tomorrow, or ask the operator for a larger quota`,
  }
}

function createCounter(most: number, perf: { now: () => number }) {
  // With `max` it would allocate all entries at the start of each process, which takes 20 ms.
  const counts = new LRUCache<string, { amount: number; hasRejected: boolean }>({
    maxSize: MAX_COUNTED,
    sizeCalculation: () => 1,
    ttl: MS_PER_DAY,
    perf,
  })
  return {
    /** The size of the last upload is known only after it, so it may exceed the limit. */
    hasRoom(key: string, more: number): boolean {
      const amount = counts.get(key)?.amount ?? 0
      return more > 0 ? amount + more <= most : amount < most
    },
    isFirstRejection(key: string): boolean {
      const count = counts.get(key)
      if (!count || count.hasRejected) return false
      count.hasRejected = true
      return true
    },
    add(key: string, more: number) {
      const count = counts.get(key)
      if (count) count.amount = Math.max(0, count.amount + more)
      else if (more > 0) counts.set(key, { amount: more, hasRejected: false })
    },
  }
}
