import { hostname } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import {
  ApiError,
  ConnectionError,
  type DeviceLogin,
  type DeviceLoginStart,
} from '../../generated/client/index.js'
import type { Context } from './context.ts'
import { exitCodes, fail, type Io, print } from './io.ts'
import { type Client, connect, normalUrl, saveProfile } from './profiles.ts'
import { readToken } from './token-prompt.ts'

/* The command `login`: a person allows it on a page of the service, or gives a token. */

type Scope = NonNullable<DeviceLoginStart['scopes']>[number]

const scopeNames: readonly Scope[] = ['read', 'write', 'results', 'chat-admin']

const DEFAULT_DAYS = 90

interface LoginOptions {
  name?: string
  scopes?: Scope[]
  workspace?: string
  days?: number
}

export function addLoginCommand(program: Command, { io, isJson }: Context) {
  program
    .command('login')
    .argument('<url>', 'address of the service')
    .option('--name <name>', 'name of the profile; by default the host of the address')
    .option('--scopes <list>', `scopes of the token, such as read,write; all by default`, readScopes)
    .option('--workspace <id>', 'workspace to bind the token to')
    .option('--days <count>', `days after which the token ends; ${DEFAULT_DAYS} by default`, readDays)
    .description(
      'Log in to a service: in a terminal you allow it on a page, a pipe or BOTS_TOKEN gives an access token',
    )
    .action(async (given: string, options: LoginOptions) => {
      const url = normalUrl(given)
      const profile = options.name ?? new URL(url).host
      if (!/^[\w.:-]{1,100}$/.test(profile))
        fail('A profile has a name of letters, digits, dots and hyphens', 2)
      const token =
        io.env.BOTS_TOKEN ?? (io.stdin.isTTY ? await askForToken(io, url, options) : await readToken(io))
      if (token === '') fail(`No token was given; create one on ${accountPage(url)}`)
      const { user, workspaces } = await connect(url, token).client.currentUser.get()
      saveProfile(io, { name: profile, url, token })
      const names = workspaces.map((workspace) => `${workspace.id}  ${workspace.name}`)
      print(io, isJson(), { profile, url, user: user.email, workspaces }, [
        `${user.email} is logged in to ${url} as profile ${profile}. Workspaces:`,
        ...names,
      ])
    })
}

const clientName = () => `bots on ${hostname()}`

const accountPage = (url: string) => `${url}/account?${new URLSearchParams({ token: clientName() })}`

/** Uses a page of the service; one without such logins has a page that creates a token. */
async function askForToken(io: Io, url: string, options: LoginOptions): Promise<string> {
  const { client } = connect(url)
  const started = await startLogin(url, options)
  if (!started) {
    const { scopes, workspace, days } = options
    if (scopes ?? workspace ?? days)
      fail(
        `This service makes no tokens for login: create one with your limits on ${accountPage(url)}, and leave out --scopes, --workspace and --days`,
        exitCodes.usage,
      )
    io.stderr.write(`Create a token on ${accountPage(url)} and paste it here.\n`)
    io.openAddress(accountPage(url))
    return readToken(io)
  }
  const { deviceCode, userCode } = started
  // The address that was given is reached from here, and a service cannot have another one opened.
  const page = `${url}/device`
  io.stderr.write(`Open ${page} and allow the code ${userCode.replaceAll(/[^A-Z0-9-]/g, '')}.\n`)
  io.openAddress(`${page}?${new URLSearchParams({ code: userCode })}`)
  let { interval } = started
  let isInDoubt = false
  for (let waited = interval; waited <= started.expiresIn; waited += interval) {
    await io.delay(interval * 1_000)
    const login = await readLogin(client, deviceCode)
    if (login === 'not found') break
    isInDoubt = login === 'not reached'
    if (login === 'not reached') continue
    interval = login.interval
    if (login.status === 'denied') fail('The login was refused')
    if (login.status === 'allowed' && login.apiToken) return login.apiToken.token
  }
  // A token that was on its way when the connection broke is given once.
  if (isInDoubt)
    fail(`If you allowed the login, revoke its token on ${accountPage(url)}; run bots login again`)
  return fail('Nobody allowed the login in time; run bots login again')
}

/** Retries while the service cannot be reached for a moment. */
async function readLogin(
  client: Client,
  deviceCode: string,
): Promise<DeviceLogin | 'not found' | 'not reached'> {
  try {
    return await client.deviceLogins.continue({ deviceCode })
  } catch (error) {
    if (error instanceof ConnectionError) return 'not reached'
    if (error instanceof ApiError && (error.status === 429 || error.status >= 500)) return 'not reached'
    if (error instanceof ApiError && error.status === 404) return 'not found'
    throw error
  }
}

/** Undefined if the service is older than these logins: they are an unknown path, or one for tokens alone. */
async function startLogin(url: string, { scopes, workspace, days }: LoginOptions) {
  try {
    return await connect(url).client.deviceLogins.start({
      name: clientName(),
      expiresInDays: days ?? DEFAULT_DAYS,
      ...(scopes && { scopes }),
      ...(workspace !== undefined && { workspaceId: workspace }),
    })
  } catch (error) {
    if (error instanceof ApiError && [401, 404, 405].includes(error.status)) return undefined
    throw error
  }
}

function readScopes(list: string): Scope[] {
  return list.split(',').map((word) => {
    const scope = scopeNames.find((name) => name === word.trim())
    return scope ?? invalid(`Give scopes of ${scopeNames.join(', ')}.`)
  })
}

function readDays(text: string): number {
  const days = Number(text)
  return Number.isInteger(days) && days >= 1 && days <= 3_650 ? days : invalid('Give 1 to 3650 days.')
}

function invalid(message: string): never {
  throw new InvalidArgumentError(message)
}
