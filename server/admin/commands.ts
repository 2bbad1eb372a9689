import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { name as nameSchema } from '../../contract/kit/fields.ts'
import { z } from '../../contract/kit/zod.ts'
import { email as emailSchema } from '../../contract/members.ts'
import { roles, scopes } from '../../contract/operation.ts'
import { expiresSoon } from '../../contract/tokens.ts'
import { createSignInLink } from '../access/sign-in-links.ts'
import { insertToken, isMember } from '../access/tokens.ts'
import { setUserEnabled } from '../access/users.ts'
import { allEntries, tokenEntries } from '../audit/log.ts'
import type { Config } from '../config.ts'
import { isBeingDistributed } from '../db/citus/topology.ts'
import type { Database } from '../db/client.ts'
import { distribute, partition } from '../db/migrate.ts'
import { apiTokens, users, workspaces } from '../db/schema.ts'
import { newId } from '../ids.ts'
import { fanOutAll } from '../webhooks/outbox.ts'
import { openKeyring } from '../workspaces/keyring.ts'
import { changeMember, insertMember } from '../workspaces/members.ts'
import { rotateKeys } from '../workspaces/rotation.ts'

/* Commands on the records of the service. If an operation does the same, both call one function. */

/** A failure that the person at the keyboard can fix. The message says all that is needed. */
export class CommandError extends Error {}

type Options = Record<string, string | undefined>

/** Other dependencies of a command. */
interface Surroundings {
  config: Config
  /** A sentence for the person at the keyboard, on standard error. */
  say: (line: string) => void
}

export interface Command {
  help: string
  options: string[]
  run: (
    db: Database,
    options: Options,
    surroundings: Surroundings,
  ) => Promise<object | object[]> | AsyncIterable<object>
}

/** Maximum credentials named in a message about those that could not be encrypted anew. */
const MAX_NAMED_CREDENTIALS = 20

