import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import type { RequestHandler } from 'express'
import { publicId as publicIdSchema } from '../../contract/bots/schemas.ts'
import type { Flow } from '../chat/engine/types.ts'
import { allowedOriginsOf } from '../chat/sessions/allowed-origins.ts'
import { findPublished } from '../chat/sessions/read-session.ts'
import type { Services } from '../context.ts'
import { bots } from '../db/schema.ts'
import { escapeHtml } from '../html.ts'
import { root } from '../root.ts'
import { askAlways, cachedAsset } from './cached-asset.ts'
import { serveEmbed } from './embed/index.ts'
import { serveFiles } from './files.ts'
import { type ForeignCode, foreignCodeOf, pagePolicy } from './foreign-code.ts'
import { serveHome } from './home/index.ts'
import { serveInvitations } from './invitations/index.ts'
import { serveMembers } from './members/index.ts'
import { servePaymentReturn } from './payment/index.ts'
import { serveResults } from './results/index.ts'
import { basePathOf, type Serve } from './sign-in/browser.ts'
import { serveSignIn } from './sign-in/index.ts'
import { fillPage, languageOf } from './texts/index.ts'

/*
 * The chat page: what a browser needs to run a published bot. The files are sent as they lie in
 * `server/pages/chat`, from the sources and from the build alike, so there is nothing to build. The page
 * finds the service relative to its own address and works behind any path of a proxy.
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

/** The page without a bot of its own, in which members try a draft. No public id has this form. */
const DRAFT_NAME = '~draft'

export function servePages(serve: Serve, services: Services): void {
  serveHome(serve, services)
  serveResults(serve)
  serveMembers(serve, services.config.CHAT_URL)
  serveSignIn(serve, services)
  serveInvitations(serve, services)
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
  const page = read('page.html')
  serve('/chat/:publicId', async (request, response) => {
    const { publicId } = request.params as { publicId: string }
    const bot = publicIdSchema.safeParse(publicId).success ? await findBot(services, publicId) : undefined
    const pageLanguage = languageOf(bot?.settings, request)
    const { texts } = pageLanguage
    const own = { ...texts, closed: closedText(bot?.settings) ?? texts.closed }
    const title = titleOf(bot) ?? texts.chat
    const isOfChats = response.locals.visited?.kind === 'chats'
    const foreign = isOfChats && bot ? foreignCodeOf(bot.flow) : undefined
    const words = { ...own, title, publicId: encodeURIComponent(publicId) }
    const html = fillPage(page, pageLanguage, words)
      .replaceAll('<script src', () => `<script${nonceOf(foreign)} src`)
      .replaceAll('<script type="module"', () => `<script${nonceOf(foreign)} type="module"`)
      .replace('<!-- head -->', () => headOf(bot, title, own, foreign))
    const isDraft = publicId === DRAFT_NAME && !isOfChats
    response.status(bot || isDraft ? 200 : 404)
    response.removeHeader('X-Frame-Options')
    const framing = isDraft ? "; frame-ancestors 'self'" : framingOf(bot?.settings)
    response.setHeader('Content-Security-Policy', pagePolicy(foreign) + framing)
    response.vary('Accept-Language')
    response.type('text/html').send(html)
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

/** The calling code of each country, for chats that ask for a phone number. */
async function callingCodes(): Promise<string> {
  const { getCountries, getCountryCallingCode } = await import('libphonenumber-js')
  const codes = Object.fromEntries(getCountries().map((country) => [country, getCountryCallingCode(country)]))
  return `export const callingCodes = ${JSON.stringify(codes)}\n`
}

/** Restricts the pages that may frame the chat to the origins that the bot allows; no list allows all. */
function framingOf(settings: unknown): string {
  const { security } = (settings ?? {}) as { security?: { allowedOrigins?: unknown } }
  const origins = allowedOriginsOf(security?.allowedOrigins)
  return origins === undefined ? '' : `; frame-ancestors ${["'self'", ...origins].join(' ')}`
}

interface PublishedBot {
  name: string
  settings: unknown
  flow: Flow
}

async function findBot({ db, chat }: Services, publicId: string): Promise<PublishedBot | undefined> {
  const found = await findPublished(db, chat, publicId, undefined)
  if (!found) return undefined
  const [row] = await db.select({ name: bots.name }).from(bots).where(eq(bots.id, found.botId))
  return row && { name: row.name, settings: found.flow.settings, flow: found.flow }
}

function metadataIn(bot: PublishedBot | undefined): Record<string, unknown> {
  return (bot?.settings as { metadata?: Record<string, unknown> } | undefined)?.metadata ?? {}
}

function titleOf(bot: PublishedBot | undefined): string | undefined {
  return filled(metadataIn(bot).title) ?? bot?.name
}

function nonceOf(foreign: ForeignCode | undefined): string {
  return foreign?.nonce === undefined ? '' : ` nonce="${foreign.nonce}"`
}

/** Elements for the head of the page: metadata, and data for its scripts. */
function headOf(
  bot: PublishedBot | undefined,
  title: string,
  texts: Record<string, string>,
  foreign: ForeignCode | undefined,
): string {
  const data = (id: string, value: unknown) =>
    `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`
  const { fonts, consent } = foreign ?? {}
  const parts = [metadataOf(bot, title), data('texts', texts), foreign && data('foreign', { fonts, consent })]
  return parts.filter(Boolean).join('\n    ')
}

/** Metadata of the bot for search engines and link previews. */
function metadataOf(bot: PublishedBot | undefined, title: string): string {
  const metadata = metadataIn(bot)
  const description = filled(metadata.description)
  const image = webAddress(filled(metadata.imageUrl))
  const icon = webAddress(filled(metadata.favIconUrl))
  const lines = [
    `<title>${escapeHtml(title)}</title>`,
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    description && `<meta name="description" content="${escapeHtml(description)}">`,
    description && `<meta property="og:description" content="${escapeHtml(description)}">`,
    image && `<meta property="og:image" content="${escapeHtml(image)}">`,
    `<link rel="icon" href="${escapeHtml(icon ?? 'files/avatar.svg')}">`,
    bot !== undefined && metadata.allowIndexing === true ? '' : '<meta name="robots" content="noindex">',
  ]
  return lines.filter(Boolean).join('\n    ')
}

function closedText(settings: unknown): string | undefined {
  const { general } = (settings ?? {}) as { general?: { systemMessages?: { botClosed?: unknown } } }
  return filled(general?.systemMessages?.botClosed)
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function webAddress(value: string | undefined): string | undefined {
  return value !== undefined && URL.canParse(value) && /^https?:/.test(value) ? value : undefined
}
