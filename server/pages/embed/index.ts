import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { cachedAsset } from '../cached-asset.ts'

/** The script that puts chats into pages of other sites. A build has it beside itself; the sources bundle it first. */
export function serveEmbed(serve: (path: string, handler: RequestHandler) => void): void {
  const read = () => (import.meta.url.endsWith('.ts') ? buildBundle() : readBuilt())
  const send = cachedAsset('text/javascript', read)
  serve('/embed.js', (request, response, next) => {
    // Made to be loaded by other sites, also with `crossorigin`.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.setHeader('Access-Control-Allow-Origin', '*')
    return send(request, response, next)
  })
}

/** The build has no bundler, and never comes here. */
async function buildBundle(): Promise<string> {
  const { bundleEmbed } = await import('./bundle.ts')
  return bundleEmbed()
}

function readBuilt(): Promise<string> {
  return readFile(new URL('embed.js', import.meta.url), 'utf8')
}
