import type { Issue } from '../../contract/errors.ts'
import type { CredentialsHandlers } from '../../generated/handlers.ts'
import type { components } from '../../generated/openapi.ts'
import type { Contexts } from '../context.ts'
import { entityTag } from '../entity-tags.ts'
import { asObject } from '../json/access.ts'
import { withInstalledClient } from '../outbound/google-account.ts'
import {
  credentialsOf,
  credentialsState,
  findCredentials,
  insertCredentials,
  removeCredentials,
  tryCredentials,
  updateCredentials,
} from '../workspaces/credentials.ts'
import { type Key, KeyProblem } from '../workspaces/keyring.ts'
import { currentKey } from '../workspaces/sealed-rows.ts'
import { testCredentials } from '../workspaces/test-credentials.ts'

export const credentials: CredentialsHandlers<Contexts> = {
  async listCredentials(_request, respond, { db, grant }) {
    const rows = await credentialsOf(db, grant)
    return respond.ok({ credentials: rows.map(toCredentials) })
  },

  async createCredentials({ body }, respond, context) {
    const { grant, now, within } = context
    const key = await readKey(context)
    if (!key) return respond.fail('SERVICE_UNAVAILABLE', [noKey])
    return within(async (db) => {
      const row = await insertCredentials(db, key, grant, body, now)
      if (row === 'full') return respond.fail('FORBIDDEN', [tooMany])
      return row === 'deleted' ? respond.fail('NOT_FOUND') : respond.ok({ credentials: toCredentials(row) })
    })
  },

  async getCredentials({ params, conditions }, respond, { db, grant }) {
    const row = await findCredentials(db, grant, params.credentialsId)
    if (!row) return respond.fail('NOT_FOUND')
    const etag = tagOf(row)
    return respond.notModified(conditions, etag) ?? respond.ok({ credentials: toCredentials(row) }, etag)
  },

  async updateCredentials({ params, body, conditions }, respond, context) {
    const { grant, now, within } = context
    const key = body.data && (await readKey(context))
    return within(async (db) => {
      const before = await findCredentials(db, grant, params.credentialsId)
      if (!before) return respond.fail('NOT_FOUND')
      if (before.type !== body.type) {
        const message = `These credentials are of the type ${before.type}, which they keep`
        return respond.fail('BAD_REQUEST', [{ path: ['body', 'type'], code: 'invalid_value', message }])
      }
      if (body.data && !key) return respond.fail('SERVICE_UNAVAILABLE', [noKey])
      const outcome = await updateCredentials(db, key, grant.caller, before, body, conditions, now)
      if (!outcome) return respond.fail('NOT_FOUND')
      if ('stale' in outcome) return respond.preconditionFailed(conditions, tagOf(outcome.stale))
      return respond.ok({ credentials: toCredentials(outcome) }, tagOf(outcome))
    })
  },

  async testCredentials({ params }, respond, context) {
    const { grant, chat: tools, config, slot, now, within } = context
    const opened = await tryCredentials(context, grant.workspace.id, params.credentialsId)
    if (opened === 'unreadable') return respond.fail('SERVICE_UNAVAILABLE', [unreadable])
    if (!opened) return respond.fail('NOT_FOUND')
    const data = withInstalledClient(asObject(opened.data), config)
    const test = await slot.releaseDuring(() => testCredentials(tools, { type: opened.type, data }, now))
    return within(async () => respond.ok({ test }))
  },

  async deleteCredentials({ params, conditions }, respond, { db, grant, now }) {
    const outcome = await removeCredentials(db, grant, params.credentialsId, conditions, now)
    if (!outcome) return respond.fail('NOT_FOUND')
    if ('stale' in outcome) return respond.preconditionFailed(conditions, tagOf(outcome.stale))
    return respond.ok({ credentials: toCredentials(outcome) })
  },
}

/** Reads the key to encrypt with, which can be in a file, before a transaction begins; undefined where there is none. */
export async function readKey({ db, keyring, log, slot }: Contexts['anyone']): Promise<Key | undefined> {
  try {
    return await slot.releaseDuring(() => currentKey(db, keyring))
  } catch (error) {
    if (!(error instanceof KeyProblem)) throw error
    log.error({ err: error }, 'secrets cannot be encrypted')
    return undefined
  }
}

const noKey: Issue = {
  path: ['body', 'data'],
  code: 'no_encryption_key',
  message:
    'This installation has no key to encrypt with: the operator has to set ENCRYPTION_KEY, or finds the cause in the log',
}

const unreadable: Issue = {
  path: ['path', 'credentialsId'],
  code: 'no_encryption_key',
  message: 'The credentials cannot be read: the log of the service says why',
}

const tooMany: Issue = {
  path: ['path', 'workspaceId'],
  code: 'quota_exceeded',
  message: 'A workspace can have 200 credentials: delete some that no bot uses',
}

function tagOf(row: Row): string {
  return entityTag(credentialsState(row), null)
}

type Row = NonNullable<Awaited<ReturnType<typeof findCredentials>>>

function toCredentials(row: Row): components['schemas']['StoredCredentials'] {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
