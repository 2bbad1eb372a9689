import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Issue } from '../contract/errors.ts'
import { type OperationId, operations } from '../contract/index.ts'
import { errorBody } from '../contract/kit/errors.ts'
import { errorsOf } from '../contract/kit/operation.ts'
import type { z } from '../contract/kit/zod.ts'
import { type Access, needOf, type Operation, type Role, type Scope, scopes } from '../contract/operation.ts'
import { cases } from './cases/index.ts'
import { type App, startApp } from './support/app.ts'
import { type Case, type CaseRequest, limited, missingId, type Needs } from './support/cases.ts'
import { type Answer, type Caller, type SendOptions, targetOf } from './support/client.ts'
import { clear, digestOf } from './support/rows.ts'
import { ofEachKind } from './support/runs.ts'
import { makeWorld, type World } from './support/world.ts'

/*
 * Rejections of every operation, derived from the contract and from `needs` of the cases: nobody writes these for a
 * new operation. Each test starts from the first `ok` case of the operation and spoils it.
 *
 * `make test` tests for every operation the callers without a right. The router decides the rest for operations of
 * one kind alike, so `make test` tests one operation of each kind; `make test-long` tests all.
 */

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => app.stop())
beforeEach(() => clear(app.pool))

const ids = Object.keys(operations) as OperationId[]
const withToken = ids.filter((id) => contractOf(id).access.kind !== 'anyone')
const withRole = ids.filter((id) => 'role' in contractOf(id).access)
const publicOperations = ids.filter((id) => contractOf(id).access.kind === 'anyone')

/** Operations that differ in what they ask of their callers, or in what of a request they read. */
const kinds = {
  access: (id: OperationId) => [contractOf(id).access, needsOf(id), needOf(operations[id])],
  input: (id: OperationId) => {
    const { method, access, params, query, body, fileBody, everythingWithout } = contractOf(id)
    return [method, access.kind, everythingWithout, ...[params, query, body, fileBody].map(Boolean)]
  },
}
const ofEachAccess = (some: OperationId[]) => ofEachKind(some, kinds.access)
const ofEachInput = (some: OperationId[]) => ofEachKind(some, kinds.input)
const withBody = ofEachInput(ids.filter((id) => contractOf(id).body))

describe('the caller', () => {
  test.each(ofEachAccess(withToken))(
    '%s: who is not known is refused before anything is looked at',
    async (id) => {
      const { world, request } = await prepare(id)
      const { token } = request.as as Caller
      const refused: Record<string, [header: string | string[] | undefined, code: string]> = {
        'no header': [undefined, 'missing'],
        'an empty header': ['', 'malformed'],
        'no token': ['Bearer', 'malformed'],
        'another scheme': [`Basic ${token}`, 'malformed'],
        'no scheme': [token, 'malformed'],
        garbage: ['Bearer garbage', 'malformed'],
        'a wrong checksum': [`Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`, 'malformed'],
        'a shortened token': [`Bearer ${token.slice(0, -6)}`, 'malformed'],
        'a very long token': [`Bearer ${'x'.repeat(10_000)}`, 'malformed'],
        'two tokens in one header': [`Bearer ${token}, Bearer ${token}`, 'malformed'],
        'two headers': [[`Bearer ${token}`, `Bearer ${token}`], 'malformed'],
        'a token nobody has': [`Bearer ${world.unknown.token}`, 'unknown'],
        'an expired token': [`Bearer ${world.expired.token}`, 'expired'],
        'a revoked token': [`Bearer ${world.revoked.token}`, 'revoked'],
      }
      const noForm = [
        'no header',
        'an empty header',
        'no token',
        'another scheme',
        'no scheme',
        'two tokens in one header',
      ]
      const broken = { params: brokenParams(request), query: { unknown: 1 }, body: '{' }
      await unchanged(async () => {
        for (const [name, [header, code]] of Object.entries(refused)) {
          const headers: Record<string, string> = {}
          if (header !== undefined) headers.Authorization = header as string
          for (const spoilt of [{}, broken]) {
            const answer = await call(id, { ...request, ...spoilt, as: undefined, headers })
            expect([name, answer.status, answer.body.issues]).toEqual([
              name,
              401,
              [{ path: ['header', 'authorization'], code, message: expect.any(String) }],
            ])
            const saysHow = answer.body.issues[0]?.message === 'Send the header Authorization: Bearer <token>'
            expect([name, saysHow]).toEqual([name, noForm.includes(name)])
            const error = code === 'missing' ? '' : ', error="invalid_token"'
            expect(answer.headers['www-authenticate']).toBe(`Bearer realm="api"${error}`)
          }
        }
        const inQuery = await call(id, { ...request, as: undefined, query: { token, access_token: token } })
        expect(inQuery.status).toBe(401)
      })
    },
  )

  test.each(ofEachAccess(withToken))('%s: the scheme is read in any case', async (id) => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      const { request } = await prepare(id)
      const headers = { ...request.headers, Authorization: `${scheme} ${(request.as as Caller).token}` }
      expect((await call(id, { ...request, as: undefined, headers })).status).toBe(successOf(id))
    }
  })

  test.each(publicOperations)('%s: a wrong token is no reason to refuse', async (id) => {
    const { request } = await prepare(id)
    const headers = { ...request.headers, Authorization: 'Bearer garbage' }
    expect((await call(id, { ...request, headers })).status).toBe(successOf(id))
  })
})

