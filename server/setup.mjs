import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/*
 * The steps of `make start` before the service: `install` or `build`. If one fails, the first line has the reason and
 * the remedy, and the output of the program follows. Runs before anything is installed.
 */

const steps = {
  install: [
    'npm',
    // NODE_ENV=production would leave out the tools of the build. With `http` npm reports each request, which a retry
    // hides.
    ...['ci', '--include=dev', '--no-audit', '--no-fund', '--no-progress', '--loglevel=http'],
    ...['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
  ],
  build: [process.execPath, 'node_modules/tsx/dist/cli.mjs', 'server/build.ts'],
}

const here = process.cwd()

const MAX_SHOWN_LINES = 40

/** Failed requests after which npm is ended if none succeeded: it would try each package three times, for minutes. */
const MAX_FAILED_REQUESTS = 50

/** Milliseconds for which requests are tried at least. */
const MIN_TRIED_MS = 10_000

/** Milliseconds without any response after which a hint is printed. */
const SILENCE_MS = 60_000

const away =
  'The registry of npm cannot be reached: check the network, or set the proxy or the registry (npm config set proxy URL, npm config set registry URL)'

/** Causes that can be fixed, matched in the output of the programs; the first match counts. */
const causes = [
  [
    /ENOSPC|no space left|EDQUOT/i,
    `The disk is full: free 1 GB where ${here} and the cache of npm are (npm config get cache)`,
  ],
  [
    /EROFS|read-only file system/i,
    `The folder ${here} is read-only: copy the project to a folder that can be written`,
  ],
  [
    /EACCES|EPERM|permission denied/i,
    `This account may not write ${here} or the cache of npm: change their owner (chown), or copy the project to a folder of your own`,
  ],
  [
    /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|E(?:CONN|SOCKET)?TIMEDOUT|ENETUNREACH|EHOSTUNREACH|CERT|network/i,
    away,
  ],
  [/EINTEGRITY/, 'A package came damaged: empty the cache of npm (npm cache clean --force) and try again'],
  [/\bE(?:401|403|404)\b/, 'The registry of npm refuses a package: look at npm config get registry'],
]

const [program, ...words] = steps[process.argv[2]]
const child = spawn(program, words, {
  stdio: ['ignore', 'pipe', 'pipe'],
  // On Windows npm is a script.
  shell: process.platform === 'win32' && program === 'npm',
})
let output = ''
let hasGivenUp = false
let deadline
const giveUp = () => {
  hasGivenUp = true
  // npm goes on after SIGTERM.
  child.kill('SIGKILL')
}
const begun = performance.now()
const hasResponse = () => /^npm http fetch GET [23]/m.test(output)
const hear = (piece) => {
  output += piece
  // npm warns of each file that it cannot write, and fetches the rest for minutes.
  if (/TAR_ENTRY_ERROR (?:ENOSPC|EDQUOT)/.test(output)) giveUp()
  if (hasGivenUp || hasResponse()) return
  if (output.split(' failed with E').length <= MAX_FAILED_REQUESTS) return
  // A network that comes up late has npm's first retries.
  if (performance.now() - begun > MIN_TRIED_MS) giveUp()
  else deadline ??= setTimeout(() => hear(''), MIN_TRIED_MS)
}
const waiting = setTimeout(() => {
  if (program === 'npm' && !/^npm http (?:cache|fetch GET \d)/m.test(output))
    process.stderr.write(`Nothing came from the registry of npm in a minute. ${away}\n`)
}, SILENCE_MS)
child.stdout.on('data', hear)
child.stderr.on('data', hear)
child.on('error', (error) => hear(`${error.message}\n`))
child.on('close', (code, signal) => {
  clearTimeout(waiting)
  clearTimeout(deadline)
  // npm only warns of files that it could not write, and ends well.
  const isIncomplete = output.includes('TAR_ENTRY_ERROR')
  if (code === 0 && !isIncomplete) return
  if (isIncomplete) rmSync('node_modules/.package-lock.json', { force: true })
  const written = output.split('\n')
  const lines = written.filter((line) => !/^npm (?:http|warn (?!tar ))/.test(line))
  const failures = written.filter((line) => /^npm http /.test(line) && / failed with /.test(line))
  // A failed request that succeeded later is no cause.
  const causeIn = (text) => causes.find(([pattern]) => pattern.test(text))?.[1]
  const cause = causeIn(lines.join('\n')) ?? causeIn(failures.join('\n'))
  const shown = [...failures.slice(0, 1), ...lines.slice(-MAX_SHOWN_LINES)].join('\n')
  if (!signal || hasGivenUp)
    process.stderr.write(`${cause ?? `It failed (${program}), for this reason:`}\n${shown}`)
  process.exitCode = 1
})
