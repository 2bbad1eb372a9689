import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/*
 * How well a program finds its way in each form of the document, as Redocly scores it from 0 to 100: half of the
 * operations score at least as much as the median that counts. A tenth of a point is lost for every ten operations.
 * Of an operation, a parameter costs one point, a level of nesting one and a quarter, and a component that others use as
 * well one and two thirds. About the median are lists with four parameters, of which a page has three levels, and
 * changes with two ids and a key for retries: there is nothing left in them that clients could do without. What is in
 * the author's hands alone has to be whole.
 */

const atLeast = 92.4
const whole = ['documentationQuality', 'exampleCoverage', 'errorClarity', 'identifierClarity']

for (const name of ['openapi', 'openapi-slim', 'openapi-slim-3.0']) {
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