describe('rights', () => {
  test.each(ids)('%s: the contract asks for what the cases say that it needs', (id) => {
    const { access } = contractOf(id)
    const shared = 'publicShare' in access && access.publicShare ? ' or shared' : ''
    const asked = { user: 'token', anyone: 'nothing' }[access.kind as string]
    // Every user may do this to themselves; the handler rejects it for other users.
    const needs = needsOf(id).replace('ADMIN or oneself', 'GUEST')
    expect(asked ?? `${(access as { role: Role }).role}${shared}`).toBe(needs)
  })

  test.each(withRole)('%s: who has no right is told so, and nothing else', async (id) => {
    const { world, request } = await prepare(id)
    const { guest, member } = world.here
    const lower = [guest, member].slice(0, rankNeededFor(id))
    const others = [world.stranger, world.there.admin, world.there.member, world.there.guest, ...lower]
    await unchanged(async () => {
      for (const as of others) {
        const answer = await call(id, { ...request, as })
        const hasRole = lower.includes(as)
        expect([answer.status, answer.body]).toEqual([
          403,
          {
            ...errorBody('FORBIDDEN'),
            issues: [expect.objectContaining({ code: hasRole ? 'role_too_low' : 'no_role' })],
          },
        ])
      }
    })
  })

  test.each(ofEachAccess(withRole))('%s: whoever has the right, or a higher one, is let in', async (id) => {
    for (const role of ['guest', 'member', 'admin'].slice(rankNeededFor(id))) {
      await clear(app.pool)
      const { world, request } = await prepare(id)
      const as = world.here[role as 'guest' | 'member' | 'admin']
      expect([role, (await call(id, { ...request, as })).status]).toEqual([role, successOf(id)])
    }
  })

  test.each(publicOperations)('%s: nobody needs a token', async (id) => {
    const { request } = await prepare(id)
    expect((await call(id, { ...request, as: undefined })).status).toBe(successOf(id))
  })

  test.each(ofEachAccess(withRole))('%s: of a missing record everybody is told the same', async (id) => {
    const { world, request } = await prepare(id)
    const code = errorsOf(contractOf(id)).includes('NOT_FOUND') ? 'NOT_FOUND' : 'FORBIDDEN'
    await unchanged(async () => {
      const texts: string[] = []
      for (const as of [world.here.admin, world.stranger]) {
        const answer = await call(id, { ...missing(id, request), as })
        texts.push(answer.text)
        expect(answer.body).toEqual({ ...errorBody(code), issues: [expect.any(Object)] })
      }
      expect(new Set(texts).size).toBe(1)
    })
  })

  test('the contract asks for the scopes that are written here; what is new gets its place here too', () => {
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
      ],
      any: ['getCurrentUser'],
    }
    for (const id of withToken) {
      const named = Object.keys(special).find((scope) => special[scope]?.includes(id))
      expect([id, scopeOf(id)]).toEqual([id, named ?? (contractOf(id).method === 'get' ? 'read' : 'write')])
    }
  })

  const withScope = withToken.filter((id) => scopeOf(id) !== 'any')
  test.each(ofEachAccess(withScope))(
    '%s: a token that lacks the scope is told which, whatever its owner may do',
    async (id) => {
      const { world, request } = await prepare(id)
      const needed = scopeOf(id) as Scope
      const others = scopes.filter((scope) => scope !== needed)
      const message = `This needs a token with the scope \`${needed}\``
      const issue: Issue = { path: ['header', 'authorization'], code: 'missing_scope', message }
      const lacking = await Promise.all(
        [others, ...others.map((scope) => [scope])].map((list) =>
          limited(app, request.as as Caller, { scopes: list }),
        ),
      )
      const stranger = await limited(app, world.stranger, { scopes: others })
      await unchanged(async () => {
        for (const as of [...lacking, stranger]) {
          const refused = JSON.stringify(errorBody('FORBIDDEN', [issue]))
          expect((await call(id, { ...request, as })).text).toBe(refused)
          // The response does not contain the record either.
          if (withRole.includes(id))
            expect((await call(id, { ...missing(id, request), as })).text).toBe(refused)
          const wrong = await call(id, { ...request, as, query: { unknown: 1 } })
          expect(wrong.status).toBe(400)
        }
      })
      const as = await limited(app, request.as as Caller, { scopes: [needed] })
      expect((await call(id, { ...request, as })).status).toBe(successOf(id))
    },
  )

  test.each(ofEachAccess(withRole))('%s: the scope gives nobody a role', async (id) => {
    const { world, request } = await prepare(id)
    const { guest, member } = world.here
    const lower = [world.stranger, ...[guest, member].slice(0, rankNeededFor(id))]
    const callers = await Promise.all(lower.map((as) => limited(app, as, { scopes: [scopeOf(id) as Scope] })))
    await unchanged(async () => {
      for (const as of callers) {
        const { issues } = (await call(id, { ...request, as })).body
        expect(issues).toEqual([
          expect.objectContaining({ code: expect.stringMatching(/^(no_role|role_too_low)$/) }),
        ])
      }
    })
  })

  test.each(ofEachAccess(withRole))(
    '%s: a token that is bound to a workspace works there alone',
    async (id) => {
      const { world, request } = await prepare(id)
      const { here, there } = world
      const as = request.as as Caller
      // Its owner has every role in both, so that it is the token which is refused.
      await app.pool.query(
        `INSERT INTO workspace_members (workspace_id, user_id, role, created_at)
      SELECT $1, owner_user_id, 'ADMIN', now() FROM api_tokens
      WHERE token_hash = sha256($2::bytea) ON CONFLICT DO NOTHING`,
        [there.workspaceId, as.token],
      )
      const elsewhere = await limited(app, as, { workspaceId: there.workspaceId })
      const inside = await limited(app, as, { workspaceId: here.workspaceId })
      await unchanged(async () => {
        const answer = await call(id, { ...request, as: elsewhere })
        expect([answer.status, answer.body.issues.length]).toEqual([403, 1])
      })
      expect((await call(id, { ...request, as: inside })).status).toBe(successOf(id))
    },
  )

  const onBots = withRole.filter((id) => contractOf(id).access.kind === 'bot')
  test.each(ofEachAccess(onBots))('%s: a shared bot is open to any user only for reading', async (id) => {
    const { world, request } = await prepare(id)
    const botId = world.here.shared.id
    const answer = await call(id, { ...request, as: world.stranger, params: { ...request.params, botId } })
    expect(answer.status).toBe(needsOf(id) === 'GUEST or shared' ? 200 : 403)
  })
})

