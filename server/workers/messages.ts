import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** Metrics of one process. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** A message of the primary process to a worker. */
export type ToWorker =
  | { kind: 'prepared' }
  /** In milliseconds: `wait` is the time to continue serving, `timeout` the maximum time for the end from then on. */
  | { kind: 'stop'; wait: number; timeout: number }
  | { kind: 'collect'; id: number }
  | { kind: 'metrics'; id: number; text: string }

/** A message of a worker to the primary process. */
export type ToPrimary = { kind: 'collected'; id: number; metrics: Snapshot } | { kind: 'scrape'; id: number }
