import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { answerHostCall } from '../../server/sandbox/host.ts'
import { openSandbox, type Sandbox } from '../../server/sandbox/index.ts'
import type { CodeAnswer, CodeRequest, EvaluateOutcome } from '../../server/sandbox/types.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = openSandbox({ threads: 1 })
  await sandbox.warm()
})

afterAll(() => sandbox.close())

type Fetch = (request: CodeRequest) => Promise<CodeAnswer>

const echo: Fetch = async ({ url }) => ({ ok: true, status: 200, headers: {}, body: url })

/** The time limit is far away: what is tried here is not meant to depend on it. */
function run(code: string, fetch: Fetch = echo, milliseconds = 20_000): Promise<EvaluateOutcome> {
  return sandbox.evaluate({ form: 'expression', code, args: [], owner: 'bot', milliseconds, fetch })
}

const result = async (code: string, fetch?: Fetch) => {
  const reply = await run(code, fetch)
  return reply.ok ? reply.value : reply.message
}

describe('languages and time zones', () => {
  test.each<[string, unknown]>([
    ['new Date(0).toLocaleString("de-DE", { timeZone: "Europe/Berlin" })', '1.1.1970, 01:00:00'],
    ['new Date(0).toLocaleString("en-US", { timeZone: "America/New_York" })', '12/31/1969, 7:00:00 PM'],
    ['new Date(0).toLocaleDateString("fr", { dateStyle: "full" })', 'jeudi 1 janvier 1970'],
    ['new Date(0).toLocaleDateString("en", { hour: "2-digit" })', '1/1/1970, 12 AM'],
    ['new Date(0).toLocaleTimeString("de", { timeZone: "Asia/Kolkata" })', '05:30:00'],
    ['new Date(0).toLocaleTimeString()', '12:00:00 AM'],
    ['new Date(NaN).toLocaleString("de")', 'Invalid Date'],
    ['(1234567.891).toLocaleString("de-DE")', '1.234.567,891'],
    ['(0.256).toLocaleString("en", { style: "percent" })', '26%'],
    ['(12345678901234567890n).toLocaleString("en")', '12,345,678,901,234,567,890'],
    ['[1234.5, new Date(0), null].toLocaleString("de")', '1.234,5,1.1.1970, 00:00:00,'],
    ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b, "de"))', ['a', 'ä', 'z']],
    ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b, "sv"))', ['a', 'z', 'ä']],
    [
      '["b", "A", "a", "B 1", "B", "10", "9"].sort((a, b) => a.localeCompare(b))',
      ['10', '9', 'a', 'A', 'b', 'B', 'B 1'],
    ],
    ['"istanbul".toLocaleUpperCase("tr")', 'İSTANBUL'],
    ['"I".toLocaleLowerCase("tr")', 'ı'],
    [
      'new Intl.NumberFormat("ja", { style: "currency", currency: "JPY" }).format(-0)',
      '-¥0'.replace('¥', '￥'),
    ],
    ['Intl.NumberFormat("en").format(NaN)', 'NaN'],
    ['Intl.NumberFormat("en").format("12345678901234567890.5")', '12,345,678,901,234,567,890.5'],
    ['Intl.NumberFormat("en").format("12345678901234567890")', '12,345,678,901,234,567,890'],
    ['Intl.NumberFormat("en").format("1e2")', '100'],
    ['[1, 2].map(new Intl.NumberFormat("en", { minimumFractionDigits: 1 }).format)', ['1.0', '2.0']],
    ['new Intl.DateTimeFormat("en").formatToParts(new Date(0))[0]', { type: 'month', value: '1' }],
    ['new Intl.DateTimeFormat("en").formatRange(0, 864e5)', '1/1/1970 – 1/2/1970'],
    ['new Intl.DateTimeFormat().resolvedOptions().timeZone', 'UTC'],
    ['new Intl.RelativeTimeFormat("es", { numeric: "auto" }).format(-1, "day")', 'ayer'],
    ['new Intl.ListFormat("de").format(["a", "b", "c"])', 'a, b und c'],
    ['new Intl.PluralRules("en", { type: "ordinal" }).select(2)', 'two'],
    ['new Intl.Collator("en", { numeric: true }).compare("a10", "a9")', 1],
    ['new Intl.DisplayNames("fr", { type: "region" }).of("DE")', 'Allemagne'],
    ['[...new Intl.Segmenter("en").segment("e\\u0301x")].length', 2],
    ['new Intl.Segmenter("en", { granularity: "word" }).segment("one two").containing(5).segment', 'two'],
    ['new Intl.Locale("zh-TW").maximize().script', 'Hant'],
    ['Intl.getCanonicalLocales("EN-us")', ['en-US']],
    ['Intl.DateTimeFormat.supportedLocalesOf(["de", "xx"])', ['de']],
    ['Intl.supportedValuesOf("timeZone").includes("Europe/Paris")', true],
    ['new Date(2024, 6, 1, 12).toISOString()', '2024-07-01T12:00:00.000Z'],
    ['new Date().getTimezoneOffset()', 0],
    [
      'new Intl.DateTimeFormat("en", { timeZone: "Mars/Base" })',
      'RangeError: Invalid time zone specified: Mars/Base',
    ],
    // Its words differ between versions of Node.
    [
      'try { new Intl.NumberFormat("not a locale") } catch (error) { return String(error).startsWith("RangeError: ") }',
      true,
    ],
    ['new Intl.DateTimeFormat("en").format(NaN)', 'RangeError: Invalid time value'],
    ['try { (1).toLocaleString("x-") } catch (error) { return error instanceof RangeError }', true],
  ])('%s', async (code, expected) => {
    const value = await result(code)
    // Languages put spaces of many kinds into times.
    expect(typeof value === 'string' ? value.replace(/\s/gu, ' ') : value).toEqual(expected)
  })
})

