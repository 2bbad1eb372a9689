import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { RequestHandler } from 'express'
import type { Config } from '../../config.ts'
import { escapeHtml } from '../../html.ts'
import { sendProblem } from '../../kit/response.ts'
import { askAlways, cachedAsset } from '../cached-asset.ts'
import type { Assets } from './bundle.ts'

/*
 * The pages in which members build bots. They have no access of their own: they call the public interface. A build has
 * them bundled beside it; the sources bundle them on the first request.
 */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Icons and pictures of bots.
  "img-src 'self' data: https:",
  "connect-src 'self'",
  // The draft as a chat.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const mediaTypes: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }

/** The pages by their path. `:view` is a tab of a bot. */
const paths = ['/bots', '/bots/:botId', '/bots/:botId/:view', '/members', '/credentials', '/account', '/move']

export function serveMembers(
  serve: (path: string, handler: RequestHandler) => void,
  config: Pick<Config, 'CHAT_URL' | 'GOOGLE_CLIENT_ID'>,
): void {
  let reading: Promise<Assets> | undefined
  const assets = () => {
    reading ??= import.meta.url.endsWith('.ts') ? buildAssets() : readBuilt()
    // A failed attempt is retried on the next request.
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }
  const handlers = new Map<string, RequestHandler>()
  serve('/bots/files/:name', async (request, response, next) => {
    const { name } = request.params as { name: string }
    const content = (await assets()).get(name)
    if (!content) return sendProblem(response, 'NOT_FOUND')
    const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream'
    const handler = handlers.get(name) ?? cachedAsset(mediaType, () => Buffer.from(content), askAlways)
    handlers.set(name, handler)
    return handler(request, response, next)
  })
  for (const path of paths) {
    const send = cachedAsset(
      'text/html',
      () => page('../'.repeat(path.split('/').length - 2), config),
      askAlways,
    )
    serve(path, (request, response, next) => {
      response.setHeader('Content-Security-Policy', policy)
      return send(request, response, next)
    })
  }
}

/** The build has no bundler, and never comes here. */
async function buildAssets(): Promise<Assets> {
  const { bundleMembersPages } = await import('./bundle.ts')
  return bundleMembersPages()
}

async function readBuilt(): Promise<Assets> {
  const folder = new URL('members/', import.meta.url)
  const names = await readdir(folder)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder))] as const)),
  )
}

/** The page works behind any path of a proxy: `up` leads from its address to the folder of `/bots`. */
function page(
  up: string,
  { CHAT_URL, GOOGLE_CLIENT_ID }: Pick<Config, 'CHAT_URL' | 'GOOGLE_CLIENT_ID'>,
): string {
  const host = CHAT_URL && `\n    <meta name="chat-url" content="${escapeHtml(CHAT_URL)}">`
  const consent = GOOGLE_CLIENT_ID && '\n    <meta name="google-consent" content="true">'
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Bots</title>
    <meta name="robots" content="noindex">${host ?? ''}${consent ?? ''}
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${up}bots/files/style.css">
    <script src="${up}bots/files/app.js" type="module"></script>
  </head>
  <body>
    <noscript><p>This page needs JavaScript.</p></noscript>
    <div id="app"></div>
  </body>
</html>
`
}
