import { type OperationId, operations } from '../../contract/index.ts'
import type { ErrorBody } from '../../contract/kit/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { JsonRecord } from '../documents/conversion/document.ts'
import type { Dispatch } from '../kit/dispatch.ts'

/** The result of a tool: a value that the agent reads, or the error of an operation. */
export type Outcome = { value: unknown } | { error: ErrorBody }

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
}

/** Calls an operation as the caller of the tool. */
export type Call = (
  id: OperationId,
  options?: CallOptions,
) => Promise<{ body: JsonRecord; etag: string } | { error: ErrorBody }>

export function createCall(dispatch: Dispatch): Call {
  return async (id, { params = {}, query = {}, headers, body } = {}) => {
    const operation: Operation = operations[id]
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) search.set(name, String(value))
    }
    const target = search.size > 0 ? `${path}?${search}` : path
    const response = await dispatch({ method: operation.method.toUpperCase(), target, headers, body })
    const answer = JSON.parse(response.text) as JsonRecord
    if (response.status < 400) return { body: answer, etag: response.headers.etag ?? '' }
    return { error: answer as unknown as ErrorBody }
  }
}

/** A rejection by a tool itself, in the form of those of operations. */
export function reject(path: string[], message: string): { error: ErrorBody } {
  return {
    error: {
      code: 'BAD_REQUEST',
      message: 'Invalid arguments',
      issues: [{ path, code: 'custom', message }],
    },
  }
}
