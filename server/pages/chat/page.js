import { isTaken, perform } from './actions.js'
import {
  continueChat,
  getSession,
  newKey,
  Refusal,
  saveLogs,
  startChat,
  Unreachable,
  uploadFile,
} from './api.js'
import { eventOf, hostBubble } from './bubbles.js'
import { anySignal } from './compat.js'
import { element, isComposing, nonEmptyText, sleep } from './dom.js'
import { follow, Moved } from './follow.js'
import { host } from './host.js'
import { inputForm } from './inputs.js'
import { forgetChat, hideParameters, rememberChat, storedChat } from './memory.js'
import { newStage, typingDefaults } from './stage.js'
import { texts } from './texts.js'
import { applyTheme } from './theme.js'
import { forgetUnsent, keepRefused, keepUnsent, restoreUnsent } from './unsent.js'
import { shownAnswer } from './uploads.js'
import {
  addGuest,
  addHost,
  answer,
  applyDynamicTheme,
  conversation,
  jumpToEnd,
  keepFocus,
  progress,
  restart,
  scrollToEnd,
  showProgress,
  showTyping,
  status,
} from './view.js'

/*
 * Runs one bot: start, show messages, show the input, send, and so on until it is over. Starting over aborts the
 * current run; everything that waits gets the signal.
 */

/** At a domain of the bot, the address says neither the bot nor where the service is. */
const publicId =
  document.documentElement.dataset.bot ?? decodeURIComponent(location.pathname.split('/').at(-1) ?? '')

document.getElementById('loading').remove()

let running = new AbortController()

async function run() {
  forgetUnsent()
  running.abort(new DOMException('Started over', 'AbortError'))
  running = new AbortController()
  const { signal } = running
  for (const part of [conversation, answer, status]) part.replaceChildren()
  restart.hidden = true
  progress.hidden = true
  try {
    await converse(signal)
  } catch (error) {
    if (!signal.aborted) fail(error)
  }
}

restart.addEventListener('click', () => {
  if (host.draft) return host.tell('restart')
  forgetChat()
  void run()
})
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event)) host.tell('escape')
})
// A file dropped outside of an input for files would replace the chat.
for (const name of ['dragover', 'drop']) {
  addEventListener(name, (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  })
}
if (host.isAnew) forgetChat()
void run()

// The conversation

async function converse(signal) {
  for (let before = host.draft ?? (await comeBack(signal)), isLate = false; ; ) {
    const begun = before ? { started: before } : await start(signal)
    try {
      return await talk(signal, begun, isLate)
    } catch (error) {
      const isMoved = error instanceof Moved
      // Another tab was faster, or a reply that was under way when this page was loaded: go on from there.
      if (!isMoved && (!(error instanceof Refusal) || error.status !== 409)) throw error
      isLate = !isMoved
      answer.replaceChildren()
      conversation.replaceChildren()
      before = await insist(() => getSession(begun.started.sessionId, signal), signal)
    }
  }
}

/** The chat that this person left here, if there is one that can go on. */
async function comeBack(signal) {
  const { sessionId, resultId } = storedChat()
  if (!sessionId || (host.resultId && host.resultId !== resultId)) return undefined
  try {
    return await insist(() => getSession(sessionId, signal), signal)
  } catch (error) {
    // It has expired, or its bot is deleted or rejects this page, which the start then reports.
    if (error instanceof Refusal && (error.status === 403 || error.status === 404)) return undefined
    throw error
  }
}

/** From the first turn of a chat, or from where it was left, to its end. */
async function talk(signal, { started, chat = newChat(signal), stage = newStage(chat) }, isLate) {
  const { bot, sessionId } = started
  Object.assign(chat, { sessionId, resultId: started.resultId })
  chat.position = { ordinal: Number(started.lastEventId?.split('.')[1] ?? 0) }
  chat.isFirstBubble &&= started.turns === undefined
  dress(chat, bot)
  rememberChat(bot.settings.general, started)
  hideParameters(bot.settings.general)
  const last = showTurns(started.turns ?? [], chat)
  if (isLate) status.replaceChildren(texts.elsewhereTitle)

  // A chat that had ended before does not end again.
  let isNews = started.turns === undefined
  for (let step = { messages: [], last, ...started }; ; isNews = true) {
    if (host.draft) host.tell('turn', turnOf(step))
    const next = await show(step, stage, chat)
    if (!next) break
    const { revision, input } = step
    stage = newStage(chat)
    step = await send({ message: next.message, revision }, stage, chat).catch((error) => {
      if (error instanceof Refusal && error.status === 409) keepRefused(next.words, input?.id)
      throw error
    })
    if (next.said && step.lastMessageNewFormat !== undefined) {
      const { lastMessageNewFormat: read } = step
      next.said.querySelector('.guest-text').textContent = next.reword?.(read) ?? read
    }
  }
  status.replaceChildren(texts.ended)
  if (isNews) host.tell('end')
  scrollToEnd()
  keepFocus(restart)
}

