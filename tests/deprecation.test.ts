import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import express from 'express'
import { source } from '../contract/emit/source.ts'
import { operations as contract } from '../contract/index.ts'
import { methodsOf } from '../contract/kit/emit/methods.ts'
import { toOpenApi } from '../contract/kit/emit/openapi.ts'
import { recordId } from '../contract/kit/fields.ts'
import { z } from '../contract/kit/zod.ts'
import { anyone, type Operation } from '../contract/operation.ts'
import { readConfig } from '../server/config.ts'
import type { Services } from '../server/context.ts'
import { createOperations } from '../server/http/operations.ts'
import { createLimits } from '../server/kit/limits.ts'
import { createLog } from '../server/log.ts'
import { createMessageQuota, createQuotas } from '../server/shares/quotas.ts'
import { readOwnFiles } from './support/guides.ts'

/* An operation that is going, which only this test has: what is announced of it, and where. */

const params = z.object({ noteId: recordId('Id of the note.', 'note-1') })
const success = {
  status: 200,
  description: 'The note.',
  body: z.object({ text: z.string() }).meta({ id: 'Note', description: 'A note.' }),
  examples: { note: { summary: 'A note', value: { text: 'Hi' } } },
} as const
const common = {
  method: 'get',
  tag: 'bots',
  access: anyone,
  params,
  success,
  description: 'Returns a note.',
} as const
const operations: Record<string, Operation> = {
  getNote: { ...common, path: '/v2/notes/{noteId}', summary: 'Get a note' },
  readNote: {
    ...common,
    path: '/v1/notes/{noteId}',
    summary: 'Read a note',
    deprecated: { since: '2026-01-01', sunset: '2027-01-01', successor: 'getNote' },
  },
}

const logs: Record<string, unknown>[] = []
const written = new EventEmitter()
let server: Server
let url: string
beforeAll(async () => {
  const log = createLog('debug', {
    write: (line: string) => {
      logs.push(JSON.parse(line))
      written.emit('line')
    },
  })
  const handler = async (_request: unknown, respond: { ok(body: unknown): unknown }) =>
    respond.ok({ text: 'Hi' })
  const read = readConfig({ RATE_LIMIT: 'off' })
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const services = {
    log,
    config: read.config,
    now: () => new Date(),
    publicUrl: () => 'http://here',
    quotas: createQuotas({ config: read.config, log }),
    countMessage: createMessageQuota({ config: read.config }),
  } as unknown as Services
  const app = express().use(
    createOperations(operations, { getNote: handler, readNote: handler }, services, createLimits(services)),
  )
  server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

test.each([
  ['an answer', '/v1/notes/note-1', 200],
  ['a refusal', '/v1/notes/note-1?unknown=1', 400],
])(
  '%s sends its deprecation, its end and its successor, and the log names its caller',
  async (_, path, status) => {
    logs.length = 0
    // The line comes when the answer is out, maybe after it has arrived.
    const line = once(written, 'line')
    const answer = await fetch(url + path, {
      headers: { 'User-Agent': 'old-client/1.0', Connection: 'close' },
    })
    await answer.text()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('deprecation')).toBe('@1767225600')
    expect(answer.headers.get('sunset')).toBe('Fri, 01 Jan 2027 00:00:00 GMT')
    expect(answer.headers.get('link')).toBe('</v2/notes/note-1>; rel="successor-version"')
    await line
    expect(logs).toMatchObject([
      { operationId: 'readNote', userAgent: 'old-client/1.0', msg: 'deprecated operation called' },
    ])
  },
)

test('its successor sends no such headers', async () => {
  logs.length = 0
  const answer = await fetch(`${url}/v2/notes/note-1`, { headers: { Connection: 'close' } })
  await answer.text()
  expect(['deprecation', 'sunset', 'link'].filter((name) => answer.headers.has(name))).toEqual([])
  expect(logs).toEqual([])
})

test('the document marks it, with the headers of its response', () => {
  const document = toOpenApi({ ...source, operations, events: undefined }) as {
    paths: Record<string, { get: { deprecated?: boolean; responses: Record<string, { headers: object }> } }>
    components: { headers: object }
  }
  const marked = document.paths['/v1/notes/{noteId}']?.get
  expect(marked?.deprecated).toBe(true)
  expect(Object.keys(marked?.responses[200]?.headers ?? {})).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
  )
  expect(Object.keys(document.components.headers)).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset', 'Successor']),
  )
  expect(document.paths['/v2/notes/{noteId}']?.get.deprecated).toBeUndefined()
})

/** Returns the files of our own pages, commands and tools that call an operation. */
function findOwnCallers(id: string, operation: Operation): string[] {
  const document = toOpenApi(source) as Parameters<typeof methodsOf>[2]
  const calls = methodsOf(id, operation, document).map(({ resource, name }) => `client.${resource}.${name}(`)
  // Scripts of pages name the part of the path behind the ids of records.
  const path = `'${operation.path.replace(/^.*\}\//, '')}'`
  const callers = readOwnFiles(['server/pages', 'server/mcp', 'server/command'], /\.(ts|tsx|js)$/)
    .filter(({ text }) => [...calls, `'${id}'`, path].some((call) => text.includes(call)))
    .map(({ file }) => file)
  return operation.tool ? [...callers, 'contract: its mark `tool`'] : callers
}

test('our own pages, commands and tools call no deprecated operation', () => {
  const all = Object.entries(contract as Record<string, Operation>)
  expect(findOwnCallers('getStats', contract.getStats)).toEqual(
    expect.arrayContaining([
      'contract: its mark `tool`',
      'server/mcp/tools.ts',
      'server/pages/members/app/results/overview.tsx',
      'server/pages/results/page.js',
    ]),
  )
  const deprecated = all.filter(([, operation]) => operation.deprecated)
  expect(deprecated.flatMap(([name, operation]) => findOwnCallers(name, operation))).toEqual([])
})
