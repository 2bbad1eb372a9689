import { cleanUp } from './clean-up.ts'
import type { FlowDocument } from './document.ts'
import { from3To4 } from './from-3-to-4.ts'
import { from4To6 } from './from-4-to-6.ts'
import { from6To61 } from './from-6-to-6-1.ts'

export { linkedBots } from './bot-links.ts'
export { repairImported } from './clean-up.ts'
export { type FlowDocument, versionOf } from './document.ts'
export { nameEdges } from './edges-named.ts'
export { pathsBefore } from './paths-before.ts'

/** Conversions to the next version, by version. Version 5 has the shape of version 4. */
const steps = new Map<unknown, (document: FlowDocument) => FlowDocument>([
  ['3', from3To4],
  ['4', (document) => ({ ...document, version: '5' })],
  ['5', from4To6],
  ['6', from6To61],
])

/**
 * A document in a later version: the same flow, the same look, and every key that the conversion has no reason to
 * touch. Each step states its rules in its own file.
 *
 * Documents of the target version or a later one, and those of an unknown version, are returned as they are: a
 * document never goes back to an earlier version. The given document is not changed. Unchanged parts are the same
 * objects afterwards, so callers find the parts to store by `===`. Never throws, and gives the same result every
 * time.
 */
export function convert(document: FlowDocument, target: '3' | '4' | '5' | '6' | '6.1' = '6.1'): FlowDocument {
  let converted = cleanUp(document)
  while (converted.version !== target) {
    const step = steps.get(converted.version)
    if (step === undefined) break
    converted = step(converted)
  }
  return converted
}
