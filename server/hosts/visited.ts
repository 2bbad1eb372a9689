import { isIP } from 'node:net'
import type express from 'express'
import { type Config, hostOf } from '../config.ts'
import { ownHosts } from './own.ts'

/** The host that a request names: that of the service, or one that serves chats alone. */
export type VisitedHost = { kind: 'main' } | ChatHost

/** Code of authors and vendors runs here, since members never sign in here. */
export interface ChatHost {
  kind: 'chats'
  /** Base address of the service on this host. */
  url: string
  /** The host, if it belongs to bots: it serves these alone. */
  domain?: string
}

declare global {
  namespace Express {
    interface Locals {
      /** Set before anything else serves the request. */
      visited?: VisitedHost
    }
  }
}

/** The longest name that DNS has. */
export const MAX_HOST_CHARACTERS = 253

/** The host of a header, without port: one name for all of its spellings. */
const normalHost = (host: string) => host.toLowerCase().replace(/\.$/, '')

/** Names that only networks of their own know: callers within one may use them for the service. */
export const isPrivateName = (host: string) =>
  !host.includes('.') || isIP(host) !== 0 || /\.(local|localhost|internal|lan|home\.arpa)$/.test(host)

export interface HostReader {
  /** The host of a request, as far as the configuration says it. */
  read: (request: express.Request) => VisitedHost
  /** The host of a request that may be that of a bot; undefined where it cannot. */
  readDomain: (request: express.Request) => string | undefined
  /** True if a host is one of the service, or the one for chats. */
  isOwn: (host: string) => boolean
}

export function createHostReader(config: Config): HostReader {
  const { CHAT_URL, PUBLIC_URL } = config
  const chatHost = CHAT_URL && hostOf(CHAT_URL)
  const mainHost = PUBLIC_URL && hostOf(PUBLIC_URL)
  // Express takes `X-Forwarded-Host` from a proxy that is trusted.
  const visitedHost = ({ hostname = '' }: express.Request) => normalHost(hostname)
  const own = new Set(ownHosts(config))
  const isOwn = (host: string) => own.has(host)
  return {
    read: (request) =>
      CHAT_URL !== undefined && visitedHost(request) === chatHost
        ? { kind: 'chats', url: CHAT_URL }
        : { kind: 'main' },
    readDomain: (request) => {
      const host = visitedHost(request)
      // Without a known host of its own, the service would lose the one that members use to a bot that names it.
      if (mainHost === undefined || isOwn(host) || isPrivateName(host)) return undefined
      return host.length > MAX_HOST_CHARACTERS ? undefined : host
    },
    isOwn,
  }
}

/** A host of bots, as the visitor of a request reaches it. */
export function botHost(request: express.Request, domain: string): ChatHost {
  const [port = ''] = /:\d{1,5}$/.exec(request.host ?? '') ?? []
  return { kind: 'chats', url: `${request.protocol}://${domain}${port}`, domain }
}

/** The base address that the visitor of a request uses: that of the host for chats, else `publicUrl`. */
export function visitedUrl<Url extends string | undefined>(
  { res }: express.Request,
  publicUrl: Url,
): string | Url {
  const visited = res?.locals.visited
  return visited?.kind === 'chats' ? visited.url : publicUrl
}

/** The host of bots that a request names; undefined on a host of the service. */
export function visitedDomain({ res }: express.Request): string | undefined {
  const visited = res?.locals.visited
  return visited?.kind === 'chats' ? visited.domain : undefined
}
