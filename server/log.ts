import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * The log: lines of JSON. Of an error only name, message, code and stack are written, since database errors
 * carry values of rows in their other properties; secrets are cut out wherever they are named as such.
 */
export function createLog(level: string, sink: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
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
