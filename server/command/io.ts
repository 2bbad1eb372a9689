import type { Readable, Writable } from 'node:stream'
import { ApiError, ConnectionError } from '../../generated/client/index.js'

/** All that a command touches of its surroundings, so that tests run it in their process. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  env: Record<string, string | undefined>
  cwd: string
  /** Opens an address in a browser. */
  openAddress(address: string): void
  delay(milliseconds: number): Promise<void>
}

export const exitCodes = { done: 0, failed: 1, usage: 2, conflict: 3, differs: 4 } as const

/** Ends a command with a message for people. */
export function fail(message: string, exitCode: number = exitCodes.failed): never {
  throw Object.assign(new Error(message), { exitCode })
}

export function printLine(io: Io, text: string) {
  io.stdout.write(`${text}\n`)
}

/** Prints a value as JSON, or lines for people. */
export function print(io: Io, isJson: boolean, value: unknown, lines: readonly string[]) {
  if (isJson) printLine(io, JSON.stringify(value, null, 2))
  else for (const line of lines) printLine(io, line)
}

export const countBots = (count: number) => (count === 1 ? '1 bot' : `${count} bots`)

/** Shows the progress of a long command, only in a terminal. */
export function createProgress(io: Io, total: number, noun: string) {
  let count = 0
  return {
    advance(by = 1) {
      count += by
      if (io.stderr.isTTY) io.stderr.write(`\r${count}/${total} ${noun}`)
    },
    end() {
      if (io.stderr.isTTY && count > 0) io.stderr.write('\n')
    },
  }
}

const colours = { green: 32, red: 31, yellow: 33, dim: 2 } as const

/** A text in a colour, where a person reads it. */
export function paint(io: Io, colour: keyof typeof colours, text: string): string {
  return io.stdout.isTTY && !io.env.NO_COLOR ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text
}

/** Explains an error: the words for people and the exit code. */
export function explain(error: unknown): { message: string; exitCode: number } {
  if (error instanceof ApiError) {
    // The message of the client has the first issue.
    const others = error.issues.slice(1).map(({ path, message }) => `\n  ${path.join('.')}: ${message}`)
    const isConflict = error.status === 409 || error.status === 412
    const id = error.requestId ? ` (request ${error.requestId})` : ''
    return {
      message: `${error.message}${id}${others.join('')}`,
      exitCode: isConflict ? exitCodes.conflict : exitCodes.failed,
    }
  }
  if (error instanceof ConnectionError) {
    const { cause } = error as { cause?: { message?: string } }
    return {
      message: `The service does not answer: ${cause?.message ?? error.message}`,
      exitCode: exitCodes.failed,
    }
  }
  const { message, exitCode = exitCodes.failed } = error as Error & { exitCode?: number }
  return { message, exitCode }
}
