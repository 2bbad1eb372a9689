import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from '@jest/globals'

const inShell = promisify(execFile)

/** True if there is a curl that the scripts of tests can use, of 2021 or newer. */
export const hasCurl = await inShell('sh', ['-c', 'curl --fail-with-body --version && awk 1 /dev/null']).then(
  () => true,
  () => false,
)
if (!hasCurl)
  process.stderr.write('No curl in a shell: install it to test the commands of guides and samples\n')

export const testWithCurl = hasCurl ? test : test.skip

interface ShellOptions {
  env?: Record<string, string>
  cwd?: string
  /** Options of each curl. Unless said otherwise a rejected request ends its shell. */
  curl?: string
}

/**
 * Runs a script up to its first command that fails, and returns its standard output. Settings of the user who runs the
 * tests do not count: no proxy, no .curlrc.
 */
export async function runShell(
  script: string,
  { env, cwd, curl = '--fail-with-body' }: ShellOptions,
): Promise<string> {
  const wrapped = `curl() { command curl -q --noproxy "*" --silent --show-error ${curl} "$@" || exit 1; }`
  const { stdout } = await inShell('sh', ['-e', '-c', `${wrapped}\n${script}`], {
    cwd,
    env: { ...process.env, ...env },
  })
  return stdout
}
