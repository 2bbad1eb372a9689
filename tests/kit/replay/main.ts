import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { type Report, replay } from './replay.ts'

/* The command: replays a document against a server, and ends with 1 where they differ. */

const usage = `replay DOCUMENT --server URL [--token TOKEN] [--scheme NAME] [--param NAME=VALUE ...] [--only TEXT] [--large BYTES] [--json]

Provokes what an OpenAPI document says can go wrong, on any server, and compares status, headers and body.

DOCUMENT  a file or an address, in YAML or JSON
--token   a bearer token, an API key, or user:password, as the document asks for it
--scheme  the security scheme of the document that the token is for, where an operation takes one of several
--param   a value for a parameter or a property of this name, such as the id of a test record; may be repeated.
          A server that accepts what it should refuse may write to that record. Deletions never use it.
--only    operations whose id or path has this text
--large   bytes of a body that is too large, 5000000 unless given
--json    the report as JSON
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    scheme: { type: 'string' },
    param: { type: 'string', multiple: true },
    only: { type: 'string' },
    large: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
const [place] = positionals
if (values.help || !place || !values.server) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 2)
}
const { only = '' } = values

const text = URL.canParse(place) ? await (await fetch(place)).text() : await readFile(place, 'utf8')
const report = await replay(parse(text), {
  server: values.server,
  token: values.token,
  scheme: values.scheme,
  values: Object.fromEntries((values.param ?? []).map((pair) => splitAt(pair, '='))),
  largeBytes: Number(values.large ?? 5_000_000),
  wants: ({ id, path }) => id.includes(only) || path.includes(only),
})
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : print(report))
process.exitCode = report.findings.length > 0 ? 1 : 0

function splitAt(pair: string, sign: string): [string, string] {
  const at = pair.indexOf(sign)
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}

function print({
  operations,
  attempts,
  findings,
  provoked,
  unprovoked,
  unanswered,
  isTokenRefused,
}: Report): string {
  const missing = Object.entries(unprovoked)
  const documented = provoked.length + missing.reduce((sum, [, ids]) => sum + ids.length, 0)
  // One response that is not documented comes to many requests.
  const grouped = new Map<string, string[]>()
  for (const { operation, attempt, kind, message } of findings) {
    const difference = `${operation}: ${kind}: ${message}`
    grouped.set(difference, [...(grouped.get(difference) ?? []), attempt])
  }
  const lines = [
    `${operations} operations, ${attempts} requests, ${provoked.length} of ${documented} documented responses came`,
    '',
    ...(isTokenRefused ? ['Each request with the token got a 401: see --token and --scheme.', ''] : []),
    findings.length === 0
      ? 'No drift was found.'
      : `Drift, ${grouped.size} differences in ${findings.length} responses:`,
    ...[...grouped].map(([difference, tried]) => `  ${difference} (${tried.join(', ')})`),
    '',
    'Documented, and not provoked from outside:',
    ...missing.map(
      ([status, ids]) => `  ${status}: ${ids.length > 8 ? `${ids.length} operations` : ids.join(', ')}`,
    ),
    ...(unanswered.length > 0 ? ['', 'Without a response:', ...unanswered.map((line) => `  ${line}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}
