import { startFrame } from './frame.js'

/** A chat in the flow of the page, which begins once it is seen. */
export function standard(element, root) {
  let chat
  const begin = (isAnew) => {
    chat = startFrame(element, isAnew)
    root.replaceChildren(chat.frame)
  }
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    seen.disconnect()
    begin()
  })
  seen.observe(element)
  return {
    reload() {
      chat?.stop()
      if (chat) begin(true)
    },
    end() {
      seen.disconnect()
      chat?.stop()
    },
  }
}
