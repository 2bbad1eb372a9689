import { encodeTime } from 'ulid'
import { tokenWith } from '../access/bearer-tokens.ts'
import type { Transaction } from '../db/client.ts'
import {
  apiTokens,
  botDrafts,
  botPublications,
  bots,
  folders,
  publicIds,
  publishedBots,
  resultAnswers,
  resultLogs,
  results,
  users,
  webhookEndpoints,
  workspaceMembers,
  workspaces,
} from '../db/schema.ts'
import { MS_PER_HOUR } from '../durations.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { sealSecrets } from '../webhooks/secrets.ts'
import { newSecret } from '../webhooks/signature.ts'
import type { Key } from '../workspaces/keyring.ts'
import { currentFlow, legacyFlow } from './flows.ts'

/* The records that a sandbox begins with. Ids, tokens and timestamps are the same in every sandbox. */

/** The time that a sandbox begins at. */
export const seededAt = new Date('2026-01-05T09:00:00.000Z')

const hourBefore = new Date(seededAt.getTime() - MS_PER_HOUR)

/** An id whose last characters are a kind and a number. */
const idOf = (kind: string, number: number) =>
  `${encodeTime(seededAt.getTime()).toLowerCase()}${kind}${String(number).padStart(15, '0')}`

const tokenOf = (name: string) => tokenWith(`sandbox${name}`.padEnd(30, '0'))

interface SeededUser {
  id: string
  name: string
  email: string
}

const user = (number: number, name: string): SeededUser => ({
  id: idOf('p', number),
  name,
  email: `${name.toLowerCase()}@example.com`,
})

const people = {
  admin: user(1, 'Ada'),
  member: user(2, 'Ben'),
  guest: user(3, 'Cleo'),
  otherAdmin: user(4, 'Dora'),
  otherMember: user(5, 'Emil'),
  otherGuest: user(6, 'Fay'),
  stranger: user(7, 'Gus'),
}

const garden = { id: idOf('w', 1), name: 'Garden club', icon: '🌷' }
const bikes = { id: idOf('w', 2), name: 'Bike shop', icon: '🚲' }

const roles = [
  [garden, people.admin, 'ADMIN'],
  [garden, people.member, 'MEMBER'],
  [garden, people.guest, 'GUEST'],
  [bikes, people.otherAdmin, 'ADMIN'],
  [bikes, people.otherMember, 'MEMBER'],
  [bikes, people.otherGuest, 'GUEST'],
] as const

type TokenRow = typeof apiTokens.$inferInsert

interface SeededToken extends Pick<TokenRow, 'scopes' | 'workspaceId' | 'expiresAt' | 'revokedAt'> {
  /** Characters of the token that distinguish it from others. */
  name: string
  means: string
  owner: SeededUser
}

const tokens: SeededToken[] = [
  { name: 'Admin', means: 'admin of the garden club', owner: people.admin },
  { name: 'Member', means: 'member of the garden club', owner: people.member },
  { name: 'Guest', means: 'guest of the garden club', owner: people.guest },
  { name: 'OtherAdmin', means: 'admin of the bike shop', owner: people.otherAdmin },
  { name: 'OtherMember', means: 'member of the bike shop', owner: people.otherMember },
  { name: 'OtherGuest', means: 'guest of the bike shop', owner: people.otherGuest },
  { name: 'Stranger', means: 'a user without a role', owner: people.stranger },
  ...(['read', 'write', 'results', 'chat-admin'] as const).map((scope) => ({
    name: `Scope${scope.replaceAll(/(^|-)(\w)/g, (_, _dash, first: string) => first.toUpperCase())}`,
    means: `admin of the garden club, with the scope ${scope} alone`,
    owner: people.admin,
    scopes: [scope],
  })),
  {
    name: 'Bound',
    means: 'admin of the garden club, bound to it',
    owner: people.admin,
    workspaceId: garden.id,
  },
  { name: 'Expired', means: 'expired', owner: people.admin, expiresAt: hourBefore },
  { name: 'Revoked', means: 'revoked', owner: people.admin, revokedAt: hourBefore },
]

const seededFolders = [
  { id: idOf('f', 1), workspaceId: garden.id, name: 'Seasons', parentFolderId: null },
  { id: idOf('f', 2), workspaceId: garden.id, name: 'Spring', parentFolderId: idOf('f', 1) },
  { id: idOf('f', 3), workspaceId: bikes.id, name: 'Repairs', parentFolderId: null },
]

type BotRow = typeof bots.$inferInsert

interface SeededBot extends Pick<BotRow, 'id' | 'workspaceId' | 'name' | 'version'> {
  means: string
  folderId?: string
  publicId?: string
  isPubliclyShared?: true
}

const seededBots: SeededBot[] = [
  ...(['3', '4', '5', '6', '6.1'] as const).map((version, at) => ({
    id: idOf('b', at + 1),
    workspaceId: garden.id,
    name: `Newsletter, version ${version}`,
    version,
    means: `draft of version ${version}`,
  })),
  {
    id: idOf('b', 6),
    workspaceId: garden.id,
    name: 'Newsletter',
    version: '6.1',
    publicId: 'sandbox-newsletter',
    means: 'published, with 30 results',
  },
  {
    id: idOf('b', 7),
    workspaceId: garden.id,
    name: 'Shared newsletter',
    version: '6.1',
    folderId: idOf('f', 2),
    publicId: 'sandbox-shared',
    isPubliclyShared: true,
    means: 'published and shared publicly, in the folder Spring',
  },
  {
    id: idOf('b', 8),
    workspaceId: bikes.id,
    name: 'Repair desk',
    version: '6.1',
    publicId: 'sandbox-repairs',
    means: 'published, of the bike shop',
  },
]

