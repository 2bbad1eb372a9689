import { startTestServer } from './support/server.ts'

/** Once before all tests that need a database. An interrupted run must not leave a server behind either. */
export default async function setUp() {
  const server = await startTestServer()
  Object.assign(globalThis, { testServer: server })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void server.stop().finally(() => process.exit(130)))
  }
}
