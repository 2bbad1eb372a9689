import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** What the metrics of one process are. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** What the process that looks after the workers tells one of them. */
export type ToWorker =
  | { kind: 'prepared' }
  /** In milliseconds: how long to go on serving, and how long the end may take from then on. */
  | { kind: 'stop'; wait: number; timeout: number }
  | { kind: 'collect'; id: number }
  | { kind: 'metrics'; id: number; text: string }

/** What a worker tells the process that looks after it. */
export type ToPrimary = { kind: 'collected'; id: number; metrics: Snapshot } | { kind: 'scrape'; id: number }
