import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/* A small service with a right document, whose changes a replay has to find. */

export const TOKEN = 'right-token'

const note = { id: 'n1', title: 'First', tags: ['a'], createdAt: '2026-01-05T09:00:00Z' }
const MAX_BODY_BYTES = 1_000

export async function startDouble(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server: Server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://double')
  response.setHeader('X-Request-Id', 'r1')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const send = (status: number, value: object) => {
    response.statusCode = status
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(value))
  }
  const fail = (status: number, code: string) => send(status, { code, message: 'No', issues: [] })
  const [, id] = /^\/notes\/([^/]+)$/.exec(pathname) ?? []
  const isHealth = pathname === '/health'
  if (pathname !== '/notes' && !id && !isHealth) return fail(404, 'NOT_FOUND')
  const allowed = isHealth ? ['GET'] : id ? ['GET', 'DELETE'] : ['GET', 'POST']
  if (!allowed.includes(request.method ?? '')) {
    response.setHeader('Allow', allowed.join(', '))
    return fail(405, 'METHOD_NOT_ALLOWED')
  }
  if (isHealth) return send(200, { status: 'ok' })
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    response.setHeader('WWW-Authenticate', 'Bearer')
    return fail(401, 'UNAUTHORIZED')
  }
  if (id) {
    if (id !== note.id) return fail(404, 'NOT_FOUND')
    if (request.method === 'DELETE') return send(200, { message: 'success' })
    response.setHeader('ETag', '"1"')
    if (request.headers['if-none-match'] !== '"1"') return send(200, note)
    response.statusCode = 304
    return response.end()
  }
  if (request.method === 'GET') {
    const limit = searchParams.get('limit') ?? '1'
    return /^\d+$/.test(limit) ? send(200, { notes: [note], next: null }) : fail(400, 'BAD_REQUEST')
  }
  if (body.length > MAX_BODY_BYTES) return fail(413, 'PAYLOAD_TOO_LARGE')
  if (body.length > 0 && request.headers['content-type'] !== 'application/json')
    return fail(415, 'UNSUPPORTED_MEDIA_TYPE')
  let given: { title?: unknown; tags?: unknown } | undefined
  try {
    given = JSON.parse(body.toString())
  } catch {
    return fail(400, 'BAD_REQUEST')
  }
  if (typeof given?.title !== 'string' || !Array.isArray(given.tags ?? [])) return fail(400, 'BAD_REQUEST')
  send(201, note)
}

const json = (schema: object) => ({ 'application/json': { schema } })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const errorOf = (code: string, headers = {}) => ({
  description: code,
  headers: { 'X-Request-Id': { required: true, schema: { type: 'string', maxLength: 20 } }, ...headers },
  content: json({ allOf: [reference('Error'), { type: 'object', properties: { code: { enum: [code] } } }] }),
})

const responses = (success: object, codes: Record<number, string>) => ({
  ...success,
  ...Object.fromEntries(
    Object.entries(codes).map(([status, code]) => [status, { $ref: `#/components/responses/${code}` }]),
  ),
})

/** The document of the double, which is right. */
export function doubleDocument() {
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1.0.0' },
    security: [{ token: [] as string[] }],
    paths: {
      '/health': {
        get: {
          operationId: 'getHealth',
          security: [] as object[],
          responses: {
            200: {
              description: 'Ok',
              content: json({
                type: 'object',
                required: ['status'],
                properties: { status: { type: 'string' } },
              }),
            },
          },
        },
      },
      '/notes': {
        get: {
          operationId: 'listNotes',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          responses: responses(
            { 200: { description: 'Notes', content: json(reference('NoteList')) } },
            { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED' },
          ) as Record<string, object>,
        },
        post: {
          operationId: 'createNote',
          requestBody: { required: true, content: json(reference('NewNote')) },
          responses: responses(
            { 201: { description: 'Note', content: json(reference('Note')) } },
            {
              400: 'BAD_REQUEST',
              401: 'UNAUTHORIZED',
              413: 'PAYLOAD_TOO_LARGE',
              415: 'UNSUPPORTED_MEDIA_TYPE',
            },
          ) as Record<string, object>,
        },
      },
      '/notes/{noteId}': {
        parameters: [
          { name: 'noteId', in: 'path', required: true, schema: { type: 'string' }, example: 'n1' },
        ],
        get: {
          operationId: 'getNote',
          responses: responses(
            {
              200: {
                description: 'Note',
                headers: { ETag: { required: true, schema: { type: 'string', pattern: '^"\\d"$' } } },
                content: json(reference('Note')),
              },
              304: { description: 'Unchanged' },
            },
            { 401: 'UNAUTHORIZED', 404: 'NOT_FOUND' },
          ) as Record<string, object>,
        },
        delete: {
          operationId: 'deleteNote',
          responses: responses(
            { 200: { description: 'Gone', content: json({ type: 'object' }) } },
            { 401: 'UNAUTHORIZED', 404: 'NOT_FOUND' },
          ) as Record<string, object>,
        },
      },
    } as unknown as Record<string, Record<string, Record<string, unknown>>>,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        BAD_REQUEST: errorOf('BAD_REQUEST'),
        UNAUTHORIZED: errorOf('UNAUTHORIZED', {
          'WWW-Authenticate': { required: true, schema: { type: 'string' } },
        }),
        NOT_FOUND: errorOf('NOT_FOUND'),
        PAYLOAD_TOO_LARGE: errorOf('PAYLOAD_TOO_LARGE'),
        UNSUPPORTED_MEDIA_TYPE: errorOf('UNSUPPORTED_MEDIA_TYPE'),
      } as Record<string, { headers: Record<string, object>; content: Record<string, unknown> }>,
      schemas: {
        Note: {
          type: 'object',
          required: ['id', 'title', 'tags', 'createdAt'],
          properties: {
            id: { type: 'string' },
            title: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            createdAt: { type: 'string', format: 'date-time' },
          },
        },
        NewNote: {
          type: 'object',
          required: ['title'],
          properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        },
        NoteList: {
          type: 'object',
          required: ['notes', 'next'],
          properties: {
            notes: { type: 'array', items: reference('Note') },
            next: { type: ['string', 'null'] },
          },
        },
        Error: {
          type: 'object',
          required: ['code', 'message', 'issues'],
          properties: { code: { type: 'string' }, message: { type: 'string' }, issues: { type: 'array' } },
        },
      } as Record<string, { required: string[]; properties: Record<string, object> }>,
    },
  }
}
