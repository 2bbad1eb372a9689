import type { CredentialsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Contexts } from '../context.ts'
import {
  credentialsOf,
  findCredentials,
  insertCredentials,
  removeCredentials,
  updateCredentials,
} from '../workspaces/credentials.ts'
import { KeyProblem } from '../workspaces/keyring.ts'

export const credentials: CredentialsHandlers<Contexts> = {
  async listCredentials(_request, reply, { db, grant }) {
    const rows = await credentialsOf(db, grant)
    return reply.ok({ credentials: rows.map(toCredentials) })
  },

  async createCredentials({ body }, reply, { db, keyring, grant, now }) {
    const row = await insertCredentials(db, keyring, grant, body, now).catch(asKeyProblem)
    if (row instanceof KeyProblem) return reply.fail('SERVICE_UNAVAILABLE', [noKey(row)])
    return row ? reply.ok({ credentials: toCredentials(row) }) : reply.fail('NOT_FOUND')
  },

  async getCredentials({ params }, reply, { db, grant }) {
    const row = await findCredentials(db, grant, params.credentialsId)
    return row ? reply.ok({ credentials: toCredentials(row) }) : reply.fail('NOT_FOUND')
  },

  async updateCredentials({ params, body }, reply, { db, keyring, grant, now }) {
    const before = await findCredentials(db, grant, params.credentialsId)
    if (!before) return reply.fail('NOT_FOUND')
    if (before.type !== body.type) {
      const message = `These credentials are of the type ${before.type}, which they keep`
      return reply.fail('BAD_REQUEST', [{ path: ['body', 'type'], code: 'invalid_value', message }])
    }
    const row = await updateCredentials(db, keyring, grant.caller, before, body, now).catch(asKeyProblem)
    if (row instanceof KeyProblem) return reply.fail('SERVICE_UNAVAILABLE', [noKey(row)])
    return row ? reply.ok({ credentials: toCredentials(row) }) : reply.fail('NOT_FOUND')
  },

  async deleteCredentials({ params }, reply, { db, grant, now }) {
    const row = await removeCredentials(db, grant, params.credentialsId, now)
    return row ? reply.ok({ credentials: toCredentials(row) }) : reply.fail('NOT_FOUND')
  },
}

function asKeyProblem(error: unknown): KeyProblem {
  if (error instanceof KeyProblem) return error
  throw error
}

function noKey({ message }: KeyProblem) {
  return { path: ['body', 'data'], code: 'no_encryption_key' as const, message }
}

type Row = NonNullable<Awaited<ReturnType<typeof findCredentials>>>

function toCredentials(row: Row): components['schemas']['StoredCredentials'] {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
