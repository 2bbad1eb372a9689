/* Evaluated inside the engine when code first asks for it: what else code knows from browsers. */
;(ask, hide, lines, calls) => {
  const { stringify } = JSON
  const maximumLines = 20
  const maximumCalls = 20

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
    if (lines.length < maximumLines) lines.push(args.map(shown).join(' ').slice(0, 500))
  }
  const console = {}
  for (const name of ['debug', 'error', 'info', 'log', 'warn']) hide(console, name, say)

  const requestOf = (target, { method = 'GET', headers = {}, body } = {}) => {
    const pairs = typeof headers[Symbol.iterator] === 'function' ? [...headers] : Object.entries(headers)
    const request = { url: String(target), method: String(method).toUpperCase(), headers: {} }
    for (const [name, value] of pairs) request.headers[String(name).toLowerCase()] = String(value)
    if (body === undefined || body === null) return request
    const isForm = body[Symbol.toStringTag] === 'URLSearchParams'
    request.headers['content-type'] ??= isForm
      ? 'application/x-www-form-urlencoded;charset=UTF-8'
      : 'text/plain;charset=UTF-8'
    return { ...request, body: String(body) }
  }
  /** Notes the request; the thread runs the code again once there is an answer. Gives the text of the body. */
  const fetch = (...args) =>
    new Promise((resolve, reject) => {
      if (calls.length === maximumCalls) throw new Error(`Code may send ${maximumCalls} requests`)
      calls.push({ request: stringify(requestOf(...args)), resolve, reject, isAnswered: false })
    })

  return { atob: base64('atob'), btoa: base64('btoa'), console, fetch }
}
