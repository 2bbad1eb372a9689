import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '../../generated/client/index.js'
import { fail, type Io } from './io.ts'

/*
 * Profiles: an address and a token for each installation. The file is for its owner alone. A token is sent to the
 * address of its profile and to no other, whatever a folder of bots says.
 */

export interface Profile {
  name: string
  url: string
  token: string
}

interface Stored {
  current: string
  profiles: Record<string, { url: string; token: string }>
}

export type Client = ReturnType<typeof createClient>

export interface Service {
  url: string
  client: Client
}

function fileOf({ env }: Io): string {
  return join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'bots', 'profiles.json')
}

function readProfiles(io: Io): Stored {
  const file = fileOf(io)
  if (!existsSync(file)) return { current: '', profiles: {} }
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, 'utf8')) as Stored
    return { current: String(current), profiles: { ...profiles } }
  } catch {
    return fail(`${file} is not valid JSON; delete it and run bots login`)
  }
}

/** Stores a profile and makes it the current one. */
export function saveProfile(io: Io, { name, url, token }: Profile) {
  const stored = readProfiles(io)
  stored.profiles[name] = { url, token }
  stored.current = name
  const file = fileOf(io)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}

/** The address in its one form: without a slash at the end. */
export function normalUrl(given: string): string {
  if (!URL.canParse(given) || !/^https?:/.test(given)) fail(`${given} is not an http(s) address`)
  const url = new URL(given)
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    fail('Give the address of the service alone, without user, query or fragment')
  let end = url.href.length
  while (url.href[end - 1] === '/') end--
  return url.href.slice(0, end)
}

/**
 * Finds the service: by the name of a profile, by the environment, or by the address that a folder of bots names, else
 * the current profile.
 */
export function openService(io: Io, name: string | undefined, folderUrl?: string): Service {
  const { current, profiles } = readProfiles(io)
  const { BOTS_URL, BOTS_TOKEN } = io.env
  if (name === undefined && BOTS_TOKEN) {
    if (!BOTS_URL) fail('BOTS_TOKEN needs BOTS_URL beside it: the address that the token is for')
    return checkFolder(connect(normalUrl(BOTS_URL), BOTS_TOKEN), folderUrl)
  }
  const wanted =
    name ?? Object.keys(profiles).find((one) => folderUrl !== undefined && profiles[one]?.url === folderUrl)
  const chosen = wanted ?? (folderUrl === undefined ? current : undefined)
  const profile = chosen === undefined || !Object.hasOwn(profiles, chosen) ? undefined : profiles[chosen]
  if (!profile) {
    const missing = name === undefined ? (folderUrl ?? 'a service') : `a profile ${name}`
    fail(`There is no login for ${missing}; run bots login`)
  }
  return checkFolder(connect(profile.url, profile.token), folderUrl)
}

function checkFolder(service: Service, folderUrl: string | undefined): Service {
  if (folderUrl !== undefined && folderUrl !== service.url)
    fail(`This folder belongs to ${folderUrl}, not to ${service.url}; use its profile, or another folder`)
  return service
}

/** Without a token, for operations that need none. */
export function connect(url: string, token?: string): Service {
  return { url, client: createClient({ baseUrl: url, ...(token !== undefined && { token }) }) }
}