describe('addresses and base64', () => {
  test.each<[string, unknown]>([
    ['new URL("../b?c=1#d", "https://u:p@x.test:8080/a/").href', 'https://u:p@x.test:8080/b?c=1#d'],
    [
      '(({ host, hostname, port, pathname, search, hash, origin, protocol, username, password }) => [host, hostname, port, pathname, search, hash, origin, protocol, username, password])(new URL("https://u:p@x.test:8080/a?c=1#d"))',
      ['x.test:8080', 'x.test', '8080', '/a', '?c=1', '#d', 'https://x.test:8080', 'https:', 'u', 'p'],
    ],
    [
      'const u = new URL("https://x.test"); u.pathname = "/ü"; u.searchParams.append("q", "a b&c"); u.hash = "z"; return String(u)',
      'https://x.test/%C3%BC?q=a+b%26c#z',
    ],
    [
      'const u = new URL("https://x.test?a=1"); const p = u.searchParams; u.search = "?a=2"; return u.searchParams.get("a")',
      '2',
    ],
    [
      "const u=new URL('https://a.example/?a=1');const p=u.searchParams;u.search='?b=2';u.hash='x';p.append('c','3');return [p.get('b'),p===u.searchParams,u.href]",
      ['2', true, 'https://a.example/?b=2&c=3#x'],
    ],
    ["new URLSearchParams([['a']])", 'TypeError: Each query parameter must be a name and a value'],
    ['String(new URLSearchParams(["ab"]))', 'a=b'],
    ['JSON.stringify({ at: new URL("https://x.test") })', '{"at":"https://x.test/"}'],
    ['new URL("nonsense")', 'TypeError: Invalid URL'],
    ['URL.canParse("nonsense")', false],
    ['String(new URLSearchParams({ a: 1, b: "x y" }))', 'a=1&b=x+y'],
    ['String(new URLSearchParams([["a", "1"], ["a", "2"]]))', 'a=1&a=2'],
    [
      '[...new URLSearchParams("?a=1&b=%20&a=3")]',
      [
        ['a', '1'],
        ['b', ' '],
        ['a', '3'],
      ],
    ],
    [
      'const p = new URLSearchParams("b=1&a=2&b=3"); p.set("b", "9"); p.sort(); return [String(p), p.getAll("b"), p.has("a"), p.has("a", "1"), p.size, p.get("z")]',
      ['a=2&b=9', ['9'], true, false, 2, null],
    ],
    [
      'const p = new URLSearchParams("a=1&a=2"); p.delete("a", "1"); const seen = []; p.forEach((v, k) => seen.push(k + v)); return [seen, [...p.keys()], [...p.values()]]',
      [['a2'], ['a'], ['2']],
    ],
    ['btoa("Ada: \\u00e9")', 'QWRhOiDp'],
    ['atob("QWRhOiDp")', 'Ada: é'],
    ['btoa("\\u20ac")', 'Error: Invalid character'],
    ['atob()', 'TypeError: atob needs an argument'],
  ])('%s', async (code, expected) => expect(await result(code)).toEqual(expected))
})

