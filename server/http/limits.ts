import { isIPv4 } from 'node:net'
import type express from 'express'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { RateLimiterRes } from 'rate-limiter-flexible'
// Alone: the package loads what all its stores need, which takes 30 modules and 3 MB.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { errorBody, errors, type IssueCode } from '../../contract/errors.ts'
import type { Services } from '../context.ts'
import { createHolding } from './holding.ts'
import { createRoom } from './room.ts'
import { createTally } from './tally.ts'

/*
 * How much of this process one caller may have: so many requests in a window of time and so many at once, for a
 * token and, where none is valid, for an address. Whatever the callers, so many requests run at once; the next ones
 * wait in line for a while. Other processes of the installation count for themselves.
 *
 * A caller is known by what the request shows, so that one who sends too much costs no look into the database. Only
 * a token that was not seen to be valid yet has to be looked up first, and is counted then.
 */

declare global {
  namespace Express {
    interface Locals {
      /** Of a request that is counted: gives its place among those of its caller to another one. */
      lane?: () => void
      /** Whether the request has one of the places of the process. */
      hasPlace?: boolean
      /** Of a request over a limit: which. */
      limit?: `${Kind}_${'rate' | 'concurrency'}`
    }
  }
}

type Kind = 'token' | 'address'

export interface Limits {
  /**
   * Lets a request in before anything is looked up. `tokenHash` is that of a token of the right form. `answered` where
   * the caller is over a limit and got a 429, `full` where the process is.
   */
  enter(
    request: express.Request,
    response: express.Response,
    tokenHash: string | undefined,
  ): Promise<'in' | 'answered' | 'full'>
  /**
   * Counts what could not be counted before its token was looked up: for the token that is valid, for the address
   * that sent one which is not. `answered` as above.
   */
  recognize(
    request: express.Request,
    response: express.Response,
    tokenHash: string,
    token: { isValid: boolean; id?: string },
  ): Promise<'in' | 'answered'>
  /** Counts a token no longer as a caller: it is not valid any more. */
  forget(tokenHash: string): void
  /** Makes room for the next request; nothing for one that was not let in. */
  leave(response: express.Response): void
}

/** Tokens that were valid when they were last looked up. */
const KNOWN_TOKENS = 10_000

export function createLimits({ config, log }: Pick<Services, 'config' | 'log'>): Limits {
  const counters = { token: createCounter('token', config), address: createCounter('address', config) }
  const room = createRoom(
    config.CONCURRENT_REQUESTS,
    config.REQUEST_QUEUE_LENGTH,
    config.REQUEST_QUEUE_TIMEOUT,
  )
  const holding = createHolding()
  const tally = createTally(log)
  const known = new LRUCache<string, { tokenId?: string }>({ max: KNOWN_TOKENS })
  let hasWarned = false

  /** Says once what makes an address run out of requests that are not its own. */
  function warn({ headers }: express.Request) {
    if (hasWarned || config.TRUST_PROXY !== false || headers['x-forwarded-for'] === undefined) return
    hasWarned = true
    log.warn('all callers behind a proxy count as one address unless TRUST_PROXY names it')
  }

  async function take(kind: Kind, key: string, response: express.Response): Promise<'in' | 'answered'> {
    const excess = await counters[kind].take(key, response)
    if (!excess) return 'in'
    if (kind === 'address') warn(response.req)
    tally.add(kind === 'token' ? known.get(key)?.tokenId : undefined)
    response.locals.limit = excess.limit
    leave(response)
    // Who asks again as soon as they are refused would keep the process busy with refusals.
    const pause = Math.min(excess.wait, config.RATE_LIMIT_DELAY)
    const hasWaited = await holding.wait(`${kind} ${key}`, response, pause)
    if (!hasWaited) response.setHeader('Connection', 'close')
    refuse(response, excess, hasWaited ? pause : 0)
    return 'answered'
  }

  function leave({ locals }: express.Response) {
    locals.lane?.()
    locals.lane = undefined
    if (locals.hasPlace) room.leave()
    locals.hasPlace = false
  }

  return {
    async enter(request, response, tokenHash) {
      const isKnown = tokenHash !== undefined && known.has(tokenHash)
      if (config.RATE_LIMIT && (isKnown || tokenHash === undefined)) {
        const entry = await (isKnown
          ? take('token', tokenHash, response)
          : take('address', networkOf(request.ip), response))
        if (entry === 'answered') return entry
      }
      const place = room.enter(response)
      if (place !== true && !(await place)) {
        leave(response)
        return 'full'
      }
      response.locals.hasPlace = true
      return 'in'
    },

    async recognize(request, response, tokenHash, { isValid, id }) {
      if (!config.RATE_LIMIT || response.locals.lane) return 'in'
      if (!isValid) return take('address', networkOf(request.ip), response)
      known.set(tokenHash, { tokenId: id })
      return take('token', tokenHash, response)
    },

    forget: (tokenHash) => void known.delete(tokenHash),
    leave,
  }
}

