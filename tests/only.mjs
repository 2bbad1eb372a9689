import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Runs the tests that the words of `make test ONLY="..."` name: parts of paths of test files, or else operations, or
 * tags with all their operations. Options of Jest may stand behind them.
 */

const top = fileURLToPath(new URL('../', import.meta.url))
const files = testFilesIn('tests')

const document = readFileSync(join(top, 'openapi.yaml'), 'utf8')
const operations = Array.from(
  document.matchAll(/^ {6}operationId: (\w+)\n {6}tags:\n {8}- ([\w -]+)$/gm),
  ([, id, tag]) => ({ id, tag: tag.toLowerCase().replaceAll(' ', '-') }),
)

/** Files whose tests have the names of operations by themselves. */
const derived = /tests\/(replay|refusals|hostile|spec)\.test\.ts$/

/** Each test of these needs those before it. */
const stories = /tests\/(conformance|samples)\.test\.ts$/

const given = process.argv.slice(2)
const firstOption = given.findIndex((word) => word.startsWith('-'))
const words = firstOption < 0 ? given : given.slice(0, firstOption)
const options = firstOption < 0 ? [] : given.slice(firstOption)
const paths = words.filter((word) => files.some((file) => file.includes(word)))
const ids = words.filter((word) => !paths.includes(word)).flatMap(operationsOf)

/** Returns the test files below a folder; installed packages have some of their own. */
function testFilesIn(folder) {
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFilesIn(path)
    return path.endsWith('.test.ts') ? [path] : []
  })
}

/** Returns the operations that a word names. */
function operationsOf(word) {
  const found = operations.filter(({ id, tag }) => id === word || tag === word.toLowerCase())
  if (found.length === 0) {
    process.stderr.write(
      `ONLY=${word} names no test file, no operation and no tag. Send a part of a path below tests/, or one of the tags: ${[
        ...new Set(operations.map(({ tag }) => tag)),
      ].join(', ')}\n`,
    )
    process.exit(1)
  }
  return found.map(({ id }) => id)
}

/** True if the file has a title with the name of one of the operations. A title has more than one word. */
function hasTitle(file) {
  const name = `(?:${ids.join('|')})`
  const title = new RegExp(`(['"\`])(?=[^'"\`\\n]* )[^'"\`\\n]*\\b${name}\\b[^'"\`\\n]*\\1`)
  return derived.test(file) || (!stories.test(file) && title.test(readFileSync(join(top, file), 'utf8')))
}

const named = paths.length === 0 && ids.length > 0 ? files.filter(hasTitle) : paths
const titles = ids.length > 0 ? ['-t', `\\b(${ids.join('|')})\\b`] : []
const { status } = spawnSync('npm', ['--silent', 'test', '--', ...named, ...titles, ...options], {
  cwd: top,
  stdio: 'inherit',
  env: { ...process.env, ...(words.length > 0 ? { NAMED_TESTS: '1' } : {}) },
})
process.exitCode = status ?? 1
