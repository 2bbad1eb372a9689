import { randomFillSync } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10
const RANDOM_DIGITS = 16

// Filled rarely, since every filling is a call of the system.
const random = Buffer.alloc(256 * RANDOM_DIGITS)
let used = random.length

/** A new id: a ULID in lower case, 26 characters, the first ten of which order it by time. */
export function newId(now: Date): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  let time = now.getTime()
  let id = ''
  for (let at = 0; at < TIME_DIGITS; at++) {
    id = DIGITS[time % 32] + id
    time = Math.floor(time / 32)
  }
  for (const end = used + RANDOM_DIGITS; used < end; used++) id += DIGITS[(random[used] as number) % 32]
  return id
}

/** Several new ids for records of one moment, in the order in which they will be listed. */
export function newIds(count: number, now: Date): string[] {
  return Array.from({ length: count }, () => newId(now)).sort()
}
