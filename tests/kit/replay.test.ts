import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { attemptsOf } from './replay/attempts.ts'
import { type Operation, readDocument } from './replay/document.ts'
import { doubleDocument, startDouble, TOKEN } from './replay/double.ts'
import { type Finding, replay } from './replay/replay.ts'
import { createChecker } from './replay/schemas.ts'

/* The replay of a foreign server: finds nothing where document and server agree, and each planted drift. */

let double: Awaited<ReturnType<typeof startDouble>>

beforeAll(async () => {
  double = await startDouble()
})
afterAll(() => double.stop())

type Document = ReturnType<typeof doubleDocument>

function replayOf(document: object) {
  return replay(document, { server: double.url, token: TOKEN, values: { noteId: 'n1' }, largeBytes: 2_000 })
}

test('a right document has no drift, and all outcomes that can be provoked from outside occur', async () => {
  const report = await replayOf(doubleDocument())
  expect(report.findings).toEqual([])
  expect(report.unanswered).toEqual([])
  expect(report.unprovoked).toEqual({ 200: ['deleteNote'], 201: ['createNote'] })
  expect(report.provoked).toHaveLength(14)
})

test('a token of the second of several schemes is sent by the named one, else the report says so', async () => {
  const document = doubleDocument()
  const schemes = document.components.securitySchemes as Record<string, object>
  schemes.key = { type: 'apiKey', in: 'header', name: 'X-Key' }
  document.security = [{ key: [] }, { token: [] }] as never
  const options = { server: double.url, token: TOKEN, values: { noteId: 'n1' }, largeBytes: 2_000 }
  expect((await replay(document, options)).isTokenRefused).toBe(true)
  const named = await replay(document, { ...options, scheme: 'token' })
  expect([named.isTokenRefused, named.findings]).toEqual([false, []])
})

test('an unknown id must be rejected only where the document has a status for it', () => {
  const document = readDocument(doubleDocument())
  const operation = document.operations.find(({ id }) => id === 'getNote') as Operation
  const given = { values: {}, largeBytes: 2_000 }
  const isWrong = (one: Operation) =>
    attemptsOf(document, one, given, createChecker(document.root)).find(
      ({ name }) => name === 'unknown record',
    )?.isWrong
  const { 404: _, ...responses } = operation.responses
  expect([isWrong(operation), isWrong({ ...operation, responses })]).toEqual([true, false])
})

/** The response of an operation to a status, to be changed. */
const responsesOf = (document: Document, path: string, method: string) =>
  document.paths[path]?.[method]?.responses as Record<string, { content?: object; headers?: object }>

function rename(record: Record<string, unknown>, from: string, to: string) {
  record[to] = record[from]
  delete record[from]
}

const propertiesOf = ({ components }: Document, name: string) =>
  components.schemas[name]?.properties as Record<string, object>

