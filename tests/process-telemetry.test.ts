import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { wantsTelemetry } from '../server/config.ts'
import { root } from '../server/root.ts'
import { endProcesses, startService, until } from './support/process.ts'
import { createDatabase } from './support/server.ts'

/* Traces and metrics as a collector gets them, from a process of the service. */

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await endProcesses()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Sent {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** Starts a server that receives traces and metrics. */
async function startCollector() {
  const bodies: { path: string; text: string }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      bodies.push({ path: request.url ?? '', text })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  cleanUps.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(resolve)
      }),
  )
  const sent = (path: string) =>
    bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts: () => bodies.map(({ text }) => text).join('\n'),
    spans: (): Sent[] =>
      sent('/v1/traces').flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap((resource: { scopeSpans: { spans: Sent[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    metrics: (): string[] =>
      sent('/v1/metrics').flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap((resource: { scopeMetrics: { metrics: { name: string }[] }[] }) =>
          resource.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
        ),
      ),
  }
}

test('a request is a span with its statements, without content of callers', async () => {
  const collector = await startCollector()
  const { url: DATABASE_URL, drop } = await createDatabase('nothing')
  cleanUps.push(drop)
  const service = await startService({
    DATABASE_URL,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'bots-under-test',
    OTEL_METRIC_EXPORT_INTERVAL: '60000',
  })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(service.url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
    })
  expect((await ask('/livez')).status).toBe(200)
  const { workspaces } = (await (await ask('/v1/workspaces')).json()) as { workspaces: { id: string }[] }
  const body = JSON.stringify({
    workspaceId: workspaces[0]?.id,
    folder: { name: 'a-name-that-nobody-else-knows' },
  })
  expect((await ask('/v1/folders', { method: 'POST', body })).status).toBe(201)
  const session = 'a-session-that-is-a-key'
  const rejected = await ask(`/api/v1/sessions/${session}/continueChat?q=${session}`, {
    method: 'POST',
    body: '{}',
  })
  expect(rejected.status).toBe(400)

  // The end sends what is left.
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
  await until('all came', () => collector.spans().some(({ name }) => name === 'continueChat'))
  const spans = collector.spans()
  const requests = spans.filter(({ attributes }) => attributes.some(({ key }) => key === 'operation'))
  expect(requests.map(({ name }) => name).sort()).toEqual(['continueChat', 'createFolder', 'listWorkspaces'])
  expect(new Set(requests.map((span) => span.traceId))).toEqual(new Set([traceId]))
  const [created] = requests.filter(({ name }) => name === 'createFolder')
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === created?.spanId)
  const texts = statements.flatMap(({ attributes }) =>
    attributes.map(({ value }) => String(value.stringValue)),
  )
  expect(texts.join()).toMatch(/insert into "folders"/i)
  expect(new Set(collector.metrics())).toContain('http.server.request.duration')
  const all = collector.texts()
  expect(all).toContain('bots-under-test')
  for (const secret of [service.token as string, session, 'a-name-that-nobody-else-knows']) {
    expect(all).not.toContain(secret)
  }
})

test('an unavailable collector affects neither the responses nor the stop of the service', async () => {
  const { url: DATABASE_URL, drop } = await createDatabase('nothing')
  cleanUps.push(drop)
  const service = await startService({ DATABASE_URL, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  const response = await fetch(`${service.url}/v1/workspaces`, {
    headers: { authorization: `Bearer ${service.token}` },
  })
  expect(response.status).toBe(200)
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

test('telemetry is not loaded where it is not configured', async () => {
  const sources = readdirSync(new URL('server/', root), { recursive: true, encoding: 'utf8' })
  const text = (name: string) => readFileSync(new URL(`server/${name}`, root), 'utf8')
  const users = sources.filter((name) => name.endsWith('.ts') && /from '@opentelemetry/.test(text(name)))
  expect(users).toEqual(['telemetry.ts'])
  const importers = sources.filter(
    (name) => name.endsWith('.ts') && /^import (?!type).*telemetry\.ts'/m.test(text(name)),
  )
  expect(importers).toEqual([])
  expect(text('main.ts')).toMatch(
    /wantsTelemetry\(process\.env\)\s+\? \(await import\('\.\/telemetry\.ts'\)\)/,
  )

  const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }
  expect(wantsTelemetry({})).toBe(false)
  expect(wantsTelemetry({ OTEL_SERVICE_NAME: 'bots', OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false)
  expect(wantsTelemetry(endpoint)).toBe(true)
  expect(wantsTelemetry({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(false)
})
