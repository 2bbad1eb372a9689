import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { App } from './app.ts'
import type { Answer } from './client.ts'
import { waitingForLocks } from './locks.ts'

/**
 * Runs `other` right before the statement of `first` with this number, which `app` sends: to its end, or as far as
 * it comes before it waits for `first`. Undefined where `first` has fewer statements. `observer` is a connection
 * beside the pool of the app.
 */
export async function interleave(
  app: App,
  observer: pg.Client,
  place: number,
  first: () => Promise<Answer>,
  other: () => Promise<Answer>,
): Promise<{ first: Answer; other: Answer; hasWaited: boolean } | undefined> {
  let sent = 0
  let begun: Promise<Answer> | undefined
  let hasWaited = false
  app.beforeStatement = async () => {
    if (begun || sent++ < place) return
    let hasEnded = false
    begun = other().finally(() => {
      hasEnded = true
    })
    while (!hasEnded && !hasWaited) {
      await sleep(5)
      hasWaited = await somebodyWaits(observer)
    }
  }
  const answer = await first()
  app.beforeStatement = undefined
  return begun && { first: answer, other: await begun, hasWaited }
}

/** Returns true if a connection waits for a lock of another one. */
async function somebodyWaits(observer: pg.Client): Promise<boolean> {
  return (await waitingForLocks(observer)) > 0
}
