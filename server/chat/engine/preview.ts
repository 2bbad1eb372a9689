import type { Execution } from './execution.ts'

const MAX_PREVIEW_ENTRIES = 200

/** Keeps the answers and transcript of a preview in its session, since it has no result; only the last ones. */
export function rememberPreview(run: Execution): void {
  const { preview } = run.session
  if (preview === undefined) return
  preview.answers = lastOf(run, preview.answers)
  preview.transcript = lastOf(run, [...preview.transcript, ...run.transcript])
}

/** Bounded, since every turn of a preview reads and writes them all. */
function lastOf<Entry>(run: Execution, entries: Entry[]): Entry[] {
  let left = run.limits.totalValueCharacters
  const isTooMuch = (entry: Entry) => {
    left -= JSON.stringify(entry).length
    return left < 0
  }
  const last = entries.slice(-MAX_PREVIEW_ENTRIES)
  return last.slice(last.findLastIndex(isTooMuch) + 1)
}
