/*
 * A page that examines each result keeps a connection and the thread busy for tenths of a second. Each workspace reads
 * few at a time, so that one caller does not delay the others.
 */

const MAX_SEARCHES_AT_ONCE = 2

interface Line {
  running: number
  waiting: (() => void)[]
}

const lines = new Map<string, Line>()

/** Reads such a page once fewer than `MAX_SEARCHES_AT_ONCE` of the workspace are being read. */
export async function inTurn<T>(workspaceId: string, read: () => Promise<T>): Promise<T> {
  const line = lines.get(workspaceId) ?? { running: 0, waiting: [] }
  lines.set(workspaceId, line)
  if (line.running < MAX_SEARCHES_AT_ONCE) line.running++
  else await new Promise<void>((resolve) => line.waiting.push(resolve))
  try {
    return await read()
  } finally {
    const next = line.waiting.shift()
    if (next) next()
    else if (--line.running === 0) lines.delete(workspaceId)
  }
}
