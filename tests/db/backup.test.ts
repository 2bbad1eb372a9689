import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { readBackup } from '../../server/db/backup/file.ts'
import { backUp, restore } from '../../server/db/backup/index.ts'
import { type App, connectTo, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { publish, reply, start } from '../support/chats.ts'
import { endProcesses, newDataFolder, run, startService, until } from '../support/process.ts'
import { createDatabase, type TestDatabase } from '../support/server.ts'
import { makeWorld, type Site } from '../support/world.ts'

let app: App
let here: Site
let folder: string
const databases: TestDatabase[] = []

beforeAll(async () => {
  app = await startApp()
  here = (await makeWorld(app)).here
  folder = await mkdtemp(join(tmpdir(), 'bots-backup-'))
  // Texts that a line-wise format could trip over: its own end, its escapes, and line breaks of every kind.
  const made = await publish(
    app,
    here,
    bot({ Start: [text('Name?'), ask('Name'), text('\\.\n')] }, { variables: ['Name'] }),
  )
  for (const name of [
    '\\.',
    '\\.\n\\.\r\n',
    'a\tb\\N',
    'COPY "users" ("id") FROM stdin;',
    '\u2028é😀',
    '-- End of the backup: {}',
  ]) {
    await reply(app, (await start(app, made)).sessionId, name)
  }
})
afterEach(endProcesses)
afterAll(async () => {
  await app.stop()
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true })
})

async function emptyDatabase(): Promise<string> {
  const database = await createDatabase('nothing')
  databases.push(database)
  return database.url
}

let files = 0
const newFile = () => join(folder, `backup-${files++}.sql.gz`)
const quiet = () => {}