/** For the page around a draft, which shows the events at each block. */
function turnOf({ messages, input, logs = [], variables = [] }) {
  return {
    shown: messages.map(({ id }) => id),
    asked: input?.id,
    logs,
    variables,
  }
}

function newChat(signal) {
  const chat = {
    signal,
    isFirstBubble: true,
    log: (entry) => saveLogs(chat.sessionId, [entry]),
    upload: (...file) => uploadFile(chat.sessionId, ...file),
    say: (...children) => addHost(element('div', { class: 'host-bubble notice' }, ...children), chat.avatars),
  }
  return chat
}

function dress(chat, { theme, settings }) {
  restart.hidden = false
  chat.avatars = applyTheme(theme)
  chat.typing = { ...typingDefaults, ...settings.typingEmulation }
  chat.texts = settings.general?.systemMessages ?? {}
}

/** Shows the earlier conversation immediately, and returns the last bubble of the bot. */
function showTurns(turns, { avatars }) {
  let last
  for (const { role, message, text, attachedFileUrls } of turns) {
    const shown = role === 'user' ? undefined : hostBubble(message, { isEarlier: true })
    if (shown) {
      addHost(shown, avatars)
      last = { bubble: message, shown }
    } else if (role === 'user') addGuest(shownAnswer(text, attachedFileUrls) || texts.picture, avatars)
  }
  jumpToEnd()
  return last
}

async function start(signal) {
  const { prefilledVariables } = host
  const resultId = host.resultId ?? storedChat().resultId
  const body = {
    isStreamEnabled: true,
    ...(resultId ? { resultId } : {}),
    ...(Object.keys(prefilledVariables).length > 0 ? { prefilledVariables } : {}),
  }
  const chat = newChat(signal)
  const stage = newStage(chat)
  const key = newKey()
  const started = await insist((typing) => {
    const begin = () => {
      let tell
      return (event) => {
        if (event.type !== 'look') return tell?.(event)
        typing.remove()
        dress(chat, event)
        tell = stage.begin()
      }
    }
    return startChat(publicId, { body, key, signal, begin }).catch((error) => {
      stage.pause()
      throw error
    })
  }, signal)
  return { started, chat, stage }
}

/** Retries until the service responds; after some attempts the visitor says when to continue. */
async function insist(ask, signal) {
  for (;;) {
    const typing = showTyping()
    try {
      return await ask(typing)
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      typing.remove()
      await askToProceed(texts.notLoaded, texts.tryAgain, signal)
    } finally {
      typing.remove()
    }
  }
}

/** True if there was no response, or if the error of the service may be temporary. */
const isPassing = (error) => error instanceof Unreachable || (error instanceof Refusal && error.status >= 500)

/** Sends a reply until there is a response, and polls while the chat waits for a webhook. */
async function send(body, stage, chat) {
  status.replaceChildren()
  for (;;) {
    try {
      for (;;) {
        const step = await continueChat(chat.sessionId, body, chat.signal, stage.begin)
        // Members who handle the chat by now get the reply as a message; only the bot makes the page wait.
        if (step.revision !== body.revision || step.handledBy) return step
        await sleep(2_000, chat.signal)
      }
    } catch (error) {
      stage.pause()
      if (chat.signal.aborted || !isPassing(error)) throw error
      const { networkErrorTitle, networkErrorMessage } = chat.texts
      const title = nonEmptyText(networkErrorTitle) ?? texts.noConnection
      const text = nonEmptyText(networkErrorMessage) ?? texts.notArrived
      await askToProceed(`${title} ${text}`, texts.tryAgain, chat.signal)
    }
  }
}

