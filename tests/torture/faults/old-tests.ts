import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../server/db/embedded.ts'
import { migrateDatabase } from '../../../server/db/migrate.ts'
import { newDataFolder, startProgram } from '../../support/process.ts'
import { releaseWithTests } from '../release.ts'
import { promise } from '../run.ts'
import type { Fault } from './fault.ts'

/** Tests of the release before that say how its own migrations go, or are about something else than its database. */
const others = ['migrations', 'embedded', 'browser/', 'bench/'].map((name) => `tests/${name}`)

/** Report that Jest writes with `--json`. */
interface Report {
  numPassedTests: number
  numPendingTests: number
  numPassedTestSuites: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

export const oldTests: Fault = {
  id: 'F17',
  what: 'the tests of the release before pass on the schema of this one',
  async run() {
    const folder = await releaseWithTests()
    if (!folder) return 'NOT RUN: the history of the project does not have the release before'
    const settings = { fsync: 'off', full_page_writes: 'off' }
    const server = await startEmbeddedPostgres({ dataDirectory: await newDataFolder(), settings })
    try {
      // Every database that a test makes is a copy of this one: migrated by the release before, then by this one.
      const template = new URL(server.url)
      template.pathname = '/template1'
      await migrateDatabase(template.href, '0003_draft_updated_at')
      await migrateDatabase(template.href)
      const report = await runTests(folder, server.url)
      const failures = report.testResults.flatMap(failuresOf)
      promise(failures.length === 0, `${failures.length} failures:\n${failures.join('\n')}`)
      const { numPassedTests, numPassedTestSuites, numPendingTests } = report
      promise(numPassedTests > 500, `Only ${numPassedTests} tests ran`)
      return `${numPassedTests} tests in ${numPassedTestSuites} files, none failed, ${numPendingTests} skipped`
    } finally {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function runTests(folder: string, databaseUrl: string): Promise<Report> {
  const file = join(folder, 'report.json')
  const words = ['-i', '--selectProjects', 'service', '--json', '--outputFile', file]
  const variables = { DATABASE_URL: databaseUrl, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' }
  const { ended } = startProgram(
    'node_modules/jest/bin/jest.js',
    [...words, '--testPathIgnorePatterns', ...others],
    variables,
    folder,
  )
  const { stderr } = await ended
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`The tests did not run: ${stderr}`)
  })
  return JSON.parse(text)
}

function failuresOf({ name, status, message, assertionResults }: Report['testResults'][number]): string[] {
  const failed = assertionResults.filter((result) => result.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${name}: ${message}`]
  return failed.map(({ fullName }) => `${name}: ${fullName}`)
}
