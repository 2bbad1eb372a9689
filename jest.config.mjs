import { availableParallelism } from 'node:os'

const common = {
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/tests/setup.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '/start-worker\\.ts$': '<rootDir>/tests/support/start-worker.ts' },
  transform: {
    // Within the code a map is twice as long as it, and every file of tests parses it.
    '^.+\\.ts$': [
      '@swc/jest',
      { sourceMaps: true, jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } },
    ],
  },
}

/** Tests that need the database of the service, or start servers of their own. Every other test needs none. */
const service = [
  'replay',
  'refusals',
  'conformance',
  'hostile',
  'shares',
  'samples',
  'guides',
  'process*',
  'transactions',
  'admin',
  'corpus',
  'workflows',
  'client-package',
  'passthrough',
  'kit-service',
  'access/grants',
  'bots/publication-retention',
  'chat/write-turn',
  'db/backup',
  'db/batched-query',
  'db/citus',
  'db/embedded',
  'db/migrations',
  'db/nodes',
  'db/partitions',
  'db/plans',
  'db/pool',
  'db/pooler',
  'db/session-settings',
  'db/standby',
  'db/typed-select',
  'http/app',
  'http/early-responses',
  'http/limits',
  'jobs/purge',
  'jobs/retention',
  'results/stats-rollup',
  'flows/*',
  'browser/*',
].map((name) => `**/tests/${name}.test.ts`)

/** Files that take the most time: `make test` runs them where they are named, `make test-long` always. */
export const slow = [
  'browser/(bubbles|coming-back|device|docs|domains|embed|foreign-code|google-consent|inbox|inputs|look|members|members-tasks|move|old-browsers|payment-form|payments|people|restarts|results|storage|streaming|teams|two-editors|uploads|viewer)',
  'process-(workers|chat|chatwoot|claims|garbage|idempotency|webhooks|faults|crashes|uploads|sheets)',
  'process',
  'flows/(poisoned-queues|command-pipeline)',
  'db/(embedded|session-settings)',
  'client-package',
].map((name) => `/tests/${name}\\.test\\.ts$`)
const isNamed = Boolean(process.env.NAMED_TESTS) || process.argv.some((word) => word.startsWith('tests/'))
const isWhole = isNamed || Boolean(process.env.LONG_TESTS)

export default {
  // A snapshot that is not committed fails; `-u` writes it.
  ci: true,
  // Ends what hangs, and nothing else: a limit says nothing about how fast the machine must be.
  testTimeout: 300_000,
  // Many tests wait for a process, a browser or the database about as long as they work.
  maxWorkers: availableParallelism() * 2,
  testSequencer: './tests/sequencer.mjs',
  // Modules of a file that is done are not given back, and a heap of gigabytes is collected slowly.
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...common,
      displayName: 'contract',
      testMatch: ['**/tests/**/*.test.ts', ...service.map((path) => `!${path}`)],
      globalSetup: '<rootDir>/tests/global-build.ts',
    },
    {
      ...common,
      displayName: 'service',
      testMatch: service,
      testPathIgnorePatterns: ['/node_modules/', ...(isWhole ? [] : slow)],
      globalSetup: '<rootDir>/tests/global-setup.ts',
      globalTeardown: '<rootDir>/tests/global-teardown.ts',
    },
  ],
}
