import { BotElement, connected } from './element.js'

/* The functions that pages call. */

function add(name, options) {
  const chatElement = document.createElement(name)
  chatElement.configure(options)
  if (document.body) document.body.prepend(chatElement)
  else addEventListener('DOMContentLoaded', () => document.body.prepend(chatElement), { once: true })
  return chatElement
}

function initStandard(options) {
  const place = options.id ? document.getElementById(options.id) : document.querySelector('bot-standard')
  if (!(place instanceof BotElement)) throw new Error('The page has no element bot-standard for this chat')
  place.configure(options)
  return place
}

/** The chats of the page, or the one with this id. */
function chats(id) {
  const all = [...connected]
  return id === undefined ? all : all.filter((element) => element.id === id)
}

const command = (method) => [
  method,
  ({ id } = {}) => {
    for (const chat of chats(id)) chat[method]()
  },
]
const commandWith = (method) => [
  method,
  (given, { id } = {}) => {
    for (const chat of chats(id)) chat[method](given)
  },
]

export const Bot = {
  initStandard,
  initPopup: (options) => add('bot-popup', options),
  initBubble: (options) => add('bot-bubble', options),
  ...Object.fromEntries(['open', 'close', 'toggle', 'reload', 'hidePreviewMessage', 'unmount'].map(command)),
  ...Object.fromEntries(['setPrefilledVariables', 'showPreviewMessage'].map(commandWith)),
}
