import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { instructions } from '../contract/tools/index.ts'
import { root } from '../server/root.ts'

/* Agents pay for the list of tools with every task. */

const MAX_TOOLS = 15
const MAX_TOOLS_TOKENS = 8_000

test('at most 15 tools have at most 8,000 tokens of o200k_base, with the instructions', () => {
  const text = readFileSync(new URL('generated/tools.json', root), 'utf8')
  const tools = JSON.parse(text)
  expect(tools.length).toBeLessThanOrEqual(MAX_TOOLS)
  const tokens = new Tiktoken(o200k).encode(JSON.stringify(tools) + instructions).length
  expect(tokens).toBeLessThanOrEqual(MAX_TOOLS_TOKENS)
})
