import { getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { createToken } from '../../server/access/bearer-tokens.ts'
import { encodeTurn, newSessionId } from '../../server/chat/sessions/codec.ts'
import type { Database } from '../../server/db/client.ts'
import {
  apiTokens,
  botDrafts,
  botPublications,
  bots,
  chatSessions,
  chatTurns,
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
import { JsonText } from '../../server/kit/json/json-text.ts'
import type { App } from './app.ts'
import type { Caller } from './client.ts'
import { together } from './rows.ts'

/*
 * Rows for a test to stand on: two workspaces that are furnished alike, so that whatever belongs to one can
 * be tried on the other. Written straight to the database; nothing in it went through an operation.
 */

export interface Person extends Caller {
  id: string
  email: string
  tokenId: string
}

const noTurn = encodeTurn([], '{"messages":[],"revision":1}')

/** A bot by its ids; all bots of a site are in its top level, except `draft`, which is in `folder`. */
interface BotIds {
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
  /** Version 6.1 with a flow, never published. */
  draft: BotIds
  /** Version 5, never published. */
  legacy: BotIds
  /** Version 6.1, published, with a public id, results and chat sessions. */
  published: BotIds & { publicId: string; publicationId: string }
  /** Version 6.1, published and shared publicly. */
  shared: BotIds
  /** Archived: not found by anybody. */
  archived: BotIds
  /** Results of `published`, newest first: completed, started, started; and one without an answer. */
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
  /** Callers without valid credentials. */
  expired: Caller
  revoked: Caller
  unknown: Caller
}

/** A new world. Several can live in one database. */
export async function makeWorld({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<World> {
  const plan = new Plan(clock.now)
  const here = plan.addSite()
  const there = plan.addSite()
  const stranger = plan.addPerson()
  const expired = plan.addPerson({ expiresAt: new Date(clock.now().getTime() - 1) })
  const revoked = plan.addPerson({ revokedAt: clock.now() })
  await plan.write(db)
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

const sharedFlow = { ...flow, settings: { publicShare: { isEnabled: true } } }

interface Document {
  groups: unknown[]
  events: unknown[] | null
  edges: unknown[]
  variables: unknown[]
  theme: object
  settings: object
}

/** Collects the rows of a world, so that each table is written once. */
class Plan {
  private readonly rows = {
    users: [] as (typeof users.$inferInsert)[],
    tokens: [] as (typeof apiTokens.$inferInsert)[],
    workspaces: [] as (typeof workspaces.$inferInsert)[],
    members: [] as (typeof workspaceMembers.$inferInsert)[],
    folders: [] as (typeof folders.$inferInsert)[],
    bots: [] as (typeof bots.$inferInsert)[],
    drafts: [] as (typeof botDrafts.$inferInsert)[],
    publicIds: [] as (typeof publicIds.$inferInsert)[],
    publications: [] as (typeof botPublications.$inferInsert)[],
    published: [] as (typeof publishedBots.$inferInsert)[],
    results: [] as (typeof results.$inferInsert)[],
    answers: [] as (typeof resultAnswers.$inferInsert)[],
    logs: [] as (typeof resultLogs.$inferInsert)[],
    sessions: [] as (typeof chatSessions.$inferInsert)[],
    steps: [] as (typeof chatTurns.$inferInsert)[],
  }

  constructor(private readonly now: () => Date) {}

  async write(db: Database) {
    const { rows } = this
    const insertions = [
      insertion(users, rows.users),
      insertion(apiTokens, rows.tokens),
      insertion(workspaces, rows.workspaces),
      insertion(workspaceMembers, rows.members),
      insertion(folders, rows.folders),
      insertion(bots, rows.bots),
      insertion(botDrafts, rows.drafts),
      insertion(publicIds, rows.publicIds),
      insertion(botPublications, rows.publications),
      insertion(publishedBots, rows.published),
      insertion(results, rows.results),
      insertion(resultAnswers, rows.answers),
      insertion(resultLogs, rows.logs),
      insertion(chatSessions, rows.sessions),
      insertion(chatTurns, rows.steps),
    ]
    for (const text of together(insertions)) await db.execute(sql.raw(text))
  }

  addPerson(token: { expiresAt?: Date; revokedAt?: Date } = {}): Person {
    const createdAt = this.now()
    const [id, tokenId] = [newId(createdAt), newId(createdAt)]
    const made = createToken()
    const email = `${id}@example.com`
    this.rows.users.push({ id, email, name: 'Ada', createdAt, updatedAt: createdAt })
    this.rows.tokens.push({
      id: tokenId,
      tokenHash: made.hash,
      hint: made.hint,
      ownerUserId: id,
      name: 'Test',
      createdAt,
      // Used today already, so that a first use is not written in the middle of a test.
      lastUsedOn: createdAt.toISOString().slice(0, 10),
      ...token,
    })
    return { id, email, tokenId, token: made.token }
  }

  addSite(): Site {
    const [admin, member, guest] = [this.addPerson(), this.addPerson(), this.addPerson()]
    const workspaceId = this.newId()
    this.rows.workspaces.push({ id: workspaceId, name: 'Site', icon: '🏢', ...this.stamps() })
    this.rows.members.push(
      { workspaceId, userId: admin.id, role: 'ADMIN', createdAt: this.now() },
      { workspaceId, userId: member.id, role: 'MEMBER', createdAt: this.now() },
      { workspaceId, userId: guest.id, role: 'GUEST', createdAt: this.now() },
    )
    const folder = this.addFolder({ workspaceId, name: 'Folder' })
    const subfolder = this.addFolder({ workspaceId, name: 'Subfolder', parentFolderId: folder })
    const deepFolder = this.addFolder({ workspaceId, name: 'Deep folder', parentFolderId: subfolder })

    const draft = this.addBot({ workspaceId, name: 'Draft', folderId: folder })
    const legacy = this.addBot({ workspaceId, name: 'Legacy', version: '5' }, legacyFlow)
    const publicId = `published-${this.newId()}`
    const published = { ...this.addBot({ workspaceId, name: 'Published', publicId }), publicId }
    const publicationId = this.publish(published.id, admin)
    const shared = this.addBot(
      { workspaceId, name: 'Shared', publicId: `shared-${this.newId()}`, isPubliclyShared: true },
      sharedFlow,
    )
    this.publish(shared.id, admin, sharedFlow)
    const archived = this.addBot({ workspaceId, name: 'Archived', deletedAt: this.now() })

    const unansweredResult = this.addResult(published.id, {})
    const third = this.addAnsweredResult(published.id, false)
    const second = this.addAnsweredResult(published.id, false)
    const first = this.addAnsweredResult(published.id, true)
    const chat = { botId: published.id, publicationId, resultId: first }
    const tomorrow = new Date(this.now().getTime() + 24 * 60 * 60 * 1000)
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
      published: { ...published, publicationId },
      shared,
      archived,
      results: [first, second, third],
      unansweredResult,
      session: this.addSession({ ...chat, expiresAt: tomorrow }),
      expiredSession: this.addSession({ ...chat, expiresAt: this.now() }),
    }
  }

  private newId(): string {
    return newId(this.now())
  }

  private stamps() {
    const createdAt = this.now()
    return { createdAt, updatedAt: createdAt }
  }

  private addFolder(values: { workspaceId: string; name: string; parentFolderId?: string }): string {
    const id = this.newId()
    this.rows.folders.push({ id, ...values, ...this.stamps() })
    return id
  }

  private addBot(
    values: Partial<BotRow> & { workspaceId: string; name: string },
    document: Document = flow,
  ): BotIds {
    const id = this.newId()
    const row = { id, version: '6.1' as const, revision: 1, ...this.stamps(), ...values }
    const { publicId = null, updatedAt } = row
    this.rows.bots.push(row)
    this.rows.drafts.push({ botId: id, ...partsOf(document) })
    if (publicId !== null) this.rows.publicIds.push({ botId: id, publicId })
    return { id, publicId, updatedAt: updatedAt.toISOString() }
  }

  private publish(botId: string, { id: publishedBy }: Person, document: Document = flow): string {
    const createdAt = this.now()
    const id = newId(createdAt)
    this.rows.publications.push({
      botId,
      id,
      sourceRevision: 1,
      version: '6.1',
      ...partsOf(document),
      warnings: json([]),
      publishedBy,
      createdAt,
    })
    this.rows.published.push({ botId, id, publicationId: id, createdAt, updatedAt: createdAt })
    return id
  }

  private addResult(botId: string, values: Partial<typeof results.$inferInsert>): string {
    const id = this.newId()
    this.rows.results.push({ botId, id, variables: json([]), ...this.stamps(), ...values })
    return id
  }

  private addAnsweredResult(botId: string, isCompleted: boolean): string {
    const content = 'ada@example.com'
    const resultId = this.addResult(botId, {
      hasStarted: true,
      isCompleted,
      variables: json([{ id: 'variable-email', name: 'Email', value: content }]),
    })
    this.rows.answers.push({
      botId,
      resultId,
      seq: 1,
      blockId: 'block-email',
      content,
      attachedFileUrls: isCompleted ? ['https://example.com/plan.pdf'] : null,
      createdAt: this.now(),
    })
    this.rows.logs.push({
      botId,
      resultId,
      id: this.newId(),
      status: 'error',
      description: 'Could not load the script',
      createdAt: this.now(),
    })
    return resultId
  }

  private addSession(values: { botId: string; publicationId: string; resultId: string; expiresAt: Date }) {
    const id = newSessionId(values.botId, this.now())
    this.rows.sessions.push({ id, state: json({}), revision: 1, ...this.stamps(), ...values })
    this.rows.steps.push({ botId: values.botId, sessionId: id, revision: 1, turn: noTurn })
    return id
  }
}

/**
 * Rows as JSON. Most tests make a world, and building a statement with a parameter for each value takes longer than
 * everything that the test does with it.
 */
function insertion<Table extends PgTable>(table: Table, rows: Table['$inferInsert'][]): string {
  const given = new Set(rows.flatMap((row) => Object.keys(row)))
  const columns = columnsOf(table).filter(([name]) => given.has(name))
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.map(([name, column]) => [column.name, plain(row[name as keyof typeof row] ?? column.default)]),
    ),
  )
  const names = columns.map(([, column]) => column.name).join(', ')
  const into = getTableName(table)
  return `INSERT INTO ${into} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${into}, ${pg.escapeLiteral(JSON.stringify(values))})`
}

const columnsByTable = new Map<PgTable, [name: string, column: PgColumn][]>()

function columnsOf(table: PgTable) {
  let columns = columnsByTable.get(table)
  if (!columns) {
    columns = Object.entries(getTableColumns(table))
    columnsByTable.set(table, columns)
  }
  return columns
}

function plain(value: unknown): unknown {
  if (value instanceof JsonText) return JSON.parse(value.text)
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return value
}

type BotRow = typeof bots.$inferInsert

function json(value: unknown): JsonText {
  return new JsonText(JSON.stringify(value))
}

function partsOf(document: Document): Omit<typeof botDrafts.$inferInsert, 'botId'> {
  return {
    groups: json(document.groups),
    events: document.events && json(document.events),
    edges: json(document.edges),
    variables: json(document.variables),
    theme: json(document.theme),
    settings: json(document.settings),
  }
}
