import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'

/** Writes lines until nobody reads them any more, and 50 MB after that; says how many bytes are kept. */
const program = `
  import { createLog, openSink } from './server/log.ts'
  const log = createLog('info', openSink(false))
  const write = (lines) => {
    for (let at = 0; at < lines; at++) log.info({ at }, 'x'.repeat(100))
    return new Promise((resolve) => setTimeout(resolve, 1))
  }
  process.once('message', async () => {
    for (let round = 0; round < 400; round++) await write(1_000)
    gc()
    process.send(process.memoryUsage().arrayBuffers, () => process.exit())
  })
  await write(1_000)
  process.send('ready')
`

test('lines that nobody reads are not kept', async () => {
  const flags = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  await once(child, 'message')
  child.stdout?.destroy()
  child.send('nobody reads')
  const [kept] = await once(child, 'message')
  await once(child, 'exit')
  expect(kept).toBeLessThan(20_000_000)
})
