import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { publicId as publicIdSchema } from '../../contract/bots/schemas.ts'
import { findPublished } from '../chat/sessions/read-session.ts'
import type { Services } from '../context.ts'
import { basePathOf } from '../kit/paths.ts'
import { root } from '../root.ts'
import { askAlways, cachedAsset } from './cached-asset.ts'
import { createChatPage } from './chat-page.ts'
import { serveDeviceLogins } from './device/index.ts'
import { serveEmbed } from './embed/index.ts'
import { serveFiles } from './files.ts'
import { serveGoogleConsent } from './google/index.ts'
import { serveHome } from './home/index.ts'
import { serveInvitations } from './invitations/index.ts'
import { serveMembers } from './members/index.ts'
import { servePaymentReturn } from './payment/index.ts'
import { serveResults } from './results/index.ts'
import type { Serve } from './sign-in/browser.ts'
import { serveSignIn } from './sign-in/index.ts'

/*
 * The chat page: the files that a browser needs to run a published bot. They are sent as they are in
 * `server/pages/chat`, from the sources and from the build alike, so there is no build step. The page finds the
 * service relative to its own address and works behind any path of a proxy.
 */

const folder = new URL('server/pages/chat/', root)

const files: Record<string, string> = {
  'actions.js': 'text/javascript',
  'api.js': 'text/javascript',
  'avatar.svg': 'image/svg+xml',
  'bubbles.css': 'text/css',
  'bubbles.js': 'text/javascript',
  'calendar.js': 'text/javascript',
  'choices.js': 'text/javascript',
  'compat.js': 'text/javascript',
  'dates.js': 'text/javascript',
  'dom.js': 'text/javascript',
  'fields.js': 'text/javascript',
  'follow.js': 'text/javascript',
  'foreign.css': 'text/css',
  'foreign.js': 'text/javascript',
  'trackers.js': 'text/javascript',
  'forms.js': 'text/javascript',
  'host.js': 'text/javascript',
  'inputs.css': 'text/css',
  'uploads.css': 'text/css',
  'inputs.js': 'text/javascript',
  'loading.js': 'text/javascript',
  'memory.js': 'text/javascript',
  'motion.js': 'text/javascript',
  'numbers.js': 'text/javascript',
  'page.css': 'text/css',
  'page.js': 'text/javascript',
  'payment-channel.js': 'text/javascript',
  'payment-form.js': 'text/javascript',
  'payment-page.js': 'text/javascript',
  'payments.js': 'text/javascript',
  'phone.js': 'text/javascript',
  'ratings.js': 'text/javascript',
  'recorder.js': 'text/javascript',
  'redirect.js': 'text/javascript',
  'script.js': 'text/javascript',
  'stage.js': 'text/javascript',
  'storage.js': 'text/javascript',
  'star-outline.svg': 'image/svg+xml',
  'star.svg': 'image/svg+xml',
  'texts.js': 'text/javascript',
  'theme.js': 'text/javascript',
  'token.js': 'text/javascript',
  'unsent.js': 'text/javascript',
  'uploads.js': 'text/javascript',
  'view.js': 'text/javascript',
}

/** Code of bots runs here: in an origin of its own, which can reach neither the page nor the service as it. */
const sandboxPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  'connect-src http: https:',
].join('; ')

export function servePages(serve: Serve, services: Services): void {
  serveHome(serve, services)
  serveResults(serve)
  serveMembers(serve, services.config)
  serveSignIn(serve, services)
  serveInvitations(serve, services)
  serveDeviceLogins(serve, services)
  serveGoogleConsent(serve, services)
  serveEmbed(serve)
  serveFiles(serve, services)
  servePaymentReturn(serve)
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  for (const [name, mediaType] of Object.entries(files)) {
    const content = read(name)
    serve(
      `/chat/files/${name}`,
      cachedAsset(mediaType, () => content, askAlways),
    )
  }
  serve('/chat/files/calling-codes.js', cachedAsset('text/javascript', callingCodes, askAlways))
  const sandbox = read('sandbox.html')
  serve('/chat/files/sandbox.html', (_request, response) => {
    response.removeHeader('X-Frame-Options')
    response.setHeader('Content-Security-Policy', sandboxPolicy)
    response.type('text/html').send(sandbox)
  })
  const sendChatPage = createChatPage(services)
  serve('/chat/:publicId', (request, response) => {
    const { publicId } = request.params as { publicId: string }
    return sendChatPage(request, response, { publicId })
  })
}

/** The path of a bot in Typebot's viewer. */
export const VIEWER_PATH = '/:publicId'

/** Leads from the address of a bot in Typebot's viewer, which sites have in frames, to its chat page. */
export function redirectViewer({ db, chat, publicUrl }: Services): RequestHandler {
  return async (request, response, next) => {
    const { publicId } = request.params as { publicId: string }
    const isName = publicIdSchema.safeParse(publicId).success
    if (!isName || !(await findPublished(db, chat, publicId, undefined))) return next()
    response.locals.path = VIEWER_PATH
    const query = request.url.match(/\?.*/s)?.[0] ?? ''
    response.removeHeader('X-Frame-Options')
    response.redirect(302, `${basePathOf(publicUrl())}/chat/${publicId}${query}`)
  }
}

/** The calling code of each country, for chats with a phone number input. */
async function callingCodes(): Promise<string> {
  const { getCountries, getCountryCallingCode } = await import('libphonenumber-js')
  const codes = Object.fromEntries(getCountries().map((country) => [country, getCountryCallingCode(country)]))
  return `export const callingCodes = ${JSON.stringify(codes)}\n`
}
