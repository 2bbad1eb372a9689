import { ulid } from 'ulid'

/** A new id: 26 characters, the first ten of which order it by time. */
export function newId(now: Date): string {
  return ulid(now.getTime()).toLowerCase()
}

/** Several new ids for records of one moment, in the order in which they will be listed. */
export function newIds(count: number, now: Date): string[] {
  return Array.from({ length: count }, () => newId(now)).sort()
}
