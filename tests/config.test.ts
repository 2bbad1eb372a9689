import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type Config, readConfig } from '../server/config.ts'
import { root } from '../server/root.ts'

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
  /** Variables that it needs. */
  beside?: Record<string, string>
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

const yesOrNo = (absent: boolean): Variable => ({
  absent,
  good: [
    ['true', true],
    ['false', false],
  ],
  bad: ['yes', '1', 'TRUE'],
})

const variables: Record<keyof Config, Variable> = {
  PORT: whole(3000, 0, 65_535),
  HOST: { absent: undefined, good: [['127.0.0.1', '127.0.0.1']], bad: [] },
  PUBLIC_URL: url(['https://bots.example.com', 'http://localhost:3000'], ['ftp://bots.example.com']),
  CHAT_URL: {
    ...url(['https://chats.example.com', 'http://127.0.0.1:3000'], ['ftp://chats.example.com']),
    beside: { PUBLIC_URL: 'https://bots.example.com' },
  },
  OWN_HOSTS: {
    absent: [],
    good: [['bots.internal.example.com , BOTS.local', ['bots.internal.example.com', 'bots.local']]],
    bad: ['https://bots.example.com', 'bots.example.com:8443', 'bots.example.com/x'],
  },
  SITE_NAME: { absent: undefined, good: [['Acme bots', 'Acme bots']], bad: ['a'.repeat(101)] },
  CORS_ORIGINS: {
    absent: [],
    good: [
      [
        'https://Editor.example.com , http://localhost:5173',
        ['https://editor.example.com', 'http://localhost:5173'],
      ],
      ['http://[::1]:8080', ['http://[::1]:8080']],
    ],
    bad: [
      '*',
      'https://*.example.com',
      'https://a.example/',
      'https://a.example/b',
      'a.example',
      'null',
      'https://a.example:443',
    ],
  },
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
  DATABASE_READ_URL: url(['postgres://u:p@standby:5432/bots'], ['mysql://u:secret@standby/bots']),
  ENCRYPTION_KEY: {
    absent: undefined,
    good: [
      [Buffer.alloc(32, 1).toString('base64'), [Buffer.alloc(32, 1)]],
      [
        `${'ab'.repeat(32)}, ${Buffer.alloc(32, 2).toString('base64')}`,
        [Buffer.alloc(32, 0xab), Buffer.alloc(32, 2)],
      ],
    ],
    bad: ['secret', 'ab'.repeat(31), Buffer.alloc(33, 'secret').toString('base64'), `${'ab'.repeat(32)},`],
  },
  DATABASE_POOL_SIZE: whole(10, 1, 1_000),
  DATABASE_CONNECT_TIMEOUT: whole(2_000, 1, 600_000),
  DATABASE_STATEMENT_TIMEOUT: whole(5_000, 1, 600_000),
  DATABASE_LOCK_TIMEOUT: whole(2_000, 1, 600_000),
  DATABASE_NODES: yesOrNo(true),
  DATABASE_NAMED_STATEMENTS: yesOrNo(true),
  DATABASE_SESSION_SETTINGS: yesOrNo(true),
  MIGRATE: yesOrNo(true),
  SANDBOX: yesOrNo(false),
  WORKERS: whole(1, 1, 128),
  REQUEST_TIMEOUT: whole(30_000, 1_000, 600_000),
  SHUTDOWN_DELAY: whole(2_000, 0, 600_000),
  SHUTDOWN_TIMEOUT: whole(30_000, 0, 600_000),
  MAX_WORKSPACES_PER_USER: whole(100, 0, 1_000_000),
  RESULTS_RETENTION_DAYS: { ...whole(0, 1, 36_500), absent: undefined },
  DELETED_BOTS_RETENTION_DAYS: whole(7, 0, 36_500),
  PUBLICATIONS_RETENTION_DAYS: { ...whole(0, 7, 36_500), absent: undefined },
  PUBLICATIONS_KEPT: whole(20, 1, 100_000),
  RATE_LIMIT: {
    absent: true,
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['true', 'OFF', '0'],
  },
  RATE_LIMIT_SECONDS: whole(2, 1, 3_600),
  RATE_LIMIT_TOKEN: whole(100, 1, 1_000_000),
  RATE_LIMIT_ADDRESS: whole(20, 1, 1_000_000),
  RATE_LIMIT_CONCURRENT: whole(20, 1, 10_000),
  RATE_LIMIT_DELAY: whole(1_000, 0, 10_000),
  TRUST_PROXY: {
    absent: false,
    good: [
      ['true', true],
      ['false', false],
      ['1', 1],
      ['99', 99],
      ['loopback', ['loopback']],
      ['loopback, 10.0.0.0/8,2001:db8::/32', ['loopback', '10.0.0.0/8', '2001:db8::/32']],
    ],
    bad: ['0', '-1', '100', 'yes', '10.0.0.0/33', '300.1.1.1', 'loopback,', 'proxy.example.com', '1,2'],
  },
  CONCURRENT_REQUESTS: whole(400, 1, 100_000),
  REQUEST_QUEUE_LENGTH: whole(200, 0, 100_000),
  REQUEST_QUEUE_TIMEOUT: whole(2_000, 1, 600_000),
  UPLOAD_MAX_SIZE: whole(10, 1, 10_000),
  UPLOAD_MAX_SIZE_PER_CHAT: whole(100, 1, 100_000),
  UPLOAD_MAX_SIZE_PER_ADDRESS: whole(200, 1, 10_000_000),
  TEXT_MAX_SIZE_PER_ADDRESS: whole(50, 1, 10_000_000),
  STORED_MAX_SIZE_PER_BOT: whole(5_000, 1, 100_000_000),
  MEMBER_MESSAGES_PER_WORKSPACE: whole(50_000, 1, 1_000_000_000),
  MEMBER_MESSAGES_MAX_SIZE: whole(100, 1, 10_000_000),
  DISK_MIN_FREE: whole(1_000, 0, 10_000_000),
  UPLOAD_TIMEOUT: whole(600_000, 1_000, 1_800_000),
  FILES_DIR: { absent: undefined, good: [['/srv/files', '/srv/files']], bad: [] },
  S3_ENDPOINT: url(['https://s3.example.com', 'http://localhost:9000'], ['s3://bucket']),
  S3_BUCKET: { absent: 'bot-files', good: [['files', 'files']], bad: [] },
  S3_REGION: { absent: 'us-east-1', good: [['eu-central-1', 'eu-central-1']], bad: [] },
  S3_ACCESS_KEY_ID: { absent: undefined, good: [['key', 'key']], bad: [] },
  S3_SECRET_ACCESS_KEY: { absent: undefined, good: [['secret', 'secret']], bad: [] },
  SMTP_URL: url(['smtp://u:p@mail.example.com:587', 'smtps://mail.example.com'], ['http://mail.example.com']),
  SMTP_FROM: { absent: 'Bots <bots@localhost>', good: [['a@example.com', 'a@example.com']], bad: ['a'] },
  OIDC_ISSUER: {
    ...url(
      ['https://login.example.com/realms/bots', 'http://localhost:8080', 'http://[::1]:8080'],
      ['http://login.example.com', 'http://localhost.secret.example', 'http://127.0.0.1.secret.example'],
    ),
    beside: { OIDC_CLIENT_ID: 'bots', OIDC_CLIENT_SECRET: 'secret' },
  },
  OIDC_CLIENT_ID: {
    absent: undefined,
    good: [['bots', 'bots']],
    bad: [],
    beside: { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_SECRET: 'secret' },
  },
  OIDC_CLIENT_SECRET: {
    absent: undefined,
    good: [['secret', 'secret']],
    bad: [],
    beside: { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'bots' },
  },
  OIDC_ALLOWED_DOMAINS: {
    absent: [],
    good: [['Example.com, bücher.example', ['example.com', 'xn--bcher-kva.example']]],
    bad: ['@example.com', '*.example.com', 'example', 'example.com/secret', 'https://example.com'],
    beside: {
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'bots',
      OIDC_CLIENT_SECRET: 'secret',
    },
  },
  GOOGLE_CLIENT_ID: {
    absent: undefined,
    good: [['1234.apps.googleusercontent.com', '1234.apps.googleusercontent.com']],
    bad: [],
    beside: { GOOGLE_CLIENT_SECRET: 'secret' },
  },
  GOOGLE_CLIENT_SECRET: {
    absent: undefined,
    good: [['secret', 'secret']],
    bad: [],
    beside: { GOOGLE_CLIENT_ID: 'bots' },
  },
  GOOGLE_AUTHORIZATION_URL: {
    ...url(['http://localhost:8080/auth'], ['accounts.google.com']),
    absent: 'https://accounts.google.com/o/oauth2/v2/auth',
  },
  GOOGLE_TOKEN_URL: {
    ...url(['http://localhost:8080/token'], ['oauth2.googleapis.com']),
    absent: 'https://oauth2.googleapis.com/token',
  },
  TYPEBOT_VIEWER: yesOrNo(false),
  OUTBOUND_ALLOWED_HOSTS: {
    absent: [],
    good: [
      ['one.example.com, two.example.com:8080,', ['one.example.com', 'two.example.com:8080']],
      [
        'LocalHost:11434,10.0.0.7,[::1]:8080,[fd00::1]',
        ['LocalHost:11434', '10.0.0.7', '[::1]:8080', '[fd00::1]'],
      ],
      ['my_service', ['my_service']],
    ],
    bad: [
      'http://localhost:8080',
      'localhost:8080/hook',
      'localhost:',
      'localhost:0',
      'localhost:65536',
      '::1',
      '10.0.0.0/8',
      '*.example.com',
      'one.example.com two.example.com',
      'good.example.com,https://secret.example.com',
    ],
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

describe.each(Object.entries(variables))('%s', (name, { absent, good, bad, beside }) => {
  const read = (text: string) =>
    configOf({ [name]: text, ...(text === '' ? {} : beside) })[name as keyof Config]

  test('has its default when absent or empty', () => {
    expect(configOf({})[name as keyof Config]).toEqual(absent)
    expect(read('')).toEqual(absent)
  })

  test.each(good)('accepts %j', (text, value) => {
    expect(read(text)).toEqual(value)
  })

  if (bad.length > 0) {
    test.each(bad)('rejects %j, and its message does not repeat it', (text) => {
      const found = problems({ [name]: text, ...beside })
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(new RegExp(`^${name}: Expected .+`))
      expect(found[0]).not.toContain('secret')
    })
  }
})

test('every invalid variable is named at once, and unknown variables are ignored', () => {
  const wrong = Object.entries(variables).flatMap(([name, { bad }]) => (bad[0] ? [[name, bad[0]]] : []))
  const found = problems({ ...Object.fromEntries(wrong), PATH: '/bin', UNRELATED: 'x' })
  expect(found.map((problem) => problem.split(':')[0])).toEqual(wrong.map(([name]) => name))
})

test('the flag that two settings replaced is rejected, with its successors', () => {
  expect(problems({ DATABASE_TRANSACTION_POOLER: 'true' })).toEqual([
    expect.stringMatching(/^DATABASE_TRANSACTION_POOLER: .*DATABASE_SESSION_SETTINGS=false/),
  ])
  expect(problems({ DATABASE_TRANSACTION_POOLER: '' })).toEqual([])
})

test('two file stores are rejected, since one would never be read', () => {
  expect(problems({ FILES_DIR: '/srv/files', S3_ENDPOINT: 'https://s3.example.com' })).toEqual([
    expect.stringMatching(/^FILES_DIR: Expected to be absent where S3_ENDPOINT is set/),
  ])
})

test.each<Record<string, string>>([
  { OIDC_ISSUER: 'https://login.example.com' },
  { OIDC_CLIENT_ID: 'bots', OIDC_CLIENT_SECRET: 'secret' },
  { OIDC_ALLOWED_DOMAINS: 'example.com' },
])('a half-configured OpenID Connect provider is rejected: %j', (half) => {
  expect(problems(half)).toEqual([expect.stringMatching(/^OIDC_ISSUER: Expected with OIDC_CLIENT_ID and/)])
})

test.each<Record<string, string>>([{ GOOGLE_CLIENT_ID: 'bots' }, { GOOGLE_CLIENT_SECRET: 'secret' }])(
  'a half-configured Google client is rejected: %j',
  (half) => {
    expect(problems(half)).toEqual([expect.stringMatching(/^GOOGLE_CLIENT_ID: Expected with/)])
  },
)

test.each<Record<string, string>>([
  { CHAT_URL: 'https://chats.example.com' },
  { CHAT_URL: 'https://bots.example.com:8443', PUBLIC_URL: 'https://bots.example.com' },
  { CHAT_URL: 'https://Bots.example.com/chats', PUBLIC_URL: 'https://bots.example.com' },
])('a CHAT_URL on the host of members is rejected: %j', (given) => {
  expect(problems(given)).toEqual([
    expect.stringMatching(/^CHAT_URL: Expected with a PUBLIC_URL of another host/),
  ])
})

test('the guide of configuration lists every variable with the default that the service runs with', () => {
  const guide = readFileSync(new URL('server/guides/configuration.md', root), 'utf8')
  const rows = [...guide.matchAll(/^\| `([A-Z][A-Z\d_]*)` \| (.*?) \|/gm)].map(([, name, cell]) => [
    name,
    cell,
  ])
  const listed = rows.map(([name, cell]) => {
    const [, text] = /^`(.*)`$/.exec(cell as string) ?? []
    // Words instead of a value say what happens without one.
    return [name, text === undefined ? undefined : configOf({ [name as string]: text })[name as keyof Config]]
  })
  const running = Object.keys(variables).map((name) => {
    const value = configOf({})[name as keyof Config]
    return [name, Array.isArray(value) ? undefined : value]
  })
  expect(listed).toEqual(running)
})

test.each([
  ['http://localhost:3000/', 'http://localhost:3000'],
  ['https://host/bots//', 'https://host/bots'],
  ['https://host/bots', 'https://host/bots'],
  ['HTTPS://Host:443/Bots', 'https://host/Bots'],
])('PUBLIC_URL %s is used as %s', (given, used) => {
  expect(readConfig({ PUBLIC_URL: given })).toMatchObject({ config: { PUBLIC_URL: used } })
})

test.each(['https://host/?a=b', 'https://host/#top', 'https://user@host/', 'https://user:word@host'])(
  'PUBLIC_URL %s is rejected, since paths are appended to it',
  (given) => {
    expect(readConfig({ PUBLIC_URL: given })).toEqual({
      problems: [expect.stringContaining('PUBLIC_URL: Expected a URL without user, query and fragment')],
    })
  },
)
