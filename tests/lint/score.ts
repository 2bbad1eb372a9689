import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/*
 * Holds the scores of each form of the document, as Redocly rates from 0 to 100 how easily a program finds its way:
 * half of the operations score at least the median that counts. Every ten operations cost a tenth of a point. Within
 * an operation, a parameter costs one point, a level of nesting one and a quarter, and a component shared with other
 * operations one and two thirds. Lists with four parameters, whose pages have three levels, and changes with two ids
 * and a key for retries are around the median: clients need all that is left in them. The scores that depend on the
 * author alone have to be full.
 */

// 92.6 less 0.2 for the conditional headers of credentials, webhook endpoints, unpublish and restore, which prevent lost
// updates, less 0.1 for the parameters and responses of compare and duplicate, and less 0.6 for messages of members, events
// of sessions, chats and templates: their unions of messages and blocks moved the median by one step of the scale.
const atLeast = 91.7
const whole = ['documentationQuality', 'exampleCoverage', 'errorClarity', 'identifierClarity']

for (const name of ['openapi', 'generated/openapi-slim', 'generated/openapi-slim-3.0']) {
  const { agentReadiness, subscores } = JSON.parse(
    execFileSync(
      fileURLToPath(new URL('node_modules/.bin/redocly', import.meta.url)),
      ['score', `../../${name}.yaml`, '--format=json'],
      {
        cwd: new URL('.', import.meta.url),
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        encoding: 'utf8',
        maxBuffer: 2 ** 30,
        stdio: 'pipe',
      },
    ),
  )
  console.log(`${name}.yaml scores ${agentReadiness}`)
  const lacking = whole.filter((part) => subscores[part] !== 1)
  if (agentReadiness >= atLeast && lacking.length === 0) continue
  process.exitCode = 1
  if (agentReadiness < atLeast) console.log(`  less than ${atLeast}`)
  for (const part of lacking) console.log(`  ${part} is ${subscores[part]} of 1`)
}
