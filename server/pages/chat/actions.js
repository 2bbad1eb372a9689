import { element, filled, safeUrl, sleep } from './dom.js'

/*
 * What the bot asks the page to do. An outcome is the reply for the service, null where it only wants to know that
 * the action is done. Code of the bot runs in a frame with an origin of its own: it can compute and send requests,
 * but it can neither see nor change the page. Trackers and widgets of third parties are not loaded.
 */

const notRun = {
  startPropsToInject: 'Trackers and head code are not loaded by the chat page of the service',
  googleAnalytics: 'Google Analytics is not loaded by the chat page of the service',
  pixel: 'The pixel is not loaded by the chat page of the service',
  chatwoot: 'Chatwoot is not loaded by the chat page of the service',
}

/** Does one action. `chat` offers `signal`, `log`, `say` and `texts`. */
export async function perform(action, chat) {
  switch (action.type) {
    case 'wait':
      await sleep(action.wait.secondsToWaitFor * 1_000, chat.signal)
      return null
    case 'redirect':
      redirect(action.redirect, chat)
      return null
    case 'scriptToExecute':
      await runScript(action.scriptToExecute, false, chat)
      return null
    case 'setVariable': {
      const { content, args } = action.setVariable.scriptToExecute
      const value = await runScript({ content, args }, true, chat)
      if (value === null || value === undefined) return null
      return typeof value === 'string' ? value : JSON.stringify(value)
    }
    case 'httpRequestToExecute':
      return JSON.stringify(await request(action.httpRequestToExecute, chat))
    case 'listenForWebhook':
      // The page asks the service from time to time, which is what sending nothing does.
      return null
    default:
      chat.log({ status: 'info', description: notRun[action.type] ?? `Unknown action ${action.type}` })
      return null
  }
}

function redirect({ url, isNewTab }, chat) {
  const target = new URL(url, location.href)
  if (!/^(https?|mailto|tel|sms):$/.test(target.protocol)) return
  if (isNewTab !== true) return location.assign(target)
  const tab = window.open(target, '_blank')
  if (tab) {
    tab.opener = null
    return
  }
  const { popupBlockedTitle, popupBlockedDescription, popupBlockedButtonLabel } = chat.texts
  chat.say(
    element('strong', {}, filled(popupBlockedTitle) ?? 'The new tab was blocked'),
    element('p', {}, filled(popupBlockedDescription) ?? 'Open the page with this link instead:'),
    element(
      'a',
      { href: target.href, target: '_blank', rel: 'noopener noreferrer' },
      filled(popupBlockedButtonLabel) ?? target.host ?? 'Open',
    ),
  )
}

async function request({ url, method, headers, body }, chat) {
  try {
    if (!safeUrl(url)) throw new TypeError('Not a web address')
    const signal = AbortSignal.any([chat.signal, AbortSignal.timeout(60_000)])
    const response = await fetch(url, { method, headers, body, credentials: 'omit', signal })
    const text = await response.text()
    return { statusCode: response.status, data: parsed(text) }
  } catch (error) {
    chat.signal.throwIfAborted()
    chat.log({ description: 'The request of the page failed', details: `${method} ${url}\n${error}` })
    return { statusCode: 0, data: null }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const longestScript = 10_000

/** Runs code in a frame that is made for it and goes with it. Failures are told to the author of the bot. */
async function runScript({ content, args }, isExpression, chat) {
  const frame = element('iframe', {
    src: 'files/sandbox.html',
    sandbox: 'allow-scripts',
    class: 'sandbox',
    title: 'Code of the bot',
    tabindex: -1,
    'aria-hidden': true,
  })
  const { port1, port2 } = new MessageChannel()
  const answered = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data)
  })
  const late = sleep(longestScript, chat.signal).then(() => ({ error: 'The code took too long' }))
  try {
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    document.body.append(frame)
    await Promise.race([loaded, late])
    frame.contentWindow.postMessage({ content, args, isExpression }, '*', [port2])
    const { value, error } = await Promise.race([answered, late])
    if (error !== undefined) chat.log({ description: 'Code of the bot failed', details: error })
    return value
  } finally {
    port1.close()
    frame.remove()
  }
}
