import { parseArgs } from 'node:util'
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { email as emailSchema } from '../contract/members.ts'
import { roles, scopes } from '../contract/operation.ts'
import { name as nameSchema } from '../contract/shared.ts'
import { expiresSoon } from '../contract/tokens.ts'
import { z } from '../contract/zod.ts'
import { insertToken } from './access/tokens.ts'
import { type Config, readConfig } from './config.ts'
import { backUp, restore } from './db/backup.ts'
import { connect, type Database, databaseError, sqlState, transact } from './db/client.ts'
import { databaseOptions, locateDatabase } from './db/configured.ts'
import { hasData } from './db/embedded.ts'
import { distribute, migrateDatabase, partition, requireMigrations } from './db/migrate.ts'
import { finishUpgrade } from './db/releases.ts'
import { apiTokens, users, workspaceMembers, workspaces } from './db/schema.ts'
import { newId } from './ids.ts'
import { allEntries, newEntry, tokenEntries, writeEntry } from './workspaces/audit.ts'
import { encryptAnew, usedKeys } from './workspaces/credentials.ts'
import { openKeyring } from './workspaces/keyring.ts'
import { holdWorkspace } from './workspaces/rows.ts'

/*
 * What has no operation, or must work before the first token. Prints one JSON object on standard output, a list one
 * per line; fails with one line on standard error and exit code 1. Works beside a running service.
 */

const usage =
  'Expected one of: user create --email E --name N | user list | user disable --email E | user enable --email E | ' +
  'token create --email E [--name N] [--expires-in-days D] [--scopes S,S] [--workspace W] | token list [--email E] | ' +
  'token revoke --id I | member set --workspace W --email E --role ADMIN|MEMBER|GUEST | credentials rotate | audit --workspace W | migrate | finish-upgrade | distribute | partition | ' +
  'backup FILE | restore FILE'

/** A failure that the person at the keyboard can mend; its message is all they need. */
class Refusal extends Error {}

type Options = Record<string, string | undefined>

const commands: Record<
  string,
  {
    options: string[]
    run: (db: Database, options: Options, config: Config) => Promise<object | object[]>
  }
