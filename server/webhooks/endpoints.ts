import { and, count, desc, eq, getTableColumns, gt, isNotNull, sql } from 'drizzle-orm'
import type { Conditions } from '../../contract/kit/operation.ts'
import type { CreateWebhookEndpoint } from '../../generated/handlers.ts'
import type { WorkspaceGrant } from '../access/index.ts'
import { newEntry, writeEntry } from '../audit/log.ts'
import { type Database, type Transaction, transact } from '../db/client.ts'
import { after, newestFirst, type Position } from '../db/page.ts'
import {
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
  webhookEvents as events,
} from '../db/schema.ts'
import { digestRecordState } from '../entity-tags.ts'
import { newId } from '../ids.ts'
import { hasConditions, isStale } from '../kit/conditions.ts'
import { JsonText } from '../kit/json/json-text.ts'
import { type Key, KeyProblem } from '../workspaces/keyring.ts'
import { holdWorkspace, laterThan } from '../workspaces/rows.ts'
import { isOfDeleted } from './deleted-results.ts'
import { hurryDeliveries } from './failures.ts'
import { notifyAfterCommit } from './outbox.ts'
import { sealSecrets } from './secrets.ts'

export type EndpointRow = typeof endpoints.$inferSelect
export type DeliveryRow = typeof deliveries.$inferSelect
/** With the data of its event. */
export type FullDelivery = DeliveryRow & { data: JsonText }

const MAX_ENDPOINTS = 20

/** Time for which the previous secret remains valid after a rotation, in milliseconds. */
const ROTATION_PERIOD_MS = 24 * 60 * 60 * 1000

/** The endpoints of a workspace, newest first. */
export function endpointsOf(db: Database, { workspace }: WorkspaceGrant): Promise<EndpointRow[]> {
  return db
    .select()
    .from(endpoints)
    .where(eq(endpoints.workspaceId, workspace.id))
    .orderBy(desc(endpoints.id))
}

export async function endpointOf(
  db: Database,
  grant: WorkspaceGrant,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.select().from(endpoints).where(isIn(grant, id))
  return row
}

/** Adds an endpoint; `full` if the workspace has the maximum number, `deleted` if it was deleted meanwhile. */
export async function insertEndpoint(
  db: Database,
  { workspace, caller }: WorkspaceGrant,
  given: CreateWebhookEndpoint['body'],
  key: Key,
  secret: string,
  now: Date,
): Promise<EndpointRow | 'full' | 'deleted'> {
  return transact(db, async (tx) => {
    // Serialises concurrent additions, and precedes a deletion of the workspace.
    if (!(await holdWorkspace(tx, workspace.id, 'no key update'))) return 'deleted'
    const [known] = await tx
      .select({ number: count() })
      .from(endpoints)
      .where(eq(endpoints.workspaceId, workspace.id))
    if ((known?.number ?? 0) >= MAX_ENDPOINTS) return 'full'
    const { url, description = null, types = null, isEnabled = true } = given
    const owner = { id: newId(now), workspaceId: workspace.id }
    const values = {
      ...owner,
      ...sealSecrets(key, owner, [secret]),
      url,
      description,
      types,
      isEnabled,
      createdAt: now,
      updatedAt: now,
    }
    const [row] = await tx.insert(endpoints).values(values).returning()
    const deed = { by: caller, operation: 'createWebhookEndpoint' } as const
    await writeEntry(tx, newEntry(workspace.id, deed, values.id, now, { url }))
    return row ?? 'deleted'
  })
}

/** The state that a condition of a write compares: what a read shows. */
export function endpointState(row: EndpointRow): string {
  const {
    secrets: _,
    secretsKeyId: __,
    rotatesUntil: ___,
    failures: ____,
    pausedUntil: _____,
    ...shown
  } = row
  return digestRecordState(row.id, shown)
}

/** The endpoint, locked, where it is in another state than the conditions want. */
async function staleEndpoint(
  tx: Transaction,
  grant: WorkspaceGrant,
  id: string,
  conditions: Conditions,
): Promise<EndpointRow | undefined> {
  if (!hasConditions(conditions)) return undefined
  const [row] = await tx.select().from(endpoints).where(isIn(grant, id)).for('update')
  return row && isStale(conditions, endpointState(row)) ? row : undefined
}

