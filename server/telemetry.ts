import type { ServerResponse } from 'node:http'
import { type Span, SpanKind, type TextMapPropagator } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-node'

/*
 * Traces and metrics by OpenTelemetry, if its variables are set; not loaded otherwise. Loaded before the service, so
 * that it finds the modules that it instruments.
 */

export interface Telemetry {
  /** Sends all pending data. */
  stop(): Promise<void>
}

/**
 * Attributes that a span may export. Addresses, headers and texts of errors have data of callers: session ids, which
 * give access to chats, and answers. Statements are sent without their values, so they may be exported.
 */
const TOLD = new Set([
  'operation',
  'http.method',
  'http.request.method',
  'http.status_code',
  'http.response.status_code',
  'http.scheme',
  'url.scheme',
  'error.type',
  'db.system',
  'db.system.name',
  'db.name',
  'db.namespace',
  'db.statement',
  'db.query.text',
  'db.operation.name',
])

/** For requests of bots, their address is exported too. */
const TOLD_OF_CALLS = new Set(['server.address', 'server.port', 'net.peer.name', 'net.peer.port'])

function silence(span: ReadableSpan) {
  for (const name of Object.keys(span.attributes)) {
    const isTold = TOLD.has(name) || (span.kind === SpanKind.CLIENT && TOLD_OF_CALLS.has(name))
    if (!isTold) delete span.attributes[name]
  }
  Object.assign(span, { events: [], status: { code: span.status.code } })
}

class TraceExporter extends OTLPTraceExporter {
  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>) {
    for (const span of spans) silence(span)
    super.export(spans, done)
  }
}

const w3c = new W3CTraceContextPropagator()

/** Continues the trace of a caller. Requests of bots carry no trace. */
const incomingOnly: TextMapPropagator = {
  inject() {},
  extract: (context, carrier, getter) => w3c.extract(context, carrier, getter),
  fields: () => w3c.fields(),
}

const PROBES = ['/livez', '/readyz', '/metrics']

/** Names the span of a request as the contract does. */
function nameSpan(span: Span, response: ServerResponse) {
  const { locals } = response as ServerResponse & { locals?: Express.Locals }
  if (!locals) return
  const name = locals.operationId ?? locals.path ?? 'other'
  span.updateName(name)
  span.setAttribute('operation', name)
}

/** Begins, as the environment says: `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER` and so on. */
export function startTelemetry(): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': 'bot-builder-service' }).merge(
    detectResources({ detectors: [envDetector] }),
  )
  const hasTraces = process.env.OTEL_TRACES_EXPORTER !== 'none'
  const hasMetrics = process.env.OTEL_METRICS_EXPORTER !== 'none'
  const traces = new NodeTracerProvider({
    resource,
    spanProcessors: hasTraces ? [new BatchSpanProcessor(new TraceExporter())] : [],
  })
  const meters = new MeterProvider({
    resource,
    readers: hasMetrics ? [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })] : [],
  })
  traces.register({ propagator: incomingOnly })
  registerInstrumentations({
    tracerProvider: traces,
    meterProvider: meters,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => PROBES.includes(url),
        applyCustomAttributesOnSpan: (span, _request, response) => nameSpan(span, response as ServerResponse),
      }),
      // Statements of the background belong to no request.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  return {
    async stop() {
      await Promise.allSettled([traces.shutdown(), meters.shutdown()])
    },
  }
}