describe('method and path', () => {
  const paths = [...new Set(ofEachInput(ids).map((id) => contractOf(id).path as string))]
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']

  test.each(paths)('%s: other methods are refused with those it has', async (path) => {
    const known = ids.filter((id) => contractOf(id).path === path)
    const documented = known.map((id) => contractOf(id).method.toUpperCase())
    const { world, request } = await prepare(known[0] as OperationId)
    const target = targetOf(known[0] as OperationId, { params: request.params })
    await unchanged(async () => {
      for (const method of methods.filter((one) => !documented.includes(one))) {
        for (const as of [undefined, world.here.admin]) {
          expect((await app.client.send(method, target, { as })).status).toBe(405)
        }
      }
      expect((await app.client.send('OPTIONS', target)).status).toBe(204)
      const head = await app.client.send('HEAD', target, { as: world.here.admin })
      if (!documented.includes('GET')) expect(head.status).toBe(405)
    })
  })

  const reads = ofEachInput(ids.filter((id) => contractOf(id).method === 'get'))
  test.each(reads)('%s: HEAD gives what GET gives, without the body', async (id) => {
    const { request } = await prepare(id)
    const target = targetOf(id, request)
    for (const as of [request.as, undefined]) {
      const get = await app.client.send('GET', target, { as })
      const head = await app.client.send('HEAD', target, { as })
      expect(head.status).toBe(get.status)
      expect(stable(head.headers)).toEqual(stable(get.headers))
    }
  })

  const withParams = ofEachInput(ids.filter((id) => contractOf(id).params))
  test.each(withParams)('%s: an id that cannot be one', async (id) => {
    const { request } = await prepare(id)
    await unchanged(async () => {
      for (const name of Object.keys(request.params ?? {})) {
        const schema = contractOf(id).params?.shape[name] as z.ZodType
        for (const value of ['a'.repeat(300), 'a b', 'a.b', '..%2f', "' OR 1=1", 'a\0b', '🎯', '%']) {
          // Ids inside a flow may be any text.
          if (schema.safeParse(value).success) continue
          const answer = await call(id, { ...request, params: { ...request.params, [name]: value } })
          expect([value, answer.status, pathsOf(answer)]).toEqual([value, 400, [`path.${name}`]])
        }
        for (const value of ['%ZZ', '%FF', '%ED%A0%80']) {
          const target = targetOf(id, { ...request, params: { ...request.params, [name]: 'HERE' } })
          const method = contractOf(id).method.toUpperCase()
          const answer = await app.client.send(method, target.replace('HERE', value), sendOptions(request))
          expect([value, answer.status, pathsOf(answer)]).toEqual([value, 400, ['path']])
        }
      }
    })
  })

  test.each(ofEachInput(ids))('%s: another spelling of the path is not found', async (id) => {
    const { request } = await prepare(id)
    const target = targetOf(id, request).split('?')[0] as string
    const method = contractOf(id).method.toUpperCase()
    await unchanged(async () => {
      for (const spelt of [
        `${target}/`,
        `/${target}`,
        target.replace(/^\/(v1|api)/, (word) => word.toUpperCase()),
      ]) {
        expect((await app.client.send(method, spelt, sendOptions(request))).status).toBe(404)
      }
    })
  })
})

