import { isRecord, type JsonRecord } from '../../documents/conversion/document.ts'
import { type Findings, type Flow, idOf, issue, quote } from './flow.ts'
import { type Entry, exitsOf, type FindEntry, readWays, type Way } from './ways.ts'

/**
 * Loops without an input, so that a chat goes round until it is stopped: those without an exit, and those in which
 * nothing changes, so that conditions decide the same again. Loops that count are neither.
 */
export function* endlessLoops(flow: Flow): Findings {
  const starts = startsOf(flow, yield* readWays(flow))
  const found = new Set<JsonRecord>()
  for (const isEndless of [(way: Way) => way.isCertain, (way: Way) => !way.isChanging]) {
    for (const circle of circles(starts, isEndless, found)) {
      if (circle === undefined) {
        yield
        continue
      }
      for (const { group } of circle) found.add(group)
      const group = circle[0]?.group ?? {}
      const title = typeof group.title === 'string' && group.title !== '' ? group.title : idOf(group)
      const message = `From the group ${quote(title ?? '')} the chat comes back to it without asking anything, until it is stopped.`
      yield issue(['groups', flow.groupIndexes.get(group) ?? -1], 'endless_loop', message)
    }
  }
}

/** The beginnings of all groups, and the blocks that edges lead to. */
function startsOf(flow: Flow, find: FindEntry): Set<Entry> {
  const starts = new Set<Entry>()
  const add = (entry: Entry | undefined) => entry && starts.add(entry)
  for (const group of flow.groups) add(find(idOf(group), undefined))
  for (const edge of flow.edges) {
    if (isRecord(edge) && isRecord(edge.to)) add(find(edge.to.groupId, edge.to.blockId))
  }
  return starts
}

/** The path that is being followed, one step for each entry. */
interface Step {
  entry: Entry
  pending: Iterator<Entry, undefined>
  /** The last step up to this one whose group is found, or -1. */
  lastFound: number
}

/**
 * One circle, or a pause, for each way back along the ways that count, unless a group of it is `found`. The caller adds
 * them.
 */
function* circles(
  starts: Iterable<Entry>,
  isEndless: (way: Way) => boolean,
  found: ReadonlySet<JsonRecord>,
): Generator<Entry[] | undefined> {
  const done = new Set<Entry>()
  // A list of the followed steps instead of recursion: a flow may be longer than the stack.
  const trail: Step[] = []
  const onTrail = new Map<Entry, number>()
  const stepsOfGroup = new Map<JsonRecord, number[]>()
  const follow = (entry: Entry): void => {
    const at = trail.length
    const lastFound = found.has(entry.group) ? at : (trail.at(-1)?.lastFound ?? -1)
    trail.push({ entry, pending: isEndless(entry.way) ? exitsOf(entry.way) : [].values(), lastFound })
    onTrail.set(entry, at)
    const steps = stepsOfGroup.get(entry.group)
    if (steps === undefined) stepsOfGroup.set(entry.group, [at])
    else steps.push(at)
  }
  for (const start of starts) {
    if (!done.has(start)) follow(start)
    for (let step = trail.at(-1); step !== undefined; step = trail.at(-1)) {
      yield
      const next = step.pending.next().value
      if (next === undefined) {
        trail.pop()
        onTrail.delete(step.entry)
        stepsOfGroup.get(step.entry.group)?.pop()
        done.add(step.entry)
        continue
      }
      const since = onTrail.get(next)
      if (since === undefined && !done.has(next)) follow(next)
      if (since === undefined || since <= step.lastFound) continue
      const circle = trail.slice(since).map(({ entry }) => entry)
      yield circle
      for (const group of new Set(circle.map((entry) => entry.group))) {
        for (const at of stepsOfGroup.get(group) ?? []) noteFound(trail, at)
      }
    }
  }
}

/** From a step whose group was just found up to the next one. */
function noteFound(trail: Step[], at: number): void {
  for (let each = at, step = trail[at]; step && step.lastFound < at; each += 1, step = trail[each]) {
    step.lastFound = at
  }
}
