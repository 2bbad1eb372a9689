/**
 * Operations of the thread that code of a bot may call: languages, time zones, addresses and base64.
 *
 * Only text goes in and out, as JSON, so that the code never holds an object of this side. There is no state besides
 * the formatters, which depend only on their own options. Arguments are limited in length, since the engine cannot
 * stop code while it is here.
 */
import { LRUCache } from 'lru-cache'

const MAX_TEXT_CHARACTERS = 1_000_000
/** Limit for operations that take much longer than reading their argument. */
const MAX_INTL_CHARACTERS = 20_000

type Operation = (...args: never[]) => unknown

/** Making a formatter takes far longer than using one. They hold memory that the engine's limit does not count. */
const formatters = new LRUCache<string, object>({ max: 50 })

// Neither the language nor the time zone of the machine shows through.
const defaultLocale = 'en-US'
const defaultTimeZone = 'UTC'

const classes = new Map<string, { Class: new (locales: never, options: never) => object; methods: string[] }>(
  [
    [
      'DateTimeFormat',
      {
        Class: Intl.DateTimeFormat,
        methods: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'],
      },
    ],
    [
      'NumberFormat',
      { Class: Intl.NumberFormat, methods: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'] },
    ],
    ['RelativeTimeFormat', { Class: Intl.RelativeTimeFormat, methods: ['format', 'formatToParts'] }],
    ['ListFormat', { Class: Intl.ListFormat, methods: ['format', 'formatToParts'] }],
    ['PluralRules', { Class: Intl.PluralRules, methods: ['select', 'selectRange'] }],
    ['Collator', { Class: Intl.Collator, methods: ['compare'] }],
    ['DisplayNames', { Class: Intl.DisplayNames, methods: ['of'] }],
    ['Segmenter', { Class: Intl.Segmenter, methods: ['segment'] }],
  ],
)

/** Number of leading arguments that are numbers. */
const numbersBefore = new Map([
  ['DateTimeFormat', 2],
  ['NumberFormat', 2],
  ['PluralRules', 2],
  ['RelativeTimeFormat', 1],
])

function classOf(name: string) {
  const found = classes.get(name)
  if (found === undefined) throw new TypeError(`There is no Intl.${name}`)
  return found
}

function formatter(name: string, locales: unknown, options: Record<string, unknown> | undefined): object {
  const key = JSON.stringify([name, locales, options])
  const known = formatters.get(key)
  if (known !== undefined) return known
  const given = name === 'DateTimeFormat' ? { timeZone: defaultTimeZone, ...options } : options
  const instance = new (classOf(name).Class)((locales ?? defaultLocale) as never, given as never)
  formatters.set(key, instance)
  return instance
}

function intl(
  name: string,
  locales: unknown,
  options: Record<string, unknown> | undefined,
  method: string,
  args: unknown[],
): unknown {
  const instance = formatter(name, locales, options) as Record<string, (...args: unknown[]) => unknown>
  if (method === 'resolvedOptions') return instance.resolvedOptions?.()
  if (!classOf(name).methods.includes(method)) throw new TypeError(`Intl.${name} has no ${method}`)
  const numbers = numbersBefore.get(name) ?? 0
  const convert = name === 'NumberFormat' ? exactNumber : Number
  const ready = args.map((arg, at) => (at < numbers ? convert(arg) : arg))
  const given = instance[method]?.(...ready)
  return method === 'segment' ? Array.from(given as Iterable<object>, withoutInput) : given
}

/** Numbers arrive as texts, which preserve -0, NaN and any number of digits. Formats of numbers read texts exactly. */
function exactNumber(given: unknown): string | bigint {
  const text = String(given)
  return /^-?\d{16,}$/.test(text) ? BigInt(text) : text
}

/** Each segment would repeat the whole text. */
function withoutInput(segment: object): object {
  return { ...segment, input: undefined }
}

function locale(tag: string, options: Record<string, unknown> | undefined): object {
  const ownLocale = new Intl.Locale(tag, options)
  const { baseName, language, script, region, calendar, collation, hourCycle, caseFirst, numeric } = ownLocale
  return {
    ...{ baseName, language, script, region, calendar, collation, hourCycle, caseFirst, numeric },
    numberingSystem: ownLocale.numberingSystem,
    tag: ownLocale.toString(),
    maximized: ownLocale.maximize().toString(),
    minimized: ownLocale.minimize().toString(),
  }
}

function partsOf(url: URL): object {
  const { hash, host, hostname, href, origin, password, pathname, port, protocol, search, username } = url
  return { hash, host, hostname, href, origin, password, pathname, port, protocol, search, username }
}

function changedUrl(href: string, part: 'href', value: string): object {
  const url = new URL(href)
  if (part in url && typeof url[part] === 'string') url[part] = value
  return partsOf(url)
}

const operations = new Map<string, { run: Operation; maximum: number }>([
  ['intl', { run: intl, maximum: MAX_INTL_CHARACTERS }],
  [
    'supportedLocalesOf',
    {
      run: (name: string, locales: string[], options: object) =>
        (classOf(name).Class as unknown as typeof Intl.Collator).supportedLocalesOf(locales, options),
      maximum: MAX_INTL_CHARACTERS,
    },
  ],
  ['locale', { run: locale, maximum: MAX_INTL_CHARACTERS }],
  [
    'getCanonicalLocales',
    { run: (locales: string[]) => Intl.getCanonicalLocales(locales), maximum: MAX_INTL_CHARACTERS },
  ],
  ['supportedValuesOf', { run: (key: 'unit') => Intl.supportedValuesOf(key), maximum: MAX_INTL_CHARACTERS }],
  [
    'toLocaleLowerCase',
    {
      run: (text: string, locales?: string[]) => text.toLocaleLowerCase(locales ?? defaultLocale),
      maximum: MAX_TEXT_CHARACTERS,
    },
  ],
  [
    'toLocaleUpperCase',
    {
      run: (text: string, locales?: string[]) => text.toLocaleUpperCase(locales ?? defaultLocale),
      maximum: MAX_TEXT_CHARACTERS,
    },
  ],
  ['url', { run: (url: string, base?: string) => partsOf(new URL(url, base)), maximum: MAX_TEXT_CHARACTERS }],
  ['changedUrl', { run: changedUrl, maximum: MAX_TEXT_CHARACTERS }],
  ['queryPairs', { run: (query: string) => [...new URLSearchParams(query)], maximum: MAX_TEXT_CHARACTERS }],
  [
    'queryText',
    {
      run: (pairs: [string, string][]) => new URLSearchParams(pairs).toString(),
      maximum: MAX_TEXT_CHARACTERS,
    },
  ],
  ['atob', { run: (text: string) => atob(text), maximum: MAX_TEXT_CHARACTERS }],
  ['btoa', { run: (text: string) => btoa(text), maximum: MAX_TEXT_CHARACTERS }],
])

/** Runs one operation for the code: JSON of its name and arguments to JSON of its value or error. Never throws. */
export function answerHostCall(call: string, sources: Record<string, string>): string {
  try {
    if (call.length > MAX_TEXT_CHARACTERS) throw new RangeError('The argument is too long')
    // JSON turns omitted arguments into null.
    const given = (JSON.parse(call) as unknown[]).map((each) => each ?? undefined)
    const [name, ...args] = given as [string, ...never[]]
    if (name === 'source') return JSON.stringify({ value: sources[String(args[0])] })
    const operation = operations.get(name)
    if (operation === undefined) throw new TypeError('There is no such operation')
    if (call.length > operation.maximum) throw new RangeError('The argument is too long')
    return JSON.stringify({ value: operation.run(...args) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error('The operation failed')
    return JSON.stringify({ error: [name, message] })
  }
}
