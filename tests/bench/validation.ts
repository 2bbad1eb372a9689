import { existsSync, readFileSync } from 'node:fs'
import { edges, events, groups, settings, theme, variables } from '../../contract/bot-document/index.ts'
import { z } from '../../contract/kit/zod.ts'
import { makeDocument } from './documents.ts'

/*
 * Measures the cost of the validation of a document as a ratio to parsing its JSON, in alternation. It uses the
 * largest real document if the corpus is available, a generated one otherwise.
 */

const real = new URL('../../../shared/corpus/v6-skin-typology.json', import.meta.url)
const document = existsSync(real) ? JSON.parse(readFileSync(real, 'utf8')) : makeDocument(27_000)
const flow = z.looseObject({ groups, events, edges, variables, theme, settings })
const text = JSON.stringify(document)
flow.parse(document)

const ROUNDS = 30
const CALLS = 200

function microseconds(call: () => unknown): number {
  const start = performance.now()
  for (let count = 0; count < CALLS; count++) call()
  return ((performance.now() - start) / CALLS) * 1000
}

const rounds = Array.from({ length: ROUNDS }, () => {
  const parse = microseconds(() => JSON.parse(text))
  const validate = microseconds(() => flow.safeParse(document))
  return { parse, validate, ratio: validate / parse }
})

function median(name: 'parse' | 'validate' | 'ratio'): number {
  const sorted = rounds.map((round) => round[name]).sort((a, b) => a - b)
  return sorted[Math.floor(ROUNDS / 2)] as number
}

process.stdout.write(
  `${text.length} characters: parse ${median('parse').toFixed(0)} µs, validate ${median('validate').toFixed(0)} µs, ` +
    `ratio ${median('ratio').toFixed(2)}\n`,
)
