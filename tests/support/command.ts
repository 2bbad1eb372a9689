import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runCommand } from '../../server/command/program.ts'
import type { App } from './app.ts'
import type { Caller } from './client.ts'

/* The command `bots`, run in this process. */

interface Ran {
  code: number
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: it differs from command to command
  value: any
}

export interface Run {
  /** Null for no token, so that profiles count. */
  as?: Caller | null
  folder?: string
  input?: string
  /** A terminal in place of `input`: it does not end. */
  stdin?: Readable
  env?: Record<string, string>
  isTTY?: boolean
  opened?: string[]
  /** Runs in place of each delay. */
  delay?: (milliseconds: number) => Promise<void>
}

/** Runs a command against a service; `top` holds its folder and its profiles. */
export async function runBots(
  { url }: Pick<App, 'url'>,
  top: string,
  argv: string[],
  { as, folder, input, stdin, env = {}, isTTY, opened, delay = async () => {} }: Run,
): Promise<Ran> {
  const collect = () => {
    const stream: PassThrough & { isTTY?: boolean } = new PassThrough()
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    return { stream, text: () => Buffer.concat(pieces).toString() }
  }
  const [out, err] = [collect(), collect()]
  out.stream.isTTY = isTTY === true
  const own = as ? { BOTS_URL: url, BOTS_TOKEN: as.token } : {}
  const code = await runCommand(argv, {
    stdin: stdin ?? Readable.from(input === undefined ? [] : [input]),
    stdout: out.stream,
    stderr: err.stream,
    env: { XDG_CONFIG_HOME: join(top, 'config'), ...own, ...env },
    cwd: folder ?? top,
    openAddress: (address) => void opened?.push(address),
    delay,
  })
  const isJson = argv.includes('--json') && out.text() !== ''
  return { code, out: out.text(), err: err.text(), value: isJson ? JSON.parse(out.text()) : undefined }
}

/** As `runBots`, and fails where the command does. */
export async function runBotsWell(
  app: Pick<App, 'url'>,
  top: string,
  argv: string[],
  options: Run,
): Promise<Ran> {
  const ran = await runBots(app, top, argv, options)
  if (ran.code !== 0) throw new Error(`${argv.join(' ')} ended with ${ran.code}: ${ran.err}${ran.out}`)
  return ran
}
