import { createToken } from '../../server/authenticate.ts'
import type { Database } from '../../server/db/client.ts'
import {
  apiTokens,
  botDrafts,
  botPublications,
  bots,
  chatSessions,
  folders,
  publicIds,
  publishedBots,
  resultAnswers,
  resultLogs,
  results,
  users,
  workspaceMembers,
  workspaces,
} from '../../server/db/schema.ts'
import { newId } from '../../server/ids.ts'
import { JsonText } from '../../server/json-text.ts'
import type { App } from './app.ts'
import type { Caller } from './client.ts'

/*
 * Rows for a test to stand on: two workspaces that are furnished alike, so that whatever belongs to one can
 * be tried on the other. Written straight to the database; nothing in it went through an operation.
 */

export interface Person extends Caller {
  id: string
  email: string
  tokenId: string
}

/** A bot by its ids; all bots of a site are in its top level, except `draft`, which is in `folder`. */
export interface BotIds {
  id: string
  publicId: string | null
  updatedAt: string
}

/** One workspace with everything that operations can be about. */
export interface Site {
  workspaceId: string
  admin: Person
  member: Person
  guest: Person
  /** At the top level, holding `subfolder`, which holds `deepFolder`. */
  folder: string
  subfolder: string
  deepFolder: string
  /** Version 6.1 with a flow, never published, with results and a chat session. */
  draft: BotIds
  /** Version 5, never published. */
  legacy: BotIds
  /** Version 6.1, published, with a public id. */
  published: BotIds & { publicId: string; publicationId: string }
  /** Version 6.1, published and shared publicly. */
  shared: BotIds
  /** Archived: not found by anybody. */
  archived: BotIds
  /** Results of `draft`, newest first: completed, started, started; and one that nobody answered. */
  results: [string, string, string]
  unansweredResult: string
  /** A live session of the newest result, and one that has expired. */
  session: string
  expiredSession: string
}

export interface World {
  here: Site
  /** Furnished like `here`, with other people. */
  there: Site
  /** Has no role anywhere. */
  stranger: Person
  /** Callers whom nobody lets in. */
  expired: Caller
  revoked: Caller
  unknown: Caller
}

