import { element, nonEmptyText } from './dom.js'
import { loadScript } from './foreign.js'
import { formOf } from './forms.js'
import { texts } from './texts.js'

/*
 * The form of the vendor for a payment, on hosts that serve chats alone. Its success message is not trusted: the page
 * then queries the service, which queries the vendor.
 */

/** The vendor allows no copies of it. */
const SCRIPT = 'https://js.stripe.com/endive/stripe.js'

/** Languages of this page that the vendor does not have. */
const unknownLanguages = ['fa', 'uk']

let loading

async function loadVendor() {
  loading ??= loadScript(SCRIPT)
  await loading
  // Another attempt loads it anew.
  if (!window.Stripe) loading = undefined
  return window.Stripe
}

/** Payments that were seen as made: each is checked once without a click, so that no check leads to the next one. */
const seen = new Set()

/**
 * The form for a payment. `check` is called once it may have been made, `leave` before the visitor may be sent to a
 * bank, which leads back to `returnUrl`, and `stay` if the visitor was not sent away.
 */
export function payForm({ input, returnUrl, signal, check, leave, stay }) {
  const { payment, runtimeOptions, options } = input
  const { publicKey, paymentIntentSecret: clientSecret } = runtimeOptions
  const details = billingDetails(options.additionalInformation ?? {})
  const slot = element('div', { class: 'payment-slot' })
  const problem = element('p', { class: 'payment-problem', role: 'alert', dir: 'auto' })
  const label = `${nonEmptyText(options.labels?.button) ?? texts.pay} ${payment.amount}`
  const button = element('button', { type: 'submit', class: 'button', disabled: true }, label)
  const done = element(
    'button',
    { type: 'button', class: 'button button-quiet', onclick: check },
    texts.hasPaid,
  )
  const again = element('button', { type: 'button', class: 'button', onclick: () => begin() }, texts.tryAgain)
  const form = formOf(
    [slot, problem, element('div', { class: 'field-row payment-row' }, done, again, button)],
    () => pay(),
  )
  form.classList.add('payment-form')
  let vendor
  let elements

  const show = (parts, text = '') => {
    for (const part of [slot, done, again, button]) part.hidden = !parts.includes(part)
    problem.textContent = text
  }
  const settle = () => {
    show([done])
    if (seen.has(payment.id)) return
    seen.add(payment.id)
    check()
  }

  async function begin() {
    show([slot, button])
    button.disabled = true
    form.setAttribute('aria-busy', 'true')
    try {
      const Stripe = await loadVendor()
      const { lang } = document.documentElement
      vendor = Stripe(publicKey, { locale: unknownLanguages.includes(lang) ? 'auto' : lang })
      const { paymentIntent, error } = await vendor.retrievePaymentIntent(clientSecret)
      if (signal.aborted) return
      if (isMade(paymentIntent)) return settle()
      if (!paymentIntent) throw new Error(error?.message)
      elements = vendor.elements({ clientSecret, appearance: appearanceOf(form) })
      const part = elements.create('payment', {
        layout: 'tabs',
        defaultValues: { billingDetails: details },
      })
      part.on('loaderror', fail)
      part.on('ready', () => {
        form.removeAttribute('aria-busy')
        button.disabled = false
      })
      part.mount(slot)
    } catch {
      fail()
    }
  }

  function fail() {
    form.removeAttribute('aria-busy')
    slot.replaceChildren()
    show([done, again], texts.paymentNotLoaded)
  }

  async function pay() {
    if (button.disabled || button.hidden) return
    button.disabled = true
    problem.textContent = ''
    leave?.()
    const { paymentIntent, error } = await vendor
      .confirmPayment({
        elements,
        redirect: 'if_required',
        confirmParams: { return_url: returnUrl, payment_method_data: { billing_details: details } },
      })
      .catch((error) => ({ error }))
    stay?.()
    if (signal.aborted) return
    button.disabled = false
    if (isMade(paymentIntent)) return settle()
    // The fields themselves say that they are not complete.
    if (error?.type === 'validation_error') return
    // It may have been made all the same, or has ended at the vendor: the service finds out.
    const isDeclined = error?.type === 'card_error'
    show(
      isDeclined ? [slot, button] : [slot, done, button],
      nonEmptyText(error?.message) ?? texts.paymentFailed,
    )
  }

  void begin()
  return form
}

/** A bank may still confirm it: the service knows that too. */
function isMade(paymentIntent) {
  return paymentIntent?.status === 'succeeded' || paymentIntent?.status === 'processing'
}

function billingDetails({ name, email, phoneNumber, address = {} }) {
  const { country, postalCode, ...lines } = address
  const given = { name, email, phone: phoneNumber }
  const place = {
    ...lines,
    postal_code: postalCode,
    // The vendor takes codes alone, and throws for anything else.
    country: /^[A-Z]{2}$/.test(country ?? '') ? country : undefined,
  }
  const [own, ofPlace] = [given, place].map((part) =>
    Object.fromEntries(Object.entries(part).filter(([, value]) => nonEmptyText(value))),
  )
  return Object.keys(ofPlace).length > 0 ? { ...own, address: ofPlace } : own
}

/** The look of the chat, in values that the vendor reads: it knows fewer colours than browsers. */
function appearanceOf(form) {
  const [field, button] = ['field', 'button'].map((name) => {
    const probe = element('span', { class: name, hidden: true })
    form.append(probe)
    const { backgroundColor, color, borderTopLeftRadius } = getComputedStyle(probe)
    probe.remove()
    return { backgroundColor, color, borderTopLeftRadius }
  })
  const behind = [document.body, document.querySelector('.bot-container')]
    .filter(Boolean)
    .map((part) => getComputedStyle(part).backgroundColor)
  const back = rgbOf(['#ffffff', ...behind, field.backgroundColor])
  const text = rgbOf([field.color])
  const isDark = brightnessOf(back) < 128
  const surface = getComputedStyle(form)
  return {
    theme: isDark ? 'night' : 'stripe',
    variables: {
      colorBackground: written(back),
      colorText: written(text),
      colorPrimary: written(rgbOf(['#ffffff', button.backgroundColor])),
      fontFamily: surface.fontFamily,
      borderRadius: field.borderTopLeftRadius,
    },
    // Labels stand on the page, not in the fields.
    rules: { '.Label': { color: written(rgbOf([surface.color])) } },
  }
}

/** The browser computes the colour, from back to front. */
function rgbOf(colors) {
  const context = document.createElement('canvas').getContext('2d')
  for (const color of colors) {
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
  }
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return [red, green, blue]
}

const written = (rgb) => `rgb(${rgb.join(', ')})`

const brightnessOf = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue
