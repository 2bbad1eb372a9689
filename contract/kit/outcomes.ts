/*
 * Shape of `generated/outcomes.json`: every outcome that the document promises, with the request that gets it from a
 * service in sandbox mode. Test suites of clients read it, and so does the sandbox itself.
 */

export interface OutcomeTable {
  operations: Record<string, OperationOutcomes>
  /** Responses that several operations share, by the name that outcomes refer to. */
  responses: Record<string, OutcomeResponse>
}

export interface OperationOutcomes {
  request: OutcomeRequest
  outcomes: Outcome[]
}

/** A request that fits the contract. Its ids are those of the examples; the sandbox does not look them up. */
export interface OutcomeRequest {
  method: string
  /** Path and query. */
  target: string
  isTokenNeeded: boolean
  contentType?: string
  body?: unknown
}

export interface Outcome {
  status: number
  /** Code of the error; absent for a success. */
  code?: string
  /** Name of the example in the document; absent where there is no body. */
  example?: string
  /** Headers that a request for this outcome needs: `Prefer`, and `Accept` where there are several media types. */
  headers: { Prefer: string; Accept?: string }
  /** The response, or its name in `responses`. */
  response: OutcomeResponse | string
}

export interface OutcomeResponse {
  headers: Record<string, string>
  /** Absent where there is no body. */
  mediaType?: string
  /** JSON, or the text of another media type. */
  body?: unknown
}
