import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { commands as adminCommands } from '../server/admin/commands.ts'
import { createProgram } from '../server/command/program.ts'
import { root } from '../server/root.ts'
import { readPages, shellBlocksOf } from './support/guides.ts'

/*
 * Commands of guides and READMEs name targets, variables, scripts, files and options that exist. `guides.test.ts` runs
 * some.
 */

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const makefile = read('Makefile')
const { scripts } = JSON.parse(read('package.json'))
const files = readdirSync(new URL('tests/', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
)
const settings = new Set(
  [...read('server/guides/configuration.md').matchAll(/^\| `([A-Z\d_]+)` \|/gm)].map(([, name]) => name),
)

/** Each command of a page: lines of its shell blocks, and code within sentences. */
const commands = readPages().flatMap(({ file, text }) => {
  const lines = shellBlocksOf(text).flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
  const spans = text.replaceAll(/^ *```.*?^ *```/gms, '').matchAll(/`([^`]+)`/g)
  return [...lines, ...Array.from(spans, ([, span = '']) => span)].map((line) => ({
    file,
    command: line
      .replace(/\s+#.*$/, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }))
})

/** Finds what a pattern captures in commands, at least so many times, each with its page. */
function find(pattern: RegExp, atLeast: number) {
  const found = commands.flatMap(({ file, command }) =>
    [...command.matchAll(pattern)].map(([, first = '', second = '']) => ({ file, command, first, second })),
  )
  expect(found.length).toBeGreaterThanOrEqual(atLeast)
  return found
}

const making = /^(?:[A-Z_\d]+=\S* )*make ([a-z-]+)(?: .*)?$/g

test('every command of make names a target', () => {
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name))
  expect(find(making, 60).filter(({ first }) => !targets.has(first))).toEqual([])
})

test('every variable of a command of make is read by the Makefile, by the service or by what it starts', () => {
  const started = [
    'torture/main.ts',
    'support/cluster.ts',
    'kit/fast-check.ts',
    'support/pooler.ts',
    'support/server.ts',
  ]
  const tools = makefile + started.map((name) => read(`tests/${name}`)).join('')
  const isRead = (name: string) =>
    settings.has(name) || name.startsWith('OTEL_') || new RegExp(`\\b${name}\\b`).test(tools)
  const named = find(making, 60).flatMap(({ file, command }) =>
    [...command.matchAll(/(?:^| )([A-Z][A-Z_\d]*)=/g)].map(([, name = '']) => ({ file, command, name })),
  )
  expect(named.filter(({ name }) => !isRead(name))).toEqual([])
})

test('every word of ONLY names a test, an operation, a tag, a fault or a folder of clients', () => {
  const document = read('openapi.yaml')
  const ids = Array.from(
    document.matchAll(/^ {6}operationId: (\w+)\n {6}tags:\n {8}- ([\w -]+)$/gm),
    ([, ...names]) => names,
  )
  const torture = [
    'main',
    'faults/cluster',
    'faults/database',
    'faults/failover',
    'faults/network',
    'faults/processes',
  ]
    .map((name) => read(`tests/torture/${name}.ts`))
    .join('')
  const benchmarks = read('tests/bench/operations.ts')
  const isKnown: Record<string, (word: string) => boolean> = {
    test: (word) => ids.flat().includes(word) || files.some((file) => file.includes(word)),
    'test-long': (word) => files.some((file) => file.includes(word)),
    'test-nodes': (word) => files.some((file) => file.includes(word)),
    torture: (word) => torture.includes(`'${word}'`),
    bench: (word) => benchmarks.includes(`'${word}'`),
    sdks: (word) => existsSync(new URL(`tests/sdks/${word}`, root)),
  }
  const unknown = find(/make ([a-z-]+) .*?ONLY=("[^"]+"|\w+)/g, 15).flatMap(({ file, first, second }) =>
    second
      .replaceAll('"', '')
      .replace(/ -.*/, '')
      .split(' ')
      .filter((word) => !isKnown[first]?.(word))
      .map((word) => ({ file, target: first, word })),
  )
  expect(unknown).toEqual([])
})

test('every script of npm, program of tsx and package in a folder exists', () => {
  expect(find(/npm run (?:--silent )?([a-z]+)/g, 20).filter(({ first }) => !scripts[first])).toEqual([])
  const paths = [
    ...find(/npx (?:--no-install )?tsx ([\w./-]+)/g, 4),
    ...find(/(?:npm pack|pip install) \.\/(generated\/[\w./-]+)/g, 4),
  ]
  expect(paths.filter(({ first }) => !existsSync(new URL(first, root)))).toEqual([])
})

test('every admin command exists and has the given options', () => {
  const known: Record<string, string[]> = {
    ...Object.fromEntries(Object.entries(adminCommands).map(([name, { options }]) => [name, options])),
    backup: [],
    restore: ['live'],
  }
  const given = find(/(?:npm run --silent admin --|admin\.js|^admin(?: --)?) ([a-z]+ ?.*)$/g, 30)
  const wrong = given.filter(({ first }) => {
    const words = first.split(' ')
    const options = known[words.slice(0, 2).join(' ')] ?? known[words[0] ?? '']
    return !options || [...first.matchAll(/--([a-z-]+)/g)].some(([, name = '']) => !options.includes(name))
  })
  expect(wrong).toEqual([])
})

test('every command of bots exists and has the given options', () => {
  const program = createProgram({} as never)
  const wrong = find(/^bots ([a-z]+)((?: .*)?)$/g, 20).filter(({ first, second }) => {
    const command = program.commands.find((each) => each.name() === first)
    const options = [...(command?.options ?? []), ...program.options].map(({ long }) => long)
    return !command || [...second.matchAll(/ (--[a-z-]+)/g)].some(([, name = '']) => !options.includes(name))
  })
  expect(wrong).toEqual([])
})

test('commands for containers name files, services and workloads of the recipes', () => {
  const composed = find(/^docker compose(?: --file (\S+))? (?:logs|exec) (\w+)/g, 4)
  for (const { first, second } of composed)
    expect(parse(read(first || 'compose.yaml'), { merge: true }).services).toHaveProperty(second)
  const { metadata, spec } = parse(read('server/deploy/kubernetes/deployment.yaml'))
  for (const { first } of find(/^kubectl exec deployment\/(\S+)/g, 1)) expect(first).toBe(metadata.name)
  for (const { first, second } of find(/^kubectl logs --selector (\w+)=(\w+)/g, 1))
    expect(spec.template.metadata.labels).toMatchObject({ [first]: second })
})
