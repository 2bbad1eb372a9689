import { element, nonEmptyText } from './dom.js'
import { mayLoadPayments } from './foreign.js'
import { formOf } from './forms.js'
import { host } from './host.js'
import { holdChat, releaseChat } from './memory.js'
import { listen, rememberPage } from './payment-channel.js'
import { payForm } from './payment-form.js'
import { texts } from './texts.js'

/*
 * The input for a payment. The visitor pays in the form of the vendor on this page if it may be shown, else in a tab
 * of its own, which notifies this page on the way back. Only the service learns from the vendor if the payment was
 * made, so this page queries the service.
 */
export function paymentField(input, _naming, submit, chat) {
  const check = () => submit(null, texts.hasPaid)
  return input.runtimeOptions && mayLoadPayments
    ? fieldHere(input, check, chat)
    : fieldInTab(input, check, chat)
}

/** Some banks want the visitor on a page of their own, and lead back to this one. */
function fieldHere(input, check, { signal, sessionId, resultId }) {
  return payForm({
    input,
    returnUrl: location.href,
    signal,
    check,
    leave: () => holdChat({ sessionId, resultId }),
    stay: releaseChat,
  })
}

function fieldInTab({ options, payment }, check, { signal }) {
  listen(payment.id, check, signal)
  const link = element(
    'a',
    {
      class: 'button',
      href: payment.url,
      target: '_blank',
      // Without its opener, the tab could neither notify this page nor be closed on the way back.
      rel: 'opener',
      onclick: () => rememberPage(host.address ?? location.href),
    },
    `${nonEmptyText(options.labels?.button) ?? texts.pay} ${payment.amount}`,
  )
  const done = element('button', { type: 'submit', class: 'button button-quiet' }, texts.hasPaid)
  return formOf(
    [
      element('div', { class: 'field-row payment-row' }, link, done),
      element('p', { class: 'hint' }, texts.paymentHint),
    ],
    check,
  )
}