/** Every row of every table but those that say what was migrated, as text. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_lock'`,
    )
    const content: Record<string, string[]> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`)
      content[name] = rows.map(({ row }) => row)
    }
    return content
  } finally {
    await client.end()
  }
}

describe('a backup', () => {
  test('has every row of every table, and restores it into an empty database', async () => {
    const file = newFile()
    const said: string[] = []
    const backup = await backUp(app.databaseUrl, file, (line) => said.push(line))
    const before = await contentOf(app.databaseUrl)
    expect(backup.rows).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    )
    expect(before.result_answers?.filter((row) => row.includes('COPY ""users""'))).toHaveLength(1)
    expect(said).toContain(`result_answers: ${before.result_answers?.length} rows`)
    expect((await stat(file)).mode & 0o077).toBe(0)

    const url = await emptyDatabase()
    expect(await restore(url, file, quiet)).toEqual(backup)
    expect(await contentOf(url)).toEqual(before)
  })

  test('is consistent, whatever is written meanwhile', async () => {
    const made = await publish(
      app,
      here,
      bot({ Start: [text('Name?'), ask('Name')] }, { variables: ['Name'] }),
    )
    let isDone = false
    let written = 0
    const writing = (async () => {
      for (; !isDone; written++) await reply(app, (await start(app, made)).sessionId, `Answer ${written}`)
    })()
    const urls: string[] = []
    for (let round = 0; round < 3; round++) {
      const before = written
      await until('another chat has ended', () => written > before)
      const file = newFile()
      await backUp(app.databaseUrl, file, quiet)
      urls.push(await emptyDatabase())
      await restore(urls[round] as string, file, quiet)
    }
    isDone = true
    await writing
    for (const url of urls) {
      // A turn writes answer and result at once: one without the other would be of two snapshots.
      const { results = [], result_answers = [] } = await contentOf(url)
      const completed = results.filter((row) => row.includes(made.id) && /,t,t,|,t,t\)/.test(row))
      const answers = result_answers.filter((row) => row.includes(made.id))
      expect(completed.length).toBe(answers.length)
    }
    const sizes = await Promise.all(urls.map(async (url) => (await contentOf(url)).results?.length))
    expect(new Set(sizes).size).toBeGreaterThan(1)
  })

  test('has no foreign table, whatever its name, and works beside such tables', async () => {
    await app.pool.query(`
      CREATE TABLE "results_old" AS SELECT 'COPY "users"' AS text FROM generate_series(1, 3);
      CREATE TABLE marks(); CREATE TABLE "it""s"(a int); CREATE TABLE "two
lines"(a int);
      CREATE SCHEMA auth; CREATE TABLE auth.users(id int PRIMARY KEY);
      CREATE TABLE profiles(id int REFERENCES auth.users); CREATE TABLE circle(id int PRIMARY KEY);
      CREATE TABLE circle2(id int PRIMARY KEY REFERENCES circle);
      ALTER TABLE circle ADD FOREIGN KEY (id) REFERENCES circle2`)
    const file = newFile()
    try {
      await backUp(app.databaseUrl, file, quiet)
    } finally {
      await app.pool.query(
        `DROP SCHEMA auth CASCADE; DROP TABLE results_old, marks, "it""s", "two
lines", profiles, circle, circle2`,
      )
    }
    const url = await emptyDatabase()
    await restore(url, file, quiet, { isLive: true })
    expect(await contentOf(url)).toEqual(await contentOf(app.databaseUrl))
  })
})

describe('rejected, and nothing changed', () => {
  test('backup rejects a file that exists or cannot be written', async () => {
    const file = newFile()
    await writeFile(file, 'precious')
    await expect(backUp(app.databaseUrl, file, quiet)).rejects.toThrow(`${file} exists already`)
    expect(await readFile(file, 'utf8')).toBe('precious')
    await expect(backUp(app.databaseUrl, join(folder, 'no/such/folder'), quiet)).rejects.toThrow(
      'Cannot write',
    )
    await expect(backUp('postgres://nobody@127.0.0.1:1/none', newFile(), quiet)).rejects.toThrow(
      'ECONNREFUSED',
    )
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  test('restore rejects a file of a build before 1.0.0 or of a newer release', async () => {
    const forged = await forge((script) => script.replace(/"migration":"\w+"/, '"migration":"0033_older"'))
    const url = await emptyDatabase()
    await expect(restore(url, forged, quiet)).rejects.toThrow('a build before 1.0.0')
    expect(await contentOf(url)).toEqual({})
  })

  test('restore rejects a database that is not empty', async () => {
    const file = newFile()
    await backUp(app.databaseUrl, file, quiet)
    const before = await contentOf(app.databaseUrl)
    await expect(restore(app.databaseUrl, file, quiet)).rejects.toThrow(
      'The database holds something already',
    )
    expect(await contentOf(app.databaseUrl)).toEqual(before)
  })

  test('restore rejects a file that is damaged anywhere, truncated, or no backup', async () => {
    const file = newFile()
    await backUp(app.databaseUrl, file, quiet)
    const packed = await readFile(file)
    const script = gunzipSync(packed)
    const lines = script.toString('latin1').split('\n')
    const damaged = {
      'cut in the compressed file': packed.subarray(0, packed.length - 20),
      'cut at a line': gzipSync(Buffer.from(lines.slice(0, -2).join('\n'), 'latin1')),
      'another letter in a row': gzipSync(
        Buffer.from(script.toString('latin1').replace('example.com', 'example.net'), 'latin1'),
      ),
      'a line less': gzipSync(
        Buffer.from(
          lines
            .filter((line) => !line.includes('Answer 0\t'))
            .join('\n')
            .replace(/-- End.*/, ''),
          'latin1',
        ),
      ),
      'not compressed': script,
      nothing: Buffer.alloc(0),
      'another script': gzipSync('SELECT 1;\n'),
    }
    for (const [what, bytes] of Object.entries(damaged)) {
      const broken = newFile()
      await writeFile(broken, bytes)
      const url = await emptyDatabase()
      const outcome = await restore(url, broken, quiet).then(
        () => 'restored',
        (error: Error) => error.message,
      )
      expect({ what, outcome }).toEqual({
        what,
        outcome: expect.stringMatching(/damaged|not a complete backup/),
      })
      expect(await contentOf(url)).toEqual({})
    }
    await expect(readBackup(join(folder, 'missing'))).rejects.toThrow('Cannot read')
  })
})

/** A backup with its script changed, and the digest of what it is then. */
async function forge(change: (script: string) => string, more: object = {}): Promise<string> {
  const file = newFile()
  await backUp(app.databaseUrl, file, quiet)
  const whole = gunzipSync(await readFile(file)).toString()
  const mark = '\n-- End of the backup: '
  const at = whole.lastIndexOf(mark)
  const script = change(whole.slice(0, at + 1))
  const rows = { ...JSON.parse(whole.slice(at + mark.length)).rows, ...more }
  const sha256 = createHash('sha256').update(script).digest('hex')
  const forged = newFile()
  await writeFile(forged, gzipSync(`${script}${mark.slice(1)}${JSON.stringify({ rows, sha256 })}\n`))
  return forged
}

