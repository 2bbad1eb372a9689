import type { JsonObject } from '../json/access.ts'

/** Arguments and outcome of code in the sandbox. Failures are values, never exceptions. */
export type EvaluateArgument = string | number | boolean | null | (string | null)[] | JsonObject

export interface EvaluateRequest {
  /** `expression`: code that gives its value, or the body of a function with a `return`. `body`: always a body. */
  form: 'expression' | 'body'
  code: string
  args: { name: string; value: EvaluateArgument }[]
  /**
   * Evaluations of one workspace, and in it those of one owner (a bot), wait for each other before they delay others.
   */
  owner: string
  /** Without a workspace, the owner counts as one. */
  workspaceId?: string
  /** CPU time that the code may take. */
  milliseconds: number
  /** Clock and seed of random numbers, for code that is to do the same each time. By default both are fresh. */
  now?: Date
  seed?: number
  /** Sends the requests that the code makes with `fetch`. Resolves with a failure instead of rejecting. */
  fetch(request: CodeRequest): Promise<CodeAnswer>
}

export interface CodeRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
}

/** The body as text, or why there is none. */
export type CodeAnswer =
  | { ok: true; status: number; headers: Record<string, string>; body: string }
  | { ok: false; message: string }

/** `milliseconds`: CPU time of the code. `lines`: its output to the console. */
export type EvaluateOutcome = { milliseconds: number; lines: string[] } & (
  | { ok: true; value: unknown; assignments: { name: string; value: unknown }[] }
  | { ok: false; reason: 'error' | 'time' | 'memory' | 'busy'; message: string }
)
