import { randomFillSync } from 'node:crypto'
import { encodeTime } from 'ulid'

/** A new id: a ULID in lower case, 26 characters, the first ten of which order it by time. */
export function newId(now: Date): string {
  return prefixOf(now.getTime()) + randomDigits()
}

/** Several new ids for records with one timestamp, in the order in which they are listed. */
export function newIds(count: number, now: Date): string[] {
  return Array.from({ length: count }, () => newId(now)).sort()
}

/** Prefix of the most recent timestamp, which many ids share. */
let last = { moment: Number.NaN, prefix: '' }

function prefixOf(moment: number): string {
  if (moment !== last.moment) last = { moment, prefix: encodeTime(moment).toLowerCase() }
  return last.prefix
}

const DIGITS = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz')
const RANDOM_CHARACTERS = 16
// Random digits for many ids together: the library generates and joins them one by one, which takes half the time of
// an id.
const random = Buffer.alloc(256 * RANDOM_CHARACTERS)
let used = random.length

function randomDigits(): string {
  if (used === random.length) {
    randomFillSync(random)
    for (let at = 0; at < random.length; at++) {
      random[at] = DIGITS[(random[at] as number) % DIGITS.length] as number
    }
    used = 0
  }
  used += RANDOM_CHARACTERS
  return random.toString('latin1', used - RANDOM_CHARACTERS, used)
}
