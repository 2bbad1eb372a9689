import { showCalendar } from './calendar.js'
import { anySignal } from './compat.js'
import { safeUrl, sleep } from './dom.js'
import { redirect } from './redirect.js'
import { runScript } from './script.js'
import { isTracker, track } from './trackers.js'

/*
 * Actions that the bot requests of the page. An outcome is the reply for the service, or null if the service only
 * waits for the end of the action. Code of the bot runs in a frame with an origin of its own: it can compute and send
 * requests, but neither see nor change the page.
 */

/** Bytes of JSON. A whole body may have 256 KiB. */
const MAX_REPLY_CHARACTERS = 250_000

/** Outcome of a request that failed, or whose response cannot be passed on. */
const noAnswer = JSON.stringify({ statusCode: 0, data: null })

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
      const reply = typeof value === 'string' ? value : JSON.stringify(value)
      return isTaken(reply, chat) ? reply : null
    }
    case 'httpRequestToExecute': {
      const reply = await request(action.httpRequestToExecute, chat)
      return isTaken(reply, chat) ? reply : noAnswer
    }
    case 'calendar':
      return showCalendar(action.calendar, chat)
    case 'listenForWebhook':
      // A reply of null makes the page poll the service.
      return null
    default:
      if (isTracker(action)) track(action, chat)
      else chat.log({ status: 'info', description: `Unknown action ${action.type}` })
      return null
  }
}

async function request({ url, method, headers, body }, chat) {
  try {
    if (!safeUrl(url)) throw new TypeError('Not a web address')
    const signal = anySignal(chat.signal, AbortSignal.timeout(60_000))
    const response = await fetch(url, { method, headers, body, credentials: 'omit', signal })
    const text = await response.text()
    return `{"statusCode":${response.status},"data":${asJson(text)}}`
  } catch (error) {
    chat.signal.throwIfAborted()
    chat.log({ description: 'The request of the page failed', details: `${method} ${url}\n${error}` })
    return noAnswer
  }
}

/**
 * True if the service accepts the reply. Longer ones go to the log of the author instead, since the service would
 * reject them and the chat would end with an error.
 */
export function isTaken(reply, chat) {
  const size = new TextEncoder().encode(JSON.stringify(reply)).length
  if (size > MAX_REPLY_CHARACTERS)
    chat.log({ description: 'Too long for the service', details: `${size} bytes` })
  return size <= MAX_REPLY_CHARACTERS
}

/** JSON as it came, since numbers of many digits would be rounded; anything else as a text. */
function asJson(text) {
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
