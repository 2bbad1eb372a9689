/* Evaluated inside the engine when code first uses it: other globals that code knows from browsers. */
;(ask, hide, lines, calls) => {
  const { stringify } = JSON
  const MAX_LINES = 20
  const MAX_CALLS = 20

  const base64 =
    (name) =>
    (...args) => {
      if (args.length === 0) throw new TypeError(`${name} needs an argument`)
      return ask(name, String(args[0]))
    }

  const shown = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return `${value.name}: ${value.message}`
    try {
      return (
        stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
        String(value)
      )
    } catch {
      return String(value)
    }
  }
  const say = (...args) => {
    if (lines.length < MAX_LINES) lines.push(args.map(shown).join(' ').slice(0, 500))
  }
  const console = {}
  for (const name of ['debug', 'error', 'info', 'log', 'warn']) hide(console, name, say)

  const entriesOf = (given) =>
    typeof given[Symbol.iterator] === 'function' ? [...given] : Object.entries(given)

  class Headers {
    #values = new Map()
    constructor(given) {
      for (const [name, value] of entriesOf(given ?? {})) this.append(name, value)
    }
    append(name, value) {
      const earlier = this.get(name)
      this.set(name, earlier === null ? value : `${earlier}, ${value}`)
    }
    delete(name) {
      this.#values.delete(String(name).toLowerCase())
    }
    get(name) {
      return this.#values.get(String(name).toLowerCase()) ?? null
    }
    has(name) {
      return this.#values.has(String(name).toLowerCase())
    }
    set(name, value) {
      this.#values.set(String(name).toLowerCase(), String(value).trim())
    }
    forEach(callback, self) {
      for (const [name, value] of this) Reflect.apply(callback, self, [value, name, this])
    }
    keys() {
      return [...this].map(([name]) => name).values()
    }
    values() {
      return [...this].map(([, value]) => value).values()
    }
    entries() {
      return this[Symbol.iterator]()
    }
    [Symbol.iterator]() {
      return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values()
    }
  }

  const requestOf = (target, given) => {
    const { method = 'GET', headers, body } = given ?? {}
    const request = {
      url: String(target),
      method: String(method).toUpperCase(),
      headers: Object.fromEntries(new Headers(headers)),
    }
    if (body === undefined || body === null) return request
    const isForm = body[Symbol.toStringTag] === 'URLSearchParams'
    request.headers['content-type'] ??= isForm
      ? 'application/x-www-form-urlencoded;charset=UTF-8'
      : 'text/plain;charset=UTF-8'
    return { ...request, body: String(body) }
  }
  /** Queues the request; the thread runs the code again once there is a response. */
  const fetch = (...args) =>
    new Promise((resolve, reject) => {
      if (calls.length === MAX_CALLS) throw new Error(`Code may send ${MAX_CALLS} requests`)
      calls.push({ request: stringify(requestOf(...args)), resolve, reject, isAnswered: false })
    })

  /** A response that also is the text of its body, as much code takes it. */
  class Response extends String {
    #answer
    constructor(answer, url) {
      super(answer.body)
      this.#answer = { ...answer, url, headers: new Headers(answer.headers) }
    }
    get ok() {
      return this.status >= 200 && this.status < 300
    }
    get status() {
      return this.#answer.status
    }
    get url() {
      return this.#answer.url
    }
    get headers() {
      return this.#answer.headers
    }
    async text() {
      return this.#answer.body
    }
    async json() {
      return JSON.parse(this.#answer.body)
    }
  }
  hide(Response.prototype, Symbol.toStringTag, 'Response')
  hide(Headers.prototype, Symbol.toStringTag, 'Headers')
  const responseOf = (answer, request) => new Response(answer, JSON.parse(request).url)

  return { atob: base64('atob'), btoa: base64('btoa'), console, fetch, Headers, responseOf }
}
