import type express from 'express'
import type { Operation as KitOperation } from '../../contract/kit/operation.ts'
import { type Need, needOf, type Operation } from '../../contract/operation.ts'
import { expiresSoon } from '../../contract/tokens.ts'
import { VIEWER_HEADER } from '../../contract/viewer.ts'
import { authenticate, authorise, type Sender } from '../access/authenticate.ts'
import { readCredential } from '../access/bearer-tokens.ts'
import type { Authorization } from '../access/index.ts'
import type { Contexts, Services } from '../context.ts'
import type { Database } from '../db/client.ts'
import { visitedDomain, visitedUrl } from '../hosts/visited.ts'
import type { AccessChecks } from '../kit/access.ts'
import { type Limits, networkOf } from '../kit/limits.ts'
import type { PreferredOutcome } from '../kit/preferred-outcomes.ts'
import { createRouter, type HandlerContext } from '../kit/router.ts'
import { scanBody } from './document-body.ts'
import { keyStore } from './key-store.ts'
import { missingRecord, missingRole } from './rejection-issues.ts'

/** Runs the operations of this service: its access, its tables of keys and the context of its handlers. */
export function createOperations(
  operations: Record<string, Operation>,
  handlers: Record<string, unknown>,
  services: Services,
  limits: Limits,
  preferredOutcome?: PreferredOutcome,
): express.RequestHandler {
  const { db, reads, config, log, now, cursorKey, chat, keyring, files, publicUrl, quotas, countMessage } =
    services
  return createRouter<Database>(operations, handlers, {
    db,
    now,
    log,
    limits,
    access: createAccessChecks(db),
    keys: keyStore,
    contextOf: ({ request, grant, ...given }: HandlerContext<Database>) => {
      // Written out: on Node 20, adding a property to the result of a spread takes a microsecond.
      const context: Contexts['anyone'] & { grant: unknown } = {
        db: given.db,
        reads,
        config,
        log,
        cursorKey,
        chat,
        keyring,
        files,
        publicUrl,
        countMessage,
        now: given.now,
        arrivedAt: given.arrivedAt,
        once: given.once,
        slot: given.slot,
        pace: given.pace,
        // Functions, since few operations need them: V8 would retain the referents of a getter until it collects the
        // heap.
        quota: () => quotas(networkOf(request)),
        network: () => networkOf(request),
        visitedUrl: visitedUrl(request, config.PUBLIC_URL),
        visitedDomain: visitedDomain(request),
        within: given.within,
        completeKey: given.completeKey,
        grant,
      }
      return context
    },
    explain: (code, operation, params) =>
      code === 'NOT_FOUND'
        ? missingRecord(asServiceOperation(operation), params)
        : missingRole(asServiceOperation(operation), params),
    publicUrl,
    corsOrigins: config.CORS_ORIGINS,
    bodyTimeout: config.REQUEST_QUEUE_TIMEOUT,
    scanBody: (operation, bytes) => scanBody(asServiceOperation(operation), bytes),
    visitorHeaders: config.TYPEBOT_VIEWER ? [VIEWER_HEADER] : [],
    ...(preferredOutcome && { preferredOutcome }),
  })
}

/** The router hands back the operations that it was given. */
const asServiceOperation = (operation: KitOperation) => operation as Operation

function createAccessChecks(db: Database): AccessChecks {
  const needs = new Map<KitOperation, Need>()
  const need = (operation: KitOperation) => {
    const found = needs.get(operation) ?? needOf(asServiceOperation(operation))
    needs.set(operation, found)
    return found
  }
  return {
    readCredential,
    authenticate: (operation, credential, id, now) => authenticate(db, need(operation), credential, id, now),
    authorise: (operation, sender, id, now) => authorise(db, need(operation), sender as Sender, id, now),
    keyScopeOf: (grant) => {
      const { bot } = (grant ?? {}) as { bot?: { id: string } }
      return bot?.id
    },
    recordCaller: (response, authorization, now) =>
      recordCaller(response, authorization as Authorization, now),
  }
}

/** Sets caller and record for the log, and headers about the caller's token. */
function recordCaller(response: express.Response, { caller, ...outcome }: Authorization, now: Date) {
  if (!caller) return
  const { userId, tokenId, expiresAt } = caller
  const { locals } = response
  locals.caller = { userId, tokenId }
  if (expiresAt && expiresSoon(expiresAt, now)) {
    response.setHeader('Authentication-Token-Expiration', expiresAt.toISOString())
  }
  if (!('grant' in outcome) || !outcome.grant) return
  const { grant } = outcome
  if ('workspace' in grant) locals.owner = grant.workspace.id
  else if ('folder' in grant) locals.owner = grant.folder.workspaceId
  else if ('bot' in grant) locals.owner = grant.bot.workspaceId
}