describe('a forged backup', () => {
  const proof = join(tmpdir(), `bots-proof-${process.pid}`)
  const purges = /COPY "purges" \(.*\) FROM stdin;/
  const statements: Record<string, (script: string) => string> = {
    'a program to read from': (script) =>
      script.replace(purges, `COPY "purges" ("bot_id", "requested_at") FROM PROGRAM 'id > ${proof}';`),
    'a file to read from': (script) =>
      script.replace(purges, `COPY "purges" ("bot_id", "requested_at") FROM '/etc/passwd';`),
    'a query to write with': (script) =>
      script.replace(purges, `COPY (SELECT 1) TO PROGRAM 'id > ${proof}';\n$&`),
    'a statement of its own': (script) =>
      script.replace('\nCOPY', `\nCREATE TABLE stolen AS SELECT 1;\nCOPY`),
    'two statements in a line': (script) => script.replace('FROM stdin;', 'FROM stdin; SELECT 1;'),
    'a condition': (script) =>
      script.replace('FROM stdin;', "FROM stdin WHERE pg_read_file('/etc/passwd') <> '';"),
    'another setting': (script) => script.replace("DateStyle = 'ISO, YMD'", "DateStyle = 'SQL, DMY'"),
    'two heads': (script) => script.replace(/^.*\n/, '$&$&'),
    'no head': (script) => script.replace(/^.*\n/, ''),
  }

  test.each(Object.entries(statements))(
    'with %s is rejected before anything is written',
    async (_, change) => {
      const url = await emptyDatabase()
      await expect(restore(url, await forge(change), quiet)).rejects.toThrow('is not a complete backup')
      expect(await contentOf(url)).toEqual({})
      expect(await stat(proof).catch(() => undefined)).toBeUndefined()
    },
  )

  test('with a table or a column that the service does not have writes into neither', async () => {
    const url = await emptyDatabase()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('CREATE TABLE precious (id text)')
    const said: string[] = []
    const strange = await forge((script) => `${script}COPY "precious" ("id") FROM stdin;\none\n\\.\n`, {
      precious: 1,
    })
    await restore(url, strange, (line) => said.push(line))
    expect(said).toContain('precious: left out, since it is no table of the service')
    expect((await client.query('SELECT FROM precious')).rowCount).toBe(0)
    await client.end()
    const column = await forge((script) => script.replace('COPY "purges" ("bot_id"', 'COPY "purges" ("xmin"'))
    await expect(restore(await emptyDatabase(), column, quiet)).rejects.toThrow(
      'a column purges.xmin, which its migration does not know',
    )
  })

  test.each(['03/02/2026 10:00:00 UTC', '26/11/2026 17:16:07.756 UTC', '03.02.2026 10:00:00 UTC'])(
    'with the time %s, of which day and month are ambiguous, is rejected',
    async (time) => {
      const dated = await forge((script) => script.replace(/\d{4}-\d\d-\d\d [\d:.]+\+00/, time))
      const url = await emptyDatabase()
      await expect(restore(url, dated, quiet)).rejects.toThrow('a time that is not in ISO 8601')
      expect((await contentOf(url)).users).toEqual([])
    },
  )
})

test('two concurrent backups to one name both end, with one whole file and no other left', async () => {
  const own = await mkdtemp(join(folder, 'at-once-'))
  const file = join(own, 'one')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => backUp(app.databaseUrl, file, quiet)),
  )
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(failures.length).toBeLessThan(4)
  for (const failure of failures) expect(failure).toContain(`${file} exists already`)
  await readBackup(file)
  expect(await readdir(own)).toEqual(['one'])
})

test('an aborted backup leaves no file', async () => {
  const own = await mkdtemp(join(folder, 'called-off-'))
  const calling = new AbortController()
  const running = backUp(app.databaseUrl, join(own, 'one'), () => calling.abort(), { signal: calling.signal })
  await expect(running).rejects.toThrow('abort')
  expect(await readdir(own)).toEqual([])
})