/** A new world. Several can live in one database. */
export async function makeWorld({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<World> {
  const people = makePeople(clock.now)
  const here = await makeSite(db, clock.now, people)
  const there = await makeSite(db, clock.now, people)
  const stranger = await people.add(db)
  const expired = await people.add(db, { expiresAt: new Date(clock.now().getTime() - 1) })
  const revoked = await people.add(db, { revokedAt: clock.now() })
  return { here, there, stranger, expired, revoked, unknown: { token: createToken().token } }
}

/** A flow of the current version: a greeting and a question. */
export const flow = {
  events: [{ id: 'start-event', type: 'start', graphCoordinates: { x: 0, y: 0 }, outgoingEdgeId: 'edge-1' }],
  groups: [
    {
      id: 'group-1',
      title: 'Welcome',
      graphCoordinates: { x: 200, y: 0 },
      blocks: [
        {
          id: 'block-hello',
          type: 'text',
          content: { richText: [{ type: 'p', children: [{ text: 'Hi' }] }] },
        },
        { id: 'block-email', type: 'email input', options: { variableId: 'variable-email' } },
      ],
    },
  ],
  edges: [{ id: 'edge-1', from: { eventId: 'start-event' }, to: { groupId: 'group-1' } }],
  variables: [{ id: 'variable-email', name: 'Email' }],
  theme: {},
  settings: {},
}

/** The same flow as version 5 writes it. */
export const legacyFlow = {
  ...flow,
  events: null,
  groups: [
    {
      id: 'group-start',
      title: 'Start',
      graphCoordinates: { x: 0, y: 0 },
      blocks: [{ id: 'block-start', type: 'start', label: 'Start', outgoingEdgeId: 'edge-1' }],
    },
    ...flow.groups,
  ],
  edges: [{ id: 'edge-1', from: { blockId: 'block-start' }, to: { groupId: 'group-1' } }],
}

type Now = () => Date

function makePeople(now: Now) {
  let count = 0
  return {
    async add(db: Database, token: { expiresAt?: Date; revokedAt?: Date } = {}): Promise<Person> {
      const at = now()
      const [id, tokenId] = [newId(at), newId(at)]
      const made = createToken()
      const email = `${id}@example.com`
      count++
      await db.insert(users).values({ id, email, name: `Person ${count}`, createdAt: at, updatedAt: at })
      await db.insert(apiTokens).values({
        id: tokenId,
        tokenHash: made.hash,
        hint: made.hint,
        ownerUserId: id,
        name: 'Test',
        createdAt: at,
        // Used today already, so that a first use is not written in the middle of a test.
        lastUsedOn: at.toISOString().slice(0, 10),
        ...token,
      })
      return { id, email, tokenId, token: made.token }
    },
  }
}

async function makeSite(db: Database, now: Now, people: ReturnType<typeof makePeople>): Promise<Site> {
  const id = () => newId(now())
  const stamps = () => {
    const createdAt = now()
    return { createdAt, updatedAt: createdAt }
  }
  const admin = await people.add(db)
  const member = await people.add(db)
  const guest = await people.add(db)

  const workspaceId = id()
  await db.insert(workspaces).values({ id: workspaceId, name: 'Site', icon: '🏢', ...stamps() })
  await db.insert(workspaceMembers).values([
    { workspaceId, userId: admin.id, role: 'ADMIN', createdAt: now() },
    { workspaceId, userId: member.id, role: 'MEMBER', createdAt: now() },
    { workspaceId, userId: guest.id, role: 'GUEST', createdAt: now() },
  ])

  const [folder, subfolder, deepFolder] = [id(), id(), id()]
  await db.insert(folders).values([
    { id: folder, workspaceId, name: 'Folder', ...stamps() },
    { id: subfolder, workspaceId, name: 'Subfolder', parentFolderId: folder, ...stamps() },
    { id: deepFolder, workspaceId, name: 'Deep folder', parentFolderId: subfolder, ...stamps() },
  ])

  const makeBot = async (values: Partial<typeof bots.$inferInsert>, document: object = flow) => {
    const row = {
      id: id(),
      workspaceId,
      name: 'Bot',
      version: '6.1' as const,
      revision: 1,
      publicId: null,
      ...stamps(),
      ...values,
    }
    await db.insert(bots).values(row)
    await db.insert(botDrafts).values({ botId: row.id, ...partsOf(document) })
    if (row.publicId !== null) await db.insert(publicIds).values({ botId: row.id, publicId: row.publicId })
    return { id: row.id, publicId: row.publicId, updatedAt: row.updatedAt.toISOString() }
  }
  const publish = async (botId: string, document: object = flow) => {
    const at = now()
    const publicationId = newId(at)
    await db.insert(botPublications).values({
      botId,
      id: publicationId,
      sourceRevision: 1,
      version: '6.1',
      ...partsOf(document),
      warnings: json([]),
      publishedBy: admin.id,
      createdAt: at,
    })
    await db
      .insert(publishedBots)
      .values({ botId, id: publicationId, publicationId, createdAt: at, updatedAt: at })
    return publicationId
  }

  const draft = await makeBot({ name: 'Draft', folderId: folder })
  const legacy = await makeBot({ name: 'Legacy', version: '5' }, legacyFlow)
  const publicId = `published-${id()}`
  const published = { ...(await makeBot({ name: 'Published', publicId })), publicId, publicationId: '' }
  published.publicationId = await publish(published.id)
  const sharing = { ...flow, settings: { publicShare: { isEnabled: true } } }
  const shared = await makeBot(
    { name: 'Shared', publicId: `shared-${id()}`, isPubliclyShared: true },
    sharing,
  )
  await publish(shared.id, sharing)
  const archived = await makeBot({ name: 'Archived', deletedAt: now() })

  const makeResult = async (values: Partial<typeof results.$inferInsert>) => {
    const row = { botId: draft.id, id: id(), variables: new JsonText('[]'), ...stamps(), ...values }
    await db.insert(results).values(row)
    return row.id
  }
  const answered = async (isCompleted: boolean) => {
    const resultId = await makeResult({
      hasStarted: true,
      isCompleted,
      variables: json([{ id: 'variable-email', name: 'Email', value: 'ada@example.com' }]),
    })
    await db.insert(resultAnswers).values({
      botId: draft.id,
      resultId,
      seq: 1,
      blockId: 'block-email',
      content: 'ada@example.com',
      attachedFileUrls: isCompleted ? ['https://example.com/plan.pdf'] : null,
      createdAt: now(),
    })
    await db.insert(resultLogs).values({
      botId: draft.id,
      resultId,
      id: id(),
      status: 'error',
      description: 'Could not load the script',
      createdAt: now(),
    })
    return resultId
  }
  const unansweredResult = await makeResult({})
  const [third, second, first] = [await answered(false), await answered(false), await answered(true)]

  const makeSession = async (expiresAt: Date) => {
    const sessionId = id()
    await db.insert(chatSessions).values({
      id: sessionId,
      botId: draft.id,
      resultId: first,
      state: json({}),
      revision: 1,
      expiresAt,
      ...stamps(),
    })
    return sessionId
  }
  const session = await makeSession(new Date(now().getTime() + 24 * 60 * 60 * 1000))
  const expiredSession = await makeSession(now())

  return {
    workspaceId,
    admin,
    member,
    guest,
    folder,
    subfolder,
    deepFolder,
    draft,
    legacy,
    published,
    shared,
    archived,
    results: [first, second, third],
    unansweredResult,
    session,
    expiredSession,
  }
}

function json(value: unknown): JsonText {
  return new JsonText(JSON.stringify(value))
}

function partsOf(document: object): Omit<typeof botDrafts.$inferInsert, 'botId'> {
  const parts = document as typeof flow
  return {
    groups: json(parts.groups),
    events: parts.events && json(parts.events),
    edges: json(parts.edges),
    variables: json(parts.variables),
    theme: json(parts.theme),
    settings: json(parts.settings),
  }
}
