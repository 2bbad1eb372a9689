import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ask, bot, type Part, text } from './support/chat.ts'
import { storable } from './support/chats.ts'
import { type SheetsDouble, sheetsAccount, startSheets } from './support/google-sheets.ts'
import { call, endProcesses, freePort, startService, until } from './support/process.ts'
import { runs } from './support/runs.ts'
import { createDatabase, type TestDatabase } from './support/server.ts'

/*
 * Many visitors whose rows the account has no quota for, and a process that is killed while it writes them: all of them
 * are written, each once.
 */

let database: TestDatabase
let sheet: SheetsDouble

const VISITORS = runs(200, 1_000)
const MAX_CALLS = 60
/** After the account has a quota. */
const MAX_MS = 300_000

beforeAll(async () => {
  database = await createDatabase('nothing')
  sheet = await startSheets([])
})

afterAll(async () => {
  await endProcesses()
  await sheet.stop()
  await database.drop()
})

test(
  'rows of many turns are written within the quota, each once, though the process is killed while it writes',
  async () => {
    const keys = Array.from({ length: VISITORS }, (_, index) => `k${index}`)
    sheet.rows = [['Name', 'Age'], ...keys.map((key) => [key, 'old'])]
    sheet.quota = 0
    const variables = {
      DATABASE_URL: database.url,
      PORT: String(await freePort()),
      ENCRYPTION_KEY: Buffer.alloc(32, 'key').toString('base64'),
      OUTBOUND_ALLOWED_HOSTS: sheet.host,
      CONCURRENT_REQUESTS: '4000',
      LOG_LEVEL: 'info',
    }
    let service = await startService(variables)
    const { url, token = '' } = service
    const send = async (method: string, path: string, body?: object) => {
      const response = await call({ url, token }, method, path, body)
      if (response.status !== 200 && response.status !== 201) throw new Error(JSON.stringify(response))
      return response.body
    }
    const { workspaces } = await send('GET', '/v1/workspaces')
    const workspaceId = workspaces[0].id
    const account = { type: 'google sheets', name: 'Sheets', data: sheetsAccount(sheet) }
    const { credentials } = await send('POST', `/v1/workspaces/${workspaceId}/credentials`, account)
    const part = (action: string, options: object): Part => ({
      type: 'Google Sheets',
      options: { credentialsId: credentials.id, spreadsheetId: 's1', sheetId: '7', action, ...options },
    })
    const flow = bot(
      {
        g: [
          ask('Name'),
          part('Insert a row', { cellsToInsert: [{ id: '1', column: 'Name', value: 'new {{Name}}' }] }),
          part('Update a row', {
            filter: {
              comparisons: [{ id: '1', column: 'Name', comparisonOperator: 'Equal to', value: '{{Name}}' }],
            },
            cellsToUpsert: [{ id: '1', column: 'Age', value: '{{Name}} changed' }],
          }),
          text('and on'),
          ask(),
        ],
      },
      { variables: ['Name'] },
    )
    const { id: _, ...document } = storable(flow)
    const { bot: made } = await send('POST', '/v1/bots', {
      workspaceId,
      bot: { ...document, name: 'Bot', publicId: 'sheets' },
    })
    await send('POST', `/v1/bots/${made.id}/publish`, {})
    let longestMs = 0
    await Promise.all(
      keys.map(async (key) => {
        const { sessionId } = await send('POST', '/api/v1/bots/sheets/startChat', {})
        const startedAt = performance.now()
        const turn = await send('POST', `/api/v1/sessions/${sessionId}/continueChat`, { message: key })
        longestMs = Math.max(longestMs, performance.now() - startedAt)
        expect(JSON.stringify(turn.messages)).toContain('and on')
      }),
    )
    // Each turn went on without the vendor, which has not taken a single row.
    expect(sheet.rows.filter(([, age]) => age !== 'old')).toHaveLength(1)
    const openedAt = performance.now()
    sheet.quota = MAX_CALLS
    // First a request that takes effect, then one that does not; of neither there is a response.
    for (const failure of ['lost', 'dropped'] as const) {
      let isKilled = false
      sheet.failures = [failure]
      sheet.beforeRequest = async () => {
        sheet.beforeRequest = undefined
        service.signal('SIGKILL')
        await service.ended
        isKilled = true
      }
      await until(`the process is killed in a request that is ${failure}`, () => isKilled)
      service = await startService(variables)
    }
    const isWritten = () =>
      sheet.rows.filter(([, age]) => age?.endsWith('changed')).length === VISITORS &&
      sheet.rows.length === 2 * VISITORS + 1
    while (!isWritten() && performance.now() - openedAt < MAX_MS) await sleep(500)
    const neededMs = performance.now() - openedAt
    process.stdout.write(
      `${VISITORS} visitors, longest turn ${Math.round(longestMs)} ms, all rows after ${Math.round(neededMs)} ms\n`,
    )
    // Time in which one that is written twice would show.
    await sleep(5_000)
    expect(sheet.rows.slice(1, VISITORS + 1)).toEqual(keys.map((key) => [key, `${key} changed`]))
    const inserted = sheet.rows.slice(VISITORS + 1).map(([name]) => name)
    expect(inserted.toSorted()).toEqual(keys.map((key) => `new ${key}`).toSorted())
  },
  2 * MAX_MS + 240_000,
)