describe('query', () => {
  test.each(ofEachInput(ids))('%s: what it does not know', async (id) => {
    const { request } = await prepare(id)
    await unchanged(async () => {
      for (const name of ['unknown', '__proto__[x]', 'constructor', 'limit[]', 'Limit', '']) {
        const answer = await call(id, { ...request, query: { ...request.query, [name]: 'x' } })
        expect([name, answer.status, pathsOf(answer)]).toEqual([name, 400, [`query.${name}`]])
      }
    })
  })

  test.each(ofEachInput(ids))('%s: bytes that are no text', async (id) => {
    const { request } = await prepare(id)
    const target = targetOf(id, { params: request.params })
    const method = contractOf(id).method.toUpperCase()
    await unchanged(async () => {
      for (const query of ['limit=%ZZ', 'limit=%FF', 'limit=%ED%A0%80', '%C0%AF=1', 'limit=%']) {
        const answer = await app.client.send(method, `${target}?${query}`, sendOptions(request))
        expect([query, answer.status, pathsOf(answer)]).toEqual([query, 400, ['query']])
      }
    })
  })

  const withQuery = ofEachInput(ids.filter((id) => contractOf(id).query))
  test.each(withQuery)('%s: a parameter that is there twice', async (id) => {
    const { request } = await prepare(id)
    const target = targetOf(id, { params: request.params })
    const method = contractOf(id).method.toUpperCase()
    await unchanged(async () => {
      for (const name of Object.keys(contractOf(id).query?.shape ?? {})) {
        const given = new URLSearchParams()
        for (const [key, value] of Object.entries(request.query ?? {})) given.append(key, String(value))
        given.delete(name)
        given.append(name, 'a')
        given.append(name, 'a')
        const answer = await app.client.send(method, `${target}?${given}`, sendOptions(request))
        expect(answer.body.issues).toEqual([
          { path: ['query', name], code: 'repeated', message: expect.any(String) },
        ])
      }
    })
  })

  test.each(withQuery)('%s: a value that cannot be stored', async (id) => {
    const { request } = await prepare(id)
    await unchanged(async () => {
      for (const name of Object.keys(contractOf(id).query?.shape ?? {})) {
        const answer = await call(id, { ...request, query: { ...request.query, [name]: 'a\0b' } })
        expect([answer.status, pathsOf(answer)]).toEqual([400, [`query.${name}`]])
      }
    })
  })
})

