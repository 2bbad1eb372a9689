import { perform } from './actions.js'
import { continueChat, getSession, Refusal, saveLogs, startChat, uploadFile } from './api.js'
import { hostBubble } from './bubbles.js'
import { element, filled, sleep } from './dom.js'
import { host } from './host.js'
import { inputForm } from './inputs.js'
import { forgetChat, hideParameters, rememberChat, rememberedChat } from './memory.js'
import { newStage, typingDefaults } from './stage.js'
import { texts } from './texts.js'
import { applyTheme } from './theme.js'
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
 * Runs one bot: start, show what it says, ask, send, and so on until it is over. Starting over aborts whatever is
 * under way; everything that waits gets the signal.
 */

const publicId = decodeURIComponent(location.pathname.split('/').at(-1) ?? '')

let running = new AbortController()

async function run() {
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
  forgetChat()
  void run()
})
addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key === 'Escape' && !defaultPrevented) host.tell('escape')
})
void run()

// The conversation

async function converse(signal) {
  for (let before = await comeBack(signal), isLate = false; ; ) {
    const begun = before ? { started: before } : await start(signal)
    try {
      return await talk(signal, begun, isLate)
    } catch (error) {
      // Another tab was faster, or a reply that was under way when this page was loaded: go on from there.
      if (!(error instanceof Refusal) || error.status !== 409) throw error
      isLate = true
      conversation.replaceChildren()
      before = await getSession(begun.started.sessionId, signal)
    }
  }
}

