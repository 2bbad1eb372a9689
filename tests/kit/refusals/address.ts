import assert from 'node:assert/strict'
import type { z } from '../../../contract/kit/zod.ts'
import { type Answer, methodOf, operationOf, type SendOptions, type Subject, targetOf } from '../subject.ts'
import { type Check, expectIssues, expectStatus, expectUnchanged, send } from './check.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']

/** Percent escapes that are none, or no UTF-8. */
const noText = ['%ZZ', '%FF', '%ED%A0%80']

function sendTo(subject: Subject, id: string, target: string, { as, headers, body }: SendOptions) {
  return subject.send(methodOf(operationOf(subject, id)), target, { as, headers, body })
}

export const addressChecks: Check[] = [
  {
    title: 'is on a path that rejects other methods and lists its own',
    // Once for a path, by the first of its operations.
    applies: (operation, { operations }) =>
      Object.values(operations).find(({ path }) => path === operation.path) === operation,
    varies: 'input',
    async run(subject, id) {
      const { path } = operationOf(subject, id)
      const known = Object.values(subject.operations).filter((one) => one.path === path)
      const documented = known.map(methodOf)
      const { request, insiders } = await subject.prepare(id)
      const as = request.as ?? insiders[0]
      const target = targetOf({ path }, { params: request.params })
      await expectUnchanged(subject, async () => {
        for (const method of methods.filter((one) => !documented.includes(one))) {
          for (const caller of [undefined, as])
            expectStatus(await subject.send(method, target, { as: caller }), method, 405)
        }
        const options = await subject.send('OPTIONS', target)
        expectStatus(options, 'OPTIONS', 204)
        for (const method of documented) assert(options.headers.allow?.split(', ').includes(method))
        if (documented.includes('GET')) return
        expectStatus(await subject.send('HEAD', target, { as }), 'HEAD', 405)
      })
    },
  },
  {
    title: 'gives to HEAD the headers of GET, without a body',
    applies: ({ method }) => method === 'get',
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const target = targetOf(operationOf(subject, id), request)
      for (const as of [request.as, undefined]) {
        const get = await subject.send('GET', target, { as })
        const head = await subject.send('HEAD', target, { as })
        assert.equal(head.text, '')
        assert.deepEqual(
          { status: head.status, headers: stable(head.headers) },
          { status: get.status, headers: stable(get.headers) },
        )
      }
    },
  },
  {
    title: 'rejects ids that cannot be one',
    applies: ({ params }) => params !== undefined,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const operation = operationOf(subject, id)
      await expectUnchanged(subject, async () => {
        for (const [name, schema] of Object.entries(operation.params?.shape ?? {})) {
          const withParam = (value: string) => ({ ...request, params: { ...request.params, [name]: value } })
          for (const value of ['a'.repeat(300), 'a b', 'a.b', '..%2f', "' OR 1=1", 'a\0b', '🎯', '%']) {
            // Some ids may be any text.
            if ((schema as z.ZodType).safeParse(value).success) continue
            expectIssues(await send(subject, id, withParam(value)), value, 400, [`path.${name}`])
          }
          for (const value of noText) {
            const target = targetOf(operation, withParam('HERE')).replace('HERE', value)
            expectIssues(await sendTo(subject, id, target, request), value, 400, ['path'])
          }
        }
      })
    },
  },
  {
    title: 'is not found under another spelling of its path',
    applies: () => true,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const target = targetOf(operationOf(subject, id), { params: request.params })
      const [, first = ''] = target.split('/')
      await expectUnchanged(subject, async () => {
        for (const spelt of [`${target}/`, `/${target}`, target.replace(first, first.toUpperCase())])
          expectStatus(await sendTo(subject, id, spelt, request), spelt, 404)
      })
    },
  },
  {
    title: 'rejects parameters of the query that it does not know',
    applies: () => true,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      await expectUnchanged(subject, async () => {
        for (const name of ['unknown', '__proto__[x]', 'constructor', 'limit[]', 'Limit', '']) {
          const query = { ...request.query, [name]: 'x' }
          expectIssues(await send(subject, id, { ...request, query }), name, 400, [`query.${name}`])
        }
      })
    },
  },
  {
    title: 'rejects a query whose bytes are no text',
    applies: () => true,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const target = targetOf(operationOf(subject, id), { params: request.params })
      await expectUnchanged(subject, async () => {
        for (const query of [...noText.map((bytes) => `limit=${bytes}`), '%C0%AF=1', 'limit=%'])
          expectIssues(await sendTo(subject, id, `${target}?${query}`, request), query, 400, ['query'])
      })
    },
  },
  {
    title: 'rejects a parameter of the query that comes twice',
    applies: ({ query }) => query !== undefined,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const operation = operationOf(subject, id)
      const target = targetOf(operation, { params: request.params })
      await expectUnchanged(subject, async () => {
        for (const name of Object.keys(operation.query?.shape ?? {})) {
          const given = new URLSearchParams(targetOf(operation, request).split('?')[1])
          given.delete(name)
          given.append(name, 'a')
          given.append(name, 'a')
          const answer = await sendTo(subject, id, `${target}?${given}`, request)
          expectIssues(answer, name, 400, [`query.${name}`])
          assert.equal(answer.body.issues[0].code, 'repeated')
        }
      })
    },
  },
  {
    title: 'rejects a value of the query that cannot be stored',
    applies: ({ query }) => query !== undefined,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      await expectUnchanged(subject, async () => {
        for (const name of Object.keys(operationOf(subject, id).query?.shape ?? {})) {
          const query = { ...request.query, [name]: 'a\0b' }
          expectIssues(await send(subject, id, { ...request, query }), name, 400, [`query.${name}`])
        }
      })
    },
  },
]

/** The headers that two requests for the same thing have in common. */
function stable(headers: Answer['headers']) {
  const own = ['date', 'x-request-id', 'connection', 'transfer-encoding', 'ratelimit']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)))
}
