import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../server/root.ts'
import { readOwnFiles } from './support/guides.ts'

/* The rules of CONTRIBUTING.md on how we write, as far as a program can tell. */

const base = fileURLToPath(root)
const forbiddenStart = /^(What|Who|Whose|Whether|Which|Where|How|Of)\b/

/** Source files with their texts. */
const sources = readOwnFiles(
  ['contract', 'server', 'tests', 'migrations'],
  /^(?!migrations).*\.(tsx?|[cm]?js|css|sql|md)$|^migrations.distribute\.sql$/,
)

/** The beginnings of all comments of a text. */
function commentsIn(text: string): string[] {
  const withoutRest = text.replaceAll(/^([ \t]*(?:\/\/|--).*)(?:\n[ \t]*(?:\/\/|--).*)+/gm, '$1')
  const comments = withoutRest.matchAll(/(?:^|\s)(?:\/\*\*?|\/\/|--)[ \t]*(?:\n[ \t]*\*[ \t]*)?([A-Z].*)/gm)
  return [...comments].map(([, words]) => String(words))
}

test('commentsIn finds the beginning of a comment of each form', () => {
  const text = [
    '/** One */',
    '/*',
    ' * Two',
    ' */',
    'x // Three',
    '  // Four',
    '  // Rest',
    '',
    '-- Five',
  ].join('\n')
  expect(commentsIn(text)).toEqual(['One */', 'Two', 'Three', 'Four', 'Five'])
})

test('no comment begins with a word that makes a riddle of it', () => {
  const riddles = sources
    .filter(({ file }) => !file.endsWith('.md'))
    .flatMap(({ file, text }) => commentsIn(text).map((words) => ({ file, words })))
    .filter(({ words }) => forbiddenStart.test(words))
  expect(riddles).toEqual([])
})

test('no test title begins with a riddle word', () => {
  const titles = sources
    .filter(({ file }) => file.endsWith('.test.ts'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:test|describe|testAlone)\(\s*['"`](\w+)([^'"`\n]*)/g)].map(
        ([, first = '', rest]) => ({ file, title: `${first[0]?.toUpperCase()}${first.slice(1)}${rest}` }),
      ),
    )
  expect(titles.filter(({ title }) => forbiddenStart.test(title))).toEqual([])
})

test('no sentence of a guide begins with a riddle word, but questions', () => {
  const guides = [...sources, ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(read)]
  const riddles = guides
    .filter(({ file }) => file.endsWith('.md'))
    .flatMap(({ file, text }) => sentencesOf(text).map((sentence) => ({ file, sentence })))
    .filter(({ sentence }) => forbiddenStart.test(sentence) && !sentence.endsWith('?'))
  expect(riddles).toEqual([])
})

test('no sentence of the published document begins with a riddle word', () => {
  const texts = [...textsIn(parse(read('openapi.yaml').text))]
  expect(texts.length).toBeGreaterThan(2_000)
  const riddles = texts
    .flatMap(({ path, text }) => sentencesOf(text).map((sentence) => ({ path, sentence })))
    .filter(({ sentence }) => forbiddenStart.test(sentence) && !sentence.endsWith('?'))
  expect(riddles).toEqual([])
})

const dataKeys = new Set(['example', 'value', 'default', 'enum', 'x-codeSamples'])
const textKeys = new Set(['title', 'summary', 'description'])

/** Titles, summaries and descriptions of a document. Names of properties are no keywords, and examples are data. */
function* textsIn(node: object, path = '', isNamed = false): Generator<{ path: string; text: string }> {
  for (const [key, value] of Object.entries(node)) {
    if (!isNamed && dataKeys.has(key)) continue
    const inner = `${path}/${key}`
    if (typeof value === 'object' && value !== null)
      yield* textsIn(value, inner, !isNamed && key === 'properties')
    else if (textKeys.has(key) && typeof value === 'string') yield { path: inner, text: value }
  }
}

function read(file: string) {
  return { file, text: readFileSync(join(base, file), 'utf8') }
}

function sentencesOf(markdown: string): string[] {
  return markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n|\n(?=[-*#|]|\d+\.)/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' '))
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?:]) |\|/))
    .map((sentence) => sentence.replace(/^[\s*#-]+|^\s*\d+\. /, '').trim())
}

/** Participles that say nothing about what has them; a value is a noun, and a function begins with a verb. */
const bareParticiple =
  /\b(?:const|let|function) (made|revoked|removed|said|edited|deleted|unchecked|kept|told|gone|asked|isGone|is[A-Z]\w*Gone)\b/g

test('no value and no function has a bare participle as its name', () => {
  expect('const kept = 1; let isGone; const keptBytes = 2'.match(bareParticiple)).toHaveLength(2)
  const names = sources
    .filter(({ file }) => /^(server|contract)\/.*\.(tsx?|[cm]?js)$/.test(file))
    .flatMap(({ file, text }) => [...text.matchAll(bareParticiple)].map(([, name]) => ({ file, name })))
  expect(names).toEqual([])
})

/** Functions that only say in which state their result is. Verbs that end in the same way are left out. */
const participle =
  /\bfunction\*? (?!(?:need|feed|seed|embed|speed)\b)([a-z]+ed|kept|told|gone|given|shown|known|written|taken|seen|chosen|held|sent|left|made)\b/g

test('no function is called by a bare participle', () => {
  expect('function sealed() {} function embed() {} function* marked() {}'.match(participle)).toHaveLength(2)
  const names = sources
    .filter(({ file }) => /^(server|contract)\/.*\.(tsx?|[cm]?js)$/.test(file))
    .flatMap(({ file, text }) => [...text.matchAll(participle)].map(([, name]) => ({ file, name })))
  expect(names).toEqual([])
})

const unit = /_(MS|SECONDS|MINUTES|HOURS|DAYS|TIMES)(_|$)|^(MS|SECONDS)_PER_/

test('constants of time have their unit in their name', () => {
  const unnamed = sources
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\bconst ([A-Z][A-Z\d_]*) = ([-\d(][^\n;]*)/g)].map(([, name = '', value = '']) => ({
        file,
        name,
        value,
      })),
    )
    .filter(
      ({ name, value }) => !unit.test(name) && (isTime.test(name) || /60 \* 1_?000|24 \* 60/.test(value)),
    )
  expect(unnamed).toEqual([])
})

const isTime =
  /(^|_)(TIMEOUT|DELAY|PAUSE|PATIENCE|WAIT|QUIET|BEAT|HEARTBEAT|INTERVAL|AGE|TTL|LEASE|OFTEN|SELDOM|HOUR|DAY|MINUTE|TURN)(_|$)/

test('subjects of commits have at most 72 characters since this rule exists', () => {
  const git = (...words: string[]) => {
    try {
      return execFileSync('git', words, { cwd: base, encoding: 'utf8', stdio: 'pipe' }).trim().split('\n')
    } catch {
      return []
    }
  }
  const added = git('log', '--diff-filter=A', '--format=%H', '--', 'tests/style.test.ts').at(-1)
  // An archive has no history.
  const subjects = added ? git('log', '--no-merges', '--format=%s', `${added}..HEAD`) : []
  expect(subjects.filter((subject) => subject.length > 72)).toEqual([])
})
