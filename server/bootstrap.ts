import { resolve } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { createSignInLink, LINK_MINUTES } from './access/sign-in-links.ts'
import { insertToken } from './access/tokens.ts'
import { insertSample } from './bots/sample.ts'
import { currentTime } from './clock.ts'
import type { Config } from './config.ts'
import { type Database, transact } from './db/client.ts'
import { limitsInPlace } from './db/limits.ts'
import { migrateDatabase, requireMigrations } from './db/migrate.ts'
import { markDatabase } from './db/sandbox.ts'
import { users } from './db/schema.ts'
import { newId } from './ids.ts'
import { WELCOME_ID } from './templates/welcome.ts'
import { openKeyring } from './workspaces/keyring.ts'
import { insertWorkspace } from './workspaces/rows.ts'
import { usedKeys } from './workspaces/sealed-rows.ts'

interface Installation {
  config: Config
  db: Database
  /** URL of the database. */
  url: string
  log: Logger
  publicUrl: string
}

/**
 * Prepares the database for serving, and warns about problems of the installation. Returns the sign-in of the first
 * user if it created that user.
 */
export async function prepareDatabase({
  config,
  db,
  url,
  log,
  publicUrl,
}: Installation): Promise<FirstSignIn | undefined> {
  await markDatabase(url, config.SANDBOX)
  if (config.MIGRATE) await migrateDatabase(url, { log })
  else await requireMigrations(db)
  const first = config.SANDBOX ? undefined : await createFirstUser(db, currentTime())
  if (first && !process.stdout.isTTY) welcome(first, publicUrl)
  for (const problem of await limitsInPlace(db, config)) log.warn(problem)
  await noteLostKeys(config, db, log)
  return first
}

/** Logs missing keys. Their secrets are readable once the key is back, so the service starts without them. */
async function noteLostKeys(config: Config, db: Database, log: Logger) {
  const keys = await openKeyring(config)
    .read()
    .catch((err: Error) => {
      log.error({ err }, 'encryption keys cannot be read')
      return []
    })
  const lost = [...(await usedKeys(db))].filter((used) => !keys.some(({ id }) => id === used))
  if (lost.length > 0)
    log.error(
      { keys: lost },
      'credentials or secrets of webhook endpoints are encrypted with keys that are missing',
    )
}

/** For a person at a terminal, at every start. Lines have no frame at their sides, so that they can be copied. */
export function composeGreeting(
  { DATA_DIR, DATABASE_URL, SANDBOX }: Config,
  publicUrl: string,
  first: FirstSignIn | undefined,
): string {
  const line = '─'.repeat(72)
  const signIn = first
    ? firstSteps(first, publicUrl)
    : SANDBOX
      ? [`A sandbox. Its tokens and ids: ${publicUrl}/sandbox`]
      : [
          'Sign in with a link. This prints one:',
          '',
          '  npm run --silent admin -- user link --email admin@example.com',
        ]
  const data = DATABASE_URL ? 'in the database of DATABASE_URL' : resolve(DATA_DIR)
  const lines = [
    line,
    `The bot builder service: ${publicUrl}`,
    `Guides and reference: ${publicUrl}/docs`,
    `Your bots: ${publicUrl}/bots`,
    ...(first ? [`A sample bot, published: ${publicUrl}/chat/${WELCOME_ID}`] : []),
    '',
    ...signIn,
    '',
    `Data: ${data}`,
    'Stop: Ctrl-C',
    line,
  ]
  return `\n${lines.join('\n')}\n\n`
}

function firstSteps({ token, code }: FirstSignIn, publicUrl: string): string[] {
  return [
    `Sign in in a browser, within ${LINK_MINUTES} minutes:`,
    '',
    `  ${publicUrl}/sign-in/links/${code}`,
    '',
    'Your access token, shown only now:',
    '',
    `  ${token}`,
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${token}' ${publicUrl}/v1/workspaces`,
  ]
}

/** Printed once, to standard error and not to the log, which is retained. */
function welcome(first: FirstSignIn, publicUrl: string) {
  process.stderr.write(
    [
      '',
      'This is the first start.',
      '',
      ...firstSteps(first, publicUrl),
      '',
      `Guides and reference, with requests to try: ${publicUrl}/docs`,
      '',
      '',
    ].join('\n'),
  )
}

/** The secrets of the first user, which are seen this once. */
export interface FirstSignIn {
  token: string
  /** The code of a sign-in link. */
  code: string
}

/**
 * On an empty database: a first user with a workspace, a published sample bot, a token and a sign-in link, which is the
 * only time that both are seen. Undefined when there are users already, also when another process has just made the
 * first.
 */
export async function createFirstUser(db: Database, now: Date): Promise<FirstSignIn | undefined> {
  return transact(db, async (tx) => {
    // The row that migrations are locked with; it is there in every database.
    await tx.execute(sql`SELECT id FROM schema_lock WHERE id = 'migrations' FOR UPDATE`)
    const [existing] = await tx.select({ id: users.id }).from(users).limit(1)
    if (existing) return undefined
    const userId = newId(now)
    await tx.insert(users).values({
      id: userId,
      email: 'admin@example.com',
      name: 'Administrator',
      createdAt: now,
      updatedAt: now,
    })
    const properties = { name: 'My workspace', icon: null, resultsRetentionDays: null }
    const { id: workspaceId } = await insertWorkspace(tx, userId, properties, now)
    await insertSample(tx, workspaceId, userId, now)
    const first = { userId, name: 'First token', scopes: null, workspaceId: null }
    const newToken = await insertToken(tx, first, { by: null, operation: 'first start' }, now)
    return newToken && { token: newToken.token, code: await createSignInLink(tx, userId, {}, now) }
  })
}
