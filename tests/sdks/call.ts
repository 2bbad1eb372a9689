/** A call of an operation with the values of the examples, and the errors to ask a sandbox for. */
export interface Call {
  operationId: string
  tag: string
  /** In lower case. */
  method: string
  path: string
  pathParams: Record<string, string>
  /** Required parameters with their examples; absent where the operation has no parameters of the query. */
  query?: Record<string, unknown>
  /** All of the operation, in the order of the document. Those that are not needed have no value. */
  parameters: { name: string; in: string; isRequired: boolean; value?: unknown }[]
  /** Absent where nothing is sent. */
  contentType?: string
  body?: unknown
  /** The body's schema; absent for a file and for an object of any properties. */
  bodyType?: string
  /** As openapi-generator names the body among parameters, in camel case. */
  bodyName: string
  isBodyRequired: boolean
  errors: CallError[]
}

export interface CallError {
  status: number
  code: string
  example: string
  /** The header that asks for it. */
  prefer: string
  /** The response's, parsed. */
  body: { code: string; message: string; issues: unknown[] }
}