describe('body', () => {
  test.each(withBody)('%s: what is not JSON in UTF-8', async (id) => {
    const { request } = await prepare(id)
    const text = JSON.stringify(request.body ?? {})
    const broken: Record<string, string | Buffer> = {
      'no JSON': '{"a":',
      'a comma too many': '{"a":1,}',
      'no number': '{"a":NaN}',
      'two values': '{} {}',
      'bytes of Latin-1': Buffer.from('{"name":"café"}', 'latin1'),
      'half a surrogate pair in bytes': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      'UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
      nothing: ' ',
    }
    await unchanged(async () => {
      for (const [name, body] of Object.entries(broken)) {
        const answer = await call(id, { ...request, body })
        expect([name, answer.status, pathsOf(answer)]).toEqual([name, 400, ['body']])
      }
    })
  })

  test.each(withBody)('%s: JSON that no schema should meet', async (id) => {
    const { request } = await prepare(id)
    const open = JSON.stringify(request.body ?? {}).slice(0, -1)
    const start = open === '{' ? open : `${open},`
    const refused: [text: string, path: string][] = [
      [`${start}"__proto__":{}}`, 'body.__proto__'],
      [`${start}"__pro\\u0074o__":{}}`, 'body.__proto__'],
      [`${start}"x":[{"__proto__":null}]}`, 'body.x.0.__proto__'],
      [`${start}"x":"a\\u0000b"}`, 'body.x'],
      [`${start}"x":["\\ud800"]}`, 'body.x.0'],
      [`${start}"x":{"y":"\\udc00\\ud800"}}`, 'body.x.y'],
      [`${start}"a\\u0000b":1}`, 'body'],
      [`${start}"x":1e999}`, 'body.x'],
      [`${start}"x":9007199254740993}`, 'body.x'],
      [`${start}"x":${'['.repeat(65)}${']'.repeat(65)}}`, 'body'],
      [`${start}"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'body'],
      [`${start}"x":{${Array.from({ length: 5_001 }, (_, at) => `"k${at}":1`).join(',')}}}`, 'body.x'],
    ]
    await unchanged(async () => {
      for (const [body, path] of refused) {
        const answer = await call(id, { ...request, body })
        expect([body.slice(-60), answer.status, pathsOf(answer)]).toEqual([body.slice(-60), 400, [path]])
      }
    })
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test.each(withBody)('%s: JSON of another kind, and properties it does not know', async (id) => {
    const { request } = await prepare(id)
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`unknown${at}`, at]))
    await unchanged(async () => {
      for (const body of ['null', '[]', '"text"', '1', 'true']) {
        const answer = await call(id, { ...request, body })
        expect([body, answer.status, pathsOf(answer)]).toEqual([body, 400, ['body']])
      }
      if (contractOf(id).body?.safeParse({ ...Object(request.body), unknown: 1 }).success) return
      const one = await call(id, { ...request, body: { ...Object(request.body), unknown: 1 } })
      expect([one.status, pathsOf(one)]).toEqual([400, ['body.unknown']])
      const many = await call(id, { ...request, body: { ...Object(request.body), ...unknown } })
      expect(pathsOf(many)).toEqual(Array.from({ length: 20 }, (_, at) => `body.unknown${at}`))
    })
  })

  test.each(withBody)('%s: another media type, charset or encoding', async (id) => {
    const { request } = await prepare(id)
    const body = JSON.stringify(request.body ?? {})
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/merge-patch+json',
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-16',
      'application/jsonx',
    ]
    await unchanged(async () => {
      for (const type of types) {
        const answer = await call(id, { ...request, body, headers: { 'Content-Type': type } })
        expect([type, answer.status, pathsOf(answer)]).toEqual([type, 415, ['header.content-type']])
      }
      for (const encoding of ['gzip', 'br', 'deflate', 'unknown']) {
        const bytes = encoding === 'gzip' ? gzipSync(body) : Buffer.from(body)
        const headers = { 'Content-Encoding': encoding }
        const answer = await call(id, { ...request, body: bytes, headers })
        expect([encoding, answer.status, pathsOf(answer)]).toEqual([
          encoding,
          415,
          ['header.content-encoding'],
        ])
      }
    })
  })

  test.each(withBody)('%s: what may look different and is accepted', async (id) => {
    const variants: { body?: (text: string) => string; headers?: Record<string, string> }[] = [
      { body: (text) => `\ufeff${text}` },
      { body: (text) => `\n ${text} \r\n` },
      { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
      { headers: { 'Content-Type': 'Application/JSON;charset="UTF-8"' } },
      { headers: { 'Content-Encoding': 'identity' } },
      { headers: { Accept: 'text/html', 'X-HTTP-Method-Override': 'DELETE' } },
    ]
    for (const { body = (text: string) => text, headers } of variants) {
      const { request } = await prepare(id)
      const text = body(JSON.stringify(request.body ?? {}))
      const answer = await call(id, { ...request, body: text, headers: { ...request.headers, ...headers } })
      expect([headers, answer.status]).toEqual([headers, successOf(id)])
    }
  })

  const writesWithoutBody = ids.filter((id) => {
    const { body, fileBody, method } = contractOf(id)
    return !body && !fileBody && method === 'post'
  })
  test.each(ofEachInput(writesWithoutBody))('%s: takes none', async (id) => {
    const { request } = await prepare(id)
    await unchanged(async () => {
      for (const body of ['{"a":1}', 'text', '[]', ' '.repeat(300_000)]) {
        const answer = await call(id, { ...request, body })
        expect([answer.status, pathsOf(answer)]).toEqual([400, ['body']])
      }
      const zipped = { body: gzipSync('{}'), headers: { 'Content-Encoding': 'gzip' } }
      const answer = await call(id, { ...request, ...zipped })
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['body']])
    })
    expect((await call(id, { ...request, body: '{}' })).status).toBe(successOf(id))
  })

  const bodiless = ids.filter((id) => ['get', 'delete'].includes(contractOf(id).method))
  test.each(ofEachInput(bodiless.filter((id) => !contractOf(id).everythingWithout)))(
    '%s: one that is sent is ignored',
    async (id) => {
      const { request } = await prepare(id)
      const answer = await call(id, { ...request, body: '{"broken":', headers: { 'Content-Type': 'text/x' } })
      expect(answer.status).toBe(successOf(id))
    },
  )
})

describe('order', () => {
  const addressed = withBody.filter((id) => contractOf(id).params)
  test.each(addressed)('%s: all that is wrong with the input is told at once', async (id) => {
    const { request } = await prepare(id)
    const spoilt = { params: brokenParams(request), query: { unknown: 1 }, body: [] }
    const paths = pathsOf(await call(id, { ...request, ...spoilt }))
    const names = Object.keys(request.params ?? {}).map((name) => `path.${name}`)
    expect(paths).toEqual(expect.arrayContaining([...names, 'query.unknown', 'body']))
  })

  test.each(addressed)('%s: a wrong address is told before the body is judged', async (id) => {
    const { request } = await prepare(id)
    const query = { unknown: 1 }
    const wrongType = { headers: { 'Content-Type': 'text/plain' }, body: 'x' }
    const answer = await call(id, { ...request, ...wrongType, query })
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['query.unknown']])
  })

  test.each(withBody)(
    '%s: the media type is told before the size, and the size before what it says',
    async (id) => {
      const { request } = await prepare(id)
      const tooLarge = '{"broken":'.padEnd(4 * 1024 * 1024 + 1)
      const typed = { 'Content-Type': 'text/plain' }
      const zipped = { 'Content-Encoding': 'gzip' }
      for (const [headers, status, path] of [
        [typed, 415, 'header.content-type'],
        [{ ...typed, ...zipped }, 415, 'header.content-type'],
        [zipped, 415, 'header.content-encoding'],
        [{}, 413, 'body'],
      ] as const) {
        const answer = await call(id, { ...request, body: tooLarge, headers })
        expect([headers, answer.status, pathsOf(answer)]).toEqual([headers, status, [path]])
      }
    },
  )

  const judged = withBody.filter((id) => 'role' in contractOf(id).access)
  test.each(judged)('%s: wrong input is told before the record is looked for', async (id) => {
    const { world, request } = await prepare(id)
    for (const as of [world.here.admin, world.stranger]) {
      const nowhere = missing(id, request)
      expect((await call(id, { ...nowhere, as, body: [] })).status).toBe(400)
      const headers = { 'Content-Type': 'text/plain' }
      expect((await call(id, { ...nowhere, as, body: [], headers })).status).toBe(415)
    }
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

/** A new world, and the request of the first `ok` case in it. */
async function prepare(id: OperationId): Promise<{ world: World; request: CaseRequest }> {
  const world = await makeWorld(app)
  const ok = cases[id]?.ok as Case | Record<string, Case>
  const first = typeof ok === 'function' ? ok : Object.values(ok)[0]
  const request = await first?.(world, app)
  if (!request) throw new Error(`${id} has no case to start from`)
  return { world, request }
}

/** A request whose parts need not fit the contract. */
type Spoilt = Omit<CaseRequest, 'body'> & { body?: unknown }

function call(id: OperationId, request: Spoilt): Promise<Answer> {
  return app.client.call(id, request as CaseRequest)
}

function sendOptions({ as, headers, body }: CaseRequest): SendOptions {
  return { as, headers, body }
}

async function unchanged(work: () => Promise<void>) {
  const before = await digestOf(app)
  await work()
  expect(await digestOf(app)).toEqual(before)
}

function pathsOf({ body }: Answer): string[] {
  return body.issues.map(({ path }: { path: string[] }) => path.join('.'))
}

function brokenParams({ params }: CaseRequest): Record<string, string> {
  return Object.fromEntries(Object.keys(params ?? {}).map((name) => [name, '~'.repeat(300)]))
}

/** The request with the record that access is decided on replaced by one that is not there. */
function missing(id: OperationId, request: CaseRequest): Spoilt {
  const access = contractOf(id).access as Extract<Access, { role: Role }>
  const name = `${access.kind}Id`
  const place = access.kind === 'workspace' ? access.place : 'path'
  if (place === 'query') return { ...request, query: { ...request.query, [name]: missingId } }
  if (place === 'body') return { ...request, body: { ...Object(request.body), [name]: missingId } }
  return { ...request, params: { ...request.params, [name]: missingId } }
}

/** Returns the parts that two requests for the same thing have in common. */
function stable({
  date,
  'x-request-id': _,
  connection,
  'transfer-encoding': __,
  ...headers
}: Answer['headers']) {
  return headers
}
