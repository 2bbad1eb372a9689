/* Evaluated inside the engine when code first uses it: `URL` and `URLSearchParams`, by those of the thread. */
;(ask, hide) => {
  const readable = ['origin']
  const writable = [
    'hash',
    'host',
    'hostname',
    'href',
    'password',
    'pathname',
    'port',
    'protocol',
    'search',
    'username',
  ]

  class URLSearchParams {
    #pairs
    #changed
    constructor(init = '', changed = () => {}) {
      this.#changed = changed
      if (typeof init !== 'object' || init === null || init instanceof String) {
        this.#pairs = ask('queryPairs', String(init))
        return
      }
      const list = typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init)
      this.#pairs = list.map((given) => {
        const pair = [...given]
        if (pair.length !== 2) throw new TypeError('Each query parameter must be a name and a value')
        return pair.map(String)
      })
    }
    /** For the URL that these belong to, when its query changes. */
    static read(params, query) {
      params.#pairs = ask('queryPairs', query)
    }
    #set(pairs) {
      this.#pairs = pairs
      this.#changed(this.toString())
    }
    get size() {
      return this.#pairs.length
    }
    append(name, value) {
      this.#set([...this.#pairs, [String(name), String(value)]])
    }
    delete(name, value) {
      const isMeant = (pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value))
      this.#set(this.#pairs.filter((pair) => !isMeant(pair)))
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1])
    }
    has(name, value) {
      return this.#pairs.some(
        (pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)),
      )
    }
    set(name, value) {
      const first = this.#pairs.findIndex((pair) => pair[0] === String(name))
      if (first === -1) return this.append(name, value)
      const rest = this.#pairs.filter((pair, index) => index <= first || pair[0] !== String(name))
      this.#set(rest.map((pair, index) => (index === first ? [pair[0], String(value)] : pair)))
    }
    sort() {
      this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs) Reflect.apply(callback, self, [value, name, this])
    }
    *keys() {
      for (const [name] of this.#pairs) yield name
    }
    *values() {
      for (const [, value] of this.#pairs) yield value
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value]
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString() {
      return ask('queryText', this.#pairs)
    }
  }

  const readQuery = URLSearchParams.read
  delete URLSearchParams.read

  class URL {
    #parts
    #searchParams
    constructor(url, base) {
      this.#parts = ask('url', String(url), base === undefined ? undefined : String(base))
    }
    static canParse(url, base) {
      try {
        return new URL(url, base) instanceof URL
      } catch {
        return false
      }
    }
    get searchParams() {
      this.#searchParams ??= new URLSearchParams(this.#parts.search, (text) => {
        this.#parts = ask('changedUrl', this.#parts.href, 'search', text)
      })
      return this.#searchParams
    }
    toString() {
      return this.#parts.href
    }
    toJSON() {
      return this.#parts.href
    }
    static {
      for (const name of [...readable, ...writable]) {
        Object.defineProperty(URL.prototype, name, {
          configurable: true,
          enumerable: true,
          get() {
            return this.#parts[name]
          },
          set: readable.includes(name)
            ? undefined
            : function (value) {
                this.#parts = ask('changedUrl', this.#parts.href, name, String(value))
                if (this.#searchParams !== undefined) readQuery(this.#searchParams, this.#parts.search)
              },
        })
      }
    }
  }
  hide(URL.prototype, Symbol.toStringTag, 'URL')
  hide(URLSearchParams.prototype, Symbol.toStringTag, 'URLSearchParams')
  return { URL, URLSearchParams }
}
