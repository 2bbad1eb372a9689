/**
 * Turns of the thread for work that takes long, such as checks, and for large bodies and responses: one piece
 * for each round of the event loop, tenants in turns, so that what others do is never behind more than one piece.
 */
export function createTurns(): (tenant: string) => Promise<void> {
  const lines = new Map<string, (() => void)[]>()
  const giveNext = () => {
    const [first] = lines
    if (!first) return
    const [tenant, line] = first
    const wake = line.shift()
    lines.delete(tenant)
    if (line.length > 0) lines.set(tenant, line)
    if (lines.size > 0) setImmediate(giveNext)
    wake?.()
  }
  return (tenant) =>
    new Promise((resolve) => {
      if (lines.size === 0) setImmediate(giveNext)
      const line = lines.get(tenant)
      if (line) line.push(resolve)
      else lines.set(tenant, [resolve])
    })
}

/** The thread is one for the whole process. */
export const takeTurn = createTurns()
