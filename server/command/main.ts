import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { runCommand } from './program.ts'

/** Opens an address with the program that the system has for that. */
function openAddress(address: string) {
  const [command, ...rest] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const opener = spawn(command as string, [...rest, address], { stdio: 'ignore', detached: true })
  // The address is printed as well.
  opener.on('error', () => {})
  opener.unref()
}

// A reader that closes the pipe wants no more, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})

process.exitCode = await runCommand(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  openAddress,
  delay,
})