/** The chat that this person left here, if there is one that can go on. */
async function comeBack(signal) {
  const { sessionId, resultId } = rememberedChat()
  if (!sessionId || (host.resultId && host.resultId !== resultId)) return undefined
  try {
    return await insist(() => getSession(sessionId, signal), signal)
  } catch (error) {
    // It has expired, or its bot is gone or does not want this page, which the start says then.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** From the first step of a chat, or from what was left of it, to its end. */
async function talk(signal, { started, chat = newChat(signal), stage = newStage(chat) }, isLate) {
  const { bot, sessionId } = started
  chat.sessionId = sessionId
  chat.isFirstBubble &&= started.turns === undefined
  dress(chat, bot)
  rememberChat(bot.settings.general, started)
  hideParameters(bot.settings.general)
  const last = showTurns(started.turns ?? [], chat)
  if (isLate) status.replaceChildren(texts.elsewhereTitle)

  for (let step = { messages: [], last, ...started }; ; ) {
    const next = await show(step, stage, chat)
    if (!next) break
    const { revision } = step
    stage = newStage(chat)
    step = await send({ message: next.message, revision }, stage, chat)
    if (next.said && step.lastMessageNewFormat !== undefined) {
      next.said.querySelector('.guest-text').textContent = step.lastMessageNewFormat
    }
  }
  status.replaceChildren(texts.ended)
  host.tell('end')
  scrollToEnd()
  keepFocus(restart)
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

/** Shows what was said before, at once, and answers the last bubble of the bot. */
function showTurns(turns, { avatars }) {
  let last
  for (const { role, message, text } of turns) {
    const shown = role === 'bot' ? hostBubble(message) : undefined
    if (shown) {
      addHost(shown, avatars)
      last = { bubble: message, shown }
    } else if (role === 'user' && text !== '') addGuest(shownAnswer(text), avatars)
  }
  jumpToEnd()
  return last
}

async function start(signal) {
  const { prefilledVariables } = host
  const resultId = host.resultId ?? rememberedChat().resultId
  const body = {
    isStreamEnabled: true,
    ...(resultId ? { resultId } : {}),
    ...(Object.keys(prefilledVariables).length > 0 ? { prefilledVariables } : {}),
  }
  const chat = newChat(signal)
  const stage = newStage(chat)
  const started = await insist((typing) => {
    let tell
    return startChat(publicId, body, signal, (event) => {
      if (event.type !== 'look') return tell?.(event)
      typing.remove()
      dress(chat, event)
      tell = stage.begin()
    }).finally(stage.pause)
  }, signal)
  return { started, chat, stage }
}

/** Asks the service until it answers. Starting again would count as another view, so a person decides about it. */
async function insist(ask, signal) {
  for (;;) {
    const typing = showTyping()
    try {
      return await ask(typing)
    } catch (error) {
      if (error instanceof Refusal || signal.aborted) throw error
      typing.remove()
      await askToProceed(texts.notLoaded, texts.tryAgain, signal)
    } finally {
      typing.remove()
    }
  }
}

/** Sends a reply until it is answered, and while the chat waits for a webhook asks whether it has gone on. */
async function send(body, stage, chat) {
  status.replaceChildren()
  for (;;) {
    try {
      for (;;) {
        const step = await continueChat(chat.sessionId, body, chat.signal, stage.begin)
        if (step.revision !== body.revision) return step
        await sleep(2_000, chat.signal)
      }
    } catch (error) {
      stage.pause()
      if (error instanceof Refusal || chat.signal.aborted) throw error
      const { networkErrorTitle, networkErrorMessage } = chat.texts
      const title = filled(networkErrorTitle) ?? texts.noConnection
      const text = filled(networkErrorMessage) ?? texts.notArrived
      await askToProceed(`${title} ${text}`, texts.tryAgain, chat.signal)
    }
  }
}

/** Shows a step, and answers what the person or an action replies; nothing when the chat is over. */
async function show(step, stage, chat) {
  applyDynamicTheme(step.dynamicTheme, chat)
  const seen = await stage.settle(step.messages)
  showProgress(step.progress)
  const actions = [...(step.clientSideActions ?? [])]
  let next
  const act = async (bubbleId) => {
    while (actions.length > 0 && actions[0].lastBubbleBlockId === bubbleId) {
      const action = actions.shift()
      const message = await perform(action, chat)
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
    await act(bubble.id)
  }
  while (actions.length > 0) await act(actions[0].lastBubbleBlockId)
  if (next) return next
  if (step.isOver) return undefined
  if (step.input) return ask(step.input, question, chat)
  const awaited = last?.bubble.type === 'embed' && last.bubble.content.waitForEvent
  if (awaited?.isEnabled === true) return { message: await eventOf(last.shown, awaited, chat.signal) }
  return undefined
}

function ask(input, question, chat) {
  const { signal, avatars } = chat
  return new Promise((resolve, reject) => {
    // A form that is left ends what it has under way: it could only answer the next question.
    const leaving = new AbortController()
    signal.addEventListener('abort', () => reject(signal.reason), { signal: leaving.signal })
    const form = inputForm(
      input,
      question,
      (message, text) => {
        if (leaving.signal.aborted || signal.aborted) return
        leaving.abort()
        answer.replaceChildren()
        host.tell('answer', { message: text ?? null, blockId: input.id })
        const said = text === undefined ? undefined : addGuest(text, avatars)
        keepFocus(conversation)
        resolve({ message, said })
      },
      { ...chat, signal: AbortSignal.any([signal, leaving.signal]) },
    )
    answer.replaceChildren(form)
    scrollToEnd()
    const first = form.querySelector('input, textarea, button')
    // On a phone a text field would bring up the keyboard before the question is read.
    const isTouch = matchMedia('(pointer: coarse)').matches
    if (!isTouch || !first?.matches('.field')) keepFocus(first)
  })
}

/** What an embedded page says when it is done. */
function eventOf(shown, { name }, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    const frame = shown.querySelector('iframe')
    const listen = ({ source, data }) => {
      if (source !== frame?.contentWindow || typeof data !== 'object' || data?.name !== name) return
      resolve(data.data === undefined || data.data === null ? null : String(data.data))
    }
    addEventListener('message', listen, { signal })
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
  const [title, text] = (isKnown && (reasons[error.code] ?? reasons[error.status])) || [
    texts.failedTitle,
    isKnown ? error.message : texts.failed,
  ]
  const notice = element('div', { class: 'failure' }, element('h1', {}, title), element('p', {}, text))
  conversation.append(notice)
  restart.hidden = conversation.children.length === 1
  scrollToEnd()
}
