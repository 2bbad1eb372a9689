/*
 * Evaluated inside the engine before the code of a bot, as one expression: all globals beside the language, and the
 * functions by which the thread runs the code. Code may tamper with all of this, but only to its own harm: its only
 * output is one string, which is not trusted. Reading this takes longer than running most code, so rarely used parts
 * have files of their own, which are read when code first uses them.
 */
;(host, given) => {
  const { parse, stringify } = JSON
  const { apply, defineProperty } = Reflect
  const { then } = Promise.prototype
  // biome-ignore lint/security/noGlobalEval: of own sources, inside the engine
  const evaluate = globalThis.eval
  const { form, code, names, values } = parse(given)
  const assignments = []
  const lines = []
  const calls = []

  /** Calls an operation of the thread. Its errors are thrown here. */
  const ask = (operation, ...args) => {
    const { value, error } = parse(host(stringify([operation, ...args])))
    if (error === undefined) return value
    throw new ({ RangeError, SyntaxError, TypeError }[error[0]] ?? Error)(error[1])
  }
  const hide = (target, name, value) =>
    defineProperty(target, name, { value, writable: true, configurable: true })
  const loaded = {}
  const load = (file) => {
    loaded[file] ??= evaluate(ask('source', file))(ask, hide, lines, calls)
    return loaded[file]
  }
  const offer = (file, ...names) => {
    for (const name of names) {
      defineProperty(globalThis, name, {
        configurable: true,
        get() {
          hide(globalThis, name, load(file)[name])
          return globalThis[name]
        },
        set: (value) => hide(globalThis, name, value),
      })
    }
  }
  offer('intl', 'Intl')
  offer('url', 'URL', 'URLSearchParams')
  offer('web', 'atob', 'btoa', 'console', 'fetch', 'Headers')
  const speak = ({ name, prototype }, ...methods) => {
    for (const method of methods) {
      hide(prototype, method, function (...args) {
        return load('intl').methods[name][method](this, ...args)
      })
    }
  }
  speak(Date, 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString')
  speak(Number, 'toLocaleString')
  speak(BigInt, 'toLocaleString')
  speak(Array, 'toLocaleString')
  speak(String, 'localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase')

  const storable = (value) => {
    if (value === undefined) return null
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new TypeError('The result is not a value')
    }
    if (value instanceof String) return String(value)
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  }
  const bigIntAsText = (_key, value) => (typeof value === 'bigint' ? String(value) : value)
  const messageOf = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  hide(globalThis, 'setVariable', (name, value) => {
    assignments.push({ name: String(name), value: storable(value) })
  })

  const AsyncFunction = (async () => {}).constructor
  const compile = () => {
    if (form === 'body') return new AsyncFunction(...names, code)
    try {
      return new AsyncFunction(...names, `return (${code}\n)`)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return new AsyncFunction(...names, /\breturn\b/.test(code) ? code : `return ${code}`)
    }
  }

  let outcome = { isWaiting: true }
  const fail = (error) => {
    outcome = { error: messageOf(error) }
  }
  return {
    start() {
      const end = (value) => {
        outcome = { value: storable(value) }
      }
      try {
        apply(then, apply(then, compile()(...parse(values)), [end]), [undefined, fail])
      } catch (error) {
        fail(error)
      }
    },
    /** Passes the response to one of its requests to the code. */
    answer(text) {
      const { index, request, ok, message, ...answer } = parse(text)
      const call = calls[index]
      if (call?.request !== request) throw new Error('The code did not do the same again')
      call.isAnswered = true
      if (ok) call.resolve(load('web').responseOf(answer, request))
      else call.reject(new TypeError(message))
    },
    finish() {
      const sent = calls.map(({ request, isAnswered }, index) => ({ index, request, isAnswered }))
      const rest = { lines, calls: sent.filter(({ isAnswered }) => !isAnswered) }
      try {
        return stringify({ ...outcome, assignments, ...rest }, bigIntAsText)
      } catch (error) {
        return stringify({ error: messageOf(error), ...rest })
      }
    },
  }
}
