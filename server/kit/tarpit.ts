import type express from 'express'

/** Maximum number of delayed rejections at a time, per caller and in total. */
const MAX_DELAYED_PER_CALLER = 100
const MAX_DELAYED = 1_000

/** Tarpit: delays responses that reject a request. */
export function createTarpit() {
  const held = new Map<string, number>()
  let all = 0
  return {
    /**
     * Waits this many milliseconds, or until the caller closes the connection. Returns false immediately if too many
     * wait already: an open connection costs memory.
     */
    wait(caller: string, response: express.Response, milliseconds: number): Promise<boolean> {
      const before = held.get(caller) ?? 0
      if (before >= MAX_DELAYED_PER_CALLER || all >= MAX_DELAYED) return Promise.resolve(false)
      held.set(caller, before + 1)
      all++
      return new Promise((resolve) => {
        const settle = () => {
          clearTimeout(timer)
          response.off('close', settle)
          all--
          const left = (held.get(caller) as number) - 1
          if (left > 0) held.set(caller, left)
          else held.delete(caller)
          resolve(true)
        }
        const timer = setTimeout(settle, milliseconds)
        response.once('close', settle)
      })
    },
  }
}
