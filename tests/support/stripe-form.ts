import type { BrowserContext } from 'playwright-core'
import type { StripeDouble } from './stripe.ts'

/*
 * The script of the vendor of payments, its form and its interface for pages, at their real addresses, so that the
 * policies of our pages hold for them as they do for the vendor. Cards end in `declined`, `bank` and anything else,
 * which is paid.
 */

const script = `
window.Stripe = (key, { locale }) => {
  const ask = async (path, form) => {
    const query = new URLSearchParams({ client_secret: form.client_secret })
    const url = 'https://api.stripe.com/v1/payment_intents/' + form.client_secret.split('_secret_')[0] + path
    const response = await fetch(form.payment_method ? url : url + '?' + query, {
      method: form.payment_method ? 'POST' : 'GET',
      headers: { Authorization: 'Bearer ' + key },
      body: form.payment_method ? new URLSearchParams(form) : undefined,
    })
    const body = await response.json()
    return response.ok ? { paymentIntent: body } : { error: body.error }
  }
  return {
    retrievePaymentIntent: (secret) => ask('', { client_secret: secret }),
    elements({ clientSecret, appearance }) {
      return { clientSecret, create(kind, options) {
        const heard = {}
        window.asked = { key, locale, kind, options, appearance }
        return {
          on: (name, hear) => { heard[name] = hear },
          mount(slot) {
            const frame = document.createElement('iframe')
            frame.src = 'https://js.stripe.com/form.html#' + encodeURIComponent(JSON.stringify(appearance))
            frame.title = 'Secure payment input frame'
            frame.style.cssText = 'border: 0; width: 100%; height: 190px; display: block; color-scheme: normal'
            addEventListener('message', ({ data, source }) => {
              if (source !== frame.contentWindow) return
              if (data === 'ready') heard.ready?.()
              else window.card = data.card
            })
            slot.replaceChildren(frame)
          },
        }
      } }
    },
    async confirmPayment({ elements, redirect, confirmParams }) {
      window.confirmed = { redirect, confirmParams }
      if (!window.card) return { error: { type: 'validation_error', message: 'Your card number is incomplete.' } }
      if (window.card === 'redirect') {
        await ask('/confirm', { client_secret: elements.clientSecret, payment_method: 'card' })
        const back = new URL(confirmParams.return_url)
        back.searchParams.set('payment_intent', elements.clientSecret.split('_secret_')[0])
        back.searchParams.set('payment_intent_client_secret', elements.clientSecret)
        back.searchParams.set('redirect_status', 'succeeded')
        location.assign(back)
        return new Promise(() => {})
      }
      return ask('/confirm', { client_secret: elements.clientSecret, payment_method: window.card })
    },
  }
}`

const form = `<!doctype html><html lang="en"><title>Card</title><style>
  body { margin: 0; font: 16px sans-serif }
  label { display: block; margin-bottom: 4px; font-size: 15px }
  input { width: 100%; box-sizing: border-box; padding: 12px; margin-bottom: 12px; border: 1px solid #888; font: inherit }
  div { display: flex; gap: 12px } div > * { flex: 1 }
</style><label>Card number<input id="card" placeholder="1234 1234 1234 1234"></label>
<div><label>Expiry<input placeholder="MM / YY"></label><label>Security code<input placeholder="CVC"></label></div>
<script>
  const { variables, rules } = JSON.parse(decodeURIComponent(location.hash.slice(1)))
  for (const label of document.querySelectorAll('label')) label.style.color = rules['.Label'].color
  for (const input of document.querySelectorAll('input')) Object.assign(input.style, { background: variables.colorBackground, color: variables.colorText, borderRadius: variables.borderRadius })
  document.getElementById('card').addEventListener('input', ({ target }) => parent.postMessage({ card: target.value }, '*'))
  parent.postMessage('ready', '*')
</script>`

/** Serves the vendor to the pages of a browser; returns the addresses that they ask it for. */
export async function serveStripe(context: BrowserContext, double: StripeDouble): Promise<string[]> {
  const asked: string[] = []
  const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }
  await context.route(/^https:\/\/(js|api)\.stripe\.com\//, async (route) => {
    const request = route.request()
    const { origin, pathname } = new URL(request.url())
    asked.push(`${origin}${pathname}`)
    if (pathname === '/endive/stripe.js') {
      return route.fulfill({ contentType: 'text/javascript', body: script })
    }
    if (pathname === '/form.html') return route.fulfill({ contentType: 'text/html', body: form })
    if (request.method() === 'OPTIONS') return route.fulfill({ headers: cors })
    const reply = double.reply({
      url: request.url(),
      method: request.method(),
      headers: await request.allHeaders(),
      body: request.postData() ?? '',
      milliseconds: 1,
    })
    if (!reply.ok) return route.abort()
    return route.fulfill({
      status: reply.status,
      contentType: 'application/json',
      headers: cors,
      body: reply.body as Buffer,
    })
  })
  return asked
}