describe('requests', () => {
  test('return the text of the body, in any order and number', async () => {
    const code = `const [a, b] = await Promise.all([fetch("1"), fetch("2")])
      const c = await fetch(a + b)
      return [a, b, c, await Promise.race([fetch("3"), fetch("4")])]`
    // The second one is answered first.
    let answerFirst = () => {}
    const slow = new Promise<void>((resolve) => {
      answerFirst = resolve
    })
    const fetch: Fetch = async ({ url }) => {
      if (url === '1') await slow
      if (url === '2') answerFirst()
      return { ok: true, status: 200, headers: {}, body: `<${url}>` }
    }
    expect(await result(code, fetch)).toEqual(['<1>', '<2>', '<<1><2>>', '<3>'])
  })

  test('are not repeated by later ones', async () => {
    const sent: string[] = []
    const fetch: Fetch = async ({ url }) => {
      sent.push(url)
      return { ok: true, status: 200, headers: {}, body: '' }
    }
    await run('for (const n of [1, 2, 3, 4]) await fetch(n)', fetch)
    expect(sent).toEqual([])
    const request = { form: 'body' as const, args: [], owner: 'bot', milliseconds: 20_000, fetch }
    await sandbox.evaluate({ ...request, code: 'for (const n of [1, 2, 3, 4]) await fetch(n)' })
    expect(sent).toEqual(['1', '2', '3', '4'])
  })

  test('see the same random numbers and the same clock as the first run', async () => {
    const code = `const before = [Math.random(), Date.now(), new Date().getTime()]
      const answers = [await fetch(JSON.stringify(before)), await fetch(JSON.stringify([...before, Math.random()]))]
      return [before, JSON.parse(answers[0]), JSON.parse(answers[1]).slice(0, 3)]`
    const [before, ...after] = (await result(code)) as [number[], ...number[][]]
    expect(after).toEqual([before, before])
    expect(await result('Math.random()')).not.toBe(await result('Math.random()'))
  })

  test('return a response that is also the text of its body', async () => {
    const fetch: Fetch = async ({ url }) => ({
      ok: true,
      status: url.endsWith('missing') ? 404 : 200,
      headers: { 'content-type': 'application/json', 'x-rate': '7' },
      body: '{"v":5}',
    })
    const code = `const r = await fetch('https://a.test/x')
      const missing = await fetch('https://a.test/missing')
      const { v } = await r.json()
      return [v, await r.text(), r.ok, r.status, r.url, r.headers.get('X-Rate'), missing.ok, missing.status,
        JSON.parse(r).v, r + '', r.length, r.includes('v'), [...r.headers.keys()]]`
    expect(await result(code, fetch)).toEqual([
      5,
      '{"v":5}',
      true,
      200,
      'https://a.test/x',
      '7',
      false,
      404,
      5,
      '{"v":5}',
      7,
      true,
      ['content-type', 'x-rate'],
    ])
    expect(await result('fetch("https://a.test")', fetch)).toBe('{"v":5}')
    const sent: CodeRequest[] = []
    const note: Fetch = async (request) => {
      sent.push(request)
      return echo(request)
    }
    await result(
      'await fetch("a", null); await fetch("b", { headers: null, body: null }); return fetch("c", { headers: new Headers([["X-A", 1]]) })',
      note,
    )
    expect(sent).toEqual([
      { url: 'a', method: 'GET', headers: {} },
      { url: 'b', method: 'GET', headers: {} },
      { url: 'c', method: 'GET', headers: { 'x-a': '1' } },
    ])
  })

  test('that lose a race delay nothing', async () => {
    const begun = performance.now()
    const fetch: Fetch = async (request) => {
      if (request.url === 'slow') await sleep(3_000, undefined, { ref: false })
      return echo(request)
    }
    expect(await result('await Promise.race([fetch("slow"), fetch("fast")])', fetch)).toBe('fast')
    expect(performance.now() - begun).toBeLessThan(2_500)
  })

  test('throw errors that can be caught', async () => {
    const fetch: Fetch = async () => ({ ok: false, message: 'The host is in a private network' })
    expect(await result('fetch("http://10.0.0.1")', fetch)).toBe(
      'TypeError: The host is in a private network',
    )
    expect(await result('fetch("x").catch((error) => error.message)', fetch)).toBe(
      'The host is in a private network',
    )
  })

  test('from failing code are sent all the same, as they were when it failed', async () => {
    const sent: string[] = []
    const fetch: Fetch = async ({ url }) => {
      sent.push(url)
      return { ok: true, status: 200, headers: {}, body: '' }
    }
    const request = { form: 'body' as const, args: [], owner: 'bot', milliseconds: 20_000, fetch }
    const reply = await sandbox.evaluate({ ...request, code: 'fetch("a"); throw new Error("no")' })
    expect(reply).toMatchObject({ ok: false, message: 'Error: no' })
    expect(sent).toEqual(['a'])
  })
})

