import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { MAX_FINDINGS } from '../../contract/publications.ts'
import type { Pace, Services } from '../context.ts'
import type { FlowDocument } from '../documents/conversion/index.ts'
import { type Draft, parseDraft } from '../documents/drafts.ts'
import { credentialTypes } from '../workspaces/credentials.ts'
import type { CheckedService } from './checks/service.ts'
import { workInTurns } from './checks/turns.ts'
import { type Finding, findingsOf } from './flow-check.ts'
import type { BotRow } from './rows.ts'

/** Result of a check: as many findings as a response may have, and the number of findings of each severity. */
export interface FlowCheck {
  findings: Finding[]
  errorsFound: number
  warningsFound: number
}

/** All findings together, as JSON: each may have a long path, and there may be many. */
const MAX_FINDINGS_BYTES = 400_000

/** As JSON, with a key for each. */
const MAX_CACHED_CHECK_BYTES = 8 * 1024 * 1024

/** Recent checks of drafts, by bot, change of the draft, and their other dependencies. */
export const checks = new LRUCache<string, { check: FlowCheck; size: number }>({
  maxSize: MAX_CACHED_CHECK_BYTES,
  sizeCalculation: ({ size }) => size + 200,
})

/** Features of this installation and of the workspace that a check needs. */
export async function checkedService(
  { db, chat, files, config }: Pick<Services, 'db' | 'chat' | 'files' | 'config'>,
  { workspaceId, customDomain }: { workspaceId: string; customDomain: string | null },
): Promise<CheckedService> {
  const credentials = await credentialTypes(db, workspaceId)
  return {
    hasChatHost: config.CHAT_URL !== undefined || (config.PUBLIC_URL !== undefined && customDomain !== null),
    hasMail: chat.sendEmail !== null,
    hasFiles: files !== null,
    credentials,
    findPermanentRejection: chat.findPermanentRejection,
  }
}

/** Checks a draft, unless it was checked before and nothing has changed since. */
export async function checkDraft(
  bot: BotRow,
  draft: Draft,
  service: CheckedService,
  pace: Pace,
): Promise<FlowCheck> {
  const state = [
    bot.version,
    bot.draftUpdatedAt,
    { ...service, credentials: [...(service.credentials ?? [])].sort() },
  ]
  const key = `${bot.id} ${hash('sha256', JSON.stringify(state), 'base64')}`
  const known = checks.get(key)
  if (known) return known.check
  const { isWhole, size, ...check } = await collect(bot.workspaceId, pace, function* () {
    const document = parseDraft(bot.version, draft)
    yield
    yield* findingsOf(document, service)
  })
  if (isWhole) checks.set(key, { check, size })
  return check
}

/** Checks a document that is not stored yet; of the findings only those with one of these codes are listed. */
export async function checkDocument(
  workspaceId: string,
  document: FlowDocument,
  service: CheckedService,
  pace: Pace,
  listed?: ReadonlySet<string>,
): Promise<FlowCheck> {
  const {
    isWhole: _,
    size: __,
    ...check
  } = await collect(workspaceId, pace, () => findingsOf(document, service), listed)
  return check
}

async function collect(
  workspaceId: string,
  pace: Pace,
  find: () => Generator<Finding | undefined, void>,
  listed?: ReadonlySet<string>,
): Promise<FlowCheck & { isWhole: boolean; size: number }> {
  const check = { findings: [] as Finding[], errorsFound: 0, warningsFound: 0 }
  let size = 0
  const steps = function* () {
    for (const found of find()) {
      yield
      if (!found) continue
      check[found.severity === 'error' ? 'errorsFound' : 'warningsFound'] += 1
      if (listed && !listed.has(found.code)) continue
      if (check.findings.length === MAX_FINDINGS || size >= MAX_FINDINGS_BYTES) continue
      size += Buffer.byteLength(JSON.stringify(found))
      check.findings.push(found)
    }
  }
  const isWhole = await workInTurns(workspaceId, steps(), pace)
  if (!isWhole) {
    check.findings.length = Math.min(check.findings.length, MAX_FINDINGS - 1)
    check.findings.push(incomplete)
    check.warningsFound += 1
  }
  return { ...check, isWhole, size }
}

/** The last finding of a check that had no more time. */
const incomplete: Finding = {
  path: [],
  code: 'check_incomplete',
  message:
    'The check took too long, so only a part of the flow was looked at. Split the bot, or shorten its code.',
  severity: 'warning',
}

/** A check that there was no time for at all. */
export const incompleteCheck: FlowCheck = { findings: [incomplete], errorsFound: 0, warningsFound: 1 }
