import cluster from 'node:cluster'
import type { Pool } from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { standbyReads } from './db/standby.ts'
import { deliveryCounts } from './webhooks/attempt.ts'
import { shareMetrics } from './workers/worker.ts'

export interface Metrics {
  /** Counts a finished request. */
  observe(operationId: string, status: number, seconds: number): void
  /** Counts a request over a limit of its caller. */
  observeLimit(limit: string): void
  mediaType: string
  /** All metrics, of all workers where there are several, in the text format of Prometheus. */
  text(): Promise<string>
}

/** Counts and times of requests by operation and status, the pool, and the process itself. */
export function createMetrics(pool: Pool): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges by the names of counters, which checks of metrics reject; the sums by type have the same values.
  for (const kind of ['resources', 'handles', 'requests'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const overLimits = new Counter({
    name: 'http_requests_over_limit_total',
    help: 'Requests that were refused because their caller had sent too many, by limit; they are not timed.',
    labelNames: ['limit'],
    registers: [registry],
  })
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database by state; waiting counts requests without one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
  new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts of this process to post an event, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ outcome: 'delivered' }, deliveryCounts.delivered)
      this.inc({ outcome: 'failed' }, deliveryCounts.failed)
    },
  })
  new Gauge({
    name: 'webhook_deliveries_under_way',
    help: 'Events that this process is posting.',
    registers: [registry],
    collect() {
      this.set(deliveryCounts.underWay)
    },
  })
  new Gauge({
    name: 'webhook_delay_seconds',
    help: 'How long the last event that was posted for the first time had waited.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(deliveryCounts.lastDelay)
    },
  })
  new Counter({
    name: 'database_standby_reads_total',
    help: 'Reads that may come from a standby, by what did: standby, or the primary since it was lagging or failing.',
    labelNames: ['from'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [from, number] of Object.entries(standbyReads)) this.inc({ from }, number)
    },
  })
  const text = cluster.isWorker ? shareMetrics(registry) : () => registry.metrics()
  return {
    observe(operation, status, seconds) {
      requests.observe({ operation, status }, seconds)
    },
    observeLimit: (limit) => overLimits.inc({ limit }),
    mediaType: registry.contentType,
    text,
  }
}
