import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { root } from '../../root.ts'
import { cachedAsset } from '../cached-asset.ts'
import { languages } from '../texts/index.ts'

/** The script that puts chats into pages of other sites, with the few texts that it has in every language. */
export function serveEmbed(serve: (path: string, handler: RequestHandler) => void): void {
  const texts = Object.entries(languages).map(
    ([language, { chat, openChat, closeChat, dismiss, notHere }]) => [
      language,
      { chat, openChat, closeChat, dismiss, notHere },
    ],
  )
  const read = (name: string) => readFileSync(new URL(`server/pages/embed/${name}`, root), 'utf8')
  const script = read('embed.js')
    .replace('/* texts */ {}', () => JSON.stringify(Object.fromEntries(texts)))
    .replace("/* css */ ''", () => JSON.stringify(read('embed.css')))
  const send = cachedAsset('text/javascript', () => script)
  serve('/embed.js', (request, response, next) => {
    // Made to be loaded by other sites, also with `crossorigin`.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.setHeader('Access-Control-Allow-Origin', '*')
    return send(request, response, next)
  })
}
