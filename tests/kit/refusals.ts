import { addressChecks } from './refusals/address.ts'
import { bodyChecks } from './refusals/body.ts'
import { callerChecks } from './refusals/caller.ts'
import type { Check, RefusalSubject } from './refusals/check.ts'
import { operationOf, type Subject } from './subject.ts'

/* Every rejection that follows from a contract, for each operation that it is for. */

export const checks: Check[] = [...callerChecks, ...addressChecks, ...bodyChecks]

/** Keys of the operations that a check is for. */
export function idsFor({ applies }: Check, subject: Pick<Subject, 'operations'>): string[] {
  return Object.keys(subject.operations).filter((id) => applies(operationOf(subject, id), subject))
}

/** Runs every check for every operation, and returns those that failed. */
export async function refuseAll(subject: RefusalSubject): Promise<{ ran: number; failed: string[] }> {
  let ran = 0
  const failed: string[] = []
  for (const check of checks) {
    for (const id of idsFor(check, subject)) {
      ran++
      await check
        .run(subject, id)
        .catch((error: Error) => failed.push(`${id} ${check.title}: ${error.message}`))
    }
  }
  return { ran, failed }
}
