import { Agent } from 'node:http'
import { statusOf } from './requests.ts'

/*
 * A noisy caller, in a process of its own: so many connections, each sending its next request as soon as the last one
 * is answered or cut. Told to stop, it says how often it got which status.
 */

const [port, connections, ...tokens] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const answers: Record<string, number> = {}
let isRunning = true
let at = 0

async function run() {
  while (isRunning) {
    const token = tokens[at++ % tokens.length] as string
    const status = await statusOf(agent, Number(port), token).catch(() => 'cut')
    answers[status] = (answers[status] ?? 0) + 1
  }
}

for (let count = 0; count < Number(connections); count++) void run()
process.once('message', () => {
  isRunning = false
  process.send?.(answers, () => process.exit())
})
