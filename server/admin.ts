import { letGo, runCommand } from './admin/run-command.ts'

/*
 * Commands for tasks that have no operation or must work before the first token exists. Prints one JSON object on
 * standard output, a list one per line. A failure prints one line on standard error and exits with code 1. Works beside
 * a running service.
 */

/** Maximum time for running work to release the database, in milliseconds. */
const LET_GO_TIMEOUT_MS = 5_000

for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 })) {
  process.once(signal, () => {
    process.stderr.write('Interrupted\n')
    setTimeout(() => process.exit(128 + number), LET_GO_TIMEOUT_MS)
    void letGo().finally(() => process.exit(128 + number))
  })
}

// A reader may exit before the list ends. The writer gets the error as well.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
process.exitCode = await runCommand(process.argv.slice(2), {
  variables: process.env,
  write: async (text) => {
    const error = await new Promise<Error | null | undefined>((resolve) =>
      process.stdout.write(text, resolve),
    )
    if (error) throw error
  },
  say: (line) => void process.stderr.write(`${line}\n`),
})
