import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type OperationId, operations } from '../contract/index.ts'
import { needOf, type Operation, type Role, type Scope, scopes } from '../contract/operation.ts'
import { cases } from './cases/index.ts'
import { expectUnchanged, inputOf, type Prepared, type RefusalSubject } from './kit/refusals/check.ts'
import { checks, idsFor } from './kit/refusals.ts'
import { type CaseRequest, call } from './kit/subject.ts'
import { type App, startApp } from './support/app.ts'
import { type Case, limited, missingId, type Needs } from './support/cases.ts'
import type { Caller } from './support/client.ts'
import { clear, digestOf } from './support/rows.ts'
import { ofEachKind } from './support/runs.ts'
import { makeWorld, type World } from './support/world.ts'

/*
 * Rejections of every operation: those of the kit, which follow from the contract, and those that follow from the roles
 * of this service and from `needs` of the cases. Nobody writes these for a new operation.
 *
 * `make test` tests for every operation the callers without a right. The router decides the rest for operations of
 * one kind alike, so `make test` tests one operation of each kind; `make test-long` tests all.
 */

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app.stop())

const ids = Object.keys(operations) as OperationId[]
const withToken = ids.filter((id) => contractOf(id).access.kind !== 'anyone')
const withRole = ids.filter((id) => 'role' in contractOf(id).access)

/** Operations that differ in what they ask of their callers, or in what of a request they read. */
const kinds = {
  access: (id: OperationId) => [contractOf(id).access, needsOf(id), needOf(operations[id])],
  input: (id: OperationId) => inputOf(contractOf(id)),
}
const ofEachAccess = (some: OperationId[]) => ofEachKind(some, kinds.access)

const subject: RefusalSubject = {
  operations,
  send: (...given) => app.client.send(...given),
  stored: async () => JSON.stringify([...(await digestOf(app))]),
  prepare: (id) => prepare(id as OperationId),
  missingId,
  scopes: {
    all: scopes,
    of: (id) => (scopeOf(id as OperationId) === 'any' ? undefined : scopeOf(id as OperationId)),
    limit: (as, list) => limited(app, as, { scopes: list as Scope[] }),
  },
}

describe.each(checks)('An operation $title', (check) => {
  const wanted = idsFor(check, subject) as OperationId[]
  test.each(check.varies ? ofEachKind(wanted, kinds[check.varies]) : wanted)('%s', (id) =>
    check.run(subject, id),
  )
})

describe('permissions', () => {
  test.each(ids)('%s requires in the contract what the cases say', (id) => {
    const { access } = contractOf(id)
    const shared = 'publicShare' in access && access.publicShare ? ' or shared' : ''
    const asked = { user: 'token', anyone: 'nothing' }[access.kind as string]
    // Every user may do this to themselves; the handler rejects it for other users.
    const needs = needsOf(id).replace('ADMIN or oneself', 'GUEST')
    expect(asked ?? `${(access as { role: Role }).role}${shared}`).toBe(needs)
  })

  test('the contract requires the listed scopes; a new operation gets its scope here too', () => {
    // Beside the contract's own statement, as the one other place that says so; all else is by the method.
    const special: Record<string, OperationId[]> = {
      results: [
        'listResults',
        'deleteResults',
        'getResult',
        'getTranscript',
        'listResultLogs',
        'exportResults',
      ],
      'chat-admin': [
        'executeWebhook',
        'listChats',
        'listWorkspaceChats',
        'getChat',
        'updateChat',
        'sendMessage',
        'updateTypingSign',
      ],
      any: ['getCurrentUser'],
    }
    for (const id of withToken) {
      const named = Object.keys(special).find((scope) => special[scope]?.includes(id))
      expect([id, scopeOf(id)]).toEqual([id, named ?? (contractOf(id).method === 'get' ? 'read' : 'write')])
    }
  })

  test.each(ofEachAccess(withRole))('%s is not allowed by the scope without a role', async (id) => {
    const { world, request } = await prepare(id)
    const { guest, member } = world.here
    const lower = [world.stranger, ...[guest, member].slice(0, rankNeededFor(id))]
    const callers = await Promise.all(lower.map((as) => limited(app, as, { scopes: [scopeOf(id) as Scope] })))
    await expectUnchanged(subject, async () => {
      for (const as of callers) {
        const { issues } = (await send(id, { ...request, as })).body
        expect(issues).toEqual([
          expect.objectContaining({ code: expect.stringMatching(/^(no_role|role_too_low)$/) }),
        ])
      }
    })
  })

  test.each(ofEachAccess(withRole))('%s works with a bound token in its workspace alone', async (id) => {
    const { world, request } = await prepare(id)
    const { here, there } = world
    const as = request.as as Caller
    // Its owner has every role in both, so it is the token which is rejected.
    await app.pool.query(
      `INSERT INTO workspace_members (workspace_id, user_id, role, created_at)
      SELECT $1, owner_user_id, 'ADMIN', now() FROM api_tokens
      WHERE token_hash = sha256($2::bytea) ON CONFLICT DO NOTHING`,
      [there.workspaceId, as.token],
    )
    const elsewhere = await limited(app, as, { workspaceId: there.workspaceId })
    const inside = await limited(app, as, { workspaceId: here.workspaceId })
    await expectUnchanged(subject, async () => {
      const answer = await send(id, { ...request, as: elsewhere })
      expect([answer.status, answer.body.issues.length]).toEqual([403, 1])
    })
    expect((await send(id, { ...request, as: inside })).status).toBe(successOf(id))
  })

  const onBots = withRole.filter((id) => contractOf(id).access.kind === 'bot')
  test.each(ofEachAccess(onBots))('%s is open to any user for a shared bot only if it reads', async (id) => {
    const { world, request } = await prepare(id)
    const botId = world.here.shared.id
    const answer = await send(id, { ...request, as: world.stranger, params: { ...request.params, botId } })
    expect(answer.status).toBe(needsOf(id) === 'GUEST or shared' ? 200 : 403)
  })
})

