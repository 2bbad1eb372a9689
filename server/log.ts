import { setTimeout as delay } from 'node:timers/promises'
import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { databaseError } from './db/errors.ts'
import { toIso } from './db/iso-time.ts'

/** Maximum bytes of log lines that wait to be read; further lines are only counted. */
const MAX_QUEUE_BYTES = 16 * 1024 * 1024

/** Maximum wait at exit until the reader takes some of the last lines, in milliseconds. */
const LAST_LINES_TIMEOUT_MS = 1_000

/** Maximum number of such waits while the reader takes lines. */
const MAX_LAST_LINES_WAITS = 10

/** Delay before the library retries to write a line, in milliseconds. */
const RETRY_DELAY_MS = 100

/**
 * Standard output, written in batches that do not wait for long. If several processes share it, batches are small
 * enough for the system not to interleave them. A slow or absent reader or a full disk stops the process neither from
 * serving nor from exiting.
 */
export function openSink(isShared: boolean) {
  let isTaken = true
  let isEnding = false
  let isExiting = false
  let dropped = 0
  // Runs ahead of the handler of the library, which waits for ever for a reader.
  process.once('exit', () => {
    isExiting = true
    try {
      if (isTaken) sink.flushSync()
    } catch {
      // No output is left to report it on.
    }
    sink.destroy()
  })
  const size = isShared ? { minLength: 2_048, maxWrite: 4_096 } : { minLength: 8_192 }
  // Given texts, it would join all that waits to be written, and measure it, with every line.
  const sink = destination({
    ...size,
    sync: false,
    periodicFlush: 100,
    contentMode: 'buffer',
    maxLength: MAX_QUEUE_BYTES,
    retryEAGAIN: () => !isExiting,
  })
  // Lines that could not be written stay in the queue and are retried.
  sink.on('error', () => (isTaken = false))
  sink.on('drop', () => dropped++)
  sink.on('drain', () => {
    isTaken = true
    if (dropped === 0) return
    const line = {
      level: 40,
      time: toIso(new Date()),
      pid: process.pid,
      dropped,
      msg: 'lines of the log were dropped: nobody took them',
    }
    dropped = 0
    write(`${JSON.stringify(line)}\n`)
  })

  function write(line: string) {
    if (isEnding) return
    // The types of the library know no bytes.
    const hasRoom = sink.write(Buffer.from(line) as unknown as string)
    if (!hasRoom) isTaken = false
  }

  return {
    write,
    /** Exits once the last lines are written, or after a timeout if no reader takes them. */
    async exit(code: number): Promise<never> {
      isEnding = true
      let isWriting = true
      let areTaken = true
      const written = new Promise<void>((resolve) => {
        const stop = () => {
          isWriting = false
          resolve()
        }
        sink.once('close', stop).once('error', stop)
      })
      sink.on('write', () => (areTaken = true))
      sink.end()
      for (let time = 0; isWriting && areTaken && time < MAX_LAST_LINES_WAITS; time++) {
        areTaken = false
        await Promise.race([written, delay(LAST_LINES_TIMEOUT_MS)])
      }
      isExiting = true
      await Promise.race([written, delay(2 * RETRY_DELAY_MS)])
      // A process that exited earlier may have set the output that both share to blocking mode. Such a write ends with
      // the process only, and Node waits for the write.
      if (isWriting) process.kill(process.pid, 'SIGKILL')
      sink.destroy()
      return process.exit(code)
    },
  }
}

const levels: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** Others bring a part of the text, which must not move the cursor. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}]/gu, ' ')

/** A line of the log for a person at a terminal. */
export function readableLine(line: string): string {
  const { level, time, pid: _, hostname: __, msg = '', err, ...rest } = JSON.parse(line)
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = printable([msg, ...details, ...(err ? [err.message] : [])].join(' '))
  const stack =
    err?.stack && level >= 50
      ? err.stack
          .split('\n')
          .slice(1)
          .map((at: string) => `${printable(at)}\n`)
          .join('')
      : ''
  return `${time.slice(11, 19)} ${(levels[level] ?? String(level)).padEnd(5)} ${text}\n${stack}`
}

/**
 * The log: lines of JSON, and formatted lines at a terminal. Errors are logged with name, message, code and stack only,
 * since database errors carry values of rows in other properties. Secrets are cut out wherever they are named as such.
 */
export function createLog(level: string, sink: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: () => `,"time":"${toIso(new Date())}"`,
      serializers: {
        err: (given: Error) => {
          // Without the wrapper whose message has every parameter of a statement.
          const error = databaseError(given) as (Error & { code?: unknown }) | undefined
          return { name: error?.name, message: error?.message, code: error?.code, stack: error?.stack }
        },
      },
      redact: {
        paths: ['token', 'password', 'authorization', '*.token', '*.password', '*.authorization', '*.email'],
        censor: '[redacted]',
      },
    },
    process.stdout.isTTY ? { write: (line: string) => sink.write(readableLine(line)) } : sink,
  )
}

/** The signals that end the service. A terminal that is closed sends the third one. */
const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Calls `end` with the first signal that ends the process, and `quit` with a later one, which skips the wait.
 * `isHasty`: a person at a terminal has no balancer that must notice first.
 */
export function onEndSignals(end: (isHasty: boolean) => void, quit: () => void) {
  let isEnding = false
  for (const signal of endSignals) {
    process.on(signal, () => {
      if (isEnding) return quit()
      isEnding = true
      end(signal !== 'SIGTERM')
    })
  }
}

/** Ends the process with a message for the person who started it. */
export function leave(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
