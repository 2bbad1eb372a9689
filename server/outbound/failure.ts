/** Failure of a request to the outside that has no response. */
export interface OutboundFailure {
  ok: false
  reason: 'refused' | 'time' | 'size' | 'network'
  message: string
  /** The status of a redirect that was not followed. */
  status?: number
  /** The connection failed, so that another attempt may do better. */
  isConnectionLost?: true
}

export function fail(reason: OutboundFailure['reason'], message: string): OutboundFailure {
  return { ok: false, reason, message }
}

/** Error of a body that is not complete. */
export class BrokenOff extends Error {
  readonly failure: OutboundFailure

  constructor(failure: OutboundFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** The system's code where there is one: messages of the resolver and the socket name addresses. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
