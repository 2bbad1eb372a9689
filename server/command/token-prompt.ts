import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Io } from './io.ts'

/**
 * Reads a token from a pipe, or from a terminal without showing it. It is no argument, since those are in lists of
 * processes.
 */
export async function readToken({ stdin, stderr }: Io): Promise<string> {
  const isTerminal = stdin.isTTY === true
  if (isTerminal) stderr.write('Access token: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: isTerminal })
  try {
    for await (const line of lines) return line.trim()
    return ''
  } finally {
    lines.close()
    if (isTerminal) stderr.write('\n')
  }
}