export const commands: Record<string, Command> = {
  'user create': {
    help: 'Creates a user, who has no token and no role yet: --email E --name N',
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
        throw new CommandError(`A user with the e-mail address ${user.email} exists already`)
      return user
    },
  },
  'user list': {
    help: 'Lists all users',
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
  'user link': {
    help: 'Prints a link that signs a user in once, within 15 minutes: --email E',
    options: ['email'],
    async run(db, options, { config }) {
      const { email } = check(z.object({ email: emailSchema }), options)
      const user = await userWith(db, email)
      if (user.disabledAt) throw new CommandError(`The user ${user.email} is disabled`)
      const code = await createSignInLink(db, user.id, {}, new Date())
      const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
      return { email: user.email, link: `${publicUrl}/sign-in/links/${code}` }
    },
  },
  'user disable': {
    help: 'Signs a user out, revokes all of their tokens and allows no new ones: --email E',
    options: ['email'],
    async run(db, options, { say }) {
      const { email } = check(z.object({ email: emailSchema }), options)
      const { id } = await userWith(db, email)
      const { isChanged, revokedTokens, withoutAdmin } = await setUserEnabled(db, id, false, new Date())
      if (!isChanged) say(`The user ${email} was disabled before`)
      for (const workspace of withoutAdmin) {
        say(
          `The workspace ${workspace.id} (${workspace.name}) has no admin left who can log in: set one with member set`,
        )
      }
      return { id, email: email.toLowerCase(), revokedTokens }
    },
  },
  'user enable': {
    help: 'Allows a disabled user to sign in and to get tokens again: --email E',
    options: ['email'],
    async run(db, options, { say }) {
      const { email } = check(z.object({ email: emailSchema }), options)
      const { id } = await userWith(db, email)
      const { isChanged } = await setUserEnabled(db, id, true, new Date())
      if (!isChanged) say(`The user ${email} was not disabled`)
      return { id, email: email.toLowerCase() }
    },
  },
  'token create': {
    help: 'Creates an access token and shows it once: --email E [--name N] [--expires-in-days D] [--scopes S,S] [--workspace W]',
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
            .transform((list) => list.split(',').map((scope) => scope.trim()))
            .pipe(z.array(z.enum(scopes)))
            .optional(),
          workspace: z.string().optional(),
        }),
        options,
      )
      const user = await userWith(db, input.email)
      if (input.workspace !== undefined) {
        await requireWorkspace(db, input.workspace)
        if (!(await isMember(db, user.id, input.workspace))) {
          throw new CommandError(
            `${user.email} has no role in the workspace ${input.workspace}: give one with member set first`,
          )
        }
      }
      const newToken = await insertToken(
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
      if (!newToken) throw new CommandError(`The user ${user.email} is disabled`)
      return { id: newToken.row.id, token: newToken.token }
    },
  },
  'token list': {
    help: 'Lists tokens, revoked ones too, without what they are: [--email E]',
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
    help: 'Revokes a token at once: --id I',
    options: ['id'],
    async run(db, options) {
      const { id } = check(z.object({ id: z.string() }), options)
      const now = new Date()
      const revocation = db.$with('revoked').as(
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
      const [row] = await db.with(revocation, db.$with('entries', {}).as(noted)).select().from(revocation)
      if (!row) {
        const [known] = await db
          .select({ revokedAt: apiTokens.revokedAt })
          .from(apiTokens)
          .where(eq(apiTokens.id, id))
        throw new CommandError(
          known ? `The token ${id} was revoked before` : `There is no such token: ${id}: see token list`,
        )
      }
      return { id }
    },
  },
  'member set': {
    help: 'Gives a user a role in a workspace: --workspace W --email E --role ADMIN|MEMBER|GUEST',
    options: ['workspace', 'email', 'role'],
    async run(db, options) {
      const input = check(
        z.object({ workspace: z.string(), email: emailSchema, role: z.enum(roles) }),
        options,
      )
      const user = await userWith(db, input.email)
      await requireWorkspace(db, input.workspace)
      // As for addMember; the role of a member can be changed.
      const isNew = !(await isMember(db, user.id, input.workspace))
      if (isNew && user.disabledAt) throw new CommandError(`The user ${user.email} is disabled`)
      if (isNew && user.isUnproven) {
        throw new CommandError(
          `Nobody has proven to own the address ${user.email} yet: invite the person instead`,
        )
      }
      const where = { workspace: { id: input.workspace }, caller: null }
      const now = new Date()
      const operation = 'admin member set'
      const added = await insertMember(db, where, user.id, input.role, now, operation)
      if (added === 'deleted') throw noWorkspace(input.workspace)
      if (added === 'exists') {
        const outcome = await changeMember(db, where, user.id, input.role, now, operation)
        if (!outcome) throw new CommandError('The member was removed at this moment: run the command again')
        if ('issue' in outcome) throw new CommandError(`${outcome.issue.message}: set another one first`)
      }
      return { workspaceId: input.workspace, userId: user.id, role: input.role }
    },
  },
  'credentials rotate': {
    help: 'Encrypts all stored credentials and secrets of webhook endpoints with the first key of ENCRYPTION_KEY, or with a new one in DATA_DIR',
    options: [],
    async run(db, _options, { config }) {
      const outcome = await rotateKeys(db, openKeyring(config))
      if (outcome === 'running')
        throw new CommandError('Credentials are being rotated already: wait until that ends')
      if (outcome === 'no key') throw new CommandError('There is no key to encrypt with: set ENCRYPTION_KEY')
      const { key, encrypted, unreadable } = outcome
      if (unreadable.length === 0) return { key, encrypted }
      const named = unreadable
        .slice(0, MAX_NAMED_CREDENTIALS)
        .map(({ id, workspaceId, reason }) => `${id} of the workspace ${workspaceId} (${reason})`)
      const more = unreadable.length - named.length
      throw new CommandError(
        `${encrypted} credentials and secrets were encrypted anew, ${unreadable.length} were not: ${named.join('; ')}${more > 0 ? `, and ${more} more` : ''}. Put a key that is missing behind the first one in ENCRYPTION_KEY, with a comma between, and write damaged credentials anew`,
      )
    },
  },
  audit: {
    help: 'Prints the audit log of a workspace, newest first: --workspace W',
    options: ['workspace'],
    async *run(db, options) {
      const { workspace } = check(z.object({ workspace: z.string() }), options)
      let isEmpty = true
      for await (const { details, ...entry } of allEntries(db, workspace)) {
        isEmpty = false
        yield { ...entry, details: details && JSON.parse(details.text) }
      }
      if (isEmpty) await requireWorkspace(db, workspace)
    },
  },
  // Done before every command, unless MIGRATE says otherwise.
  migrate: {
    help: 'Brings the database to this release',
    options: [],
    run: async () => ({ migrated: true }),
  },
  distribute: {
    help: 'Spreads the tables over the nodes of a Citus cluster',
    options: [],
    async run(db, _options, { config: { DATABASE_URL } }) {
      if (!DATABASE_URL) throw new CommandError('Set DATABASE_URL to the coordinator of the Citus cluster')
      // A cluster cannot run the fan-out. The service does not start before all tables are distributed.
      if (!(await isBeingDistributed(db))) await fanOutAll(db)
      await distribute(DATABASE_URL)
      return { distributed: true }
    },
  },
  partition: {
    help: 'Splits the tables that grow by bot into partitions, in a pause of the service',
    options: [],
    async run(_db, _options, { config: { DATABASE_URL }, say }) {
      if (!DATABASE_URL)
        throw new CommandError('Set DATABASE_URL: the embedded PostgreSQL is not made for so much')
      return { partitioned: await partition(DATABASE_URL, say) }
    },
  },
}

function check<Schema extends z.ZodType>(schema: Schema, options: Options): z.output<Schema> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`)
  throw new CommandError(problems.join('; '))
}

async function userWith(db: Database, email: string) {
  const [user] = await db.select().from(users).where(eq(users.email, email.toLowerCase()))
  if (!user) throw new CommandError(`There is no user with the e-mail address ${email}`)
  return user
}

async function requireWorkspace(db: Database, id: string) {
  const [workspace] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, id), isNull(workspaces.deletedAt)))
  if (!workspace) throw noWorkspace(id)
}

const noWorkspace = (id: string) => new CommandError(`There is no such workspace: ${id}`)
