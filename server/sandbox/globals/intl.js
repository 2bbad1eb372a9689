/* Evaluated inside the engine when code first uses it: `Intl`, which the engine lacks, by the one of the thread. */
;(ask, hide) => {
  const localesOf = (locales) => {
    if (locales === undefined || typeof locales === 'string') return locales
    if (locales === null) throw new TypeError('Incorrect locale information provided')
    return typeof locales[Symbol.iterator] === 'function' ? Array.from(locales, String) : [String(locales)]
  }
  const optionsOf = (options) => (options === undefined ? undefined : { ...Object(options) })
  // As texts, since JSON has neither NaN nor -0 nor more than 15 digits.
  const dateOf = (date) => String(date === undefined ? Date.now() : Number(date))
  const numberOf = (given) => {
    const number = given instanceof BigInt ? given.valueOf() : given
    if (typeof number === 'bigint' || typeof number === 'string') return String(number)
    const plain = Number(number)
    return Object.is(plain, -0) ? '-0' : String(plain)
  }
  const each = (convert) => (args) => args.map(convert)
  const dates = each(dateOf)
  const oneDate = ([date]) => [dateOf(date)]
  const numbers = each(numberOf)
  const oneNumber = ([number]) => [numberOf(number)]
  const amount = ([value, unit]) => [numberOf(value), String(unit)]
  const items = ([list]) => [Array.from(list)]

  /** Methods of each class, and the conversion of their arguments on the way to the thread. */
  const classes = {
    DateTimeFormat: {
      format: oneDate,
      formatToParts: oneDate,
      formatRange: dates,
      formatRangeToParts: dates,
    },
    NumberFormat: {
      format: oneNumber,
      formatToParts: oneNumber,
      formatRange: numbers,
      formatRangeToParts: numbers,
    },
    RelativeTimeFormat: { format: amount, formatToParts: amount },
    ListFormat: { format: items, formatToParts: items },
    PluralRules: { select: oneNumber, selectRange: numbers },
    Collator: { compare: each(String) },
    DisplayNames: { of: each(String) },
    Segmenter: { segment: each(String) },
  }
  const offered = {}
  hide(offered, Symbol.toStringTag, 'Intl')
  for (const [name, methods] of Object.entries(classes)) {
    const Class = {
      [name]: function (locales, options) {
        const self = new.target === undefined ? Object.create(Class.prototype) : this
        const where = localesOf(locales)
        const how = optionsOf(options)
        const call = (method, args) => ask('intl', name, where, how, method, args)
        // Now, since a wrong locale or option is an error of the constructor.
        call('resolvedOptions', [])
        hide(self, 'resolvedOptions', () => call('resolvedOptions', []))
        for (const [method, convert] of Object.entries(methods)) {
          hide(self, method, (...args) => {
            const reply = call(method, convert(args))
            return name === 'Segmenter' ? segments(reply) : reply
          })
        }
        return self
      },
    }[name]
    hide(Class.prototype, Symbol.toStringTag, `Intl.${name}`)
    hide(Class, 'supportedLocalesOf', (locales, options) =>
      ask('supportedLocalesOf', name, localesOf(locales), optionsOf(options)),
    )
    hide(offered, name, Class)
  }
  const segments = (list) => ({
    [Symbol.iterator]: () => list[Symbol.iterator](),
    containing: (at = 0) => list.find(({ index, segment }) => at >= index && at < index + segment.length),
  })
  hide(
    offered,
    'Locale',
    class Locale {
      constructor(tag, options) {
        const fields = ask('locale', String(tag), optionsOf(options))
        for (const [name, value] of Object.entries(fields)) hide(this, name, value)
      }
      toString() {
        return this.tag
      }
      maximize() {
        return new offered.Locale(this.maximized)
      }
      minimize() {
        return new offered.Locale(this.minimized)
      }
    },
  )
  hide(offered, 'getCanonicalLocales', (locales) => ask('getCanonicalLocales', localesOf(locales)))
  hide(offered, 'supportedValuesOf', (key) => ask('supportedValuesOf', String(key)))

  const dateText = (required, defaults) => (date, locales, options) => {
    const given = optionsOf(options) ?? {}
    const isInvalid = Number.isNaN(Number(date))
    if (isInvalid) return 'Invalid Date'
    return ask(
      'intl',
      'DateTimeFormat',
      localesOf(locales),
      withDefaults(given, required, defaults),
      'format',
      [dateOf(date)],
    )
  }
  const dateFields = ['weekday', 'year', 'month', 'day']
  const timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits']
  const numeric = (...names) => Object.fromEntries(names.map((name) => [name, 'numeric']))
  const withDefaults = (options, required, defaults) => {
    const isStyled = options.dateStyle !== undefined || options.timeStyle !== undefined
    const isComplete = isStyled || required.some((name) => options[name] !== undefined)
    return isComplete ? options : { ...options, ...defaults }
  }
  const numberText = (number, locales, options) =>
    ask('intl', 'NumberFormat', localesOf(locales), optionsOf(options), 'format', [numberOf(number)])

  const inPlainOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  const isPlain = /^[ \da-z]*$/i
  const compare = (a, b, locales, options) => {
    const [left, right] = [String(a), String(b)]
    // The order that English has for plain letters, without the way out of the engine: sorting compares often.
    if (locales === undefined && options === undefined && isPlain.test(left) && isPlain.test(right)) {
      return inPlainOrder(left.toLowerCase(), right.toLowerCase()) || inPlainOrder(right, left)
    }
    return ask('intl', 'Collator', localesOf(locales), optionsOf(options), 'compare', [left, right])
  }

  const methods = {
    Date: {
      toLocaleString: dateText(
        [...dateFields, ...timeFields],
        numeric('year', 'month', 'day', 'hour', 'minute', 'second'),
      ),
      toLocaleDateString: dateText(dateFields, numeric('year', 'month', 'day')),
      toLocaleTimeString: dateText(timeFields, numeric('hour', 'minute', 'second')),
    },
    Number: { toLocaleString: numberText },
    BigInt: { toLocaleString: numberText },
    Array: {
      toLocaleString: (list, ...args) =>
        Array.from(list, (item) => item?.toLocaleString(...args) ?? '').join(','),
    },
    String: {
      localeCompare: compare,
      toLocaleLowerCase: (text, locales) => ask('toLocaleLowerCase', String(text), localesOf(locales)),
      toLocaleUpperCase: (text, locales) => ask('toLocaleUpperCase', String(text), localesOf(locales)),
    },
  }
  return { Intl: offered, methods }
}
