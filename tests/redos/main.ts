import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from 'yaml'

/*
 * Refuses every regular expression of server/ and contract/ that some text makes slow: whose time grows with the square
 * of the text's length or worse. Those of the members' app read texts of one bot in the browser of its author, of
 * bounded length. Those that libraries put into the contract are found as patterns of openapi.yaml; the emitters meet
 * no input. Verdicts are kept in .cache/, so only new expressions cost time.
 */

/** From the package recheck, which this folder installs for itself. */
interface Verdict {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity?: { summary: string }
  attack?: { pattern: string }
  error?: { kind: string }
}

interface Found {
  source: string
  flags: string
  /** File and line, or the name of the document. */
  places: string[]
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const expressions = new Map<string, Found>()
const unreadable: string[] = []

function note(source: string, flags: string, place: string) {
  const key = `/${source}/${flags}`
  const found = expressions.get(key) ?? { source, flags, places: [] }
  found.places.push(place)
  expressions.set(key, found)
}

const skipped = [
  join('contract', 'emit'),
  join('contract', 'kit', 'emit'),
  join('server', 'pages', 'members', 'app'),
]

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !skipped.some((folder) => relative(root, path).startsWith(folder)))
}

function readExpressions(path: string) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const name = relative(root, path)
  const visit = (node: ts.Node) => {
    const place = () => `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      note(node.text.slice(1, end), node.text.slice(end + 1), place())
    }
    const isMade = ts.isNewExpression(node) || ts.isCallExpression(node)
    if (isMade && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp') {
      const [source, flags] = node.arguments ?? []
      if (source && ts.isStringLiteralLike(source)) {
        note(source.text, flags && ts.isStringLiteralLike(flags) ? flags.text : '', place())
      } else unreadable.push(place())
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}

function readPatterns(value: unknown) {
  if (typeof value !== 'object' || value === null) return
  const { pattern } = value as { pattern?: unknown }
  if (typeof pattern === 'string') note(pattern, 'u', 'openapi.yaml')
  for (const inner of Object.values(value)) readPatterns(inner)
}

for (const path of ['server', 'contract'].flatMap(filesIn)) readExpressions(path)
readPatterns(parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')))

const require = createRequire(import.meta.url)
// Its own program where it has one for the platform, five times as fast; else the same in JavaScript.
const { check } = require('recheck') as {
  check(source: string, flags: string, options: object): Promise<Verdict>
}
const { version } = require('recheck/package.json') as { version: string }

const folder = join(root, '.cache')
const cache = join(folder, `redos-${version}.json`)
const known = read(cache)

function read(path: string): Record<string, Verdict> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

const problems: string[] = unreadable.map(
  (place) => `${place}: put together while the service runs, so it cannot be judged; write a literal`,
)
for (const [key, { source, flags, places }] of expressions) {
  // The judgement counts steps, not time: `timeout: null`.
  const verdict = known[key] ?? (await check(source, flags, { timeout: null, attackTimeout: null }))
  known[key] = verdict
  if (verdict.status === 'safe') continue
  const why =
    verdict.status === 'vulnerable'
      ? `${verdict.complexity?.summary}, attacked by ${verdict.attack?.pattern}`
      : `cannot be judged (${verdict.error?.kind})`
  problems.push(`${[...new Set(places)].join(', ')}: ${key}: ${why}`)
}
mkdirSync(folder, { recursive: true })
const kept = [...expressions.keys()].map((key) => [key, known[key]])
writeFileSync(cache, JSON.stringify(Object.fromEntries(kept)))

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exit(1)
}
process.stdout.write(`${expressions.size} regular expressions bear any text.\n`)
