import { readFileSync } from 'node:fs'
import type { OutcomeTable } from '../../contract/kit/outcomes.ts'
import { root } from '../root.ts'

export function readOutcomes(): OutcomeTable {
  return JSON.parse(readFileSync(new URL('generated/outcomes.json', root), 'utf8'))
}
