/*
 * Decides if a history of overlapping calls is linearizable: if the calls could have happened one after the other,
 * each at a moment between its beginning and its end. The search is that of Wing and Gong with the memory of Lowe: it
 * orders calls as long as the model allows it, and never tries the same state twice.
 */

export interface Call<Op> {
  /** Moments of one clock that never goes back. */
  start: number
  /** Infinity for a call of which no answer came: it may take effect at any later moment, or never. */
  end: number
  op: Op
}

export interface Model<State, Op> {
  initial: State
  /**
   * The states that this call, with what it was answered, may leave behind; none where the answer does not fit the
   * state. States have to be the same in JSON when they are the same.
   */
  step(state: State, op: Op): State[]
}

export type Verdict<Op> =
  | { verdict: 'fits' }
  /** The longest beginning that could be explained, and the calls of which then none fits. */
  | { verdict: 'broken'; explained: Op[]; stuck: Op[] }
  /** Too many calls without an answer: the history says nothing, neither good nor bad. */
  | { verdict: 'too wide' }

interface Entry<Op> {
  id: number
  call: Call<Op>
  /** True for the end of the call, false for its beginning. */
  isEnd: boolean
  /** End of the call, on a beginning whose call has one. */
  end?: Entry<Op>
  previous?: Entry<Op>
  next?: Entry<Op>
}

/** `most` is the number of tries after which the search gives up. */
export function check<State, Op>(model: Model<State, Op>, calls: Call<Op>[], most = 300_000): Verdict<Op> {
  const head = listOf(calls)
  let states = [model.initial]
  let done = 0n
  let open = calls.filter(({ end }) => end !== Number.POSITIVE_INFINITY).length
  const order: { entry: Entry<Op>; states: State[] }[] = []
  const tried = new Set<string>()
  let explained: Op[] = []
  let stuck: Op[] = []
  let entry = head.next
  for (let steps = 0; open > 0; ) {
    if (entry && !entry.isEnd) {
      const next = unique(states.flatMap((state) => model.step(state, (entry as Entry<Op>).call.op)))
      const bit = 1n << BigInt(entry.id)
      if (next.length > 0 && isNew(tried, done | bit, next)) {
        if (++steps > most) return { verdict: 'too wide' }
        order.push({ entry, states })
        states = next
        done |= bit
        if (entry.end) open--
        lift(entry)
        entry = head.next
      } else entry = entry.next
      continue
    }
    // The first call that has ended fits nowhere, so one that was put before it was put there wrongly.
    if (order.length >= explained.length) {
      explained = order.map((one) => one.entry.call.op)
      stuck = openOf(head)
    }
    const last = order.pop()
    if (!last) return { verdict: 'broken', explained, stuck }
    states = last.states
    done &= ~(1n << BigInt(last.entry.id))
    if (last.entry.end) open++
    unlift(last.entry)
    entry = last.entry.next
  }
  return { verdict: 'fits' }
}

/** Beginnings and ends in the order of time, behind an entry that is none. Of equal moments beginnings come first. */
function listOf<Op>(calls: Call<Op>[]): Entry<Op> {
  const entries = calls.flatMap((call, id) => {
    const begin: Entry<Op> = { id, call, isEnd: false }
    if (call.end === Number.POSITIVE_INFINITY) return [begin]
    begin.end = { id, call, isEnd: true }
    return [begin, begin.end]
  })
  const at = ({ isEnd, call }: Entry<Op>) => (isEnd ? call.end : call.start)
  entries.sort((a, b) => at(a) - at(b) || Number(a.isEnd) - Number(b.isEnd))
  const head = {} as Entry<Op>
  let last = head
  for (const entry of entries) {
    last.next = entry
    entry.previous = last
    last = entry
  }
  return head
}

function lift<Op>(entry: Entry<Op>) {
  for (const one of [entry, entry.end]) {
    if (one?.previous) one.previous.next = one.next
    if (one?.next) one.next.previous = one.previous
  }
}

/** In the opposite order of `lift`, so that every entry finds its neighbours again. */
function unlift<Op>(entry: Entry<Op>) {
  for (const one of [entry.end, entry]) {
    if (one?.previous) one.previous.next = one
    if (one?.next) one.next.previous = one
  }
}

/** The calls that may come next: those that have begun before the first end. */
function openOf<Op>(head: Entry<Op>): Op[] {
  const found: Op[] = []
  for (let entry = head.next; entry && !entry.isEnd; entry = entry.next) found.push(entry.call.op)
  return found
}

function unique<State>(states: State[]): State[] {
  if (states.length < 2) return states
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}

function isNew<State>(tried: Set<string>, done: bigint, states: State[]): boolean {
  const key = `${done.toString(36)} ${states.map((state) => JSON.stringify(state)).sort()}`
  return !tried.has(key) && tried.add(key) !== undefined
}
