import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runHistories } from './histories.ts'
import { projectFolder } from './installation.ts'

/* Bugs that are put into a copy of the service, to see that the histories find them. */

interface Planted {
  what: string
  file: string
  /** Pieces of the source, each of which is there once, and what takes their place. */
  pieces: [string, string][]
}

export const planted: Planted[] = [
  {
    what: 'updatedAt is compared with a margin of five seconds',
    file: 'server/bots/update.ts',
    pieces: [
      [
        'precondition === current.updatedAt.getTime()',
        'Math.abs(precondition - current.updatedAt.getTime()) < 5_000',
      ],
    ],
  },
  {
    what: 'an update does not look at If-Match',
    file: 'server/bots/update.ts',
    pieces: [['if (isStale(conditions, botStateTag(current))) return { stale: current }', '']],
  },
  {
    what: 'publishing does not look at If-Match',
    file: 'server/bots/publish.ts',
    pieces: [
      ['!isStale(conditions, botStateTag(seen))', 'true'],
      ['if (isStale(conditions, botStateTag(current))) return { stale: current }', ''],
      ['if (isStale(conditions, botStateTag(bot))) return { stale: bot }', ''],
    ],
  },
  {
    what: 'an update is written onto whatever is there by then',
    file: 'server/bots/update.ts',
    pieces: [
      ['eq(table.id, id), eq(table.revision, revision), isBotVisible()', 'eq(table.id, id), isBotVisible()'],
    ],
  },
  {
    what: 'a remembered draft is not compared with the one in the database',
    file: 'server/documents/drafts.ts',
    pieces: [
      [
        'cached && cached.draftUpdatedAt === bot.draftUpdatedAt?.getTime() ? cached.draft : undefined',
        'cached?.draft',
      ],
    ],
  },
  {
    what: 'updatedAt is what the clock of the process says',
    file: 'server/bots/update.ts',
    pieces: [['new Date(Math.max(now.getTime(), current.updatedAt.getTime() + 1))', 'now']],
  },
  {
    what: 'an entity tag leaves out the state of the record',
    file: 'server/entity-tags.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source
    pieces: [['${id}-${digestState(shown)}', '${id}-0']],
  },
  {
    what: 'what is done for a key is outside of the transaction of the key',
    file: 'server/kit/idempotency.ts',
    pieces: [['const response = await run(tx)', 'const response = await run(db)']],
  },
  {
    what: 'a commit without an answer is taken for done',
    file: 'server/db/client.ts',
    pieces: [['throw new UnknownOutcome(error)', "return { command: 'COMMIT' }"]],
  },
  {
    what: 'a revoked token is let in for two more seconds',
    file: 'server/access/index.ts',
    pieces: [
      ['if (token.revokedAt)', 'if (token.revokedAt && now.getTime() > token.revokedAt.getTime() + 2_000)'],
    ],
  },
  {
    what: 'what somebody may do in a workspace is remembered for two seconds',
    file: 'server/access/index.ts',
    pieces: [
      [
        'await lookups(db)[need.kind]({ tokenHash, id })',
        "await recalled(need.kind, tokenHash, id, () => lookups(db)[need.kind as 'bot']({ tokenHash, id }))",
      ],
      [
        'const lastUseDays = new LRUCache',
        `const grants = new LRUCache<string, any>({ max: 10_000, ttl: 2_000 })
async function recalled(kind: string, tokenHash: string, id: string, ask: () => Promise<any>): Promise<any> {
  const known = kind + id + tokenHash
  const found = grants.get(known) ?? (await ask())
  if (kind === 'workspace' && found) grants.set(known, found)
  return found
}

const lastUseDays = new LRUCache`,
      ],
    ],
  },
  {
    what: 'what is deleted is found by its id',
    file: 'server/access/index.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source
    pieces: [['batch.id AND ${table.deletedAt} IS NULL', 'batch.id']],
  },
  {
    what: 'a turn of a chat is written onto whatever is there by then',
    file: 'server/chat/sessions/turn-statements.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source
    pieces: [[" AND revision = ${sql.placeholder('revision')}", '']],
  },
  {
    what: 'the flow of a bot is remembered for all its publications',
    file: 'server/chat/sessions/read-session.ts',
    pieces: [
      ['tools.flows.get(publicationId)', 'tools.flows.get(botId)'],
      ['tools.flows.set(publicationId,', 'tools.flows.set(botId,'],
    ],
  },
]

/** Everything of the project that a copy of the service does not need. */
const left = new Set(['.git', 'node_modules', 'tests', 'dist', '.data', '.cache'])

async function plant({ file, pieces }: Planted): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bots-planted-'))
  await cp(projectFolder, folder, {
    recursive: true,
    filter: (source) => !left.has(basename(source)),
  })
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'))
  let text = await readFile(join(folder, file), 'utf8')
  for (const [piece, other] of pieces) text = text.replace(piece, () => other)
  await writeFile(join(folder, file), text)
  return folder
}

/** Plants one bug after the other; says how long each takes to be found, within a minute. */
export async function findPlanted(seed: number, wanted: string[]): Promise<boolean> {
  let areFound = true
  // The first one is none, and nothing may be found.
  for (const [index, bug] of [{ what: 'nothing', file: 'package.json', pieces: [] }, ...planted].entries()) {
    if (wanted.length > 0 && !wanted.includes(String(index))) continue
    const folder = await plant(bug)
    try {
      const report = await runHistories({
        seed,
        milliseconds: 60_000,
        processes: 3,
        width: 2,
        isBroken: true,
        folder,
      })
      areFound &&= (report.violation !== undefined) === index > 0
      const how = report.violation?.message.split('\n')[0] ?? 'nothing found'
      const seconds = (report.took / 1_000).toFixed(1)
      console.log(`${index}. ${bug.what}: ${seconds} s, ${report.answers} answers: ${how}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return areFound
}