/** What a caller has too much of, and how it is told. */
interface Excess {
  limit: NonNullable<Express.Locals['limit']>
  body: Buffer
  /** Milliseconds until there is more. */
  wait: number
  /** The field `RateLimit` when so many seconds are left. */
  field: (seconds: number) => string
}

/** Counts the requests of callers of one kind, and lets only so many of each run at once. */
function createCounter(kind: Kind, config: Services['config']) {
  const points = kind === 'token' ? config.RATE_LIMIT_TOKEN : config.RATE_LIMIT_ADDRESS
  const { RATE_LIMIT_SECONDS: duration, RATE_LIMIT_CONCURRENT: concurrent } = config
  const counter = new RateLimiterMemory({ points, duration })
  const running = new Map<string, number>()
  const policy = `"${kind}";q=${points};w=${duration}, "parallel";q=${concurrent};qu="concurrent-requests"`
  const rate: Omit<Excess, 'wait'> = {
    limit: `${kind}_rate`,
    body: bodyOf('rate_exceeded', `The ${kind} may send ${points} requests in ${duration} seconds`),
    field: (seconds) => `"${kind}";r=0;t=${seconds}`,
  }
  const concurrency: Excess = {
    limit: `${kind}_concurrency`,
    body: bodyOf('concurrency_exceeded', `The ${kind} may send ${concurrent} requests at once`),
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
      response.setHeader('RateLimit-Policy', policy)
      if (count.consumedPoints > points) return { ...rate, wait: count.msBeforeNext }
      const before = running.get(key) ?? 0
      if (before >= concurrent) return concurrency
      const seconds = Math.max(1, Math.ceil(count.msBeforeNext / 1000))
      response.setHeader('RateLimit', `"${kind}";r=${count.remainingPoints};t=${seconds}`)
      running.set(key, before + 1)
      response.locals.lane = () => {
        const left = (running.get(key) as number) - 1
        if (left > 0) running.set(key, left)
        else running.delete(key)
      }
      return undefined
    },
  }
}

/** Made once: many get it. */
function bodyOf(code: IssueCode, message: string): Buffer {
  return Buffer.from(JSON.stringify(errorBody('TOO_MANY_REQUESTS', [{ path: [], code, message }])))
}

/** Answers a request, of which nothing was read, after a pause of so many milliseconds. */
function refuse(response: express.Response, { body, wait, field }: Excess, paused: number) {
  const seconds = Math.max(1, Math.ceil((wait - paused) / 1000))
  response.statusCode = errors.TOO_MANY_REQUESTS.status
  response.setHeader('RateLimit', field(seconds))
  response.setHeader('Retry-After', seconds)
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

/** What one customer of a provider usually has: an address of IPv4, 64 bits of IPv6. */
function networkOf(address = ''): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(':')
}
