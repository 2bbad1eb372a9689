import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { databaseError, isOfRows, isOfStatement } from '../db/errors.ts'
import { runInHalves } from '../db/halves.ts'
import { MS_PER_HOUR, MS_PER_SECOND } from '../durations.ts'
import { createErrorLog } from '../repeated-errors.ts'
import { deliver, deliveryCounts, placeOf } from './attempt.ts'
import { type Ready, seriesOf, withBodies } from './bodies.ts'
import { giveBack, postable } from './deleted-results.ts'
import { type Answer, MAX_FAILURES_IN_A_ROW, recordAnswers } from './failures.ts'
import { LEASE_TIMEOUT_MS, leaseStatements, type OpenEndpoint, type Taken } from './leases.ts'
import { deliveryIsDue, fanOut, MAX_FAN_OUT_EVENTS } from './outbox.ts'
import { loadSince, repeat } from './pacing.ts'
import { REQUEST_TIMEOUT_MS, type Sender } from './send.ts'

/*
 * Sends events, in every process: fans out the events of turns, leases due deliveries, a batch in one statement,
 * posts them from memory, and writes their outcomes, many in one statement. Events of one subject are sent one after
 * the other. A failing endpoint is paused, and a slow one has no more than its share of running deliveries, so that
 * neither delays another.
 */

const STOP_MS = 2 * MS_PER_SECOND
/** Maximum concurrent deliveries of this process, per endpoint and in total. */
const AT_ONCE_EACH = 32
const AT_ONCE = 512
/** Maximum per owner of workspaces, regardless of the number of endpoints. */
const AT_ONCE_OWNER = AT_ONCE / 4
/** Places of the total that are reserved for owners without a running delivery, so that slow ones leave room. */
const LAST_FREE = AT_ONCE / 4
/** An endpoint with a slower last response has one place, and all of these together have half of them. */
const SLOW_ANSWER_MS = 2_000
const AT_ONCE_SLOW = AT_ONCE / 2
/** Maximum bytes of running events. A quarter is reserved as places are; beside others an owner has a quarter. */
const MAX_BYTES_UNDER_WAY = 64 * 1024 * 1024
/**
 * Maximum events of one bot that are leased together, and maximum time to send them in turn before the rest is due
 * again.
 */
const MAX_SERIES_EVENTS = 64
const MAX_SERIES_MS = 1_000
/** The same for the first series of an endpoint; it doubles with each series that is over in time. */
const FIRST_SERIES_EVENTS = 8
/** Minimum number of events per fan-out. */
const MIN_FAN_OUT_EVENTS = 16
/** Minimum delay between two statements of a kind: rows that arrive meanwhile go into one batch. */
const PACE_MS = 40
/** Maximum of the same delay in a busy process. */
const MAX_PACE_MS = 1_000
/** Delay of the oldest event from which a busy process speeds up; at twice this delay, it sends twice as fast. */
const TOLERATED_DELAY_MS = 10 * MS_PER_SECOND
/** Interval at which leases of running deliveries are extended. */
const RENEWAL_MS = LEASE_TIMEOUT_MS / 4
/** Delay before a delivery whose row failed is retried, and before an outcome that could not be written is. */
const FAILED_ROW_DELAY_MS = MS_PER_HOUR
const FAILED_OUTCOME_DELAY_MS = 60 * MS_PER_SECOND

/** An endpoint with wanted deliveries: their number, and their bytes together with others of its owner. */
interface Wanted {
  id: string
  owner: string
  isOpen: boolean
  free: number
  /** Maximum deliveries that are taken behind each one, of the same subject. */
  followers: number
  room: number
  passedOver: string[]
}

interface Task {
  delivery: Ready
  endpoint: OpenEndpoint
  /** When it was taken, by the clock of this process. */
  since: number
  /**
   * Waits for the delivery before it of its subject, is being posted, or has a response whose outcome is not yet
   * written.
   */
  state: 'waiting' | 'posting' | 'answered'
}

/**
 * Sends due events until it is stopped. `stop` waits shortly for running deliveries; other processes send the rest.
 * In milliseconds: `interval`, the delay between searches for events of other processes, and `longestPace`, the maximum
 * delay between two passes of a busy process. `load` returns the share of time that it was busy since the last call.
 */
