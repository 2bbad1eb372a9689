import { hash } from 'node:crypto'
import { information } from '../contract/index.ts'

/*
 * Entity tags: `"<id>-<digest of the state>-<digest of the view>"`. The state is all stored data of a record that a
 * read shows, and is all that a write compares; the view is its form for this caller, such as by role or query. A tag
 * never has a comma, since some clients split lists at commas.
 */

/** The part of a tag that a write compares. `shown` is every stored property that a read of the record shows. */
export function digestRecordState(id: string, shown: unknown): string {
  return `${id}-${digestState(shown)}`
}

/** The tag of a response that shows the state in this view, by the code of this release. */
export function entityTag(state: string, view: unknown): string {
  return `"${state}-${digestState([information.version, view])}"`
}

function digestState(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 16)
}

/** True if two tags name one state, in whatever view each shows it. */
export function isSameState(one: string, other: string): boolean {
  return one.slice(0, one.lastIndexOf('-')) === other.slice(0, other.lastIndexOf('-'))
}
