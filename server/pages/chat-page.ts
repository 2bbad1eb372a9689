import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import type express from 'express'
import { publicId as publicIdSchema } from '../../contract/bots/schemas.ts'
import type { Flow } from '../chat/engine/types.ts'
import { allowedOriginsOf } from '../chat/sessions/origin-check.ts'
import { findPublished } from '../chat/sessions/read-session.ts'
import type { Services } from '../context.ts'
import { bots } from '../db/schema.ts'
import { findBotAt, isDomainAt } from '../hosts/domains.ts'
import { visitedDomain } from '../hosts/visited.ts'
import { escapeHtml, jsonElement } from '../html.ts'
import { root } from '../root.ts'
import { type ForeignCode, foreignCodeOf, pagePolicy } from './foreign-code.ts'
import { fillPage, languageOf } from './texts/index.ts'

/* The page of one bot, at its public id or at a domain of its own. */

/** The page without a bot of its own, in which members try a draft. No public id has this form. */
const DRAFT_NAME = '~draft'

interface Shown {
  publicId: string
  /** True at a domain, where the page is not beside its files. */
  isAtDomain?: boolean
}

/** A function that sends the page of a bot. */
export function createChatPage(services: Services) {
  const beside = readFileSync(new URL('server/pages/chat/page.html', root), 'utf8')
  const atDomain = beside.replaceAll('="files/', '="/chat/files/').replace('href="%publicId%"', 'href=""')
  return async (request: express.Request, response: express.Response, { publicId, isAtDomain }: Shown) => {
    const { visited } = response.locals
    const found = publicIdSchema.safeParse(publicId).success ? await findBot(services, publicId) : undefined
    // A host of bots serves these alone: code of their authors runs there.
    const bot = isDomainAt(visitedDomain(request), found?.customDomain) ? found : undefined
    const pageLanguage = languageOf(bot?.settings, request)
    const { texts } = pageLanguage
    const own = { ...texts, closed: readClosedText(bot?.settings) ?? texts.closed }
    const title = titleOf(bot) ?? texts.chat
    const isOfChats = visited?.kind === 'chats'
    const foreign = isOfChats && bot ? foreignCodeOf(bot.flow) : undefined
    const words = { ...own, title, publicId: encodeURIComponent(publicId) }
    const place = isAtDomain ? ` data-bot="${escapeHtml(publicId)}" data-service="/"` : ''
    const html = fillPage(isAtDomain ? atDomain : beside, pageLanguage, words)
      .replace('<html', () => `<html${place}`)
      .replaceAll('<script src', () => `<script${nonceOf(foreign)} src`)
      .replaceAll('<script type="module"', () => `<script${nonceOf(foreign)} type="module"`)
      .replace('<!-- badge -->', () => badgeOf(bot, services.config.SITE_NAME))
      .replace('<!-- head -->', () => headOf(bot, title, own, foreign, isAtDomain ? '/chat/' : ''))
    const isDraft = publicId === DRAFT_NAME && !isOfChats
    response.status(bot || isDraft ? 200 : 404)
    response.removeHeader('X-Frame-Options')
    const framing = isDraft ? "; frame-ancestors 'self'" : framingOf(bot?.settings)
    response.setHeader('Content-Security-Policy', pagePolicy(foreign) + framing)
    response.vary('Accept-Language')
    response.type('text/html').send(html)
  }
}

/** Serves the page of a bot at its domain; passes requests to other domains on. */
export function serveDomains(services: Services): express.RequestHandler {
  const sendChatPage = createChatPage(services)
  return async (request, response, next) => {
    const domain = visitedDomain(request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || domain === undefined) return next()
    const bot = await findBotAt(services.db, domain, request.path)
    if (!bot) return next()
    response.locals.path = '/chat/:publicId'
    return sendChatPage(request, response, { publicId: bot.publicId ?? '', isAtDomain: true })
  }
}

/** Restricts the pages that may frame the chat to the origins that the bot allows; no list allows all. */
function framingOf(settings: unknown): string {
  const { security } = (settings ?? {}) as { security?: { allowedOrigins?: unknown } }
  const origins = allowedOriginsOf(security?.allowedOrigins)
  return origins === undefined ? '' : `; frame-ancestors ${["'self'", ...origins].join(' ')}`
}

interface PublishedBot {
  name: string
  customDomain: string | null
  settings: unknown
  flow: Flow
}

async function findBot({ db, chat }: Services, publicId: string): Promise<PublishedBot | undefined> {
  const found = await findPublished(db, chat, publicId, undefined)
  if (!found) return undefined
  const [row] = await db
    .select({ name: bots.name, customDomain: bots.customDomain })
    .from(bots)
    .where(eq(bots.id, found.botId))
  return row && { ...row, settings: found.flow.settings, flow: found.flow }
}

function metadataIn(bot: PublishedBot | undefined): Record<string, unknown> {
  return (bot?.settings as { metadata?: Record<string, unknown> } | undefined)?.metadata ?? {}
}

function titleOf(bot: PublishedBot | undefined): string | undefined {
  return nonEmptyText(metadataIn(bot).title) ?? bot?.name
}

function badgeOf(bot: PublishedBot | undefined, siteName: string | undefined): string {
  const { general } = (bot?.settings ?? {}) as { general?: { isBrandingEnabled?: unknown } }
  if (general?.isBrandingEnabled !== true || siteName === undefined) return ''
  return `<footer class="badge" dir="auto">${escapeHtml(siteName)}</footer>`
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
  base: string,
): string {
  const { fonts, consent, hasPayments } = foreign ?? {}
  const parts = [
    metadataOf(bot, title, base),
    jsonElement('texts', texts),
    foreign && jsonElement('foreign', { fonts, consent, hasPayments }),
  ]
  return parts.filter(Boolean).join('\n    ')
}

/** Metadata of the bot for search engines and link previews. */
function metadataOf(bot: PublishedBot | undefined, title: string, base: string): string {
  const metadata = metadataIn(bot)
  const description = nonEmptyText(metadata.description)
  const image = webAddress(nonEmptyText(metadata.imageUrl))
  const icon = webAddress(nonEmptyText(metadata.favIconUrl))
  const lines = [
    `<title>${escapeHtml(title)}</title>`,
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    description && `<meta name="description" content="${escapeHtml(description)}">`,
    description && `<meta property="og:description" content="${escapeHtml(description)}">`,
    image && `<meta property="og:image" content="${escapeHtml(image)}">`,
    `<link rel="icon" href="${escapeHtml(icon ?? `${base}files/avatar.svg`)}">`,
    bot !== undefined && metadata.allowIndexing === true ? '' : '<meta name="robots" content="noindex">',
  ]
  return lines.filter(Boolean).join('\n    ')
}

function readClosedText(settings: unknown): string | undefined {
  const { general } = (settings ?? {}) as { general?: { systemMessages?: { botClosed?: unknown } } }
  return nonEmptyText(general?.systemMessages?.botClosed)
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function webAddress(value: string | undefined): string | undefined {
  return value !== undefined && URL.canParse(value) && /^https?:/.test(value) ? value : undefined
}
