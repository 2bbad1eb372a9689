import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareVersions, lacksOf } from './changes.ts'
import { compareDocuments, documentAt } from './diff.ts'

/*
 * The command: labels every change of a document since its last release breaking, additive or text, and ends with 1
 * unless version and changelog say so. Two documents are compared with each other instead.
 */

const usage = `api-diff --redocly PATH --released FOLDER --document FILE --changelog FILE [BEFORE AFTER]

--redocly    the command of @redocly/cli, such as node_modules/.bin/redocly
--released   a folder with one document per release, named after its version, such as openapi-1.0.0.yaml
--document   the document now
--changelog  a file with a heading "## VERSION" per release, and "### Breaking" below it where something breaks
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    redocly: { type: 'string' },
    released: { type: 'string' },
    document: { type: 'string' },
    changelog: { type: 'string' },
  },
})
const { redocly, released, document, changelog } = values
if (!redocly || !released || !document || !changelog || ![0, 2].includes(positionals.length)) {
  process.stderr.write(usage)
  process.exit(2)
}

const [base = lastRelease(released, document), revision = document] = positionals
if (base === undefined) {
  console.log('No version has been released yet, so every change is allowed.')
  process.exit()
}
const [before, after] = [documentAt(base), documentAt(revision)]
const found = compareDocuments(redocly, base, revision)
for (const [label, lines] of found) for (const line of lines) console.log(label.padEnd(9), line)
const counts = [...found].map(([label, { length }]) => `${length} ${label}`)
console.log(`${before.info.version} to ${after.info.version}: ${counts.join(', ')}`)

const labels = new Set([...found].flatMap(([label, { length }]) => (length > 0 ? [label] : [])))
for (const lack of lacksOf(
  before.info.version,
  after.info.version,
  labels,
  readFileSync(changelog, 'utf8'),
)) {
  console.log(lack)
  process.exitCode = 1
}

/** The last one; the one before while the last is already the document, so that copying it hides nothing. */
function lastRelease(folder: string, current: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder).toSorted(compareVersions) : []
  const [last, previous = last] = names.toReversed().map((name) => join(folder, name))
  const isOut = last !== undefined && readFileSync(last).equals(readFileSync(current))
  return isOut ? previous : last
}