/**
 * Changes the given fields; undefined if there is no such endpoint. Enabling it or a new address resets it: either
 * enables an endpoint that the service has disabled, and its waiting deliveries are due immediately.
 */
export async function updateEndpoint(
  db: Database,
  grant: WorkspaceGrant,
  id: string,
  given: Partial<Pick<EndpointRow, 'url' | 'description' | 'types' | 'isEnabled'>>,
  conditions: Conditions,
  now: Date,
): Promise<EndpointRow | { stale: EndpointRow } | undefined> {
  return transact(db, async (tx) => {
    const [before] = await tx.select().from(endpoints).where(isIn(grant, id)).for('update')
    if (!before) return undefined
    if (hasConditions(conditions) && isStale(conditions, endpointState(before))) return { stale: before }
    const changed = Object.entries(given).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof given]),
    )
    const isAgain =
      given.isEnabled === true && (before.failingSince !== null || before.disabledReason !== null)
    const isOff = given.isEnabled === false && before.disabledReason !== null
    if (changed.length === 0 && !isAgain && !isOff) return before
    const change = Object.fromEntries(changed) as typeof given
    const isOn =
      given.isEnabled ?? (before.isEnabled || (change.url !== undefined && before.disabledReason !== null))
    const isChance = isOn && (isAgain || !before.isEnabled || change.url !== undefined)
    const [row] = await tx
      .update(endpoints)
      .set({
        ...change,
        isEnabled: isOn,
        ...(isChance ? { failures: 0, failingSince: null, pausedUntil: null } : {}),
        // Switched off by an admin, it is not off for a reason of the service.
        ...(isChance || given.isEnabled === false ? { disabledReason: null } : {}),
        updatedAt: laterThan(endpoints.updatedAt, now),
      })
      .where(isIn(grant, id))
      .returning()
    if (!row) return undefined
    if (isChance) await hurryDeliveries(tx, id)
    const deed = { by: grant.caller, operation: 'updateWebhookEndpoint' } as const
    const names = changed.map(([name]) => name)
    await writeEntry(tx, newEntry(row.workspaceId, deed, id, now, { url: row.url, changed: names }))
    notifyAfterCommit(tx)
    return row
  })
}

/** Its deliveries are left to be forgotten; nothing is sent to an endpoint that is not there. */
export async function deleteEndpoint(
  db: Database,
  grant: WorkspaceGrant,
  id: string,
  conditions: Conditions,
  now: Date,
): Promise<boolean | { stale: EndpointRow }> {
  return transact(db, async (tx) => {
    const stale = await staleEndpoint(tx, grant, id, conditions)
    if (stale) return { stale }
    const [row] = await tx.delete(endpoints).where(isIn(grant, id)).returning()
    if (!row) return false
    const deed = { by: grant.caller, operation: 'deleteWebhookEndpoint' } as const
    await writeEntry(tx, newEntry(row.workspaceId, deed, id, now, { url: row.url }))
    return true
  })
}

/**
 * Gives an endpoint another secret; the one before, which `open` reads, stays good for a day. Undefined where there is
 * no such endpoint.
 */
export async function rotateSecret(
  db: Database,
  grant: WorkspaceGrant,
  id: string,
  key: Key,
  secret: string,
  open: (row: EndpointRow) => string[],
  now: Date,
): Promise<{ rotatesUntil: Date } | undefined> {
  const rotatesUntil = new Date(now.getTime() + ROTATION_PERIOD_MS)
  return transact(db, async (tx) => {
    const [before] = await tx.select().from(endpoints).where(isIn(grant, id)).for('update')
    if (!before) return undefined
    let earlierSecrets: string[] = []
    try {
      earlierSecrets = open(before).slice(0, 1)
    } catch (error) {
      // Secrets that cannot be decrypted any more are useless.
      if (!(error instanceof KeyProblem)) throw error
    }
    await tx
      .update(endpoints)
      .set({
        ...sealSecrets(key, before, [secret, ...earlierSecrets]),
        rotatesUntil,
        updatedAt: laterThan(endpoints.updatedAt, now),
      })
      .where(isIn(grant, id))
    const deed = { by: grant.caller, operation: 'rotateWebhookSecret' } as const
    await writeEntry(tx, newEntry(before.workspaceId, deed, id, now))
    return { rotatesUntil }
  })
}

