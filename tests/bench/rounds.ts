import type { Load, Outcome } from './load.ts'
import type { Measured } from './operations.ts'
import type { Target } from './processes.ts'

/** Figures of a server in one round. */
export interface Round extends Outcome {
  /** Milliseconds of CPU time. */
  cpu: number
}

export const speed = ({ requests, seconds }: Round) => requests / seconds
export const cpuTime = ({ cpu, requests }: Round) => cpu / requests

export interface Contestant {
  target: Target
  request: ReturnType<Measured['request']>
  token: string
}

export interface Pace {
  rounds: number
  milliseconds: number
  connections: number
}

type Client = (load: Load) => Promise<Outcome>

/** Loads a server for so long. */
export async function once(
  client: Client,
  contestant: Contestant,
  connections: number,
  milliseconds: number,
): Promise<Round> {
  const { target, request, token } = contestant
  const { setup: _, headers, ...rest } = request
  const sessionIds = await sessionsOf(contestant, connections)
  const before = await target.usage()
  const outcome = await client({
    ...rest,
    sessionIds,
    port: target.port,
    connections,
    milliseconds,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  const after = await target.usage()
  return { ...outcome, cpu: after.cpu - before.cpu }
}

/** Chats for so many connections, started anew where the request wants that. */
export async function sessionsOf({ target, request }: Contestant, count: number): Promise<string[]> {
  const { setup, headers, sessionIds = [] } = request
  if (!setup) return sessionIds
  const started = Array.from({ length: count }, async () => {
    const response = await fetch(`http://127.0.0.1:${target.port}${setup.target}`, {
      method: setup.method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: setup.body,
    })
    // The id is in the body, or in the events of a stream.
    const id = /"sessionId":"([^"]+)"/.exec(await response.text())?.[1]
    if (id === undefined) throw new Error(`${target.name} starts no chat, it answers ${response.status}`)
    return id
  })
  return Promise.all(started)
}

/** So many requests, or as many as there are in so many milliseconds. */
const WARM = { requests: 4_000, milliseconds: 8_000 }

/**
 * Loads a server until the compiler has got to the code that counts. By requests rather than by time: of those that take
 * long, a server that has more code would still be compiling it, which takes up to a third of its CPU time.
 */
export async function warmUp(
  client: Client,
  contestant: Contestant,
  connections: number,
  milliseconds: number,
): Promise<void> {
  const start = performance.now()
  for (let done = 0; done < WARM.requests && performance.now() - start < WARM.milliseconds; ) {
    done += (await once(client, contestant, connections, 3 * milliseconds)).requests
  }
}

/** Loads servers in turn, so that whatever else the machine does meets all of them; by the names of the targets. */
export async function alternate(
  client: Client,
  contestants: Contestant[],
  { rounds, milliseconds, connections }: Pace,
): Promise<Record<string, Round>[]> {
  for (const contestant of contestants) await warmUp(client, contestant, connections, milliseconds)
  const all: Record<string, Round>[] = []
  for (let round = 0; round < rounds; round++) {
    const done: Record<string, Round> = {}
    // Another one begins in every round.
    for (let at = 0; at < contestants.length; at++) {
      const contestant = contestants[(at + round) % contestants.length] as Contestant
      done[contestant.target.name] = await once(client, contestant, connections, milliseconds)
    }
    all.push(done)
  }
  return all
}

/** Returns ratios of one server to another, round by round: above 1 is faster, or less CPU time. */
export function ratiosOf(rounds: Record<string, Round>[], mine: string, theirs: string) {
  const pairs = rounds.map((round) => [round[mine] as Round, round[theirs] as Round] as const)
  return {
    throughput: pairs.map(([own, other]) => speed(own) / speed(other)),
    cpu: pairs.map(([own, other]) => cpuTime(other) / cpuTime(own)),
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** Returns the median of ratios and what it lies within, as text. */
export function describeRatios(values: number[]): string {
  const [low, high] = spread(values)
  return `${median(values).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * part)] as number
}

/** Within what the median lies, 98 times of 100: whatever the values are like, half of them are below it. */
export function spread(values: number[]): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b)
  const { length } = sorted
  // Probability that at most `below` of the values lie on one side of the median.
  let outside = 0.5 ** length
  let term = outside
  let below = 0
  while (below + 1 < length / 2) {
    term *= (length - below) / (below + 1)
    if (2 * (outside + term) > 0.02) break
    outside += term
    below++
  }
  return [sorted[below] as number, sorted[length - 1 - below] as number]
}
