import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { toIso } from './iso-time.ts'

/**
 * Standard output, on which lines are written several at once, and none waits for long. Where several processes share
 * it, so few at once that the system does not mix those of one with those of another.
 */
export function openSink(isShared: boolean) {
  const size = isShared ? { minLength: 2_048, maxWrite: 4_096 } : { minLength: 8_192 }
  // Given texts, it would join all that waits to be written, and measure it, with every line.
  const sink: { write(line: string | Buffer): boolean; flushSync(): void } = destination({
    ...size,
    sync: false,
    periodicFlush: 100,
    contentMode: 'buffer',
  })
  // Looked up for each line: the library puts others in their place once nobody reads.
  return {
    write: (line: string) => sink.write(Buffer.from(line)),
    flushSync: () => sink.flushSync(),
  }
}

/**
 * The log: lines of JSON. Of an error only name, message, code and stack are written, since database errors
 * carry values of rows in their other properties; secrets are cut out wherever they are named as such.
 */
export function createLog(level: string, sink: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: () => `,"time":"${toIso(new Date())}"`,
      serializers: {
        err: (error: Error & { code?: unknown }) => ({
          name: error?.name,
          message: error?.message,
          code: error?.code,
          stack: error?.stack,
        }),
      },
      redact: {
        paths: ['token', 'password', 'authorization', '*.token', '*.password', '*.authorization', '*.email'],
        censor: '[redacted]',
      },
    },
    sink,
  )
}

/** Ends the process with a message for the person who started it. */
export function leave(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
