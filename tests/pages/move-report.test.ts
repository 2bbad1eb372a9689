import { expect, test } from '@jest/globals'
import {
  countVerdicts,
  failure,
  reportOn,
  reportWithoutCheck,
} from '../../server/pages/members/app/move/report.ts'

/* The report on moved bots. */

const bot = { id: 'b', name: 'Bot' }
const finding = (code: string, message: string, severity: 'error' | 'warning' = 'error') => ({
  path: ['groups', '0'],
  code,
  message,
  severity,
})

test('a bot without findings runs as it is', () => {
  expect(reportOn('a.json', bot, [], [])).toEqual({
    file: 'a.json',
    verdict: 'runs',
    bot,
    skipped: [],
    needed: [],
    remarks: [],
  })
})

test('skipped blocks count before settings, equal texts once, and nothing is said twice', () => {
  const findings = [
    finding('skipped_block', 'Skip'),
    finding('skipped_block', 'Skip'),
    finding('missing_credentials', 'Key'),
    finding('duplicate_id', 'Twice'),
    finding('unknown_name', 'Hint', 'warning'),
  ]
  expect(reportOn('a.json', bot, ['Skip', 'Dropped'], findings)).toMatchObject({
    verdict: 'partly',
    skipped: ['Skip (2 times)'],
    needed: ['Key'],
    remarks: ['Twice', 'Dropped'],
  })
})

test.each(['missing_credentials', 'no_mail_server', 'no_file_store', 'closed_address', 'needs_chat_host'])(
  'a bot with the finding %s runs once something is set',
  (code) => {
    expect(reportOn('a.json', bot, [], [finding(code, 'Set it')]).verdict).toBe('needs')
  },
)

test('reports are counted by verdict, with files that failed and bots that were not checked', () => {
  const reports = [reportOn('a', bot, [], []), failure('b', 'Not JSON'), failure('c', 'Not JSON')]
  reports.push(reportWithoutCheck('d', bot, ['A remark', 'A remark'], 'No answer'))
  expect(countVerdicts(reports)).toEqual([
    ['runs', 1],
    ['needs', 0],
    ['partly', 0],
    ['unchecked', 1],
    ['failed', 2],
  ])
  expect(reports.at(-1)).toMatchObject({ bot, remarks: ['No answer', 'A remark (2 times)'] })
})