> = {
  'user create': {
    options: ['email', 'name'],
    async run(db, options) {
      const input = check(z.object({ email: emailSchema, name: nameSchema('', '') }), options)
      const now = new Date()
      const user = { id: newId(now), email: input.email.toLowerCase(), name: input.name }
      const created = await db
        .insert(users)
        .values({ ...user, createdAt: now, updatedAt: now })
        .onConflictDoNothing()
        .returning()
      if (created.length === 0)
        throw new Refusal(`A user with the e-mail address ${user.email} exists already`)
      return user
    },
  },
  'user list': {
    options: [],
    async run(db) {
      return db
        .select({
          id: users.id,
          email: users.email,
          name: users.name,
          createdAt: users.createdAt,
          disabledAt: users.disabledAt,
        })
        .from(users)
        .orderBy(asc(users.createdAt), asc(users.id))
    },
  },
  'user disable': {
    options: ['email'],
    async run(db, options) {
      const { email } = check(z.object({ email: emailSchema }), options)
      const { id } = await userWith(db, email)
      const now = new Date()
      return transact(db, async (tx) => {
        // Tokens that are being made are waited for; those that come later find the user disabled.
        await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update')
        await tx
          .update(users)
          .set({ disabledAt: now })
          .where(and(eq(users.id, id), isNull(users.disabledAt)))
        const revoked = await tx
          .update(apiTokens)
          .set({ revokedAt: now })
          .where(and(eq(apiTokens.ownerUserId, id), isNull(apiTokens.revokedAt)))
          .returning({ id: apiTokens.id })
        const deed = { by: null, operation: 'admin user disable' } as const
        const memberships = await tx
          .select({ workspaceId: workspaceMembers.workspaceId })
          .from(workspaceMembers)
          .where(eq(workspaceMembers.userId, id))
        for (const { workspaceId } of memberships) await writeEntry(tx, newEntry(workspaceId, deed, id, now))
        return { id, email: email.toLowerCase(), revokedTokens: revoked.length }
      })
    },
  },
  'user enable': {
    options: ['email'],
    async run(db, options) {
      const { email } = check(z.object({ email: emailSchema }), options)
      const { id } = await userWith(db, email)
      await db.update(users).set({ disabledAt: null }).where(eq(users.id, id))
      return { id, email: email.toLowerCase() }
    },
  },
  'token create': {
    options: ['email', 'name', 'expires-in-days', 'scopes', 'workspace'],
    async run(db, options) {
      const input = check(
        z.object({
          email: emailSchema,
          name: nameSchema('', '').default('Made with the admin command'),
          'expires-in-days': z
            .string()
            .regex(/^\d+$/, { error: 'Expected a number of days' })
            .transform(Number)
            .pipe(z.int().min(1).max(3650))
            .optional(),
          scopes: z
            .string()
            .transform((list) => list.split(','))
            .pipe(z.array(z.enum(scopes)))
            .optional(),
          workspace: z.string().optional(),
        }),
        options,
      )
      const user = await userWith(db, input.email)
      if (input.workspace !== undefined) await requireWorkspace(db, input.workspace)
      const made = await insertToken(
        db,
        {
          userId: user.id,
          name: input.name,
          expiresInDays: input['expires-in-days'],
          scopes: input.scopes ? scopes.filter((scope) => input.scopes?.includes(scope)) : null,
          workspaceId: input.workspace ?? null,
        },
        { by: null, operation: 'admin token create' },
        new Date(),
      )
      if (!made) throw new Refusal(`The user ${user.email} is disabled`)
      return { id: made.row.id, token: made.token }
    },
  },
  'token list': {
    options: ['email'],
    async run(db, options) {
      const { email } = check(z.object({ email: emailSchema.optional() }), options)
      const user = email === undefined ? undefined : await userWith(db, email)
      const rows = await db
        .select({
          id: apiTokens.id,
          email: users.email,
          name: apiTokens.name,
          hint: apiTokens.hint,
          scopes: apiTokens.scopes,
          workspaceId: apiTokens.workspaceId,
          createdAt: apiTokens.createdAt,
          expiresAt: apiTokens.expiresAt,
          lastUsedOn: apiTokens.lastUsedOn,
          revokedAt: apiTokens.revokedAt,
        })
        .from(apiTokens)
        .innerJoin(users, eq(users.id, apiTokens.ownerUserId))
        .where(user && eq(apiTokens.ownerUserId, user.id))
        .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
      const now = new Date()
      return rows.map((row) => ({
        ...row,
        scopes: row.scopes ?? scopes,
        expiresSoon: expiresSoon(row.expiresAt, now),
      }))
    },
  },
  'token revoke': {
    options: ['id'],
    async run(db, options) {
      const { id } = check(z.object({ id: z.string() }), options)
      const now = new Date()
      const revoked = db.$with('revoked').as(
        db
          .update(apiTokens)
          .set({ revokedAt: now })
          .where(and(eq(apiTokens.id, id), isNull(apiTokens.revokedAt)))
          .returning({
            id: apiTokens.id,
            ownerUserId: apiTokens.ownerUserId,
            workspaceId: apiTokens.workspaceId,
          }),
      )
      const noted = tokenEntries({ by: null, operation: 'admin token revoke' }, sql`revoked`, now)
      const [row] = await db.with(revoked, db.$with('entries', {}).as(noted)).select().from(revoked)
      if (!row) throw new Refusal(`There is no such token: ${id}`)
      return { id }
    },
  },
  'member set': {
    options: ['workspace', 'email', 'role'],
    async run(db, options) {
      const input = check(
        z.object({ workspace: z.string(), email: emailSchema, role: z.enum(roles) }),
        options,
      )
      const user = await userWith(db, input.email)
      const member = { workspaceId: input.workspace, userId: user.id, role: input.role }
      const now = new Date()
      await transact(db, async (tx) => {
        if (!(await holdWorkspace(tx, member.workspaceId, 'no key update')))
          throw noWorkspace(member.workspaceId)
        await tx
          .insert(workspaceMembers)
          .values({ ...member, createdAt: now })
          .onConflictDoUpdate({
            target: [workspaceMembers.workspaceId, workspaceMembers.userId],
            set: { role: input.role },
          })
        const deed = { by: null, operation: 'admin member set' } as const
        await writeEntry(tx, newEntry(member.workspaceId, deed, user.id, now, { role: input.role }))
      })
      return member
    },
  },
  'credentials rotate': {
    options: [],
    async run(db, _options, config) {
      const { read, add } = openKeyring(config)
      // With the keys in a file, a new one comes in front. Where they are set, whoever sets them did that.
      const keys = add ? await add(await usedKeys(db)) : await read()
      const [key] = keys
      if (!key) throw new Refusal('There is no key to encrypt with: set ENCRYPTION_KEY')
      const { encrypted, unreadable } = await encryptAnew(db, keys)
      if (unreadable === 0) return { key: key.id, encrypted }
      throw new Refusal(
        `${encrypted} credentials were encrypted anew, ${unreadable} were not: put the key that they have behind the first one in ENCRYPTION_KEY, with a comma between`,
      )
    },
  },
  audit: {
    options: ['workspace'],
    async run(db, options) {
      const { workspace } = check(z.object({ workspace: z.string() }), options)
      const entries = await allEntries(db, workspace)
      return entries.map(({ details, ...entry }) => ({
        ...entry,
        details: details && JSON.parse(details.text),
      }))
    },
  },
  // Done before every command, unless MIGRATE says otherwise.
  migrate: { options: [], run: async () => ({ migrated: true }) },
  'finish-upgrade': {
    options: [],
    async run(db) {
      await finishUpgrade(db, new Date())
      return { finished: true }
    },
  },
  distribute: {
    options: [],
    async run(_db, _options, { DATABASE_URL }) {
      if (!DATABASE_URL) throw new Refusal('Set DATABASE_URL to the coordinator of the Citus cluster')
      await distribute(DATABASE_URL)
      return { distributed: true }
    },
  },
  partition: {
    options: [],
    async run(_db, _options, { DATABASE_URL }) {
      if (!DATABASE_URL)
        throw new Refusal('Set DATABASE_URL: the embedded PostgreSQL is not made for so much')
      return { partitioned: await partition(DATABASE_URL, progress) }
    },
  },
}

