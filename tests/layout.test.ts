import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import ts from 'typescript'
import { root } from '../server/root.ts'

/* Rules of the layout of the code: the allowed imports, and the maximum length of a file. */

const base = fileURLToPath(root)

/** The sources of a folder with what each imports of the project, as paths from the root. Types count. */
function sourcesOf(folder: string): Map<string, string[]> {
  const files = readdirSync(join(base, folder), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /\.tsx?$/.test(file)).map((file) => join(folder, file))
  return new Map(sources.map((file) => [file, importsOf(file)]))
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(base, file), 'utf8'))
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => relative(base, resolve(base, dirname(file), fileName)))
}

/** The first circle that is found, as the files along it; none where there is none. */
function circleIn(sources: Map<string, string[]>): string[] {
  const done = new Set<string>()
  const walk = (file: string, line: string[]): string[] => {
    if (line.includes(file)) return [...line.slice(line.indexOf(file)), file]
    if (done.has(file)) return []
    for (const next of sources.get(file) ?? []) {
      const circle = walk(next, [...line, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of sources.keys()) {
    const circle = walk(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

const server = sourcesOf('server')
const contract = sourcesOf('contract')

test('a circle is found, and a file with two importers is none', () => {
  const diamond: [string, string[]][] = [
    ['a', ['b', 'c']],
    ['b', ['d']],
    ['c', ['d']],
  ]
  expect(circleIn(new Map(diamond))).toEqual([])
  expect(circleIn(new Map([...diamond, ['d', ['c']]]))).toEqual(['d', 'c', 'd'])
  expect(server.get('server/handlers/bots.ts')).toContain('server/bots/rows.ts')
})

test.each(Object.entries({ server, contract }))(
  'no files of %s import each other in a circle',
  (_, sources) => {
    expect(circleIn(sources)).toEqual([])
  },
)

/** The room of a file: its folder in `server/`, in `server/chat/` the one below. A file beside the rooms is its own. */
function roomOf(file: string): string {
  const [, first = '', second = ''] = file.split('/')
  if (first.endsWith('.ts')) return file
  return first === 'chat' ? `chat/${second}` : first
}

test('no rooms of server import each other in a circle', () => {
  const rooms = new Map<string, string[]>()
  for (const [file, imports] of server) {
    const room = roomOf(file)
    const others = imports.filter((path) => path.startsWith('server/')).map(roomOf)
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)])
  }
  expect(rooms.get('jobs')).toContain('results')
  expect(circleIn(rooms)).toEqual([])
})

test('the chat engine imports nothing of the database, HTTP or webhooks', () => {
  const imported = [...server]
    .filter(([file]) => file.startsWith('server/chat/engine/'))
    .flatMap(([, imports]) => imports.map(roomOf))
  expect(imported).toContain('outbound')
  expect(imported.filter((room) => ['db', 'http', 'webhooks', 'handlers'].includes(room))).toEqual([])
})

test('every file of chat is in the engine or in the sessions', () => {
  const rooms = new Set([...server.keys()].filter((file) => file.startsWith('server/chat/')).map(roomOf))
  expect([...rooms].sort()).toEqual(['chat/engine', 'chat/sessions'])
})

test('files of the kit import nothing of the rest of the project', () => {
  const rooms = ['contract/kit', 'server/kit', 'tests/kit']
  const layers = rooms.map((room, at) => [room, rooms.slice(0, at + 1)] as const)
  const others = layers.flatMap(([room, allowed]) =>
    [...sourcesOf(room)].flatMap(([file, imports]) =>
      imports
        .filter((path) => !allowed.some((one) => path.startsWith(`${one}/`)))
        .map((path) => `${file} imports ${path}`),
    ),
  )
  expect(others).toEqual([])
})

test('handlers are imported by app.ts, main.ts and each other alone', () => {
  const others = [...server]
    .filter(([file]) => !/^server\/(handlers\/|(main|app)\.ts$)/.test(file))
    .filter(([, imports]) => imports.some((path) => path.startsWith('server/handlers/')))
  expect(others.map(([file]) => file)).toEqual([])
})

test('no source has more than 400 lines', () => {
  const sources = ['server', 'contract'].flatMap((folder) =>
    readdirSync(join(base, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const long = sources
    .filter((file) => /\.(tsx?|[cm]?js|css)$/.test(file) && !file.includes('node_modules'))
    .map((file): [string, number] => [file, readFileSync(join(base, file), 'utf8').split('\n').length - 1])
    .filter(([, lines]) => lines > 400)
  expect(long).toEqual([])
})

test('no statement asserts the type of its rows', () => {
  const asserting = [...server.keys()].filter((file) =>
    /\bexecute</.test(readFileSync(join(base, file), 'utf8')),
  )
  expect({ 'read these by db/typed-select.ts': asserting }).toEqual({
    'read these by db/typed-select.ts': [],
  })
})

test('every file refers to the declaration of a module without types that it imports', () => {
  const textOf = (file: string) => readFileSync(join(base, file), 'utf8')
  // The project of the bench, and a service with the kit, compile what they import and no more.
  const missing = [...server.keys()]
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((declaration) =>
      [...textOf(declaration).matchAll(/declare module '(.+)'/g)].flatMap(([, module]) =>
        [...server.keys()]
          .filter((file) => textOf(file).includes(`from '${module}'`))
          .filter((file) => {
            const { referencedFiles } = ts.preProcessFile(textOf(file))
            return !referencedFiles.some(({ fileName }) => join(dirname(file), fileName) === declaration)
          }),
      ),
    )
  expect(missing).toEqual([])
})

/** Readers of the wall clock: for code of bots, which has the same clock, and for headers that name a time. */
const clockReaders = [
  'server/clock.ts',
  'server/outbound/model-fetch.ts',
  'server/outbound/retry-after.ts',
  'server/sandbox/worker.ts',
]

test('no file of the server measures elapsed time by the wall clock, which can be set', () => {
  const readers = [...server.keys()].filter((file) =>
    /\bDate\.now\b|new Date\(\)\.getTime|\+new Date\(\)/.test(readFileSync(join(base, file), 'utf8')),
  )
  expect(readers.sort()).toEqual(clockReaders)
})

test('every file that make test leaves out is run by make test-long', async () => {
  const { slow }: { slow: string[] } = await import(new URL('jest.config.mjs', root).href)
  const [, line = ''] = /^test-long:.*\n(.*)$/m.exec(readFileSync(join(base, 'Makefile'), 'utf8')) ?? []
  const named = [...line.matchAll(/ (tests\/[\w/-]+)(?=[ )])/g)].map(([, path]) => path as string)
  const left = readdirSync(join(base, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((file) => `tests/${file}`)
    .filter((file) => slow.some((pattern) => new RegExp(pattern).test(`/${file}`)))
  expect(left.length).toBeGreaterThan(20)
  const missing = left.filter((file) => {
    const isNamed = named.some((path) => file.startsWith(path))
    return !isNamed && !readFileSync(join(base, file), 'utf8').match(/\/runs\.ts/)
  })
  expect(missing).toEqual([])
})
