import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

/** A new id: a ULID in lower case, 26 characters, the first ten of which order it by time. */
export function newId(now: Date): string {
  return ulid(now.getTime(), randomFraction).toLowerCase()
}

/** Several new ids for records of one moment, in the order in which they will be listed. */
export function newIds(count: number, now: Date): string[] {
  return Array.from({ length: count }, () => newId(now)).sort()
}

// Left to itself the library asks the system for every digit, sixteen times an id.
const random = Buffer.alloc(4096)
let used = random.length

/** From 0 up to, but not including, 1. */
function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  return (random[used++] as number) / 256
}
