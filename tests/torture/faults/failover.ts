import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { canCopy, startPair } from '../../support/standby.ts'
import { visit } from '../visitors.ts'
import { ask, type Fault, newBot, onlyStatuses } from './fault.ts'

/* The primary is lost, and its standby takes its place under the same address. */

export const failover: Fault = {
  id: 'F33',
  what: 'the primary is lost, and the standby that results were read from is promoted',
  async run(setting) {
    if (!canCopy) return 'NOT RUN: copies do not keep the owners of files here'
    const pair = await startPair()
    try {
      // Acknowledged commits are on the standby; nothing else prevents their loss.
      const primary = new pg.Client({ connectionString: pair.primaryUrl })
      primary.on('error', () => {})
      await primary.connect()
      await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
      await primary.query('SELECT pg_reload_conf()')
      const options = { databaseUrl: pair.primaryUrl, variables: { DATABASE_READ_URL: pair.standbyUrl } }
      return await visit(setting, options, async ({ installation, goOn, bot }) => {
        const { id } = await newBot(installation, { name: 'Before' })
        await pair.losePrimary()
        const lost = performance.now()
        for (const { proxy } of installation.members) {
          proxy.target = new URL(pair.standbyUrl)
          proxy.reset()
        }
        installation.database.options.connectionString = pair.standbyUrl
        // It accepts connections, and rejects writes.
        const path = `/v1/bots/${id}`
        const body = { bot: { version: '6.1', name: 'Too early' } }
        for (let turn = 0; turn < 5; turn++) {
          onlyStatuses([await ask(installation, turn, 'PATCH', path, body)], [503])
          onlyStatuses([await ask(installation, turn, 'GET', path)], [200, 503])
          await sleep(100)
        }
        await pair.onStandby('SELECT pg_promote()')
        const promoted = performance.now()
        await goOn()
        const end = performance.now()
        onlyStatuses([await ask(installation, 0, 'GET', path)], [200])
        onlyStatuses([await ask(installation, 1, 'GET', `/v1/bots/${bot.id}/results`)], [200])
        return `promoted after ${Math.round(promoted - lost)} ms; all visitors went on within ${Math.round(end - promoted)} ms`
      })
    } finally {
      await pair.stop()
    }
  },
}