/** Changes to the document, each with the kind of the finding and with the operation that shows it. */
const drifts: [string, Finding['kind'], string, (document: Document) => unknown][] = [
  [
    'a 404 that is documented as 410',
    'status',
    'getNote',
    (d) => rename(responsesOf(d, '/notes/{noteId}', 'get'), '404', '410'),
  ],
  [
    'a deletion without its 404',
    'status',
    'deleteNote',
    (d) => delete responsesOf(d, '/notes/{noteId}', 'delete')[404],
  ],
  ['a write without its 401', 'status', 'createNote', (d) => delete responsesOf(d, '/notes', 'post')[401]],
  [
    'a 400 that is documented as 422',
    'status',
    'listNotes',
    (d) => rename(responsesOf(d, '/notes', 'get'), '400', '422'),
  ],
  ['a write without its 415', 'status', 'createNote', (d) => delete responsesOf(d, '/notes', 'post')[415]],
  [
    'a success with another status',
    'status',
    'getNote',
    (d) => rename(responsesOf(d, '/notes/{noteId}', 'get'), '200', '203'),
  ],
  ['a list without its 401', 'status', 'listNotes', (d) => delete responsesOf(d, '/notes', 'get')[401]],
  [
    'a required field with another name',
    'body',
    'getNote',
    (d) => d.components.schemas.Note?.required.push('name'),
  ],
  [
    'a field that is not documented',
    'field',
    'getNote',
    (d) => {
      delete propertiesOf(d, 'Note').createdAt
      d.components.schemas.Note?.required.pop()
    },
  ],
  ['a field of another type', 'body', 'getNote', (d) => (propertiesOf(d, 'Note').id = { type: 'integer' })],
  [
    'an undocumented field of a list',
    'field',
    'listNotes',
    (d) => {
      delete propertiesOf(d, 'NoteList').next
      d.components.schemas.NoteList?.required.pop()
    },
  ],
  [
    'a field of an entry of a list',
    'body',
    'listNotes',
    (d) => (propertiesOf(d, 'Note').tags = { type: 'array', items: { type: 'integer' } }),
  ],
  [
    'a field that may not be null',
    'body',
    'listNotes',
    (d) => (propertiesOf(d, 'NoteList').next = { type: 'string' }),
  ],
  [
    'an undocumented field of errors',
    'field',
    'getNote',
    (d) => {
      delete propertiesOf(d, 'Error').issues
      d.components.schemas.Error?.required.pop()
    },
  ],
  [
    'a format that the value does not have',
    'body',
    'getNote',
    (d) => (propertiesOf(d, 'Note').title = { type: 'string', format: 'date-time' }),
  ],
  [
    'a required header with another name',
    'header',
    'getNote',
    (d) => rename(d.components.responses.UNAUTHORIZED?.headers as never, 'WWW-Authenticate', 'X-Challenge'),
  ],
  [
    'a header of another form',
    'header',
    'getNote',
    (d) =>
      (responsesOf(d, '/notes/{noteId}', 'get')[200] = {
        ...responsesOf(d, '/notes/{noteId}', 'get')[200],
        headers: { ETag: { required: true, schema: { type: 'string', pattern: '^W/' } } },
      }),
  ],
  [
    'a header that is too long',
    'header',
    'listNotes',
    (d) =>
      ((d.components.responses.BAD_REQUEST as { headers: object }).headers = {
        'X-Request-Id': { schema: { type: 'string', maxLength: 1 } },
      }),
  ],
  [
    'another code of a 404',
    'body',
    'getNote',
    (d) => (d.components.responses.NOT_FOUND = d.components.responses.BAD_REQUEST as never),
  ],
  [
    'another code of a 413',
    'body',
    'createNote',
    (d) => (d.components.responses.PAYLOAD_TOO_LARGE = d.components.responses.NOT_FOUND as never),
  ],
  [
    'another code of a 401',
    'body',
    'deleteNote',
    (d) =>
      ((d.components.responses.UNAUTHORIZED as { content: object }).content = d.components.responses.NOT_FOUND
        ?.content as object),
  ],
  [
    'another media type of a success',
    'media type',
    'getNote',
    (d) =>
      rename(
        responsesOf(d, '/notes/{noteId}', 'get')[200]?.content as never,
        'application/json',
        'application/hal+json',
      ),
  ],
  [
    'another media type of errors',
    'media type',
    'getNote',
    (d) =>
      rename(
        d.components.responses.NOT_FOUND?.content as never,
        'application/json',
        'application/problem+json',
      ),
  ],
  [
    'a body where none is documented',
    'media type',
    'getHealth',
    (d) => delete responsesOf(d, '/health', 'get')[200]?.content,
  ],
  [
    'a method that the server does not have',
    'status',
    'createNote',
    (d) => rename(d.paths['/notes'] as never, 'post', 'put'),
  ],
  [
    'a method that the document does not have',
    'allow',
    'getNote',
    (d) => delete d.paths['/notes/{noteId}']?.delete,
  ],
  [
    'an operation that the server does not have',
    'missing',
    'getTag',
    (d) =>
      (d.paths['/tags/{noteId}'] = {
        ...(d.paths['/notes/{noteId}'] as object),
        get: { ...d.paths['/notes/{noteId}']?.get, operationId: 'getTag' },
        delete: { ...d.paths['/notes/{noteId}']?.delete, operationId: 'deleteTag' },
      }),
  ],
  [
    'a token that the server does not ask for',
    'accepted',
    'getHealth',
    (d) => delete d.paths['/health']?.get?.security,
  ],
  [
    'a token that the document does not ask for',
    'status',
    'listNotes',
    (d) => {
      ;(d.paths['/notes']?.get as { security: object[] }).security = []
      delete responsesOf(d, '/notes', 'get')[401]
    },
  ],
  [
    'a property that the server does not require',
    'accepted',
    'createNote',
    (d) => d.components.schemas.NewNote?.required.push('tags'),
  ],
]

test.each(drifts)('finds %s', async (_name, kind, operation, change) => {
  const document = doubleDocument()
  change(document)
  const { findings } = await replayOf(document)
  expect(findings.map((finding) => `${finding.operation}: ${finding.kind}`)).toContain(
    `${operation}: ${kind}`,
  )
})