const RESULTS = 30

/** Ids and tokens of the world, as `GET /sandbox` and the guide list them. */
export const seededWorld = {
  tokens: Object.fromEntries(tokens.map(({ name, means }) => [tokenOf(name).token, means])),
  workspaces: Object.fromEntries([garden, bikes].map(({ id, name }) => [id, name])),
  users: Object.fromEntries(Object.values(people).map(({ id, email }) => [id, email])),
  folders: Object.fromEntries(seededFolders.map(({ id, name }) => [id, name])),
  bots: Object.fromEntries(seededBots.map(({ id, means }) => [id, means])),
  publicIds: seededBots.flatMap(({ publicId }) => publicId ?? []),
  results: Array.from({ length: RESULTS }, (_, at) => idOf('r', at + 1)),
  webhookEndpoints: { [idOf('e', 1)]: 'disabled' },
}

const json = (value: unknown) => new JsonText(JSON.stringify(value))

function partsOf({ version, isPubliclyShared }: SeededBot) {
  const flow = version === '6' || version === '6.1' ? currentFlow : legacyFlow
  return {
    groups: json(flow.groups),
    events: flow.events && json(flow.events),
    edges: json(flow.edges),
    variables: json(flow.variables),
    theme: json({}),
    settings: json(isPubliclyShared ? { publicShare: { isEnabled: true } } : {}),
  }
}

/** Inserts the world into empty tables. */
export async function seedWorld(tx: Transaction, key: Key): Promise<void> {
  const stamps = { createdAt: seededAt, updatedAt: seededAt }
  await tx.insert(users).values(Object.values(people).map((person) => ({ ...person, ...stamps })))
  await tx.insert(workspaces).values([
    { ...garden, createdBy: people.admin.id, ...stamps },
    { ...bikes, createdBy: people.otherAdmin.id, ...stamps },
  ])
  await tx.insert(workspaceMembers).values(
    roles.map(([workspace, person, role]) => ({
      workspaceId: workspace.id,
      userId: person.id,
      role,
      createdAt: seededAt,
    })),
  )
  await tx.insert(apiTokens).values(
    tokens.map(({ name, means: _, owner, ...limits }, at) => {
      const { hash, hint } = tokenOf(name)
      return {
        id: idOf('t', at + 1),
        ownerUserId: owner.id,
        name,
        tokenHash: hash,
        hint,
        createdAt: seededAt,
        ...limits,
      }
    }),
  )
  await tx.insert(folders).values(seededFolders.map((folder) => ({ ...folder, ...stamps })))
  await tx.insert(bots).values(
    seededBots.map(({ means: _, ...bot }) => ({
      ...bot,
      revision: 1,
      draftUpdatedAt: seededAt,
      ...stamps,
    })),
  )
  await tx.insert(botDrafts).values(seededBots.map((bot) => ({ botId: bot.id, ...partsOf(bot) })))
  const published = seededBots.flatMap((bot, at) =>
    bot.publicId ? [{ bot, publicId: bot.publicId, publicationId: idOf('d', at + 1) }] : [],
  )
  await tx.insert(publicIds).values(published.map(({ bot, publicId }) => ({ botId: bot.id, publicId })))
  await tx.insert(botPublications).values(
    published.map(({ bot, publicationId }) => ({
      botId: bot.id,
      id: publicationId,
      sourceRevision: 1,
      version: bot.version,
      ...partsOf(bot),
      warnings: json([]),
      publishedBy: bot.workspaceId === garden.id ? people.admin.id : people.otherAdmin.id,
      createdAt: seededAt,
    })),
  )
  await tx.insert(publishedBots).values(
    published.map(({ bot, publicationId }) => ({
      botId: bot.id,
      id: publicationId,
      publicationId,
      ...stamps,
    })),
  )
  await seedResults(tx, idOf('b', 6))
  const endpoint = { id: idOf('e', 1), workspaceId: garden.id }
  await tx.insert(webhookEndpoints).values({
    ...endpoint,
    ...sealSecrets(key, endpoint, [newSecret()]),
    url: 'https://hooks.example.com/garden',
    description: 'Disabled, so that the sandbox sends nothing by itself',
    isEnabled: false,
    ...stamps,
  })
}

/** One result every eight hours; each third one has answers and is complete, each third one was only seen. */
async function seedResults(tx: Transaction, botId: string) {
  const rows = seededWorld.results.map((id, at) => ({
    botId,
    id,
    hasStarted: at % 3 > 0,
    isCompleted: at % 3 === 2,
    at: new Date(seededAt.getTime() + (at - RESULTS) * 8 * MS_PER_HOUR),
    email: `visitor${at + 1}@example.com`,
  }))
  await tx.insert(results).values(
    rows.map(({ at, email, ...row }) => ({
      ...row,
      variables: json(row.isCompleted ? [{ id: 'variable-email', name: 'Email', value: email }] : []),
      createdAt: at,
      updatedAt: at,
    })),
  )
  const answered = rows.filter(({ isCompleted }) => isCompleted)
  await tx.insert(resultAnswers).values(
    answered.map(({ id, at, email }) => ({
      botId,
      resultId: id,
      seq: 1,
      blockId: 'block-email',
      content: email,
      createdAt: at,
    })),
  )
  await tx.insert(resultLogs).values(
    answered.slice(-1).map(({ id, at }) => ({
      botId,
      resultId: id,
      id: idOf('g', 1),
      status: 'error',
      description: 'Could not load the script',
      createdAt: at,
    })),
  )
}
