import { afterAll, expect, test } from '@jest/globals'
import { call, endProcesses, launch, startService } from './support/process.ts'
import { createDatabase, isPooled } from './support/server.ts'

/* Sandbox mode as a process: its start on an empty database, and the databases that it rejects. */

afterAll(endProcesses)

// A sandbox sets the search path of its connections, which a pooler rejects.
const testAlone = isPooled() ? test.skip : test

testAlone(
  'a sandbox creates its world in an empty database, and only sandboxes serve that database',
  async () => {
    const database = await createDatabase('nothing')
    const real = await createDatabase()
    try {
      const sandbox = await startService({ SANDBOX: 'true', DATABASE_URL: database.url })
      expect(sandbox.token).toBeUndefined()
      const { body: state } = await call(sandbox, 'GET', '/sandbox')
      const [token = ''] = Object.keys(state.tokens)
      const { body: list } = await call({ ...sandbox, token }, 'GET', '/v1/workspaces')
      expect(list.workspaces).toMatchObject([{ name: 'Garden club' }])

      // The jobs that are due by then run before the response.
      await call({ ...sandbox, token }, 'DELETE', `/v1/bots/${Object.keys(state.bots)[0]}`)
      const before = await call(sandbox, 'POST', '/sandbox/clock', { advanceSeconds: 30 * 86_400 })
      expect(Date.parse(before.body.now) - Date.parse(state.now)).toBeGreaterThan(29 * 86_400_000)
      const began = performance.now()
      expect((await call(sandbox, 'POST', '/sandbox/reset')).status).toBe(200)
      expect(performance.now() - began).toBeLessThan(10_000)
      sandbox.signal('SIGTERM')
      await sandbox.ended

      const again = await startService({ SANDBOX: 'true', DATABASE_URL: database.url })
      const { body: kept } = await call(again, 'GET', '/sandbox')
      expect(kept.now.slice(0, 10)).toBe('2026-01-05')
      again.signal('SIGTERM')
      await again.ended

      const rejected = await launch({ DATABASE_URL: database.url }).ended
      expect(rejected.code).toBe(1)
      expect(rejected.stderr).toContain('set SANDBOX=true')
      const other = await launch({ SANDBOX: 'true', DATABASE_URL: real.url }).ended
      expect(other.code).toBe(1)
      expect(other.stderr).toContain('set DATABASE_URL to an empty database')
    } finally {
      await endProcesses()
      await database.drop()
      await real.drop()
    }
  },
)
