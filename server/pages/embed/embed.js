import { Bot } from './bot.js'
import { BotElement, shapes } from './element.js'

/*
 * Puts chats into any page: `bot-standard` in its flow, `bot-popup` over it, `bot-bubble` as a button in a corner. A
 * chat is the page of the bot in a frame, so the styles, code and policies of the two pages stay separate. Nothing is
 * written as HTML and no style is inline, so that the strictest Content-Security-Policy needs only the address of the
 * service in script-src and frame-src. `bundle.ts` makes one script of these files.
 */

// Not `window.Bot`, which is any element of the page with that id.
if (!customElements.get('bot-standard')) {
  for (const name of Object.keys(shapes)) customElements.define(name, class extends BotElement {})
  window.Bot = Bot
}