export function startDeliveries(
  sender: Sender,
  interval = 1_000,
  load = loadSince(),
  longestPace = MAX_PACE_MS,
): { stop: () => Promise<void> } {
  const { db, log } = sender
  /** Deliveries of this process, until their outcome is written. */
  const underWay = new Map<string, Task>()
  const answers: Answer[] = []
  /** Duration of the last response of each endpoint, in milliseconds. */
  const lastDurations = new LRUCache<string, number>({ max: 10_000 })
  const isSlow = (endpointId: string) => (lastDurations.get(endpointId) ?? 0) > SLOW_ANSWER_MS
  /** Number of events of one bot that each endpoint is likely to accept in time. */
  const seriesLengths = new LRUCache<string, number>({ max: 10_000 })
  const lengthOf = (endpointId: string) => seriesLengths.get(endpointId) ?? FIRST_SERIES_EVENTS
  const isOver = (delivery: Taken) => {
    underWay.delete(keyOf(delivery))
    deliveryCounts.underWay = underWay.size
  }
  const { open, take, putOff, settle, due, probe } = leaseStatements(db)
  /** Ids of deliveries whose row fails, by their endpoints. */
  const failedRows = new LRUCache<string, Set<string>>({ max: 1_000, ttl: FAILED_ROW_DELAY_MS })
  /** Since when there was more for an endpoint than was taken, by the clock of this process. */
  let behindSince = Number.POSITIVE_INFINITY
  /** The bot behind which the fan-out continues, and true if more may be left. */
  let left = { after: '', isMoreLeft: false }
  /** Number of deliveries that the last pass took. */
  let took = 0
  let isStopping = false

  async function look(): Promise<void> {
    // Not much more than can be sent soon: of one subject all but the first would only be in the way.
    left = await fanOut(
      db,
      left.after,
      Math.min(Math.max(Math.ceil(1.5 * took), MIN_FAN_OUT_EVENTS), MAX_FAN_OUT_EVENTS),
    ).catch((error) => {
      // Deliveries that are there already do not wait for a statement that cannot run.
      if (!isOfStatement(error)) throw error
      logError(error, 'events of turns will be fanned out again')
      return { after: '', isMoreLeft: false }
    })
    if (left.isMoreLeft) looking.wake()
    took = 0
    let free = AT_ONCE - [...underWay.values()].filter(({ state }) => state !== 'waiting').length
    if (free <= 0) return
    const found = await open({})
    if (found.length === 0 && !left.isMoreLeft) behindSince = Number.POSITIVE_INFINITY
    const busy = new Map<string, number>()
    const busyOwners = new Map<string, number>()
    const addTo = (counts: Map<string, number>, key: string, more = 1) =>
      counts.set(key, (counts.get(key) ?? 0) + more)
    let slow = 0
    let room = MAX_BYTES_UNDER_WAY
    const bytesOf = new Map<string, number>()
    for (const { endpoint, delivery, state } of underWay.values()) {
      const bytes = delivery.body?.length ?? 0
      addTo(bytesOf, endpoint.owner, bytes)
      room -= bytes
      if (state !== 'posting') continue
      addTo(busy, endpoint.id)
      addTo(busyOwners, endpoint.owner)
      if (isSlow(endpoint.id)) slow++
    }
    const endpointsOf = new Map<string, number>()
    for (const { owner } of found) addTo(endpointsOf, owner)
    const share = Math.max(1, Math.floor(free / endpointsOf.size))
    const shares = new Map<string, number>()
    const quarter = MAX_BYTES_UNDER_WAY / 4
    const roomOf = (owner: string) => {
      const own = bytesOf.get(owner) ?? 0
      const most = endpointsOf.size === 1 ? 3 * quarter : quarter
      return Math.min(most - own, Math.floor((room - (own > 0 ? quarter : 0)) / endpointsOf.size))
    }
    const wanted: Wanted[] = []
    for (const { id, isOpen, failures, owner } of found) {
      const own = busy.get(id) ?? 0
      const ofOwner = busyOwners.get(owner) ?? 0
      // A failing endpoint is probed with one event.
      const most = failures >= MAX_FAILURES_IN_A_ROW || isSlow(id) ? 1 : AT_ONCE_EACH
      // If no other owner has events, one may use all places but the last.
      const ownersMost = free <= LAST_FREE ? 1 : endpointsOf.size === 1 ? AT_ONCE : AT_ONCE_OWNER
      const each = Math.max(1, Math.floor(share / (endpointsOf.get(owner) ?? 1)))
      const its = Math.min(most - own, ownersMost - ofOwner, share - (shares.get(owner) ?? 0), each, free)
      // To look for few costs as much as to look for many.
      if (its < 1 || most - own < most / 4 || roomOf(owner) <= 0) continue
      if (isSlow(id)) {
        if (slow >= AT_ONCE_SLOW) continue
        slow += its
      }
      free -= its
      addTo(busyOwners, owner, its)
      addTo(shares, owner, its)
      const passedOver = [...(failedRows.get(id) ?? [])]
      wanted.push({
        id,
        owner,
        isOpen,
        free: its,
        followers: failures > 0 || isSlow(id) ? 0 : lengthOf(id) - 1,
        room: roomOf(owner),
        passedOver,
      })
    }
    if (wanted.length === 0) return
    const startedAt = performance.now()
    const taken = await takeInHalves(wanted)
    took = taken.length
    const isBehind =
      left.isMoreLeft ||
      wanted.some(({ id, free }) => taken.filter(({ endpointId }) => endpointId === id).length >= free)
    behindSince = isBehind ? Math.min(behindSince, startedAt) : Number.POSITIVE_INFINITY
    if (taken.length === 0) return
    const endpoints = new Map(found.map((endpoint) => [endpoint.id, endpoint]))
    // Read before the check that their results exist: the results of posted events existed then.
    const posted = await postable(db, await withBodies(db, log, taken))
    // Another process may have taken over: do not send.
    if (performance.now() - startedAt > LEASE_TIMEOUT_MS) return
    const ready = new Map(posted.map((delivery) => [keyOf(delivery), delivery]))
    const overtaken: Ready[] = []
    for (const series of seriesOf(taken)) {
      const its = series.map((delivery) => ready.get(keyOf(delivery)))
      const end = its.includes(undefined) ? its.indexOf(undefined) : its.length
      overtaken.push(...its.slice(end).filter((delivery) => delivery !== undefined))
      const tasks: Task[] = its.slice(0, end).flatMap((delivery, at) => {
        const endpoint = delivery && endpoints.get(delivery.endpointId)
        return endpoint ? { delivery, endpoint, since: startedAt, state: at > 0 ? 'waiting' : 'posting' } : []
      })
      for (const task of tasks) underWay.set(keyOf(task.delivery), task)
      void sendInOrder(tasks)
    }
    deliveryCounts.underWay = underWay.size
    await giveBack(db, overtaken)
  }

  /**
   * Posts deliveries of one subject one after the other; those behind one that fails, or that takes long, are due
   * again.
   */
  async function sendInOrder(tasks: readonly Task[]): Promise<void> {
    const since = tasks[0]?.since ?? 0
    const until = Math.min(performance.now() + MAX_SERIES_MS, since + LEASE_TIMEOUT_MS)
    for (const [at, task] of tasks.entries()) {
      if (at > 0 && (isStopping || performance.now() > until)) {
        seriesLengths.set(task.endpoint.id, at)
        return release(tasks.slice(at))
      }
      task.state = 'posting'
      if (!(await attempt(task))) return release(tasks.slice(at + 1))
    }
    const endpointId = tasks[0]?.endpoint.id ?? ''
    if (tasks.length === lengthOf(endpointId))
      seriesLengths.set(endpointId, Math.min(2 * tasks.length, MAX_SERIES_EVENTS))
  }

  /** Posts a delivery; true if it was delivered. */
  async function attempt(task: Task): Promise<boolean> {
    try {
      const answer = await deliver(sender, task)
      task.state = 'answered'
      const { lastDuration, isDelivered, endpointId } = answer.outcome
      // Longer than any request: the machine was suspended, and the endpoint may be quick.
      if (lastDuration <= 2 * REQUEST_TIMEOUT_MS) lastDurations.set(endpointId, lastDuration)
      answers.push(answer)
      settling.wake()
      return isDelivered
    } catch (error) {
      log.warn({ err: error }, 'a delivery will be tried again')
      isOver(task.delivery)
      return false
    }
  }

  /** Ends the leases of deliveries that were not posted. If this fails, the leases time out. */
  async function release(tasks: readonly Task[]): Promise<void> {
    const deliveries = tasks.map(({ delivery }) => delivery)
    await giveBack(db, deliveries).catch((error) => log.warn({ err: error }, 'leases of deliveries time out'))
    for (const delivery of deliveries) isOver(delivery)
    if (deliveries.length > 0) looking.wake()
  }

  /** Takes deliveries, in halves where one of them cannot be taken, until it is found. */
  async function takeInHalves(wanted: Wanted[]): Promise<Taken[]> {
    const taken: Taken[] = []
    const groups = [wanted]
    let isFound = false
    for (let group = groups.pop(); group; group = groups.pop()) {
      const some = await take({ wanted: JSON.stringify(group) }).catch((error) => {
        if (!isOfRows(error)) throw error
      })
      if (some) {
        taken.push(...some)
        continue
      }
      looking.wake()
      // One for each pass: an owner may have many.
      if (isFound) continue
      const [first] = group as [Wanted]
      isFound = group.length === 1
      if (isFound) await passOver(first.id)
      else {
        const halved = group.map((each) => ({ ...each, room: Math.ceil(each.room / 2) }))
        const middle = Math.ceil(group.length / 2)
        groups.push(halved.slice(middle), halved.slice(0, middle))
      }
    }
    return taken
  }

  /** Finds deliveries of an endpoint that cannot be read or written; others are taken without them from then on. */
  async function passOver(endpointId: string) {
    const failed = failedRows.get(endpointId) ?? new Set()
    for (const row of await due({ endpointId, passedOver: [...failed] })) {
      await probe(row).catch((error) => {
        if (!isOfRows(error)) throw error
        failed.add(row.id)
        log.warn({ deliveryId: row.id, err: databaseError(error) }, 'a delivery cannot be taken')
      })
    }
    failedRows.set(endpointId, failed)
  }

  async function write(): Promise<void> {
    const batch = answers.slice(0, AT_ONCE)
    if (batch.length === 0) return
    const settled = await writeInHalves(batch, (some) =>
      settle({ outcomes: JSON.stringify(some.map(({ outcome }) => outcome)) }),
    )
    answers.splice(0, batch.length)
    // It stays under way, so that it is not posted again meanwhile.
    const unsettled = batch.filter((answer) => !settled.includes(answer))
    if (unsettled.length > 0) setTimeout(() => answers.push(...unsettled), FAILED_OUTCOME_DELAY_MS).unref()
    for (const { delivery } of settled) isOver(delivery)
    // For the next event of its subject, or for events that found no room.
    looking.wake()
    if (answers.length > 0) settling.wake()
    await recordAnswers(db, log, settled)
  }

  /** Writes several together; returns the written ones. */
  function writeInHalves<Item>(items: readonly Item[], write: (some: readonly Item[]) => Promise<unknown>) {
    const writeAll = async (some: readonly Item[]) => {
      await write(some)
      return some
    }
    return runInHalves(items, writeAll, (error) =>
      log.warn({ err: databaseError(error) }, 'a delivery cannot be written'),
    )
  }

  async function renew(): Promise<void> {
    const before = performance.now() - RENEWAL_MS
    const old = [...underWay.values()].filter(({ since }) => since < before)
    const places = old.map(({ delivery }) => placeOf(delivery))
    if (places.length > 0) await writeInHalves(places, (some) => putOff({ places: JSON.stringify(some) }))
  }

  const logError = createErrorLog(log)
  const logFailure = (what: string) => (error: unknown) => logError(error, what)
  const pace = Math.min(PACE_MS, interval)
  // Requests go first: with half of the time it is four times as long, but the shorter the longer events have waited.
  const paceOf = (busy: number) => {
    const behindFor = Math.max(performance.now() - behindSince, TOLERATED_DELAY_MS)
    const longest = Math.max(longestPace * (TOLERATED_DELAY_MS / behindFor), pace)
    return Math.min(PACE_MS / (1 - Math.min(busy, 1)) ** 2, longest)
  }
  const looking = repeat(
    look,
    interval,
    () => paceOf(load()),
    logFailure('deliveries will be looked for again'),
  )
  const settling = repeat(
    write,
    interval,
    () => pace,
    logFailure('what came of deliveries will be written again'),
  )
  const renewing = repeat(
    renew,
    RENEWAL_MS,
    () => pace,
    logFailure('leases of deliveries will be put off again'),
  )
  deliveryIsDue.on('due', looking.wake)

  return {
    async stop() {
      isStopping = true
      deliveryIsDue.off('due', looking.wake)
      await looking.stop()
      for (let waited = 0; underWay.size > 0 && waited < STOP_MS; waited += PACE_MS) await delay(PACE_MS)
      await Promise.all([settling.stop(), renewing.stop()])
    },
  }
}

/** Key of one lease: a delivery that was taken over and comes back to this process is another task. */
const keyOf = ({ id, endpointId, at }: Taken) => `${id} ${endpointId} ${at.getTime()}`
