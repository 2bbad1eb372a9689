import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Call } from './call.ts'
import { given } from './support.ts'

/* Asks a sandbox for every error of every operation with the client of a story in TypeScript. */

const calls: Call[] = JSON.parse(readFileSync(given('CALLS'), 'utf8'))

/** The status and the body of a response, as parsed by the client. */
export interface Met {
  status: number | undefined
  body: unknown
}

export async function walk(send: (call: Call, headers: { Prefer: string }) => Promise<Met>): Promise<void> {
  let entered = 0
  for (const call of calls)
    for (const { status, example, prefer, body } of call.errors) {
      const met = await send(call, { Prefer: prefer })
      assert.deepEqual(met, { status, body }, `${call.operationId} ${status} ${example}`)
      entered++
    }
  console.log(`entered ${entered} outcomes`)
}

/** The body as a program has it: the text of a file is bytes. */
export function bodyOf({ contentType, body }: Pick<Call, 'contentType' | 'body'>): unknown {
  return contentType === 'application/octet-stream' ? new File([String(body)], 'plan.txt') : body
}

/** `CurrentUserApi` for `current user`, as openapi-generator names its classes. */
export function apiClassOf({ tag }: Pick<Call, 'tag'>): string {
  return `${tag.replaceAll(/(?:^|[ -])(.)/g, (_, letter: string) => letter.toUpperCase())}Api`
}

/** Named parameters and the body, as openapi-generator names them in one object; absent where there are none. */
export function givenTo({
  bodyName,
  contentType,
  body,
  parameters,
}: Call): Record<string, unknown> | undefined {
  if (parameters.length === 0 && contentType === undefined) return undefined
  return {
    ...Object.fromEntries(
      parameters.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    ),
    ...(contentType === undefined ? {} : { [bodyName]: bodyOf({ contentType, body }) }),
  }
}
