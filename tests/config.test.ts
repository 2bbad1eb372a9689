import { describe, expect, test } from '@jest/globals'
import { type Config, readConfig } from '../server/config.ts'

function problems(variables: Record<string, string>): string[] {
  const read = readConfig(variables)
  return 'problems' in read ? read.problems : []
}

function configOf(variables: Record<string, string>): Config {
  const read = readConfig(variables)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  return read.config
}

interface Variable {
  /** Its value when it is not set. */
  absent: unknown
  /** Values that are accepted, with what they mean. */
  good: [text: string, value: unknown][]
  bad: string[]
}

const whole = (absent: number, minimum: number, maximum: number): Variable => ({
  absent,
  good: [
    [String(minimum), minimum],
    [String(maximum), maximum],
    [`0${maximum}`, maximum],
  ],
  bad: [`${minimum - 1}`, `${maximum + 1}`, '1.5', '1e3', '0x10', ' 5', 'ten', '-1', '9'.repeat(30)],
})

const url = (good: string[], bad: string[]): Variable => ({
  absent: undefined,
  good: good.map((text) => [text, text]),
  bad: [...bad, 'example.com', 'not a url', '//example.com', 'javascript:alert(1)'],
})

const variables: Record<keyof Config, Variable> = {
  PORT: whole(3000, 0, 65_535),
  HOST: { absent: undefined, good: [['127.0.0.1', '127.0.0.1']], bad: [] },
  PUBLIC_URL: url(['https://bots.example.com', 'http://localhost:3000'], ['ftp://bots.example.com']),
  CONTACT_NAME: { absent: undefined, good: [['Acme', 'Acme']], bad: ['x'.repeat(256)] },
  CONTACT_URL: url(['https://acme.example/help'], ['mailto:help@acme.example']),
  CONTACT_EMAIL: {
    absent: undefined,
    good: [['help@acme.example', 'help@acme.example']],
    bad: ['help', 'https://acme.example'],
  },
  TERMS_URL: url(['https://acme.example/terms'], ['file:///terms']),
  DATA_DIR: { absent: '.data', good: [['/var/lib/bots', '/var/lib/bots']], bad: [] },
  DATABASE_URL: url(
    ['postgres://u:p@host:5432/bots', 'postgresql://host/bots?sslmode=require'],
    ['mysql://u:secret@host/bots', 'http://host/bots'],
  ),
  DATABASE_POOL_SIZE: whole(10, 1, 1_000),
  DATABASE_CONNECT_TIMEOUT: whole(2_000, 1, 600_000),
  DATABASE_STATEMENT_TIMEOUT: whole(5_000, 1, 600_000),
  DATABASE_LOCK_TIMEOUT: whole(2_000, 1, 600_000),
  DATABASE_TRANSACTION_POOLER: {
    absent: false,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'],
  },
  REQUEST_TIMEOUT: whole(30_000, 1_000, 600_000),
  SHUTDOWN_DELAY: whole(2_000, 0, 600_000),
  SHUTDOWN_TIMEOUT: whole(30_000, 0, 600_000),
  MAX_WORKSPACES_PER_USER: whole(100, 0, 1_000_000),
  SMTP_URL: url(['smtp://u:p@mail.example.com:587', 'smtps://mail.example.com'], ['http://mail.example.com']),
  SMTP_FROM: { absent: 'Bots <bots@localhost>', good: [['a@example.com', 'a@example.com']], bad: ['a'] },
  OUTBOUND_ALLOWED_HOSTS: {
    absent: [],
    good: [['one.example.com, two.example.com:8080,', ['one.example.com', 'two.example.com:8080']]],
    bad: [],
  },
  LOG_LEVEL: {
    absent: 'info',
    good: [
      ['silent', 'silent'],
      ['trace', 'trace'],
    ],
    bad: ['loud', 'INFO'],
  },
}

describe.each(Object.entries(variables))('%s', (name, { absent, good, bad }) => {
  const read = (text: string) => configOf({ [name]: text })[name as keyof Config]

  test('has its default when absent or empty', () => {
    expect(configOf({})[name as keyof Config]).toEqual(absent)
    expect(read('')).toEqual(absent)
  })

  test.each(good)('may be %j', (text, value) => {
    expect(read(text)).toEqual(value)
  })

  if (bad.length > 0) {
    test.each(bad)('may not be %j, and the message says so without repeating it', (text) => {
      const found = problems({ [name]: text })
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(new RegExp(`^${name}: Expected .+`))
      expect(found[0]).not.toContain('secret')
    })
  }
})

test('every wrong variable is named at once, and what others set is ignored', () => {
  const wrong = Object.entries(variables).flatMap(([name, { bad }]) => (bad[0] ? [[name, bad[0]]] : []))
  const found = problems({ ...Object.fromEntries(wrong), PATH: '/bin', UNRELATED: 'x' })
  expect(found.map((problem) => problem.split(':')[0])).toEqual(wrong.map(([name]) => name))
})
