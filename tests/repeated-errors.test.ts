import { expect, test } from '@jest/globals'
import { pino } from 'pino'
import { createErrorLog } from '../server/repeated-errors.ts'

const full = () => Object.assign(new Error('No space left on device'), { code: '53100' })

test('an error that repeats each half second for two minutes is one error line and then one a minute with its count', () => {
  const lines: Record<string, unknown>[] = []
  let time = 5
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const logError = createErrorLog(log, () => time)
  for (let at = 0; at <= 240; at++, time += 500) logError(full(), 'purging failed')
  expect(lines).toMatchObject([
    { level: 50, msg: 'purging failed' },
    { level: 50, msg: 'purging failed', times: 120, seconds: 60 },
    { level: 50, msg: 'purging failed', times: 120, seconds: 60 },
  ])
  expect(lines).toHaveLength(3)
})

test('another error, and the same one of other work, is logged at once', () => {
  const lines: unknown[] = []
  const logError = createErrorLog(pino({}, { write: (line: string) => void lines.push(line) }))
  logError(full(), 'purging failed')
  logError(full(), 'thinning failed')
  logError(Object.assign(new Error('gone'), { code: '57P01' }), 'purging failed')
  expect(lines).toHaveLength(3)
})

test('at level debug each error is logged, with its own details', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const logError = createErrorLog(log)
  for (const requestId of ['a', 'b']) logError(full(), 'request failed', { requestId })
  expect(lines).toMatchObject([
    { level: 50, requestId: 'a' },
    { level: 20, requestId: 'b' },
  ])
})
