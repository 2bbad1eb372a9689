/// <reference path="./rate-limiter-memory.d.ts" />
import { isIP, isIPv4 } from 'node:net'
import type express from 'express'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { RateLimiterRes } from 'rate-limiter-flexible'
// Imported by its own path: the package loads the dependencies of all its stores, 30 modules and 3 MB.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { errorBody, errors, type IssueCode } from '../../contract/kit/errors.ts'
import { createRejectionLog } from './rejection-log.ts'
import { createAdmissionQueue, type Slot } from './shares/admission-queue.ts'
import { createTarpit } from './tarpit.ts'

/*
 * Limits for one caller in this process: requests in a window of time and concurrent requests, per token, per user and,
 * without a valid token, per address. The process also limits all concurrent requests; further ones are queued for a
 * while. Other processes of the installation count for themselves.
 * A caller is identified by the request alone, so that one over its limit costs no query.
 */

declare global {
  namespace Express {
    interface Locals {
      /** For a counted request: each function passes its slot among those of its caller to another request. */
      releases?: (() => void)[]
      /** The slot of the request among all of the process. */
      slot?: Slot
      /** Tenant that shares are counted for: a user or an address, and the owner of the record once it is known. */
      tenant?: string
      /** Tenant of the record that a request names, once it is known. */
      owner?: string
      requestId: string
      operationId?: string
      caller?: { userId: string; tokenId: string }
      /** The limit that a request exceeds. */
      limit?: `${Kind}_${'rate' | 'concurrency'}`
    }
  }
}

type Kind = 'token' | 'user' | 'address' | 'page'

export interface Limits {
  /**
   * Admits a request before anything is looked up. `tokenHash` is that of a token of the right form. `rejected` if
   * the caller is over a limit and got a 429, `full` where the process is.
   */
  enter(
    request: express.Request,
    response: express.Response,
    tokenHash: string | undefined,
  ): Promise<'admitted' | 'rejected' | 'full'>
  /**
   * Counts a request that could be counted only after its token was looked up: for a valid token, or else for the
   * address that sent it. `rejected` as above.
   */
  countLookedUp(
    request: express.Request,
    response: express.Response,
    tokenHash: string,
    caller: { userId: string; tokenId: string } | undefined,
  ): Promise<'admitted' | 'rejected'>
  /** Counts a request without an operation for its address, unless it has a token known to be valid. */
  countAddress(
    request: express.Request,
    response: express.Response,
    tokenHash?: string,
  ): Promise<'admitted' | 'rejected'>
  /** Counts a request that is served from memory; an address may send more of these. */
  countPage(request: express.Request, response: express.Response): Promise<'admitted' | 'rejected'>
  /** Counts a token as a caller from now on: it was valid when it was looked up. */
  cacheToken(tokenHash: string, caller: { userId: string; tokenId: string }): void
  /** Waits for a slot among files that arrive, of which one address has few. False where that took too long. */
  enterUploads(request: express.Request, response: express.Response): Promise<boolean>
  /**
   * Counts a response that goes on for long among those alone, and no longer among requests. False where there are too
   * many.
   */
  enterStream(request: express.Request, response: express.Response): Promise<boolean>
  /** Counts a token no longer as a caller: it is not valid any more. */
  dropToken(tokenHash: string): void
  /** Releases the slot of a request, and its place among those of its caller once the response was sent. */
  endRequest(response: express.Response): void
}

/** Tokens that were valid when they were last looked up, by their hash. */
const MAX_CACHED_TOKENS = 10_000

/** A user may have any number of tokens; all of them together have the allowance of so many. */
const TOKENS_PER_USER = 2

/** Maximum concurrent uploads, in all and of one address. */
export const MAX_UPLOADS = 100
export const MAX_UPLOADS_PER_ADDRESS = 3

/** Maximum open streams of events of a process, in all and of one address. */
export const MAX_STREAMS = 2_000
export const MAX_STREAMS_PER_ADDRESS = 100

/** Maximum requests of one address for pages and documents, in a window and concurrently: a page has some 25 files. */
export const MAX_PAGES_PER_ADDRESS = 200

/** Settings of the limits; those of time are in milliseconds but for the window, which is in seconds. */
export interface LimitSettings {
  RATE_LIMIT: boolean
  RATE_LIMIT_TOKEN: number
  RATE_LIMIT_ADDRESS: number
  RATE_LIMIT_CONCURRENT: number
  RATE_LIMIT_SECONDS: number
  RATE_LIMIT_DELAY: number
  CONCURRENT_REQUESTS: number
  REQUEST_QUEUE_LENGTH: number
  REQUEST_QUEUE_TIMEOUT: number
  /** As `trust proxy` of Express. */
  TRUST_PROXY: unknown
}

