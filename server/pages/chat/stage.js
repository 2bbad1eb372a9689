import { hostBubble } from './bubbles.js'
import { anySignal } from './compat.js'
import { sleep } from './dom.js'
import { host } from './host.js'
import { mayMove } from './motion.js'
import { addHost, changeAvatars, keepEnd, showTyping } from './view.js'

/*
 * Shows the bubbles of a turn one after the other, also while the turn is still running. The final response counts:
 * bubbles that differ from it are shown anew.
 */

export function newStage(chat) {
  const { signal } = chat
  /** Bubbles in order: `{ bubble, shown, row }`, without the last two if there is nothing to see. */
  const entries = []
  /** A text that is being written: `{ id, shown, row }`. */
  let growing
  let dots
  let queue = Promise.resolve()
  /** The attempt that is shown: later messages of an earlier one are dropped. */
  let current = new AbortController()

  function wait() {
    dots ??= showTyping(chat.avatars)
  }

  function hush() {
    dots?.remove()
    dots = undefined
  }

  function dropGrowing() {
    growing?.row.remove()
    growing = undefined
  }

  /** Shows a bubble of the bot, and returns its element if there is one. */
  async function add(bubble, until = signal) {
    hush()
    const shown = hostBubble(bubble)
    const wasSeen = growing?.id === bubble.id
    let row
    if (shown) {
      const words = shown.querySelector('.rich-text')?.textContent ?? ''
      if (!wasSeen) await typeBubble(bubble, words, chat, until)
      dropGrowing()
      row = addHost(shown, chat.avatars)
      host.tell('message', bubble)
    }
    entries.push({ bubble, shown, row })
    return shown
  }

  function grow({ id, text }) {
    if (growing?.id !== id) {
      dropGrowing()
      hush()
      const shown = hostBubble({
        type: 'text',
        content: { richText: [{ type: 'p', children: [{ text: '' }] }] },
      })
      // Read aloud once it is whole.
      shown.setAttribute('aria-hidden', 'true')
      growing = { id, shown, row: addHost(shown, chat.avatars) }
    }
    growing.shown.querySelector('p').append(text)
    keepEnd()
  }

  return {
    add,

    /**
     * Begins an attempt at the turn, and returns its listener. An earlier attempt may have shown a part of the turn.
     */
    begin() {
      current.abort()
      current = new AbortController()
      const own = current.signal
      const until = anySignal(signal, own)
      let place = 0
      // Actions, and bubbles behind them, wait until the response shows that the session is at a newer turn.
      let isHeld = false
      dropGrowing()
      wait()
      return (event) => {
        isHeld ||= event.type === 'action'
        if (isHeld || (event.type !== 'message' && event.type !== 'delta')) return
        const index = place
        if (event.type === 'message') place += 1
        queue = queue.then(async () => {
          signal.throwIfAborted()
          if (own.aborted || index < entries.length) return
          if (event.type === 'delta') return grow(event)
          try {
            await add(event.message, until)
            wait()
          } catch (error) {
            if (!own.aborted) throw error
          }
        })
        // The caller of `settle` gets the error.
        queue.catch(() => {})
      }
    },

    pause() {
      current.abort()
      hush()
      dropGrowing()
    },

    /** Returns the elements that are already shown for the bubbles of the response. */
    async settle(messages) {
      await queue
      current.abort()
      hush()
      const isSame = ({ bubble }, index) => JSON.stringify(bubble) === JSON.stringify(messages[index])
      const wrong = entries.findIndex((entry, index) => !isSame(entry, index))
      if (wrong >= 0) for (const { row } of entries.splice(wrong)) row?.remove()
      changeAvatars(
        entries.flatMap(({ row }) => row ?? []),
        chat.avatars,
      )
      if (growing?.id !== messages[entries.length]?.id) dropGrowing()
      return entries.map(({ shown }) => shown)
    },
  }
}

export const typingDefaults = {
  enabled: true,
  speed: 400,
  maxDelay: 3,
  delayBetweenBubbles: 0,
  isDisabledOnFirstMessage: true,
}

/**
 * Shows that the bot is typing, for the time in its settings. Visitors who want less motion get the bubble
 * immediately.
 */
async function typeBubble({ type }, words, chat, signal) {
  const { typing, isFirstBubble } = chat
  chat.isFirstBubble = false
  if (!mayMove()) return
  const pause = isFirstBubble ? 0 : Math.min(Number(typing.delayBetweenBubbles) || 0, 5)
  const isTyped = type === 'text' && typing.enabled !== false
  const seconds =
    isTyped && !(isFirstBubble && typing.isDisabledOnFirstMessage) ? typingTime(words, typing) : 0
  const indicator = showTyping(chat.avatars)
  try {
    await sleep((pause + seconds) * 1_000, signal)
  } finally {
    indicator.remove()
  }
}

function typingTime(text, { speed, maxDelay }) {
  const words = text.match(/[\p{L}\p{N}_]+/gu)?.length ?? text.length
  return Math.min((words / Math.max(Number(speed) || 400, 1)) * 60, Number(maxDelay) || 0)
}