const isIn = ({ workspace }: WorkspaceGrant, id: string) =>
  and(eq(endpoints.id, id), eq(endpoints.workspaceId, workspace.id))

/** Puts a test event on its way. Its subject is its own, so that nothing it waits for can be in front of it. */
export async function insertTest(
  db: Database,
  { id: endpointId }: EndpointRow,
  now: Date,
): Promise<FullDelivery> {
  const id = newId(now)
  const event = { botId: endpointId, subject: id, id }
  const text = JSON.stringify({ endpointId })
  const data = new JsonText(text)
  return transact(db, async (tx) => {
    await tx.insert(events).values({ ...event, data })
    const values = { type: 'endpoint.test', size: text.length, createdAt: now, nextAttemptAt: new Date(0) }
    const [row] = await tx
      .insert(deliveries)
      .values({ ...event, endpointId, seq: 0, ...values })
      .returning()
    notifyAfterCommit(tx)
    return { ...(row as DeliveryRow), data }
  })
}

const isOf = ({ workspace }: WorkspaceGrant, endpointId: string) =>
  and(eq(deliveries.endpointId, endpointId), eq(endpoints.workspaceId, workspace.id))

const toEndpoint = eq(endpoints.id, deliveries.endpointId)

/** Deliveries to an endpoint after a position, newest first; none where the workspace has no such endpoint. */
export function deliveryPage(
  db: Database,
  grant: WorkspaceGrant,
  endpointId: string,
  position: Position,
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .select(getTableColumns(deliveries))
    .from(deliveries)
    .innerJoin(endpoints, toEndpoint)
    .where(and(isOf(grant, endpointId), after(deliveries.createdAt, deliveries.id, position)))
    .orderBy(...newestFirst(deliveries.createdAt, deliveries.id))
    .limit(limit)
}

export async function deliveryOf(
  db: Database,
  grant: WorkspaceGrant,
  endpointId: string,
  id: string,
): Promise<FullDelivery | undefined> {
  const [row] = await db
    .select({ ...getTableColumns(deliveries), data: events.data })
    .from(deliveries)
    .innerJoin(endpoints, toEndpoint)
    .innerJoin(
      events,
      and(
        eq(events.botId, deliveries.botId),
        eq(events.subject, deliveries.subject),
        eq(events.id, deliveries.id),
      ),
    )
    .where(and(isOf(grant, endpointId), eq(deliveries.id, id)))
  return row
}

/**
 * Makes a delivery due again, with all its attempts, and with it the deliveries behind it. One that is being sent is
 * sent once more after that. Undefined if there is no such delivery, false if the endpoint is not enabled.
 */
export async function redeliver(
  db: Database,
  grant: WorkspaceGrant,
  endpointId: string,
  id: string,
): Promise<boolean | 'deleted' | undefined> {
  // A separate statement: a cluster plans an update joined with a reference table in two rounds.
  const endpoint = await endpointOf(db, grant, endpointId)
  const delivery = endpoint && (await deliveryOf(db, grant, endpointId, id))
  if (!delivery) return undefined
  if (await isOfDeleted(db, delivery)) return 'deleted'
  // Tests reach an endpoint that is not enabled as well.
  if (!endpoint.isEnabled && delivery.type !== 'endpoint.test') return false
  const isFound = await transact(db, async (tx) => {
    const [found] = await tx
      .update(deliveries)
      .set({ nextAttemptAt: new Date(0), isDelivered: false, attemptsBefore: sql`${deliveries.attempts}` })
      .where(and(eq(deliveries.endpointId, endpointId), eq(deliveries.id, id)))
      .returning({ botId: deliveries.botId, subject: deliveries.subject, seq: deliveries.seq })
    if (!found) return false
    await tx
      .update(deliveries)
      .set({ nextAttemptAt: new Date(0) })
      .where(
        and(
          eq(deliveries.botId, found.botId),
          eq(deliveries.endpointId, endpointId),
          eq(deliveries.subject, found.subject),
          gt(deliveries.seq, found.seq),
          isNotNull(deliveries.nextAttemptAt),
        ),
      )
    return true
  })
  if (isFound) notifyAfterCommit(db)
  return isFound || undefined
}