export function createLimits({ config, log }: { config: LimitSettings; log: Logger }): Limits {
  const { RATE_LIMIT_TOKEN, RATE_LIMIT_ADDRESS, RATE_LIMIT_CONCURRENT, RATE_LIMIT_SECONDS } = config
  const counter = (kind: Kind, points: number, concurrent: number) =>
    createCounter(kind, points, concurrent, RATE_LIMIT_SECONDS)
  const counters = {
    token: counter('token', RATE_LIMIT_TOKEN, RATE_LIMIT_CONCURRENT),
    user: counter('user', TOKENS_PER_USER * RATE_LIMIT_TOKEN, TOKENS_PER_USER * RATE_LIMIT_CONCURRENT),
    address: counter('address', RATE_LIMIT_ADDRESS, RATE_LIMIT_CONCURRENT),
    page: counter('page', MAX_PAGES_PER_ADDRESS, MAX_PAGES_PER_ADDRESS),
  }
  const timeout = config.REQUEST_QUEUE_TIMEOUT
  const requestQueue = createAdmissionQueue({
    slots: config.CONCURRENT_REQUESTS,
    length: config.REQUEST_QUEUE_LENGTH,
    timeout,
  })
  const uploads = createAdmissionQueue({
    slots: MAX_UPLOADS,
    length: MAX_UPLOADS,
    timeout,
    share: MAX_UPLOADS_PER_ADDRESS,
  })
  const streams = createAdmissionQueue({
    slots: MAX_STREAMS,
    length: 0,
    timeout,
    share: MAX_STREAMS_PER_ADDRESS,
  })
  const tarpit = createTarpit()
  const rejectionLog = createRejectionLog(log)
  const validTokens = new LRUCache<string, { userId: string; tokenId: string }>({ max: MAX_CACHED_TOKENS })
  let hasWarned = false

  /** Warns once that all callers behind a proxy share one limit. */
  function warn({ headers }: express.Request) {
    if (hasWarned || config.TRUST_PROXY !== false || headers['x-forwarded-for'] === undefined) return
    hasWarned = true
    log.warn('all callers behind a proxy count as one address unless TRUST_PROXY names it')
  }

  async function take(kind: Kind, key: string, response: express.Response): Promise<'admitted' | 'rejected'> {
    const excess = await counters[kind].take(key, response)
    if (!excess) return 'admitted'
    if (kind === 'address') warn(response.req)
    rejectionLog.add(kind === 'token' ? validTokens.get(key)?.tokenId : undefined)
    response.locals.limit = excess.limit
    response.locals.slot?.release()
    releaseCounts(response)
    // Rejections are delayed, so that clients that retry immediately cannot keep the process busy.
    const delay = Math.min(excess.wait, config.RATE_LIMIT_DELAY)
    const hasWaited = await tarpit.wait(`${kind} ${key}`, response, delay)
    if (!hasWaited) response.setHeader('Connection', 'close')
    sendRejection(response, excess, hasWaited ? delay : 0)
    return 'rejected'
  }

  const takeAddress = (request: express.Request, response: express.Response) =>
    take('address', networkOf(request), response)

  async function takeToken(tokenHash: string, userId: string, response: express.Response) {
    const entry = await take('token', tokenHash, response)
    return entry === 'admitted' ? take('user', userId, response) : entry
  }

  function releaseCounts({ locals }: express.Response) {
    for (const release of locals.releases ?? []) release()
    locals.releases = undefined
  }

  return {
    async enter(request, response, tokenHash) {
      const caller = tokenHash === undefined ? undefined : validTokens.get(tokenHash)
      const tenant = caller ? `user ${caller.userId}` : `address ${networkOf(request)}`
      response.locals.tenant = tenant
      if (config.RATE_LIMIT && (caller || tokenHash === undefined)) {
        const entry = await (caller
          ? takeToken(tokenHash as string, caller.userId, response)
          : takeAddress(request, response))
        if (entry === 'rejected') return entry
      }
      const entered = requestQueue.enter(tenant, response)
      const slot = entered instanceof Promise ? await entered : entered
      if (slot === undefined) {
        releaseCounts(response)
        return 'full'
      }
      response.locals.slot = slot
      return 'admitted'
    },

    async countLookedUp(request, response, tokenHash, caller) {
      if (!config.RATE_LIMIT || response.locals.releases) return 'admitted'
      if (!caller) return takeAddress(request, response)
      this.cacheToken(tokenHash, caller)
      response.locals.tenant = `user ${caller.userId}`
      return takeToken(tokenHash, caller.userId, response)
    },

    countAddress: (request, response, tokenHash) =>
      tokenHash !== undefined && validTokens.has(tokenHash)
        ? Promise.resolve('admitted')
        : countBeside('address', request, response),
    countPage: (request, response) => countBeside('page', request, response),
    cacheToken: (tokenHash, { userId, tokenId }) => void validTokens.set(tokenHash, { userId, tokenId }),

    async enterUploads(request, response) {
      const slot = await uploads.enter(networkOf(request), response)
      if (slot) response.once('close', slot.release)
      return slot !== undefined
    },

    async enterStream(request, response) {
      const slot = await streams.enter(networkOf(request), response)
      if (!slot) return false
      response.once('close', slot.release)
      response.locals.slot?.release()
      releaseCounts(response)
      return true
    },

    dropToken: (tokenHash) => void validTokens.delete(tokenHash),

    endRequest(response) {
      response.locals.slot?.release()
      releaseOnceSent(response)
    },
  }

  async function countBeside(kind: 'address' | 'page', request: express.Request, response: express.Response) {
    if (!config.RATE_LIMIT) return 'admitted'
    const entry = await take(kind, networkOf(request), response)
    if (entry === 'admitted') releaseOnceSent(response)
    return entry
  }

  /** A response that is not read still counts for its caller, since it takes memory. */
  function releaseOnceSent(response: express.Response) {
    if (response.destroyed) releaseCounts(response)
    else response.once('close', () => releaseCounts(response))
  }
}

