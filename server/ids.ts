import { ulid } from 'ulid'

/** A new id: 26 characters, the first ten of which order it by time. */
export function newId(now: Date): string {
  return ulid(now.getTime()).toLowerCase()
}
