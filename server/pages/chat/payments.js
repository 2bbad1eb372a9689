import { element, filled } from './dom.js'
import { formOf } from './forms.js'
import { host } from './host.js'
import { listen, rememberPage } from './payment-channel.js'
import { texts } from './texts.js'

/*
 * The input for a payment. The visitor pays on the page of the vendor, in a tab of its own, which tells this page when
 * it comes back. Only the service knows from the vendor if the payment was made, so this page asks the service.
 */
export function paymentField({ options, payment }, _naming, submit, { signal }) {
  const check = () => submit(null, texts.hasPaid)
  listen(payment.id, check, signal)
  const link = element(
    'a',
    {
      class: 'button',
      href: payment.url,
      target: '_blank',
      // Without its opener, the tab could neither tell this page nor be closed on the way back.
      rel: 'opener',
      onclick: () => rememberPage(host.address ?? location.href),
    },
    `${filled(options.labels?.button) ?? texts.pay} ${payment.amount}`,
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
