import { readFileSync } from 'node:fs'
import type { Response } from 'express'
import { escapeHtml } from '../../html.ts'
import { root } from '../../root.ts'

/* Pages of a form or a message: sign-in and invitations. They work without scripts. */

const template = readFileSync(new URL('server/pages/sign-in/page.html', root), 'utf8')

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

interface Page {
  title: string
  /** HTML below the heading. */
  body: string
  status?: number
  /** From the path of the page to the one of the service, such as `../`. */
  up?: string
}

export function sendPage(response: Response, { title, body, status = 200, up = '' }: Page) {
  response.setHeader('Content-Security-Policy', policy)
  // With `no-referrer`, browsers would hide the origin of forms. Codes in addresses stay within the service.
  response.setHeader('Referrer-Policy', 'same-origin')
  const html = template
    .replaceAll('%up%', up)
    .replaceAll('%title%', () => escapeHtml(title))
    .replace('<!-- body -->', () => body)
  response.status(status).type('text/html').send(html)
}

/** A form with one button that sends it to the address of its page, or to `action`. */
export function buttonForm(label: string, action = ''): string {
  const target = action === '' ? '' : ` action="${escapeHtml(action)}"`
  return `<form method="post"${target}><button>${escapeHtml(label)}</button></form>`
}

export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

export function link(label: string, href: string): string {
  return `<p><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`
}
