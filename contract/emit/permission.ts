import { needOf, type Operation } from '../operation.ts'

/** Describes who may call an operation. There is no other policy. */
export function permissionOf(operation: Operation): string {
  const audit = operation.isAudited ? ' Its effect is in the audit log of the workspace.' : ''
  return `${permission(operation)}${audit}`
}

function permission(operation: Operation): string {
  const need = needOf(operation)
  const scope = publishedScopeOf(operation)
  const token = scope === undefined ? 'any token' : `a token with the scope \`${scope}\``
  switch (need.kind) {
    case 'anyone':
      return 'Permission: none; no token is needed.'
    case 'user': {
      const unbound = need.isUnbound ? ' that is bound to no workspace' : ''
      return `Permission: any user, by ${token}${unbound}.`
    }
    default: {
      const role = {
        ADMIN: 'an admin',
        MEMBER: 'a member or an admin',
        GUEST: 'a guest, a member or an admin',
      }[need.role]
      const share =
        need.kind === 'bot' && need.publicShare ? ', or any user when the bot is shared publicly' : ''
      const missing =
        need.missing === 'FORBIDDEN'
          ? ' A record that does not exist gets the same response as one without access.'
          : ''
      return `Permission: ${role} of the workspace${share}, by ${token}.${missing}`
    }
  }
}

/** The scope that a token needs; undefined for any token. */
export function publishedScopeOf(operation: Operation): string | undefined {
  const need = needOf(operation)
  return 'scope' in need && need.scope !== 'any' ? need.scope : undefined
}
