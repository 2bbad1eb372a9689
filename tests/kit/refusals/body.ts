import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { Operation } from '../../../contract/kit/operation.ts'
import { operationOf, pathsOf } from '../subject.ts'
import {
  breakParams,
  type Check,
  expectIssues,
  expectStatus,
  expectUnchanged,
  hasRecord,
  send,
  withoutRecord,
} from './check.ts'

const hasBody = ({ body }: Operation) => body !== undefined
const isAddressed = ({ body, params }: Operation) => body !== undefined && params !== undefined

export const bodyChecks: Check[] = [
  {
    title: 'rejects a body that is not JSON in UTF-8',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
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
      await expectUnchanged(subject, async () => {
        for (const [name, body] of Object.entries(broken))
          expectIssues(await send(subject, id, { ...request, body }), name, 400, ['body'])
      })
    },
  },
  {
    title: 'rejects JSON that no schema should meet',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const open = JSON.stringify(request.body ?? {}).slice(0, -1)
      const start = open === '{' ? open : `${open},`
      const manyKeys = Array.from({ length: 5_001 }, (_, at) => `"k${at}":1`).join(',')
      const rejected: [text: string, path: string][] = [
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
        [`${start}"x":{${manyKeys}}}`, 'body.x'],
      ]
      await expectUnchanged(subject, async () => {
        for (const [body, path] of rejected)
          expectIssues(await send(subject, id, { ...request, body }), body.slice(-60), 400, [path])
      })
      assert(!('polluted' in Object.prototype))
    },
  },
  {
    title: 'rejects JSON of another kind, and properties that it does not know',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`unknown${at}`, at]))
      const sendWith = (more: object) =>
        send(subject, id, { ...request, body: { ...Object(request.body), ...more } })
      await expectUnchanged(subject, async () => {
        for (const body of ['null', '[]', '"text"', '1', 'true'])
          expectIssues(await send(subject, id, { ...request, body }), body, 400, ['body'])
        const { body } = operationOf(subject, id)
        if (body?.safeParse({ ...Object(request.body), unknown: 1 }).success) return
        expectIssues(await sendWith({ unknown: 1 }), 'one', 400, ['body.unknown'])
        const first = Array.from({ length: 20 }, (_, at) => `body.unknown${at}`)
        expectIssues(await sendWith(unknown), 'many', 400, first)
      })
    },
  },
  {
    title: 'rejects another media type, charset or encoding',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
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
      await expectUnchanged(subject, async () => {
        for (const type of types) {
          const answer = await send(subject, id, { ...request, body, headers: { 'Content-Type': type } })
          expectIssues(answer, type, 415, ['header.content-type'])
        }
        for (const encoding of ['gzip', 'br', 'deflate', 'unknown']) {
          const bytes = encoding === 'gzip' ? gzipSync(body) : Buffer.from(body)
          const headers = { 'Content-Encoding': encoding }
          const answer = await send(subject, id, { ...request, body: bytes, headers })
          expectIssues(answer, encoding, 415, ['header.content-encoding'])
        }
      })
    },
  },
  {
    title: 'accepts a body that only looks different',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const same = (text: string) => text
      const variants: { shape?: (text: string) => string; headers?: Record<string, string> }[] = [
        { shape: (text) => `\ufeff${text}` },
        { shape: (text) => `\n ${text} \r\n` },
        { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
        { headers: { 'Content-Type': 'Application/JSON;charset="UTF-8"' } },
        { headers: { 'Content-Encoding': 'identity' } },
        { headers: { Accept: 'text/html', 'X-HTTP-Method-Override': 'DELETE' } },
      ]
      for (const { shape = same, headers } of variants) {
        const { request } = await subject.prepare(id)
        const body = shape(JSON.stringify(request.body ?? {}))
        const answer = await send(subject, id, {
          ...request,
          body,
          headers: { ...request.headers, ...headers },
        })
        expectStatus(answer, headers, operationOf(subject, id).success.status)
      }
    },
  },
  {
    title: 'rejects a body, since it takes none',
    applies: ({ body, fileBody, method }) => !body && !fileBody && method === 'post',
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      await expectUnchanged(subject, async () => {
        for (const body of ['{"a":1}', 'text', '[]', ' '.repeat(300_000)])
          expectIssues(await send(subject, id, { ...request, body }), body.slice(0, 9), 400, ['body'])
        const zipped = { body: gzipSync('{}'), headers: { 'Content-Encoding': 'gzip' } }
        expectIssues(await send(subject, id, { ...request, ...zipped }), 'gzip', 400, ['body'])
      })
      const { status } = operationOf(subject, id).success
      expectStatus(await send(subject, id, { ...request, body: '{}' }), 'an empty object', status)
    },
  },
  {
    title: 'ignores a body, since its method has none',
    applies: ({ method, everythingWithout }) => ['get', 'delete'].includes(method) && !everythingWithout,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const headers = { ...request.headers, 'Content-Type': 'text/x' }
      const answer = await send(subject, id, { ...request, body: '{"broken":', headers })
      expectStatus(answer, 'a broken body', operationOf(subject, id).success.status)
    },
  },
  {
    title: 'names all that is wrong with the input at once',
    applies: isAddressed,
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const spoilt = { params: breakParams(request), query: { unknown: 1 }, body: [] }
      const found = pathsOf(await send(subject, id, { ...request, ...spoilt }))
      const names = Object.keys(request.params ?? {}).map((name) => `path.${name}`)
      const lacking = [...names, 'query.unknown', 'body'].filter((path) => !found.includes(path))
      assert.deepEqual(lacking, [], `named are ${found.join(', ')}`)
    },
  },
  {
    title: 'rejects a wrong address before the media type of the body',
    applies: isAddressed,
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const wrong = { headers: { 'Content-Type': 'text/plain' }, body: 'x', query: { unknown: 1 } }
      expectIssues(await send(subject, id, { ...request, ...wrong }), wrong, 400, ['query.unknown'])
    },
  },
  {
    title: 'rejects the media type before the size, and the size before the content',
    applies: hasBody,
    varies: 'input',
    async run(subject, id) {
      const { request } = await subject.prepare(id)
      const body = '{"broken":'.padEnd(4 * 1024 * 1024 + 1)
      const typed = { 'Content-Type': 'text/plain' }
      const zipped = { 'Content-Encoding': 'gzip' }
      for (const [headers, status, path] of [
        [typed, 415, 'header.content-type'],
        [{ ...typed, ...zipped }, 415, 'header.content-type'],
        [zipped, 415, 'header.content-encoding'],
        [{}, 413, 'body'],
      ] as const)
        expectIssues(await send(subject, id, { ...request, body, headers }), headers, status, [path])
    },
  },
  {
    title: 'rejects wrong input before it looks for the record',
    applies: (operation) => hasBody(operation) && hasRecord(operation),
    varies: 'input',
    async run(subject, id) {
      const { request, insiders, outsiders } = await subject.prepare(id)
      const nowhere = { ...withoutRecord(subject, id, request), body: [] }
      const headers = { 'Content-Type': 'text/plain' }
      for (const as of [...insiders.slice(-1), ...outsiders.slice(0, 1).map((one) => one.as)]) {
        expectStatus(await send(subject, id, { ...nowhere, as }), 'another kind', 400)
        expectStatus(await send(subject, id, { ...nowhere, as, headers }), 'another media type', 415)
      }
    },
  },
]
