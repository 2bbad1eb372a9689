import { useEffect, useState } from 'preact/hooks'
import { service } from './service.ts'

/**
 * The part of the address that this app reads: `bots`, `bots/inbox`, `bots/{botId}`, `bots/{botId}/{view}`, `members`,
 * `credentials`, `account` or `move`, and the query.
 */
export interface Route {
  page: string | undefined
  botId: string | undefined
  view: string
  query: URLSearchParams
}

function readRoute(): Route {
  const path = location.pathname.slice(service.pathname.length)
  const [page, botId, view = ''] = path.split('/').map(decodeURIComponent)
  return { page, botId: botId || undefined, view, query: new URLSearchParams(location.search) }
}

const listeners = new Set<() => void>()

export function botPath(botId: string, view = ''): string {
  return `bots/${encodeURIComponent(botId)}${view ? `/${view}` : ''}`
}

export const urlOf = (path: string) => new URL(path, service).href

export function navigate(path: string, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', urlOf(path))
  for (const listener of listeners) listener()
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
    const update = () => setRoute(readRoute())
    listeners.add(update)
    addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      removeEventListener('popstate', update)
    }
  }, [])
  return route
}
