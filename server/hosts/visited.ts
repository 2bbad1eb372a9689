import type express from 'express'
import type { Config } from '../config.ts'

/** The host that a request names: that of the service, or one that serves chats alone. */
export type VisitedHost = { kind: 'main' } | ChatHost

/** Code of authors and vendors runs here, since members never sign in here. */
export interface ChatHost {
  kind: 'chats'
  /** Base address of the service on this host. */
  url: string
}

declare global {
  namespace Express {
    interface Locals {
      /** Set before anything else serves the request. */
      visited?: VisitedHost
    }
  }
}

/** A function that says which host a request names. */
export function createHostReader({ CHAT_URL }: Config): (request: express.Request) => VisitedHost {
  const chatHost = CHAT_URL === undefined ? undefined : new URL(CHAT_URL).hostname
  return (request) =>
    CHAT_URL !== undefined && hostOf(request) === chatHost
      ? { kind: 'chats', url: CHAT_URL }
      : { kind: 'main' }
}

/** As URLs write it, without port; `X-Forwarded-Host` counts where the proxy is trusted. */
function hostOf({ hostname = '' }: express.Request): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** The base address that the visitor of a request uses. */
export function visitedUrl({ res }: express.Request, publicUrl: string): string {
  const visited = res?.locals.visited
  return visited?.kind === 'chats' ? visited.url : publicUrl
}
