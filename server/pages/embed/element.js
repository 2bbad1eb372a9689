import { bubble } from './bubble.js'
import css from './embed.css'
import { popup } from './popup.js'
import { standard } from './standard.js'

/** The elements on the page, in whatever tree they are. */
export const connected = new Set()

/** Differences of the three elements. `show` and `hide` return nothing; the element knows if it is open. */
export const shapes = { 'bot-standard': standard, 'bot-popup': popup, 'bot-bubble': bubble }

export class BotElement extends HTMLElement {
  static observedAttributes = ['bot', 'api-host']
  options = {}
  isOpen = false
  #shape
  #timer
  #number

  /** Takes the options of `Bot.init...` and begins; without a bot the element stays empty. */
  configure(options) {
    const { bot, apiHost } = this.options
    this.options = { ...this.options, ...options }
    if (this.options.id) this.id = this.options.id
    if (!this.isConnected) return
    const isSame = this.options.bot === bot && this.options.apiHost === apiHost
    if (this.#shape && !isSame) this.#beginAgain()
    else this.connectedCallback()
  }

  attributeChangedCallback(name, before, value) {
    if (before === value) return
    this.options[name === 'bot' ? 'bot' : 'apiHost'] = value ?? undefined
    if (this.isConnected) this.#beginAgain()
  }

  /** Another bot, or the same one elsewhere. */
  #beginAgain() {
    const wasOpen = this.isOpen
    this.close()
    this.disconnectedCallback()
    this.#number = undefined
    this.connectedCallback()
    if (wasOpen) this.open({ isByItself: true })
  }

  /** Distinguishes chats of one bot on a page: by the id of the element, else by its number among its like. */
  get place() {
    return this.id ? `${this.localName}#${this.id}` : `${this.localName} ${this.#number}`
  }

  /** The first number that no chat of this kind and bot has. */
  #freeNumber() {
    const like = [...connected].filter(
      (other) => other.localName === this.localName && other.options.bot === this.options.bot,
    )
    const isTaken = (number) => like.some((other) => other.#number === number)
    let number = 1
    while (isTaken(number)) number += 1
    return number
  }

  connectedCallback() {
    connected.add(this)
    if (!this.options.bot || this.#shape) return
    this.#number ??= this.#freeNumber()
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [sheet]
    this.#shape = shapes[this.localName](this, root)
    const delay = this.options.defaultOpen ? 0 : (this.options.autoShowDelay ?? undefined)
    if (delay !== undefined) this.#timer = setTimeout(() => this.open({ isByItself: true }), delay)
  }

  disconnectedCallback() {
    connected.delete(this)
    clearTimeout(this.#timer)
    this.#shape?.end()
    this.#shape = undefined
    this.isOpen = false
    this.shadowRoot?.replaceChildren()
  }

  open(how = {}) {
    if (this.isOpen || !this.#shape?.show) return
    clearTimeout(this.#timer)
    this.isOpen = true
    this.#shape.show(how)
    this.tell('open')
  }

  close() {
    if (!this.isOpen) return
    this.isOpen = false
    this.#shape.hide()
    this.tell('close')
  }

  toggle() {
    if (this.isOpen) this.close()
    else this.open()
  }

  /** Starts the chat again, with the variables that are set now. */
  reload() {
    this.#shape?.reload()
  }

  /** Values for the next start. */
  setPrefilledVariables(variables) {
    this.options.prefilledVariables = { ...this.options.prefilledVariables, ...variables }
  }

  showPreviewMessage(message) {
    this.#shape?.showPreview?.(message)
  }

  hidePreviewMessage() {
    this.#shape?.hidePreview?.()
  }

  unmount() {
    this.remove()
  }

  /** Informs the page: by an event of the element, and by the callback of the options, such as `onAnswer`. */
  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
    this.options[`on${type[0].toUpperCase()}${type.slice(1)}`]?.(detail)
  }
}
