import type { Issue } from '../../contract/errors.ts'
import { scopes } from '../../contract/operation.ts'
import type { CreateToken, TokensHandlers } from '../../generated/handlers.ts'
import { type Caller, hasScope, revokedToken } from '../access/index.ts'
import { insertToken, isMember, revokeToken, toApiToken, tokenPage } from '../access/tokens.ts'
import type { Contexts } from '../context.ts'
import { readPage } from '../db/page.ts'
import { unauthorizedIssue } from '../kit/access.ts'

export const tokens: TokensHandlers<Contexts> = {
  async listTokens({ query }, respond, { db, grant, now, cursorKey }) {
    const { userId, boundTo } = grant.caller
    const list = await readPage(cursorKey, ['tokens', userId, boundTo ?? ''], query, (position, limit) =>
      tokenPage(db, grant, position, limit),
    )
    if ('issue' in list) return respond.fail('BAD_REQUEST', [list.issue])
    return respond.ok({
      apiTokens: list.page.map((row) => toApiToken(row, now)),
      nextCursor: list.nextCursor,
    })
  },

  async createToken({ body }, respond, { db, grant, now }) {
    const { caller } = grant
    const excess = beyond(caller, body)
    if (excess.length > 0) return respond.fail('FORBIDDEN', excess)
    const { workspaceId = caller.boundTo } = body
    if (body.workspaceId !== undefined && !(await isMember(db, caller.userId, body.workspaceId))) {
      return respond.fail('BAD_REQUEST', [noSuchWorkspace])
    }
    const newToken = await insertToken(
      db,
      {
        userId: caller.userId,
        name: body.name,
        expiresInDays: body.expiresInDays,
        scopes: body.scopes ? scopes.filter((scope) => body.scopes?.includes(scope)) : caller.scopes,
        workspaceId,
      },
      { by: caller, operation: 'createToken' },
      now,
    )
    if (!newToken) return respond.fail('UNAUTHORIZED', [unauthorizedIssue('revoked', revokedToken)])
    return respond.ok({ apiToken: { ...toApiToken(newToken.row, now), token: newToken.token } })
  },

  async revokeToken({ params }, respond, { db, grant, now }) {
    const row = await revokeToken(db, grant, params.tokenId, now)
    return row ? respond.ok({ apiToken: toApiToken(row, now) }) : respond.fail('NOT_FOUND')
  },
}

/** Returns an issue for each right of a requested token that exceeds those of the caller's token. */
function beyond(caller: Caller, { scopes = [], workspaceId }: CreateToken['body']): Issue[] {
  const issues = scopes.flatMap((scope, at): Issue[] =>
    hasScope(caller, scope)
      ? []
      : [
          {
            path: ['body', 'scopes', String(at)],
            code: 'missing_scope',
            message: `The token of this request has not got the scope \`${scope}\` itself`,
          },
        ],
  )
  if (workspaceId !== undefined && caller.boundTo !== null && workspaceId !== caller.boundTo) {
    issues.push({
      path: ['body', 'workspaceId'],
      code: 'bound_token',
      message: 'The token of this request is bound to another workspace',
    })
  }
  return issues
}

const noSuchWorkspace: Issue = {
  path: ['body', 'workspaceId'],
  code: 'unknown_workspace',
  message: 'You have no role in such a workspace',
}