describe('webhooks of a copy', () => {
  test('are disabled after a restore, and unchanged with --live', async () => {
    const as = here.admin
    const { workspaceId } = here
    await app.client.ok('createWebhookEndpoint', {
      as,
      params: { workspaceId },
      body: { url: 'https://example.com/hook' },
    })
    await app.client.ok('createBot', { as, body: { workspaceId, bot: { name: 'Told' } } })
    const made = await publish(app, here, bot({ Start: [text('Hello')] }))
    const { sessionId } = await start(app, made)
    await app.pool.query(
      `INSERT INTO chatwoot_conversations (bot_id, credentials_id, conversation_id, workspace_id, session_id, status,
        channel, when_over, when_returned, started_at, sent_revision, sent_ordinal, sent_parts, last_message_id,
        handed_after, handed_at, is_note_due, due_at, changes, failures, updated_at)
       VALUES ($1, 'c', 1, $2, $3, 'pending', 'Channel::Api', 'open', 'resume', 0, 0, 0, 0, 0, 0, 0, false, now(), 1, 0, now())`,
      [made.id, workspaceId, sessionId],
    )
    await app.pool.query(
      `INSERT INTO chatwoot_events VALUES ($1, 'c', 1, 'm1', 1, '{"kind":"message"}', now())`,
      [made.id],
    )
    await app.pool.query(
      `INSERT INTO sheet_rows VALUES ($1, 'x', $2, 'r', 'c', 's', '0', 'insert', 'b', '[]', NULL, 2, now(), false, 0, NULL, now())`,
      [made.id, workspaceId],
    )
    await app.pool.query(`INSERT INTO chat_timers VALUES ($1, $2, 't', $3, now(), false, 0, NULL, NULL)`, [
      made.id,
      sessionId,
      workspaceId,
    ])
    const file = newFile()
    await backUp(app.databaseUrl, file, quiet)
    const stateOf = async (url: string) => {
      const { db, pool } = connectTo(url)
      const { rows } = await db.$client.query(`SELECT
        (SELECT count(*)::int FROM webhook_endpoints WHERE is_enabled) AS enabled,
        (SELECT count(*)::int FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL) AS pending,
        (SELECT count(*)::int FROM webhook_deliveries) AS deliveries,
        (SELECT count(*)::int FROM chatwoot_conversations) AS conversations,
        (SELECT count(*)::int FROM chatwoot_events) AS events,
        (SELECT count(*)::int FROM sheet_rows) AS "sheetRows",
        (SELECT count(*)::int FROM chat_timers) AS timers`)
      await pool.end()
      return rows[0]
    }
    const before = await stateOf(app.databaseUrl)
    expect(before).toMatchObject({ enabled: 1, conversations: 1, events: 1, sheetRows: 1, timers: 1 })
    expect(before.pending).toBeGreaterThan(0)

    const [copy, live] = [await emptyDatabase(), await emptyDatabase()]
    const said: string[] = []
    await restore(copy, file, (line) => said.push(line))
    expect(await stateOf(copy)).toEqual({
      ...before,
      ...{ enabled: 0, pending: 0, conversations: 0, events: 0, sheetRows: 0, timers: 0 },
    })
    expect(said.at(-3)).toMatch(/^Chats: 1 timers are left out.*--live/)
    expect(said.at(-2)).toMatch(/^Sheets: 1 rows that waited are left out.*--live/)
    expect(said.at(-1)).toMatch(
      /^Webhooks: 1 endpoints are disabled, \d+ pending deliveries set aside and 1 conversations of Chatwoot left out.*--live/,
    )
    await restore(live, file, quiet, { isLive: true })
    expect(await contentOf(live)).toEqual(await contentOf(app.databaseUrl))
  })
})

test('backup and restore work beside a running service, and into a new data folder', async () => {
  const [from, to] = [await newDataFolder(), await newDataFolder()]
  const service = await startService({ DATA_DIR: from })
  const file = newFile()
  const made = await run('server/admin.ts', ['backup', file], { DATA_DIR: from })
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('users: 1 rows\n') })
  expect(JSON.parse(made.stdout)).toMatchObject({ file, rows: { users: 1, workspaces: 1 } })
  const again = await run('server/admin.ts', ['backup', file], { DATA_DIR: from })
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exists already') })

  const restored = await run('server/admin.ts', ['restore', file], { DATA_DIR: to })
  expect(restored).toMatchObject({ code: 0 })
  const second = await startService({ DATA_DIR: to })
  expect(second.token).toBeUndefined()
  const answer = await fetch(`${second.url}/v1/workspaces`, {
    headers: { authorization: `Bearer ${service.token}` },
  })
  expect(await answer.json()).toMatchObject({ workspaces: [{ name: 'My workspace' }] })
  const onto = await run('server/admin.ts', ['restore', file], { DATA_DIR: to })
  expect(onto).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('holds something already'),
  })
})
