import { element, sleep } from './dom.js'
import { host } from './host.js'
import { redirect } from './redirect.js'

/*
 * Code of the bot runs in a frame with an origin of its own, which is removed afterwards: it can compute and send
 * requests, but neither see nor change the page. It gets the address of the page, and may request a redirect, as the
 * bot itself can.
 */

const MAX_SCRIPT_MS = 10_000

/** Returns the value of the code. Failures go to the log of the author. */
export async function runScript({ content, args }, isExpression, chat) {
  const frame = element('iframe', {
    src: new URL('sandbox.html', import.meta.url).href,
    sandbox: 'allow-scripts',
    class: 'sandbox',
    tabindex: -1,
    'aria-hidden': true,
  })
  const { port1, port2 } = new MessageChannel()
  let hasOpened = false
  const answered = new Promise((resolve) => {
    port1.onmessage = ({ data }) => {
      if (data.goTo === undefined) return resolve(data)
      // One tab for each piece of code, or a loop would flood the person with them.
      if (data.isNewTab && hasOpened) return
      hasOpened ||= data.isNewTab
      redirect({ url: data.goTo, isNewTab: data.isNewTab }, chat)
    }
  })
  const late = sleep(MAX_SCRIPT_MS, chat.signal).then(() => ({ error: 'The code took too long' }))
  try {
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    document.body.append(frame)
    await Promise.race([loaded, late])
    frame.contentWindow.postMessage({ content, args, isExpression, address: host.address }, '*', [port2])
    const { value, error } = await Promise.race([answered, late])
    if (error !== undefined) chat.log({ description: 'Code of the bot failed', details: error })
    return value
  } finally {
    port1.close()
    frame.remove()
  }
}
