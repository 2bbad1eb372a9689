import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { reads } from '../document.ts'

const port = await freePort()
const prism = spawn('../node_modules/.bin/prism', ['mock', '--port', String(port), '../../../openapi.yaml'], {
  stdio: ['ignore', 'pipe', 'pipe'],
})
let said = ''
await new Promise<void>((resolve, reject) => {
  prism.on('exit', () => reject(new Error(said)))
  for (const stream of [prism.stdout, prism.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('is listening')) resolve()
    })
  }
})
console.log('start from the document')

const wrong: string[] = []
for (const { operationId, address, examples } of reads) {
  const answer = await fetch(`http://127.0.0.1:${port}${address}`, {
    headers: { Authorization: 'Bearer any' },
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(text) : text
  if (answer.status !== 200 || !examples.some((example) => isSame(body, example))) wrong.push(operationId)
}
assert.deepEqual(wrong, [])
console.log('answer every read with an example of it')
prism.removeAllListeners('exit')
prism.kill()

function isSame(body: unknown, example: unknown): boolean {
  if (typeof body === 'string' && typeof example === 'string') return body.trim() === example.trim()
  return JSON.stringify(body) === JSON.stringify(example)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  assert(address && typeof address === 'object')
  return address.port
}
