import { getSession } from './api.js'
import { element } from './dom.js'
import { payForm } from './payment-form.js'
import { texts } from './texts.js'

/*
 * The page with the form of the vendor for the payment of a chat, for chats that cannot show it themselves: in a frame
 * of another site, or by a client of their own. The chat goes on in the tab that the visitor left.
 */

const main = document.getElementById('payment')
const { signal } = new AbortController()

async function showForm() {
  main.querySelector('.failure')?.remove()
  const sessionId = location.hash.slice(1)
  try {
    const { input } = await getSession(sessionId, signal)
    if (!input?.runtimeOptions) return say(texts.nothingToPay)
    const returnUrl = new URL(`~payment?payment=${encodeURIComponent(input.payment.id)}`, location.href).href
    const form = payForm({
      input: { ...input, options: input.options ?? {} },
      returnUrl,
      signal,
      check: () => location.replace(returnUrl),
    })
    form.noValidate = true
    form.classList.add('input-form')
    main.append(form)
  } catch (error) {
    if (error?.status === 404) return say(texts.nothingToPay)
    say(texts.paymentNotLoaded, element('button', { class: 'button', onclick: showForm }, texts.tryAgain))
  }
}

function say(text, button) {
  main.append(element('div', { class: 'failure' }, element('p', {}, text), button))
}

void showForm()
