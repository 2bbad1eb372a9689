import { make, service, texts } from './page.js'

/* The frame with the page of a bot, and the messages between the two pages. */

/** Time after which a loaded frame that has sent nothing gets a hint that there is no chat. */
const HINT_DELAY_MS = 2_000

/** Values that a message can carry; others are left out. */
function sendable(variables) {
  const entries = Object.entries(variables).flatMap(([name, value]) => {
    try {
      return [[name, JSON.parse(JSON.stringify(value))]]
    } catch {
      return []
    }
  })
  return Object.fromEntries(entries)
}

/** Chats store their data here too: browsers may deny storage to frames, and pages may have none. */
const memory = {
  storages: () =>
    ['sessionStorage', 'localStorage'].flatMap((name) => {
      try {
        return window[name] ? [window[name]] : []
      } catch {
        return []
      }
    }),
  read(key) {
    for (const storage of memory.storages()) {
      const storedValue = storage.getItem(key)
      if (storedValue) return storedValue
    }
  },
  write(key, { kind, value } = {}) {
    for (const storage of memory.storages()) storage.removeItem(key)
    if (typeof value !== 'string' || value.length > 1000) return
    try {
      window[kind === 'local' ? 'localStorage' : 'sessionStorage'].setItem(key, value)
    } catch {
      // Denied or full: the frame may have more luck.
    }
  },
}

/** Follows a redirect of the bot. Addresses with code are rejected. */
function goTo(url) {
  if (/^(https?|mailto|tel|sms):/i.test(url)) location.assign(url)
}

/** The chat of an element in a frame, which begins immediately. `stop` ends its messages to the page. */
export function startFrame(element, isAnew = false) {
  const { bot, apiHost, prefilledVariables, resultId, title } = element.options
  const base = apiHost ? new URL(apiHost.endsWith('/') ? apiHost : `${apiHost}/`, location.href) : service
  const { place } = element
  const key = `bot-chat ${base.href} ${bot} ${place}`
  if (isAnew) memory.write(key)
  const src = new URL(`chat/${encodeURIComponent(bot)}#embed`, base)
  const allow = 'autoplay; encrypted-media; fullscreen; microphone; picture-in-picture'
  const frame = make('iframe', { src: src.href, title: title ?? texts.chat, allow, part: 'bot' })
  // A frame that the bot does not allow here has a page of the browser, which sends nothing.
  const hint = make('p', { class: 'refused', role: 'status' }, texts.notHere)
  let hintTimer
  const showHint = (isShown) => {
    frame.hidden = isShown
    if (isShown) frame.after(hint)
    else hint.remove()
  }
  frame.addEventListener('load', () => {
    clearTimeout(hintTimer)
    if (!isHeard) hintTimer = setTimeout(showHint, HINT_DELAY_MS, true)
  })
  let isHeard = false
  const listen = ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== src.origin) return
    if (!isHeard) showHint(false)
    isHeard = true
    clearTimeout(hintTimer)
    const { type, detail } = data ?? {}
    if (type === 'ready') {
      const query = Object.fromEntries(new URLSearchParams(location.search))
      const greeting = {
        type: 'start',
        address: location.href,
        prefilledVariables: sendable({ ...query, ...prefilledVariables }),
        resultId,
        place,
        memory: memory.read(key),
        isAnew,
      }
      frame.contentWindow.postMessage(greeting, src.origin)
      // Only the first page of the frame begins anew, not one that is loaded again.
      isAnew = false
      // An element that had the focus before its page loaded must get it anew for the page to notice.
      if (frame.getRootNode().activeElement === frame) {
        frame.blur()
        frame.focus()
      }
    } else if (type === 'remember') memory.write(key, detail)
    else if (type === 'escape') element.close()
    else if (type === 'redirect') goTo(detail)
    else if (['message', 'answer', 'end', 'track'].includes(type)) element.tell(type, detail)
  }
  addEventListener('message', listen)
  const stop = () => {
    clearTimeout(hintTimer)
    removeEventListener('message', listen)
  }
  return { frame, stop }
}
