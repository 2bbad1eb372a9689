import type express from 'express'

/**
 * Places for so many requests. Who finds none waits in line, which is bounded, for so many milliseconds at most;
 * whoever leaves gives the place to the first in line.
 */
export function createRoom(places: number, line: number, patience: number) {
  let taken = 0
  const waiting = new Set<() => void>()
  return {
    /** Whether there was a place, at once or in the end. Who goes away while waiting gets none. */
    enter(response: express.Response): true | Promise<boolean> {
      if (taken < places) {
        taken++
        return true
      }
      if (waiting.size >= line) return Promise.resolve(false)
      return new Promise((resolve) => {
        const settle = (isIn: boolean) => {
          clearTimeout(timer)
          waiting.delete(call)
          response.off('close', giveUp)
          resolve(isIn)
        }
        const call = () => settle(true)
        const giveUp = () => settle(false)
        const timer = setTimeout(giveUp, patience)
        response.once('close', giveUp)
        waiting.add(call)
      })
    },
    leave() {
      const [first] = waiting
      if (first) first()
      else taken--
    },
  }
}