describe('hostile code', () => {
  test('cannot send more than its number of requests', async () => {
    let sent = 0
    const fetch: Fetch = async () => {
      sent += 1
      return { ok: true, status: 200, headers: {}, body: '' }
    }
    const flood =
      'Promise.allSettled(Array.from({ length: 5000 }, (_, i) => fetch(i))).then((all) => all.at(-1).reason.message)'
    expect(await result(flood, fetch)).toBe('Code may send 20 requests')
    expect(sent).toBe(20)
    const one = 'const send = async () => { await fetch("x"); return send() }; return send()'
    expect(await result(one, fetch)).toBe('Error: Code may send 20 requests')
    expect(sent).toBe(40)
  })

  test('cannot claim other requests than it has made', async () => {
    const sent: unknown[] = []
    const fetch: Fetch = async (request) => {
      sent.push(request)
      return { ok: true, status: 200, headers: {}, body: '' }
    }
    // The last write uses functions that the code can replace before.
    const forged = `Array.prototype.toJSON = () => [{ index: 0, request: '{"url":1}' }, { index: "x", request: "no" }, null, 5,
      { index: -1, request: '{"url":"https://a.test","method":"GET","headers":{"__proto__":"x","a":{"toString":1,"valueOf":1},"b":{}}}' }]; return 1`
    await run(forged, fetch)
    const headers = Object.fromEntries([['__proto__', 'x']])
    expect(sent).toEqual([{ url: 'https://a.test', method: 'GET', headers }])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test.each([
    ['a long number', 'new Intl.NumberFormat("en").format(BigInt("9".repeat(15000)))'],
    ['a number that is too long', 'new Intl.NumberFormat("en").format(BigInt("9".repeat(50000)))'],
    ['many locales', 'new Intl.NumberFormat(Array(3000).fill("de"))'],
    ['long options', 'new Intl.NumberFormat("en", { style: "x".repeat(1e6) })'],
    ['a long list', 'new Intl.ListFormat("en").format(Array(1e5).fill("x"))'],
    ['a long text', 'new Intl.Segmenter("en").segment("x".repeat(1e6))'],
    [
      'nested arguments',
      'let a = []; for (let i = 0; i < 5000; i++) a = [a]; return new Intl.ListFormat("en").format([a])',
    ],
    ['getters that throw', 'new Intl.NumberFormat("en", { get style() { throw new Error("no") } })'],
    ['endless iterators', 'new Intl.NumberFormat({ *[Symbol.iterator]() { for (;;) yield "de" } })'],
    ['a long address', 'new URL("https://x.test/" + "a".repeat(2e6))'],
    ['long base64', 'btoa("x".repeat(2e6))'],
  ])('reaches nothing with %s', async (_name, code) => {
    await run(code, echo, 2_000)
    expect(await result('1 + 1')).toBe(2)
  })

  test('that asks for formatters without end is stopped, and their memory is freed', async () => {
    const bomb = `for (let i = 0; ; i++) {
      new Intl.NumberFormat("en", { minimumIntegerDigits: 1 + (i % 20), maximumFractionDigits: i % 19 }).format(i)
    }`
    const request = {
      form: 'body' as const,
      code: bomb,
      args: [],
      owner: 'bot',
      milliseconds: 300,
      fetch: echo,
    }
    await sandbox.evaluate(request)
    const before = process.memoryUsage().rss
    for (let i = 0; i < 5; i += 1)
      expect(await sandbox.evaluate(request)).toMatchObject({ ok: false, reason: 'time' })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576)
  })

  test('that changes prototypes changes them for itself only', async () => {
    await run(`Object.prototype.style = "currency"; Array.prototype[Symbol.iterator] = null
      JSON.parse = JSON.stringify = () => "evil"; globalThis.Intl = 1; return (1).toLocaleString("de")`)
    await run(
      'Object.defineProperty(Object.prototype, "value", { get() { throw 1 }, set() {} }); return atob("QQ==")',
    )
    await run(
      'new Intl.NumberFormat("en", JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\'))',
    )
    expect(await result('[(1.5).toLocaleString("de"), typeof polluted, ({}).polluted ?? "none"]')).toEqual([
      '1,5',
      'undefined',
      'none',
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('has no result where that is nested too deep to be encoded', async () => {
    const code = 'let deep = []; for (let at = 0; at < 5000; at++) deep = [deep]; return deep'
    expect(await result(code)).toBe('The result is not a value')
  })

  test.each([
    ['[', /JSON/],
    ['null', /./],
    ['[]', /no such operation/],
    ['["constructor"]', /no such operation/],
    ['["__proto__", 1]', /no such operation/],
    ['["intl", "constructor", "en"]', /no Intl/],
    ['["intl", "NumberFormat", "en", null, "constructor", ["return process"]]', /no constructor/],
    ['["changedUrl", "https://x.test", "__proto__", "x"]', /^$/],
    ['["changedUrl", "https://x.test", "toString", "x"]', /^$/],
  ])('finds nothing else of the host: %s', (call, message) => {
    const { error } = JSON.parse(answerHostCall(call, {}))
    expect(error?.[1] ?? '').toMatch(message)
  })
})