/** What concerns the database as a whole: they say on standard error how far they are. */
const fileCommands: Record<string, typeof backUp> = { backup: backUp, restore }

function progress(line: string) {
  process.stderr.write(`${line}\n`)
}

function check<Schema extends z.ZodType>(schema: Schema, options: Options): z.output<Schema> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`)
  throw new Refusal(problems.join('; '))
}

async function userWith(db: Database, email: string) {
  const [user] = await db.select().from(users).where(eq(users.email, email.toLowerCase()))
  if (!user) throw new Refusal(`There is no user with the e-mail address ${email}`)
  return user
}

async function requireWorkspace(db: Database, id: string) {
  const [workspace] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, id), isNull(workspaces.deletedAt)))
  if (!workspace) throw noWorkspace(id)
}

const noWorkspace = (id: string) => new Refusal(`There is no such workspace: ${id}`)

/** What a list has of its own under a name, and not what every object has. */
function ownOf<Value>(list: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(list, name) ? list[name] : undefined
}

async function main(): Promise<object | object[]> {
  const words = process.argv.slice(2)
  const [name = '', file] = words
  const fileCommand = ownOf(fileCommands, name)
  if (fileCommand && file !== undefined && words.length === 2) return runWithFile(fileCommand, file)
  const at = words.findIndex((word) => word.startsWith('--'))
  const command = ownOf(commands, (at < 0 ? words : words.slice(0, at)).join(' '))
  if (!command) throw new Refusal(usage)
  const { values } = parseArgs({
    args: at < 0 ? [] : words.slice(at),
    options: Object.fromEntries(command.options.map((option) => [option, { type: 'string' as const }])),
  })
  const config = configuration()
  await requireData(config)
  const database = await locateDatabase(config, () => {})
  const silent = pino({ level: 'silent' })
  const { db, pool } = connect({ ...databaseOptions(config, database.url, silent), poolSize: 1 })
  try {
    if (config.MIGRATE || command === commands.migrate) await migrateDatabase(database.url)
    else await requireMigrations(db)
    return await command.run(db, values as Options, config)
  } finally {
    await pool.end()
    await database.stop()
  }
}

/** A command makes no database of its own: a mistyped folder would get one, and the right one stay as it was. */
async function requireData({ DATABASE_URL, DATA_DIR }: Config) {
  if (DATABASE_URL || (await hasData(DATA_DIR))) return
  throw new Refusal(
    `There is no database in ${DATA_DIR}: set DATA_DIR to the folder of the service, or start the service to make one`,
  )
}

function configuration(): Config {
  const read = readConfig(process.env)
  if ('problems' in read) throw new Refusal(`Configuration: ${read.problems.join('; ')}`)
  return read.config
}

async function runWithFile(command: typeof backUp, file: string): Promise<object> {
  const config = configuration()
  if (command === backUp) await requireData(config)
  const database = await locateDatabase(config, () => {})
  try {
    return { file, ...(await command(database.url, file, progress)) }
  } finally {
    await database.stop()
  }
}

try {
  const lines = [await main()].flat()
  process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
} catch (error) {
  const message = error instanceof Error ? (databaseError(error)?.message ?? error.message) : String(error)
  process.stderr.write(
    `${message}${sqlState(error) && !(error instanceof Refusal) ? ` (${sqlState(error)})` : ''}\n`,
  )
  process.exitCode = 1
}
