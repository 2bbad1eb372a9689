import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendEvents } from '../../server/kit/events.ts'
import { LARGE_BODY_BYTES } from '../../server/kit/response.ts'
import { createBudget } from '../../server/kit/shares/budget.ts'

/* Streams of events share the bytes of responses that are on their way. */

const budget = createBudget(8 * LARGE_BODY_BYTES)
const large = `data: ${'x'.repeat(LARGE_BODY_BYTES)}\n\n`
let server: Server
let url = ''

beforeAll(async () => {
  server = createServer((_, response) => {
    const pieces = (async function* () {
      yield 'data: small\n\n'
      yield large
    })()
    void sendEvents(Object.assign(response, { locals: { tenant: 'a' } }) as never, pieces, budget)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

test('a stream without room for a large event ends before it, and one with room sends it whole', async () => {
  const other = budget.open('a', () => {})
  expect(other.add(2 * LARGE_BODY_BYTES)).toBe(true)
  expect(await (await fetch(url)).text()).toBe('data: small\n\n')
  other.end()
  expect(await (await fetch(url)).text()).toBe(`data: small\n\n${large}`)
  expect(budget.held()).toBe(0)
})
