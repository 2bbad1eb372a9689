import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { runCommand } from '../server/admin/run-command.ts'
import { detectCitus } from '../server/db/citus/topology.ts'
import { type App, connectTo, startApp } from './support/app.ts'
import { builtOf } from './support/build.ts'
import { waitingForLocks } from './support/locks.ts'
import {
  endProcesses,
  newDataFolder,
  postmasterOf,
  run,
  startProgram,
  startService,
  until,
} from './support/process.ts'
import { createDatabase } from './support/server.ts'
import { makeWorld, type Site } from './support/world.ts'

let app: App
let site: Site
beforeAll(async () => {
  app = await startApp()
  site = (await makeWorld(app)).here
})
afterAll(() => app.stop())
afterEach(endProcesses)

/** Runs the command beside the app, on its database, in this process, which loads it once. */
const admin = (...words: string[]) => runHere(words, { DATABASE_URL: app.databaseUrl })

async function runHere(words: string[], variables: Record<string, string>) {
  const written = { stdout: '', stderr: '' }
  const code = await runCommand(words, {
    variables,
    write: async (text) => {
      written.stdout += text
    },
    say: (line) => {
      written.stderr += `${line}\n`
    },
  })
  return { code, ...written }
}

/** Runs a command and returns its output: one JSON object on standard output, and nothing else. */
async function accepted(...words: string[]) {
  const { code, stdout, stderr } = await admin(...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

/** Runs a command that lists, and returns its output: one JSON object per line. */
async function listed(...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await admin(...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^(\{.*\}\n)*$/)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Runs a command that fails, and returns its error: one line on standard error. */
async function rejected(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(...words)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^.+\n$/)
  return stderr.trimEnd()
}

const workspacesOf = (token: string) => app.client.call('listWorkspaces', { as: { token } })

describe('an installation from its first user to a role', () => {
  const email = 'ada.lovelace@example.com'

  test('user create, token create, member set and token revoke work beside the running service', async () => {
    const user = await accepted('user', 'create', '--email', 'Ada.Lovelace@example.com', '--name', 'Ada')
    expect(user).toEqual({ id: expect.stringMatching(/^[0-9a-z]{26}$/), email, name: 'Ada' })
    expect(await rejected('user', 'create', '--email', email, '--name', 'Twin')).toContain(email)

    const { id, token } = await accepted('token', 'create', '--email', 'ADA.lovelace@example.com')
    expect(token).toMatch(/^botb_pat_[0-9A-Za-z]{36}$/)
    expect((await workspacesOf(token)).body).toEqual({ workspaces: [], nextCursor: null })
    const { apiTokens } = await app.client.ok('listTokens', { as: { token } })
    expect(apiTokens).toMatchObject([{ id, hint: token.slice(-4), expiresAt: null }])

    const { workspaceId } = site
    const set = (role: string) =>
      accepted('member', 'set', '--workspace', workspaceId, '--email', email, '--role', role)
    for (const [role, mode] of [
      ['GUEST', 'guest'],
      ['ADMIN', 'write'],
      ['MEMBER', 'read'],
    ] as const) {
      expect(await set(role)).toEqual({ workspaceId, userId: user.id, role })
      const read = await app.client.ok('getWorkspace', { as: { token }, params: { workspaceId } })
      expect(read.currentUserMode).toBe(mode)
    }

    expect(await accepted('token', 'revoke', '--id', id)).toEqual({ id })
    expect((await workspacesOf(token)).status).toBe(401)
    expect(await rejected('token', 'revoke', '--id', id)).toBe(`The token ${id} was revoked before`)
  })

  test('token create gives the token the requested name and lifetime in days', async () => {
    const { token } = await accepted(
      ...['token', 'create', '--email', site.admin.email, '--name', 'Nightly', '--expires-in-days', '2'],
    )
    const { apiTokens } = await app.client.ok('listTokens', { as: { token } })
    const made = apiTokens.find(({ hint }) => hint === token.slice(-4))
    expect(made?.name).toBe('Nightly')
    const days = (Date.parse(made?.expiresAt ?? '') - Date.parse(made?.createdAt ?? '')) / 86_400_000
    expect(days).toBe(2)
  })
})

describe('tokens with fewer permissions', () => {
  test('get the requested scopes and workspace', async () => {
    const { workspaceId, admin: person } = site
    const { id, token } = await accepted(
      ...['token', 'create', '--email', person.email, '--scopes', 'results,read', '--workspace', workspaceId],
    )
    const { apiTokens } = await app.client.ok('listTokens', { as: { token } })
    expect(apiTokens).toMatchObject([{ id, scopes: ['read', 'results'], workspaceId }])
    const params = { workspaceId }
    expect((await app.client.call('getWorkspace', { as: { token }, params })).status).toBe(200)
    expect((await app.client.call('deleteWorkspace', { as: { token }, params })).status).toBe(403)
    const found = (await listed('token', 'list', '--email', person.email)).find((one) => one.id === id)
    // The day of its use is noted beside the requests.
    expect(found).toEqual({
      id,
      email: person.email,
      name: 'Made with the admin command',
      hint: token.slice(-4),
      scopes: ['read', 'results'],
      workspaceId,
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedOn: found?.lastUsedOn,
      revokedAt: null,
      expiresSoon: false,
    })
  })

  test('are listed with those of all users, the newest first', async () => {
    const all = await listed('token', 'list')
    const { rows } = await app.pool.query('SELECT id FROM api_tokens ORDER BY created_at DESC, id DESC')
    expect(all.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(all.find(({ id }) => id === site.member.tokenId)).toMatchObject({
      email: site.member.email,
      scopes: ['read', 'write', 'results', 'chat-admin'],
      workspaceId: null,
    })
  })
})

describe('a user who is disabled', () => {
  test('loses all tokens, and gets no new one until the user is enabled', async () => {
    const { email, id, token } = site.guest
    const { workspaceId } = site
    const writes = () =>
      app.client.call('createFolder', { as: { token }, body: { workspaceId, folder: { name: 'x' } } })
    // A moment ago the token was valid.
    expect((await writes()).status).toBe(403)
    const other = await accepted('token', 'create', '--email', email)
    expect(await accepted('user', 'disable', '--email', email)).toEqual({ id, email, revokedTokens: 2 })
    for (const one of [token, other.token]) {
      const answer = await workspacesOf(one)
      expect([answer.status, answer.body.issues[0].code]).toEqual([401, 'revoked'])
    }
    expect((await writes()).status).toBe(401)
    expect(await rejected('token', 'create', '--email', email)).toContain('disabled')
    const again = await admin('user', 'disable', '--email', email)
    expect(again).toMatchObject({ code: 0, stderr: `The user ${email} was disabled before\n` })
    expect(JSON.parse(again.stdout)).toEqual({ id, email, revokedTokens: 0 })
    const one = (await listed('user', 'list')).find((user) => user.id === id)
    expect(one).toEqual({
      id,
      email,
      name: 'Ada',
      createdAt: expect.any(String),
      disabledAt: expect.any(String),
    })

    expect(await accepted('user', 'enable', '--email', email)).toEqual({ id, email })
    expect((await workspacesOf(token)).status).toBe(401)
    const later = await accepted('token', 'create', '--email', email)
    expect((await workspacesOf(later.token)).status).toBe(200)
    const enabled = await admin('user', 'enable', '--email', email)
    expect(enabled).toMatchObject({ code: 0, stderr: `The user ${email} was not disabled\n` })
    const entries = await listed('audit', '--workspace', workspaceId)
    const operations = entries
      .filter(({ recordId }) => recordId === id)
      .map(({ operation }) => operation)
      .filter((operation) => /user (dis|en)able/.test(String(operation)))
    expect(operations).toEqual(['admin user enable', 'admin user disable'])
  })

  test('gets no token from a request that was under way when the user was disabled', async () => {
    const { email, token, tokenId } = site.member
    const holder = await app.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM api_tokens WHERE id = $1 FOR UPDATE', [tokenId])
    const waiting = (count: number) =>
      until(`${count} wait for a row`, async () => (await waitingForLocks(app.pool)) === count)
    // This statement has locked the user, and waits for the token.
    const disabling = accepted('user', 'disable', '--email', email)
    await waiting(1)
    const created = app.client.call('createToken', { as: { token }, body: { name: 'Late' } })
    await waiting(2)
    await holder.query('COMMIT')
    holder.release()
    await disabling
    expect((await created).status).toBe(401)
    expect((await listed('token', 'list', '--email', email)).filter((one) => one.revokedAt === null)).toEqual(
      [],
    )
  })
})

test('audit list shows the actions in a workspace and who did each', async () => {
  const { workspaceId } = site
  const before = await listed('audit', '--workspace', workspaceId)
  const words = ['--email', site.admin.email]
  const { id } = await accepted('token', 'create', ...words)
  await accepted('token', 'revoke', '--id', id)
  const guest = ['--email', site.guest.email]
  await accepted('member', 'set', '--workspace', workspaceId, ...guest, '--role', 'MEMBER')
  await app.client.ok('updateWorkspace', { as: site.admin, params: { workspaceId }, body: { name: 'New' } })
  const { body } = await app.client.call('listAuditLog', { as: site.admin, params: { workspaceId } })
  const all = await listed('audit', '--workspace', workspaceId)
  expect(all).toEqual(body.entries)
  const nobody = { userId: null, email: null, tokenId: null, outcome: 'success' }
  const added = all.filter((entry) => !before.some((one) => one.id === entry.id))
  const byOperation = Object.fromEntries(added.map((entry) => [entry.operation, entry]))
  expect(byOperation).toEqual({
    'admin token create': expect.objectContaining({ ...nobody, recordId: id }),
    'admin token revoke': expect.objectContaining({ ...nobody, recordId: id }),
    'admin member set': expect.objectContaining({
      ...nobody,
      details: { role: 'MEMBER', formerRole: 'GUEST' },
    }),
    updateWorkspace: expect.objectContaining({ userId: site.admin.id, email: site.admin.email }),
  })
  await app.client.ok('deleteWorkspace', { as: site.admin, params: { workspaceId } })
  const left = await listed('audit', '--workspace', workspaceId)
  expect(left).toHaveLength(all.length + 1)
})

test('migrate can run any number of times', async () => {
  expect(await accepted('migrate')).toEqual({ migrated: true })
  expect(await accepted('migrate')).toEqual({ migrated: true })
})

test.each([
  ['nothing at all', [], /^Expected one of: user create/],
  ['an unknown command', ['user', 'delete'], /^Expected one of: user create/],
  ['an unknown option', ['migrate', '--force', 'yes'], /^Unknown option '--force'. See migrate --help$/],
  [
    'an option that another one follows',
    ['user', 'create', '--email', '--name', 'x'],
    /^Option '--email' argument is ambiguous\. See user create --help$/,
  ],
  ['a word too many', ['user', 'list', 'all'], /'all'.*--help$/],
  ['a file that looks like an option', ['backup', '--now'], /^Unknown option '--now'.*See backup --help$/],
  ['a backup without a file', ['backup'], /^Expected one name of a file: backup FILE/],
  ['a backup into two files', ['backup', 'a', 'b'], /^Expected one name of a file: backup FILE/],
  ['the audit log of no workspace', ['audit', '--workspace', 'nope'], /^There is no such workspace: nope$/],
  ['an option without its value', ['token', 'revoke', '--id'], /--id/],
  ['missing options', ['user', 'create'], /^--email: .+; --name: .+$/],
  ['an address that is none', ['user', 'create', '--email', 'ada', '--name', 'Ada'], /^--email: /],
  ['an empty name', ['user', 'create', '--email', 'a@example.com', '--name', ' '], /^--name: /],
  ['a token of nobody', ['token', 'create', '--email', 'nobody@example.com'], /nobody@example\.com/],
  [
    'a token for no days',
    ['token', 'create', '--email', 'nobody@example.com', '--expires-in-days', '0'],
    /^--expires-in-days: /,
  ],
  [
    'an unknown scope',
    ['token', 'create', '--email', 'nobody@example.com', '--scopes', 'read,admin'],
    /^--scopes\.1: .*chat-admin/,
  ],
  ['no scope', ['token', 'create', '--email', 'nobody@example.com', '--scopes', ''], /^--scopes\.0: /],
  ['a user nobody knows', ['user', 'disable', '--email', 'nobody@example.com'], /nobody@example\.com/],
  ['an unknown token', ['token', 'revoke', '--id', 'unknown'], /unknown/],
  [
    'an unknown role',
    ['member', 'set', '--workspace', 'w', '--email', 'nobody@example.com', '--role', 'OWNER'],
    /^--role: .*ADMIN.*MEMBER.*GUEST/,
  ],
])('%s is rejected in one line of output', async (_, words, complaint) => {
  expect(await rejected(...words)).toMatch(complaint)
})

test('names of properties that every object has are no commands, with or without a file', async () => {
  for (const words of [['constructor'], ['toString', 'file'], ['constructor', 'file'], ['__proto__', 'file']])
    expect(await rejected(...words)).toContain('Expected one of')
})

describe('help', () => {
  test.each([[['--help']], [['-h']], [['help']], [['nothing', '--help']]])(
    'help (%j) lists every command with a sentence, on standard output',
    async (words) => {
      const { code, stdout, stderr } = await admin(...words)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const lines = stdout.split('\n').filter((line) => line.startsWith('  '))
      expect(lines).toHaveLength(16)
      for (const line of lines) expect(line).toMatch(/^ {2}[a-z-]+( [a-z]+)? {2,}[A-Z][^.]{10,}$/)
    },
  )

  test('the program prints the help for an unknown command, and exits with 1', async () => {
    const printed = await run('server/admin.ts', ['help'], {})
    expect(printed).toMatchObject(await runHere(['help'], {}))
    const rejection = await run('server/admin.ts', ['user', 'delete'], {})
    expect(rejection).toMatchObject(await runHere(['user', 'delete'], {}))
    expect([printed.code, rejection.code]).toEqual([0, 1])
  })

  test('the help of one command explains that command alone, and changes nothing', async () => {
    const folder = await newDataFolder()
    const variables = { DATABASE_URL: app.databaseUrl }
    for (const words of [
      ['backup', '--help'],
      ['backup', '-h'],
      ['backup', 'x', '--help'],
    ]) {
      const { code, stdout } = await runHere(words, variables)
      expect(code).toBe(0)
      expect(stdout.match(/^ {2}\S/gm)).toHaveLength(1)
      expect(stdout).toContain('Writes all rows of the database into a new file')
    }
    expect(await readdir(folder)).toEqual([])
  })
})

describe('the rules of the operations', () => {
  test('the only admin of a workspace keeps the role until another user is an admin', async () => {
    const { here } = await makeWorld(app)
    const set = (email: string, role: string) =>
      ['member', 'set', '--workspace', here.workspaceId, '--email', email, '--role', role] as const
    expect(await rejected(...set(here.admin.email, 'GUEST'))).toMatch(/^A workspace keeps at least one admin/)
    await accepted(...set(here.member.email, 'ADMIN'))
    await accepted(...set(here.admin.email, 'GUEST'))
  })

  test('token create rejects a workspace in which the user has no role', async () => {
    const { here, stranger } = await makeWorld(app)
    const words = ['token', 'create', '--email', stranger.email, '--workspace', here.workspaceId]
    expect(await rejected(...words)).toMatch(/has no role in the workspace .*member set/)
  })

  test('member set rejects a disabled user and one with an unverified address', async () => {
    const { here, stranger } = await makeWorld(app)
    const words = [
      'member',
      'set',
      '--workspace',
      here.workspaceId,
      '--email',
      stranger.email,
      '--role',
      'ADMIN',
    ]
    await app.pool.query('UPDATE users SET is_unproven = true WHERE id = $1', [stranger.id])
    expect(await rejected(...words)).toMatch(/^Nobody has proven to own the address .* invite the person/)
    await accepted('user', 'disable', '--email', stranger.email)
    expect(await rejected(...words)).toBe(`The user ${stranger.email} is disabled`)
    const params = { workspaceId: here.workspaceId }
    const { members } = await app.client.ok('listMembers', { as: here.admin, params })
    expect(members.map(({ userId }) => userId)).not.toContain(stranger.id)
  })

  test('user disable names the workspaces that lose their last admin', async () => {
    const { here } = await makeWorld(app)
    const { code, stderr } = await admin('user', 'disable', '--email', here.admin.email)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`^The workspace ${here.workspaceId} .* has no admin left who can log in: .*\n$`),
    )
    await accepted('user', 'enable', '--email', here.admin.email)
    await accepted(
      'member',
      'set',
      '--workspace',
      here.workspaceId,
      '--email',
      here.member.email,
      '--role',
      'ADMIN',
    )
    await accepted('user', 'disable', '--email', here.admin.email)
    const last = await admin('user', 'disable', '--email', here.member.email)
    expect(last.stderr).toContain(here.workspaceId)
  })

  test('token create accepts scopes with spaces between them', async () => {
    await accepted('token', 'create', '--email', site.admin.email, '--scopes', 'read, write')
  })
})

test('a list ends silently when its reader closes the pipe, and a long one is complete', async () => {
  const { here } = await makeWorld(app)
  await app.pool.query(
    `INSERT INTO audit_log (workspace_id, id, created_at, operation, record_id, outcome)
     SELECT $1, lpad(n::text, 26, '0'), '2026-01-01Z', 'test ' || repeat('x', 200), 'r', 'success' FROM generate_series(1, 5000) n`,
    [here.workspaceId],
  )
  const all = await listed('audit', '--workspace', here.workspaceId)
  expect(all.length).toBeGreaterThanOrEqual(5_000)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  const command = `${process.execPath} ${builtOf('server/admin.ts')} audit --workspace ${here.workspaceId} | head -1`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], {
    env: { PATH: process.env.PATH, DATABASE_URL: app.databaseUrl },
  })
  expect(stdout.split('\n')).toHaveLength(2)
  expect(stderr).toBe('')
})

