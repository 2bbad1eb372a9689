/*
 * Puts chats into any page: `bot-standard` in its flow, `bot-popup` over it, `bot-bubble` as a button in a corner.
 * A chat is the page of the bot in a frame, so the styles, code and policies of the two pages keep apart. Nothing is
 * written as HTML and no style is inline, so that the strictest Content-Security-Policy needs only the address of the
 * service in script-src and frame-src.
 */
;(() => {
  // Not `window.Bot`, which is any element of the page with that id.
  if (customElements.get('bot-standard')) return

  // Code that stands in the page itself has no address.
  const service = new URL('./', document.currentScript?.src || location.href)
  const languages = /* texts */ {}
  const language = (document.documentElement.lang || navigator.language).toLowerCase().split('-')[0]
  const texts = languages[language] ?? languages.en

  const css = /* css */ ''

  /** Time after which a loaded frame that has sent nothing gets a hint that there is no chat. */
  const HINT_DELAY_MS = 2_000

  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
      else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value)
    }
    made.append(...children.filter(Boolean))
    return made
  }

  const drawings = {
    chat: 'M12 3C6.5 3 2 6.8 2 11.5c0 2.5 1.3 4.7 3.3 6.3L4.6 22l4.6-2.4c.9.2 1.8.3 2.8.3 5.5 0 10-3.8 10-8.4S17.5 3 12 3z',
    close:
      'M18.7 6.7l-1.4-1.4L12 10.6 6.7 5.3 5.3 6.7l5.3 5.3-5.3 5.3 1.4 1.4 5.3-5.3 5.3 5.3 1.4-1.4-5.3-5.3z',
  }

  /** One of the drawings, or what the page gives: the address of a picture, an SVG drawing, or a sign such as 💬. */
  function icon(name, given) {
    if (!given) {
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
      const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
      svg.setAttribute('viewBox', '0 0 24 24')
      svg.setAttribute('fill', 'currentColor')
      svg.setAttribute('part', 'button-icon')
      path.setAttribute('d', drawings[name])
      svg.append(path)
      return svg
    }
    const isSvg = given.trim().startsWith('<svg')
    const src = isSvg ? `data:image/svg+xml,${encodeURIComponent(withNamespace(given))}` : given
    if (isSvg || /^(https?:|data:|\.{0,2}\/)/.test(given)) {
      return make('img', { src, alt: '', class: 'icon', part: 'button-icon' })
    }
    return make('span', { class: 'sign', part: 'button-icon' }, given)
  }

  /** Drawings that stand in HTML need no namespace, pictures do. */
  function withNamespace(svg) {
    const [tag] = /<svg[^>]*/.exec(svg)
    const namespace = (name, address) => (tag.includes(`${name}=`) ? '' : ` ${name}="${address}"`)
    const own = namespace('xmlns', 'http://www.w3.org/2000/svg')
    const links = namespace('xmlns:xlink', 'http://www.w3.org/1999/xlink')
    return svg.replace('<svg', () => `<svg${own}${links}`)
  }

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
        const kept = storage.getItem(key)
        if (kept) return kept
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

  /** The elements on the page, in whatever tree they are. */
  const connected = new Set()

  /** Popups that are open keep the page from scrolling, all together. */
  const scrollLocks = new Set()
  let overflow

  function lockScrolling(popup) {
    const { style } = document.documentElement
    if (scrollLocks.size === 0) overflow = style.overflow
    scrollLocks.add(popup)
    style.overflow = 'hidden'
  }

  function unlockScrolling(popup) {
    if (scrollLocks.delete(popup) && scrollLocks.size === 0)
      document.documentElement.style.overflow = overflow
  }

  const isComposing = (event) => event.isComposing || event.keyCode === 229

  /** Custom properties: a value that is no CSS has no effect. */
  function dress(target, properties) {
    for (const [name, value] of Object.entries(properties)) {
      if (value !== undefined) target.style.setProperty(`--${name}`, String(value))
    }
  }

  function isDark(color) {
    const context = make('canvas').getContext('2d')
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return 0.299 * red + 0.587 * green + 0.114 * blue < 150
  }

  /** Follows a redirect of the bot. Addresses with code are rejected. */
  function goTo(url) {
    if (/^(https?|mailto|tel|sms):/i.test(url)) location.assign(url)
  }

  /** The chat of an element in a frame, which begins at once. `stop` ends its messages to the page. */
  function startFrame(element, isAnew = false) {
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

  // Differences of the three elements. `show` and `hide` return nothing; the element knows if it is open.

  function standard(element, root) {
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

  function popup(element, root) {
    const { theme = {}, title } = element.options
    const dialog = make('dialog', { 'aria-label': title ?? texts.chat })
    dress(dialog, { width: theme.width, window: theme.backgroundColor })
    root.append(dialog)
    let chat
    const begin = (isAnew) => {
      chat?.stop()
      chat = startFrame(element, isAnew)
      const close = {
        class: 'close',
        type: 'button',
        'aria-label': texts.closeChat,
        part: 'button',
        onclick: () => element.close(),
      }
      dialog.replaceChildren(chat.frame, make('button', close, icon('close')))
    }
    const end = () => {
      if (!chat) return
      chat.stop()
      chat = undefined
      dialog.replaceChildren()
      unlockScrolling(element)
    }
    dialog.addEventListener('click', ({ target }) => target === dialog && element.close())
    dialog.addEventListener('close', () => dialog.open || element.close())
    return {
      show() {
        lockScrolling(element)
        begin()
        dialog.showModal()
        chat.frame.focus()
      },
      hide() {
        dialog.close()
        end()
      },
      reload: () => chat && begin(true),
      end,
    }
  }

  function bubble(element, root) {
    const { theme = {}, previewMessage, title } = element.options
    const { button = {}, chatWindow = {}, previewMessage: previewTheme = {} } = theme
    const side = theme.placement === 'left' ? 'left' : 'right'
    const position = theme.position === 'static' ? 'static' : 'fixed'
    const size =
      { medium: '48px', large: '64px' }[button.size] ?? (/^\d+px$/.test(button.size) ? button.size : '48px')
    const background = button.backgroundColor ?? '#202020'
    const opener = make('button', {
      type: 'button',
      class: 'button',
      part: 'button',
      'aria-haspopup': 'dialog',
      onclick: () => element.toggle(),
    })
    opener.hidden = button.isHidden === true
    const pane = make('div', { class: 'window', role: 'dialog', 'aria-label': title ?? texts.chat })
    const preview = make('div', { role: 'status' })
    const box = make(
      'div',
      { class: `box ${side} ${position}${opener.hidden ? ' no-button' : ''}` },
      preview,
      pane,
      opener,
    )
    box.dir = getComputedStyle(element.parentElement ?? document.body).direction
    dress(box, {
      size,
      z: theme.zIndex,
      button: background,
      icon: button.iconColor ?? (isDark(background) ? '#fff' : '#202020'),
      window: chatWindow.backgroundColor,
      'max-width': chatWindow.maxWidth,
      'max-height': chatWindow.maxHeight,
      preview: previewTheme.backgroundColor,
      'preview-color': previewTheme.textColor,
      dismiss: previewTheme.closeButtonBackgroundColor,
      'dismiss-icon': previewTheme.closeButtonIconColor,
    })
    root.append(box)
    let chat
    const draw = () => {
      const { isOpen } = element
      opener.setAttribute('aria-expanded', String(isOpen))
      opener.setAttribute('aria-label', isOpen ? texts.closeChat : texts.openChat)
      opener.replaceChildren(
        isOpen ? icon('close', button.customCloseIconSrc) : icon('chat', button.customIconSrc),
      )
      pane.hidden = !isOpen
    }
    const begin = (isAnew) => {
      chat?.stop()
      chat = startFrame(element, isAnew)
      pane.replaceChildren(chat.frame)
    }
    let timer
    const hidePreview = () => {
      clearTimeout(timer)
      preview.replaceChildren()
    }
    const showPreview = (message = previewMessage) => {
      if (!message || element.isOpen) return
      const open = { type: 'button', class: 'text', onclick: () => element.open() }
      const dismiss = { type: 'button', class: 'dismiss', 'aria-label': texts.dismiss, onclick: hidePreview }
      const picture = message.avatarUrl && make('img', { src: message.avatarUrl, alt: '' })
      const text = make('button', open, picture, make('span', { dir: 'auto' }, message.message))
      preview.replaceChildren(
        make(
          'div',
          { class: 'preview', part: 'preview-message' },
          text,
          make('button', dismiss, icon('close')),
        ),
      )
    }
    root.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !isComposing(event)) element.close()
    })
    draw()
    const wait = previewMessage?.autoShowDelay ?? undefined
    if (wait !== undefined) timer = setTimeout(showPreview, wait)
    return {
      show({ isByItself }) {
        hidePreview()
        if (!chat) begin()
        draw()
        if (!isByItself) chat.frame.focus()
      },
      hide() {
        const hadFocus = root.activeElement !== null
        draw()
        if (hadFocus) opener.focus()
      },
      reload: () => chat && begin(true),
      showPreview,
      hidePreview,
      end() {
        clearTimeout(timer)
        chat?.stop()
      },
    }
  }

  const shapes = { 'bot-standard': standard, 'bot-popup': popup, 'bot-bubble': bubble }

  class BotElement extends HTMLElement {
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

  for (const name of Object.keys(shapes)) customElements.define(name, class extends BotElement {})

  function add(name, options) {
    const made = document.createElement(name)
    made.configure(options)
    if (document.body) document.body.prepend(made)
    else addEventListener('DOMContentLoaded', () => document.body.prepend(made), { once: true })
    return made
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

  window.Bot = {
    initStandard,
    initPopup: (options) => add('bot-popup', options),
    initBubble: (options) => add('bot-bubble', options),
    ...Object.fromEntries(
      ['open', 'close', 'toggle', 'reload', 'hidePreviewMessage', 'unmount'].map(command),
    ),
    ...Object.fromEntries(['setPrefilledVariables', 'showPreviewMessage'].map(commandWith)),
  }
})()
