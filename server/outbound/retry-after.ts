import { MS_PER_SECOND } from '../durations.ts'

/** Milliseconds of delay that a response requests by `Retry-After`, in seconds or as a date. */
export function retryAfterOf(headers: { 'retry-after'?: string | undefined }, maxMs: number): number {
  const given = headers['retry-after']
  if (given === undefined) return 0
  const wait = /^\d{1,9}$/.test(given) ? Number(given) * MS_PER_SECOND : Date.parse(given) - Date.now()
  return Math.min(Math.max(wait, 0), maxMs) || 0
}
