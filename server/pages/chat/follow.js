import { eventsUrl, newEvents, Refusal } from './api.js'
import { hostBubble } from './bubbles.js'
import { sleep } from './dom.js'
import { host } from './host.js'
import { addHost, showMemberTyping } from './view.js'

/*
 * Follows a chat while it waits for its visitor: messages of members and reminders of the bot are shown as they come;
 * after any other event the chat has to be read again. A stream is open only while something can come without a
 * reply, or a payment is made, and the page is seen.
 */

const POLL_INTERVAL_MS = 20_000

/** The session is at a newer turn than this page. */
export class Moved extends Error {}

/** Shows new messages until `signal` aborts; rejects with `Moved`. */
export async function follow(chat, step, signal) {
  const { sessionId, position } = chat
  position.revision = step.revision
  const handledBy = step.handledBy ?? 'bot'
  // The vendor of a payment may notify the service before the visitor comes back.
  const isStreamed = handledBy !== 'bot' || step.input?.type === 'payment input'
  const sign = typingSign(chat)
  const take = (event) => {
    if (event.type === 'typing') return sign.show(event.seconds)
    const [revision, ordinal] = event.id.split('.').map(Number)
    if (event.type === 'message' && ordinal > position.ordinal) {
      sign.show(0)
      showMessages(event.turns, chat)
    }
    if (event.type === 'turn' && revision === step.revision + 1 && isReminder(event, step)) {
      showMessages(
        event.step.messages.map((message) => ({ message })),
        chat,
      )
      Object.assign(step, { revision, expectsEvents: event.step.expectsEvents })
      position.revision = revision
    }
    const isNews =
      event.type === 'over' ||
      (event.type === 'turn' && revision > step.revision) ||
      (event.type === 'handled' && event.handledBy !== handledBy)
    if (isNews) throw new Moved('The chat has gone on')
    position.ordinal = Math.max(position.ordinal, ordinal)
  }
  const idOf = () => `${position.revision}.${position.ordinal}`
  try {
    for (let isRefused = false; !signal.aborted; ) {
      await waitUntilVisible(signal)
      if ((isStreamed || step.expectsEvents) && !isRefused)
        isRefused = !(await stream(eventsUrl(sessionId, idOf()), take, signal))
      else {
        await sleep(isRefused ? 5_000 : POLL_INTERVAL_MS, signal)
        await waitUntilVisible(signal)
        for (const event of await ask(sessionId, idOf(), signal)) take(event)
      }
    }
  } finally {
    sign.show(0)
  }
}

/** The sign that a member is typing, which is shown for some seconds. */
function typingSign(chat) {
  let row
  let timer
  return {
    show(seconds) {
      clearTimeout(timer)
      if (seconds > 0) {
        row ??= showMemberTyping(chat.avatars)
        timer = setTimeout(() => this.show(0), seconds * 1_000)
      } else {
        row?.remove()
        row = undefined
      }
    },
  }
}

/** True if the bot sent messages and waits for the same answer: a half-written answer stays. */
function isReminder({ said, step: { input, clientSideActions = [], handledBy } }, step) {
  const isSame = input !== undefined && input.id === step.input?.id && handledBy === step.handledBy
  return said.length === 0 && isSame && clientSideActions.length === 0
}

async function ask(sessionId, after, signal) {
  try {
    return (await newEvents(sessionId, after, signal)).events
  } catch (error) {
    signal.throwIfAborted()
    // It has ended long ago, or its bot is deleted: reading it says which.
    if (error instanceof Refusal && error.status === 404) throw new Moved('The chat is not there')
    return []
  }
}

function showMessages(turns, chat) {
  for (const { message } of turns) {
    const shown = hostBubble(message)
    if (!shown) continue
    addHost(shown, chat.avatars)
    host.tell('message', message)
  }
}

/** Reads a stream until the page is hidden. False if the service or a proxy rejects streams. */
function stream(url, take, signal) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(url)
    const leave = (settle, value) => {
      source.close()
      signal.removeEventListener('abort', abort)
      document.removeEventListener('visibilitychange', hide)
      settle(value)
    }
    const abort = () => leave(reject, signal.reason)
    const hide = () => document.hidden && leave(resolve, true)
    const read = ({ data }) => {
      try {
        take(JSON.parse(data))
      } catch (error) {
        leave(reject, error)
      }
    }
    for (const type of ['turn', 'message', 'handled', 'typing', 'over']) source.addEventListener(type, read)
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) leave(resolve, false)
    })
    signal.addEventListener('abort', abort)
    document.addEventListener('visibilitychange', hide)
  })
}

/** Waits until the page can be seen. */
function waitUntilVisible(signal) {
  if (!document.hidden) return undefined
  return new Promise((resolve, reject) => {
    const show = () => {
      if (document.hidden) return
      document.removeEventListener('visibilitychange', show)
      resolve()
    }
    document.addEventListener('visibilitychange', show)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
