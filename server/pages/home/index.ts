import { readFileSync } from 'node:fs'
import { asc, isNull } from 'drizzle-orm'
import type { RequestHandler } from 'express'
import { findPublished } from '../../chat/sessions/read-session.ts'
import type { Services } from '../../context.ts'
import { workspaces } from '../../db/schema.ts'
import { root } from '../../root.ts'
import { WELCOME_ID } from '../../templates/welcome.ts'
import { cachedAsset } from '../cached-asset.ts'
import { readGuides } from '../docs/guides.ts'
import { sessionOf } from '../sign-in/browser.ts'

/*
 * The page at the address of the service itself: for people who are not signed in, with the sample bot as a chat. People
 * who are signed in go to their bots.
 */

const folder = new URL('server/pages/home/', root)

/** For pages that load nothing but a style sheet. */
export const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const policyWithChat = `${policy}; frame-src 'self'`

export function serveHome(serve: (path: string, handler: RequestHandler) => void, services: Services): void {
  const style = readFileSync(new URL('page.css', folder))
  serve(
    '/home.css',
    cachedAsset('text/css', () => style),
  )
  const links = readGuides().map(({ name, title }) => `<li><a href="docs#${name}">${title}</a></li>`)
  const page = readFileSync(new URL('page.html', folder), 'utf8').replace('<!-- guides -->', () =>
    links.join('\n          '),
  )
  const chat = `<iframe class="sample" src="chat/${WELCOME_ID}" title="A chat with the sample bot"></iframe>`
  serve('/', async (request, response) => {
    const { isSignedIn, hasSample } = await readState().catch((err) => {
      // The page has to be there when the database is not.
      services.log.warn({ err }, 'the first page was sent without the sample')
      return { isSignedIn: false, hasSample: false }
    })
    if (isSignedIn) return response.redirect(302, `${services.publicUrl()}/bots`)
    response.setHeader('Content-Security-Policy', hasSample ? policyWithChat : policy)
    response.type('text/html').send(page.replace('<!-- sample -->', () => (hasSample ? chat : '')))

    async function readState() {
      const isSignedIn = (await sessionOf(request, services)) !== undefined
      return { isSignedIn, hasSample: !isSignedIn && (await isSampleThere(services)) }
    }
  })
}

/** Only the workspace of the first start appears on the first page, even if another one takes the public id. */
async function isSampleThere({ db, chat }: Pick<Services, 'db' | 'chat'>): Promise<boolean> {
  const found = await findPublished(db, chat, WELCOME_ID, undefined)
  if (!found) return false
  const [first] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(isNull(workspaces.deletedAt))
    .orderBy(asc(workspaces.id))
    .limit(1)
  return first?.id === found.workspaceId
}