/** An exceeded limit, and its message. */
interface Excess {
  limit: NonNullable<Express.Locals['limit']>
  body: Buffer
  /** Milliseconds until there is more. */
  wait: number
  /** The field `RateLimit` when so many seconds are left. */
  field: (seconds: number) => string
}

/** Counts the requests of callers of one kind, and bounds the concurrent requests of each caller. */
function createCounter(kind: Kind, points: number, concurrent: number, duration: number) {
  const caller = kind === 'page' ? 'address' : kind
  const what = kind === 'page' ? 'requests for pages' : 'requests'
  // A caller has more use for fields about its token or address than for those of the other counters.
  const hasFields = kind === 'token' || kind === 'address'
  const counter = new RateLimiterMemory({ points, duration })
  const running = new Map<string, number>()
  const policy = `"${kind}";q=${points};w=${duration}, "parallel";q=${concurrent};qu="concurrent-requests"`
  const rate: Omit<Excess, 'wait'> = {
    limit: `${kind}_rate`,
    body: bodyOf('rate_exceeded', `The ${caller} may send ${points} ${what} in ${duration} seconds`),
    field: (seconds) => `"${kind}";r=0;t=${seconds}`,
  }
  const concurrency: Excess = {
    limit: `${kind}_concurrency`,
    body: bodyOf('concurrency_exceeded', `The ${caller} may send ${concurrent} ${what} at once`),
    wait: 1_000,
    field: () => '"parallel";r=0',
  }
  return {
    async take(key: string, response: express.Response): Promise<Excess | undefined> {
      let count: RateLimiterRes
      try {
        count = await counter.consume(key)
      } catch (refused) {
        count = refused as RateLimiterRes
      }
      if (hasFields) response.setHeader('RateLimit-Policy', policy)
      if (count.consumedPoints > points) return { ...rate, wait: count.msBeforeNext }
      const before = running.get(key) ?? 0
      if (before >= concurrent) return concurrency
      const seconds = Math.max(1, Math.ceil(count.msBeforeNext / 1000))
      if (hasFields) response.setHeader('RateLimit', `"${kind}";r=${count.remainingPoints};t=${seconds}`)
      running.set(key, before + 1)
      response.locals.releases ??= []
      response.locals.releases.push(() => {
        const left = (running.get(key) as number) - 1
        if (left > 0) running.set(key, left)
        else running.delete(key)
      })
      return undefined
    },
  }
}

/** Made once: many get it. */
function bodyOf(code: IssueCode, message: string): Buffer {
  return Buffer.from(JSON.stringify(errorBody('TOO_MANY_REQUESTS', [{ path: [], code, message }])))
}

/** Sends the 429 of a request of which nothing was read, after a delay of so many milliseconds. */
function sendRejection(response: express.Response, { body, wait, field }: Excess, paused: number) {
  const seconds = Math.max(1, Math.ceil((wait - paused) / 1000))
  response.statusCode = errors.TOO_MANY_REQUESTS.status
  response.setHeader('RateLimit', field(seconds))
  response.setHeader('Retry-After', seconds)
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

/**
 * Address range of one customer of a provider: an address of IPv4, 64 bits of IPv6. Some proxies append a port, which
 * differs by connection. If they send no address at all, their own counts.
 */
export function networkOf({ ip = '', socket }: express.Request): string {
  const [address] = [withoutPort(ip), socket.remoteAddress ?? ''].filter((one) => isIP(one) > 0)
  if (address === undefined || isIPv4(address)) return address ?? ''
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(':')
}

/** An address of IPv6 has brackets before a port. */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? []
  return bracketed ?? plain ?? text.trim()
}
