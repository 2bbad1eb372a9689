import { readFileSync } from 'node:fs'
import type { Response } from 'express'
import { escapeHtml } from '../../html.ts'
import { root } from '../../root.ts'

/* Pages of a form or a message: sign-in and invitations. They work without scripts. */

const template = readFileSync(new URL('server/pages/sign-in/page.html', root), 'utf8')

const policy = (formOrigin: string) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action 'self'${formOrigin && ` ${formOrigin}`}`,
    "frame-ancestors 'none'",
  ].join('; ')

interface Page {
  title: string
  /** HTML below the heading. */
  body: string
  status?: number
  /** From the path of the page to the one of the service, such as `../`. */
  up?: string
  /** Another origin to which the response to its form leads: browsers check that too. */
  formOrigin?: string
}

export function sendPage(response: Response, { title, body, status = 200, up = '', formOrigin = '' }: Page) {
  response.setHeader('Content-Security-Policy', policy(formOrigin))
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

/** A list of facts, each under its term. */
export function factList(rows: [term: string, fact: string][]): string {
  const items = rows.map(([term, fact]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(fact)}</dd>`)
  return `<dl>${items.join('')}</dl>`
}

export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

export function link(label: string, href: string): string {
  return `<p><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`
}
