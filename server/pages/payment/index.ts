import { readFileSync } from 'node:fs'
import { root } from '../../root.ts'
import { askAlways, cachedAsset } from '../cached-asset.ts'
import type { Serve } from '../sign-in/browser.ts'
import { fillPage, languageOf } from '../texts/index.ts'

/* The page that visitors come back to from the vendor of a payment. It tells the chat to have the payment checked. */

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
}