test('list commands run without a timeout of statements', async () => {
  const { here } = await makeWorld(app)
  const variables = { DATABASE_URL: app.databaseUrl, DATABASE_STATEMENT_TIMEOUT: '1' }
  const { code } = await runHere(['audit', '--workspace', here.workspaceId], variables)
  expect(code).toBe(0)
})

test('a command that gets a signal ends, and stops the database server that it started', async () => {
  const folder = await newDataFolder()
  const first = await startService({ DATA_DIR: folder })
  first.signal('SIGTERM')
  await first.ended
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    const holder = startProgram('server/admin.ts', ['backup', `${folder}/${signal}`], { DATA_DIR: folder })
    await until('the server runs', async () => (await postmasterOf(folder)) !== undefined)
    holder.signal(signal)
    const { code } = await holder.ended
    expect(code === 0 || (code ?? 0) > 128).toBe(true)
    await until('the server is gone', async () => (await postmasterOf(folder)) === undefined)
  }
})

test('distribute can be repeated without the fan-out after an interruption, and the service does not start before', async () => {
  if (process.env.CITUS === '1') {
    expect(await accepted('distribute')).toEqual({ distributed: true })
    return
  }
  const { url, drop } = await createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { db, pool } = connectTo(url)
  try {
    // The catalogue of a cluster that is being distributed; without this table the fan-out fails.
    await client.query(`CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
      INSERT INTO pg_dist_partition VALUES ('users', 'n', 't'); DROP TABLE webhook_deliveries`)
    const { code, stderr } = await runHere(['distribute'], { DATABASE_URL: url })
    expect(code).toBe(1)
    expect(stderr).toContain('create_reference_table')
    await expect(detectCitus(db)).rejects.toThrow('run admin distribute again')
  } finally {
    await pool.end()
    await client.end()
    await drop()
  }
})

