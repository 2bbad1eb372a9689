import { expect, test } from '@jest/globals'
import type { VendorCall } from '../../server/chat/engine/blocks/vendors/call.ts'
import { sendForBytes } from '../../server/chat/engine/blocks/vendors/send.ts'
import type { Execution } from '../../server/chat/engine/execution.ts'

/* Memory for the bodies of requests to vendors: it is there before they are made. */

const made = {
  call: { base: 'https://vendor.example', credentials: {} },
  action: {},
} as unknown as VendorCall

/** A turn with so many bytes of room; notes what happens to it in order. */
function turnWith(bytes: number) {
  const happened: string[] = []
  let left = bytes
  const run = {
    isAborted: false,
    frames: [],
    logs: [],
    startedAt: performance.now(),
    spent: { outboundCalls: 0, outputCharacters: 0, waitingMs: 0, cpuWhileWaitingMs: 0 },
    limits: { outboundCalls: 10, milliseconds: 60_000 },
    effects: {
      memory: {
        take: async (wanted: number) => {
          happened.push('room')
          left -= wanted
          return left >= 0
        },
      },
      httpRequest: async ({ body }: { body?: string }) => {
        happened.push(`sent ${body?.length}`)
        return { ok: true, status: 200, headers: {}, contentType: '', body: Buffer.from('') }
      },
    },
  } as unknown as Execution
  return { run, happened, taken: () => bytes - left }
}

/** A value of a body that notes when the body is made. */
const noting = (happened: string[], text: string) => ({
  text,
  toJSON: () => {
    happened.push('made')
    return text
  },
})

test('the body of a request is built once there is memory for it, and never without', async () => {
  const enough = turnWith(1_000_000)
  await sendForBytes(enough.run, made, { path: '/', json: noting(enough.happened, 'x'.repeat(1_000)) })
  expect(enough.happened).toEqual(['room', 'made', 'sent 1002'])
  const little = turnWith(1_000)
  expect(
    await sendForBytes(little.run, made, { path: '/', json: noting(little.happened, 'x'.repeat(1_000)) }),
  ).toBeNull()
  expect(little.happened).toEqual(['room'])
  expect(little.run.logs).toMatchObject([
    { status: 'error', description: expect.stringContaining('no room') },
  ])
})

test('a body that is longer than its texts takes the rest of its memory before it is sent', async () => {
  for (const request of [
    { path: '/', json: { text: '\n'.repeat(1_000) } },
    { path: '/', form: { text: 'ü'.repeat(1_000) } },
  ]) {
    const enough = turnWith(1_000_000)
    await sendForBytes(enough.run, made, request)
    const [, length = 0] = /sent (\d+)/.exec(enough.happened.at(-1) ?? '') ?? []
    expect(enough.taken()).toBeGreaterThanOrEqual(2 * Number(length))
    const little = turnWith(2 * Number(length) - 1)
    expect(await sendForBytes(little.run, made, request)).toBeNull()
    expect(little.happened.filter((each) => each.startsWith('sent'))).toEqual([])
  }
})
