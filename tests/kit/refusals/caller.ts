import assert from 'node:assert/strict'
import { type ErrorCode, errorBody } from '../../../contract/kit/errors.ts'
import { errorsOf } from '../../../contract/kit/operation.ts'
import { type CaseRequest, operationOf } from '../subject.ts'
import {
  breakParams,
  type Check,
  expectStatus,
  expectUnchanged,
  hasRecord,
  needsToken,
  send,
  withoutRecord,
} from './check.ts'

const howTo = 'Send the header Authorization: Bearer <token>'

/** Headers without a token that can be read, by their description. */
const unreadable = (token: string): Record<string, string | string[] | undefined> => ({
  'no header': undefined,
  'an empty header': '',
  'no token': 'Bearer',
  'another scheme': `Basic ${token}`,
  'no scheme': token,
  'two tokens in one header': `Bearer ${token}, Bearer ${token}`,
})

export const callerChecks: Check[] = [
  {
    title: 'rejects a request without a valid token before anything else of it is read',
    applies: needsToken,
    varies: 'access',
    async run(subject, id) {
      const { request, wrongTokens } = await subject.prepare(id)
      const token = String(request.as?.token)
      const noForm = unreadable(token)
      const given: [string, string | string[] | undefined, code: string][] = [
        ...Object.entries(noForm).map(([name, header]): [string, typeof header, string] => [
          name,
          header,
          name === 'no header' ? 'missing' : 'malformed',
        ]),
        ['two headers', [`Bearer ${token}`, `Bearer ${token}`], 'malformed'],
        ...wrongTokens.map(({ token: wrong, issue }): [string, string, string] => [
          `the token ${wrong.slice(0, 40)}`,
          `Bearer ${wrong}`,
          issue,
        ]),
      ]
      const broken = { params: breakParams(request), query: { unknown: 1 }, body: '{' }
      await expectUnchanged(subject, async () => {
        for (const [name, header, code] of given) {
          const headers: CaseRequest['headers'] = header === undefined ? {} : { Authorization: header }
          for (const spoilt of [{}, broken]) {
            const answer = await send(subject, id, { ...request, ...spoilt, as: undefined, headers })
            const { issues = [] } = answer.body ?? {}
            assert.deepEqual(
              { name, status: answer.status, issues },
              {
                name,
                status: 401,
                issues: [{ path: ['header', 'authorization'], code, message: issues[0]?.message }],
              },
            )
            assert.equal(issues[0].message.endsWith(howTo), name in noForm, `${name}: ${issues[0].message}`)
            const error = code === 'missing' ? '' : ', error="invalid_token"'
            assert.equal(answer.headers['www-authenticate'], `Bearer realm="api"${error}`)
          }
        }
        const query = { token, access_token: token }
        expectStatus(await send(subject, id, { ...request, as: undefined, query }), 'token in the query', 401)
      })
    },
  },
  {
    title: 'reads the scheme of the token in any case',
    applies: needsToken,
    varies: 'access',
    async run(subject, id) {
      for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
        const { request } = await subject.prepare(id)
        const headers = { ...request.headers, Authorization: `${scheme} ${request.as?.token}` }
        const answer = await send(subject, id, { ...request, as: undefined, headers })
        expectStatus(answer, scheme, operationOf(subject, id).success.status)
      }
    },
  },
  {
    title: 'succeeds without a token, and with a wrong one',
    applies: (operation) => !needsToken(operation),
    async run(subject, id) {
      for (const wrong of [undefined, { Authorization: 'Bearer garbage' }]) {
        const { request } = await subject.prepare(id)
        const headers = { ...request.headers, ...wrong }
        const answer = await send(subject, id, { ...request, as: undefined, headers })
        expectStatus(answer, wrong, operationOf(subject, id).success.status)
      }
    },
  },
  {
    title: 'rejects callers without a right, and tells them nothing else',
    applies: hasRecord,
    async run(subject, id) {
      const { request, outsiders } = await subject.prepare(id)
      assert(outsiders.length > 0, `nobody is kept from ${id}`)
      await expectUnchanged(subject, async () => {
        for (const { as, code, issue } of outsiders) {
          const { body } = await send(subject, id, { ...request, as })
          assert.deepEqual(
            { ...body, issues: body.issues.map((one: { code: string }) => one.code) },
            { ...errorBody(code), issues: [issue] },
          )
        }
      })
    },
  },
  {
    title: 'succeeds for callers with the right, or with a higher one',
    applies: hasRecord,
    varies: 'access',
    async run(subject, id) {
      let count = 1
      for (let at = 0; at < count; at++) {
        const { request, insiders } = await subject.prepare(id)
        count = insiders.length
        const answer = await send(subject, id, { ...request, as: insiders[at] })
        expectStatus(answer, `insider ${at}`, operationOf(subject, id).success.status)
      }
    },
  },
  {
    title: 'tells everybody the same about a missing record',
    applies: hasRecord,
    varies: 'access',
    async run(subject, id) {
      const { request, insiders, outsiders } = await subject.prepare(id)
      const isNamed = errorsOf(operationOf(subject, id)).includes('NOT_FOUND')
      const code: ErrorCode = isNamed ? 'NOT_FOUND' : 'FORBIDDEN'
      const nowhere = withoutRecord(subject, id, request)
      await expectUnchanged(subject, async () => {
        const texts = new Set<string>()
        for (const as of [...insiders.slice(-1), ...outsiders.slice(0, 1).map((one) => one.as)]) {
          const { text, body } = await send(subject, id, { ...nowhere, as })
          texts.add(text)
          assert.deepEqual({ ...body, issues: body.issues.length }, { ...errorBody(code), issues: 1 })
        }
        assert.equal(texts.size, 1, [...texts].join('\n'))
      })
    },
  },
  {
    title: 'rejects a token without the scope and names the scope, whatever its owner may do',
    applies: needsToken,
    varies: 'access',
    async run(subject, id) {
      const { scopes } = subject
      const needed = scopes?.of(id)
      if (!scopes || needed === undefined) return
      const { request, outsiders } = await subject.prepare(id)
      assert(request.as, `${id} succeeds without a caller`)
      const owner = request.as
      const others = scopes.all.filter((scope) => scope !== needed)
      const lists = [others, ...(others.length > 1 ? others.map((scope) => [scope]) : [])]
      const lacking = await Promise.all(lists.map((list) => scopes.limit(owner, list)))
      const [outsider] = outsiders
      if (outsider) lacking.push(await scopes.limit(outsider.as, others))
      await expectUnchanged(subject, async () => {
        const texts = new Set<string>()
        for (const as of lacking) {
          const { text, body } = await send(subject, id, { ...request, as })
          texts.add(text)
          const [{ path, code, message }] = body.issues
          assert.deepEqual(
            [body.code, path, code],
            ['FORBIDDEN', ['header', 'authorization'], 'missing_scope'],
          )
          assert(message.includes(needed), message)
          // The response does not contain the record either.
          if (hasRecord(operationOf(subject, id)))
            texts.add((await send(subject, id, { ...withoutRecord(subject, id, request), as })).text)
          expectStatus(await send(subject, id, { ...request, as, query: { unknown: 1 } }), 'wrong query', 400)
        }
        assert.equal(texts.size, 1, [...texts].join('\n'))
      })
      const as = await scopes.limit(owner, [needed])
      const { status } = operationOf(subject, id).success
      expectStatus(await send(subject, id, { ...request, as }), 'the scope alone', status)
    },
  },
]