test('member set rejects a workspace that is being deleted', async () => {
  const { here, stranger } = await makeWorld(app)
  const words = ['member', 'set', '--email', stranger.email, '--role', 'ADMIN', '--workspace']
  const holder = await app.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', [here.workspaceId])
  const setting = admin(...words, here.workspaceId)
  await until('it waits for the deletion', async () => (await waitingForLocks(app.pool)) === 1)
  await holder.query('UPDATE workspaces SET deleted_at = now() WHERE id = $1', [here.workspaceId])
  await holder.query('COMMIT')
  holder.release()
  expect(await setting).toMatchObject({ code: 1, stdout: '' })
  const asked = 'SELECT FROM workspace_members WHERE workspace_id = $1 AND user_id = $2'
  expect((await app.pool.query(asked, [here.workspaceId, stranger.id])).rowCount).toBe(0)
})

test('member set rejects an unknown workspace', async () => {
  const words = ['member', 'set', '--email', site.member.email, '--role', 'GUEST', '--workspace']
  expect(await rejected(...words, 'unknown')).toContain('unknown')
})

test('token create rejects an unknown workspace', async () => {
  const words = ['token', 'create', '--email', site.admin.email, '--workspace', 'unknown']
  expect(await rejected(...words)).toContain('unknown')
})

test('an unreachable database and an invalid configuration are reported in one line', async () => {
  const away = { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/nothing' }
  const { code, stdout, stderr } = await run('server/admin.ts', ['migrate'], away)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^.*ECONNREFUSED.*\n$/)
  expect(stderr).not.toContain('secret')
  const wrong = await runHere(['migrate'], { ...away, PORT: 'x', LOG_LEVEL: 'x' })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toMatch(/^Configuration: PORT: .+; LOG_LEVEL: .+\n$/)
})

test('a data folder without a database is rejected, and stays unchanged', async () => {
  const folder = await newDataFolder()
  for (const DATA_DIR of [folder, `${folder}/mistyped`]) {
    for (const words of [['migrate'], ['user', 'create', '--email', 'a@example.com', '--name', 'Ada']]) {
      const { code, stdout, stderr } = await runHere(words, { DATA_DIR })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^There is no database in .+: set DATA_DIR .+\n$/)
    }
  }
  expect(await readdir(folder)).toEqual([])
})