function contractOf(id: OperationId): Operation {
  return operations[id]
}

function scopeOf(id: OperationId) {
  const need = needOf(operations[id])
  if (!('scope' in need)) throw new Error(`${id} needs no token`)
  return need.scope
}

function needsOf(id: OperationId): Needs {
  const { needs } = cases[id] ?? {}
  if (!needs) throw new Error(`Say in tests/cases what ${id} needs: \`needs: 'MEMBER'\` or another`)
  return needs
}

/** The place of the least role among guest, member and admin. */
function rankNeededFor(id: OperationId): number {
  return ['GUEST', 'MEMBER', 'ADMIN'].indexOf(needsOf(id).replace(/ or .*/, ''))
}

function successOf(id: OperationId): number {
  return contractOf(id).success.status
}

function send(id: OperationId, request: CaseRequest) {
  return call(subject.send, contractOf(id), request)
}

/** A world that is alone in the database, the request of the first `ok` case in it, and the callers around that. */
async function prepare(id: OperationId): Promise<Prepared & { world: World }> {
  await clear(app.pool)
  const world = await makeWorld(app)
  const ok = cases[id]?.ok as Case | Record<string, Case>
  const first = typeof ok === 'function' ? ok : Object.values(ok)[0]
  const request = await first?.(world, app)
  if (!request) throw new Error(`${id} has no case to start from`)
  const { here, there, stranger } = world
  const rank = rankNeededFor(id)
  const noRole = [stranger, there.admin, there.member, there.guest].map((as) => ({ as, issue: 'no_role' }))
  const lower = [here.guest, here.member].slice(0, rank).map((as) => ({ as, issue: 'role_too_low' }))
  return {
    world,
    request,
    outsiders: [...noRole, ...lower].map((one) => ({ ...one, code: 'FORBIDDEN' })),
    insiders: [here.guest, here.member, here.admin].slice(rank),
    wrongTokens: wrongTokens(world, request.as?.token ?? ''),
  }
}

function wrongTokens({ unknown, expired, revoked }: World, token: string): Prepared['wrongTokens'] {
  const malformed = [
    'garbage',
    // A wrong checksum, one character too few of it, and far too many.
    `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    token.slice(0, -6),
    'x'.repeat(10_000),
  ]
  return [
    ...malformed.map((text) => ({ token: text, issue: 'malformed' })),
    { token: unknown.token, issue: 'unknown' },
    { token: expired.token, issue: 'expired' },
    { token: revoked.token, issue: 'revoked' },
  ]
}
