import { readFileSync } from 'node:fs'
import { jsonElement } from '../../html.ts'
import { sendProblem } from '../../kit/response.ts'
import { root } from '../../root.ts'
import { askAlways, cachedAsset } from '../cached-asset.ts'
import { paymentPolicy } from '../foreign-code.ts'
import type { Serve } from '../sign-in/browser.ts'
import { fillPage, languageOf } from '../texts/index.ts'

/*
 * The page that visitors come back to from the vendor of a payment, which notifies the chat to check it; and on hosts
 * that serve chats alone the page with the form of the vendor.
 */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function servePaymentReturn(serve: Serve): void {
  const read = (name: string) => readFileSync(new URL(`server/pages/payment/${name}`, root), 'utf8')
  const script = read('return.js')
  const style = read('page.css')
  serve(
    '/chat/files/payment-return.js',
    cachedAsset('text/javascript', () => script, askAlways),
  )
  serve(
    '/chat/files/payment.css',
    cachedAsset('text/css', () => style, askAlways),
  )
  const page = read('page.html')
  // No public id has this form.
  serve('/chat/~payment', (request, response) => {
    const language = languageOf(undefined, request)
    response.setHeader('Content-Security-Policy', policy)
    response.vary('Accept-Language')
    response.type('text/html').send(fillPage(page, language, { ...language.texts }))
  })
  const form = read('form.html')
  serve('/chat/~pay', (request, response) => {
    // Code of the vendor would run beside the pages of members.
    if (response.locals.visited?.kind !== 'chats') return sendProblem(response, 'NOT_FOUND')
    const language = languageOf(undefined, request)
    response.setHeader('Content-Security-Policy', paymentPolicy)
    response.vary('Accept-Language')
    const html = fillPage(form, language, { ...language.texts })
    response
      .type('text/html')
      .send(html.replace('<!-- texts -->', () => jsonElement('texts', language.texts)))
  })
}
