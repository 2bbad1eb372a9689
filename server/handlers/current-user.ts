import type { CurrentUserHandlers } from '../../generated/handlers.ts'
import { findCurrentUser } from '../access/current-user.ts'
import { unknownToken } from '../access/index.ts'
import { toApiToken } from '../access/tokens.ts'
import type { Contexts } from '../context.ts'
import { unauthorizedIssue } from '../kit/access.ts'
import { asProperty } from '../kit/json/json-text.ts'

export const currentUser: CurrentUserHandlers<Contexts> = {
  async getCurrentUser(_request, respond, { db, grant, now }) {
    const found = await findCurrentUser(db, grant)
    // A job removes tokens that ended long ago.
    if (!found) return respond.fail('UNAUTHORIZED', [unauthorizedIssue('unknown', unknownToken)])
    const { user, token, workspaces } = found
    return respond.ok({ user, token: toApiToken(token, now), workspaces: asProperty(workspaces) })
  },
}