/** Shows a turn, and returns the reply of the visitor or of an action; nothing when the chat is over. */
async function show(step, stage, chat) {
  applyDynamicTheme(step.dynamicTheme, chat)
  const seen = await stage.settle(step.messages)
  showProgress(step.progress)
  const actions = [...(step.clientSideActions ?? [])]
  let next
  const act = async (bubbleId, index = 0) => {
    // In a loop a bubble comes several times: each time has its share of the actions behind it.
    const end = actions.findIndex(({ lastBubbleBlockId }) => lastBubbleBlockId !== bubbleId)
    const times = step.messages.slice(index).filter(({ id }) => id === bubbleId).length || 1
    const share = Math.ceil((end < 0 ? actions.length : end) / times)
    for (let done = 0; done < share; done += 1) {
      const action = actions.shift()
      const isTimed = action.type === 'wait' && action.expectsDedicatedReply && step.expectsEvents
      const message = isTimed ? await waitForTime(action, step, chat) : await perform(action, chat)
      if (action.expectsDedicatedReply === true) next = { message }
    }
  }
  await act(undefined)
  let last = step.last
  let question = last?.bubble.type === 'text' ? last.shown.id : undefined
  for (const [index, bubble] of step.messages.entries()) {
    const shown = index < seen.length ? seen[index] : await stage.add(bubble)
    if (shown) {
      last = { bubble, shown }
      if (bubble.type === 'text') question = shown.id
    }
    await act(bubble.id, index)
  }
  while (actions.length > 0) await act(actions[0].lastBubbleBlockId)
  if (next) return next
  if (step.isOver) return undefined
  if (step.input) return ask(step, question, chat)
  const awaited = last?.bubble.type === 'embed' && last.bubble.content.waitForEvent
  // Given back at another place, the chat goes on from there once it is continued.
  if (awaited?.isEnabled !== true) return step.isOver === false ? { message: null } : undefined
  const message = await eventOf(last.shown, chat.signal)
  return { message: message !== null && isTaken(message, chat) ? message : null }
}

/** Waits for a timer of the service, unless something happens before; follows the events meanwhile. */
async function waitForTime(action, step, chat) {
  const leaving = new AbortController()
  const signal = anySignal(chat.signal, leaving.signal)
  try {
    return await Promise.race([perform(action, { ...chat, signal }), follow(chat, step, signal)])
  } finally {
    leaving.abort()
  }
}

function ask(step, question, chat) {
  const { input } = step
  const { signal, avatars } = chat
  return new Promise((resolve, reject) => {
    // Leaving a form aborts its work in progress: it could only answer the next question.
    const leaving = new AbortController()
    signal.addEventListener('abort', () => reject(signal.reason), { signal: leaving.signal })
    const form = inputForm(
      input,
      question,
      (message, text, { reword } = {}) => {
        if (leaving.signal.aborted || signal.aborted) return
        leaving.abort()
        answer.replaceChildren()
        host.tell('answer', { message: text ?? null, blockId: input.id })
        const guestText = text === undefined ? undefined : addGuest(text, avatars)
        keepFocus(conversation)
        resolve({ message, said: guestText, reword, words: field?.value })
      },
      { ...chat, signal: anySignal(signal, leaving.signal) },
    )
    answer.replaceChildren(form)
    const field = form.querySelector('.text-field')
    const isRestored = restoreUnsent(field, input.id)
    follow(chat, step, anySignal(signal, leaving.signal)).catch((error) => {
      if (leaving.signal.aborted) return
      leaving.abort()
      keepUnsent(field, input.id)
      reject(error)
    })
    scrollToEnd()
    const first = form.querySelector('input, textarea, button, a.button')
    // On a phone a text field would bring up the keyboard before the question is read.
    const isTouch = matchMedia('(pointer: coarse)').matches
    if (isRestored) keepFocus(field)
    else if (!isTouch || !first?.matches('.field')) keepFocus(first)
  })
}

function askToProceed(text, label, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    const button = element('button', { type: 'button', class: 'button' }, label)
    button.addEventListener('click', () => {
      answer.replaceChildren()
      status.replaceChildren()
      keepFocus(conversation)
      resolve()
    })
    status.replaceChildren(text)
    answer.replaceChildren(button)
    scrollToEnd()
    keepFocus(button)
  })
}

const reasons = {
  bot_closed: [texts.failedTitle, texts.closed],
  403: [texts.forbiddenTitle, texts.forbidden],
  404: [texts.missingTitle, texts.missing],
}

function fail(error) {
  answer.replaceChildren()
  status.replaceChildren()
  const isKnown = error instanceof Refusal
  const reason = isKnown ? (reasons[error.code] ?? reasons[error.status]) : undefined
  const [title, text] = reason ?? [texts.failedTitle, texts.failed]
  if (!isKnown) console.error(error)
  // The service's own message is in English, for the author of the bot.
  const detail = isKnown && !reason && element('p', { class: 'hint', lang: 'en', dir: 'ltr' }, error.message)
  const notice = element(
    'div',
    { class: 'failure' },
    element('h2', {}, title),
    element('p', {}, text),
    detail,
  )
  conversation.append(notice)
  // Without the bot, starting over would lead nowhere.
  restart.hidden = reason !== undefined && conversation.children.length === 1
  scrollToEnd()
}
