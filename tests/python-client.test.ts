import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../server/root.ts'
import { endpoints, published } from './support/published.ts'

/*
 * The package of generated/python-client, as far as it can be held without its libraries; `make sdks
 * ONLY=python-package` installs it, checks its types, and uses it.
 */

const folder = new URL('generated/python-client/', root)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const modules = readdirSync(new URL('bot_builder_client', folder)).filter((name) => name.endsWith('.py'))

test('has the version of the contract and declares its types', () => {
  expect(read('pyproject.toml')).toContain(`\nversion = "${published.info.version}"\n`)
  expect(read('bot_builder_client/version.py')).toContain(`version = "${published.info.version}"`)
  expect(read('bot_builder_client/py.typed')).toBe('')
})

test('every module has the syntax of Python', () => {
  const script = 'import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)'
  const input = JSON.stringify(modules.map((name) => read(`bot_builder_client/${name}`)))
  const { status, stderr, error } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  if (error) process.stderr.write('No python3: the modules of the package were not read\n')
  else expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test.each(['client', 'async_client'])('%s has a method for every operation', (module) => {
  const called = [...read(`bot_builder_client/${module}.py`).matchAll(/Operation\("(\w+)", "([^"]+)"/g)]
  const found = new Set(called.map(([, method, path]) => `${method} ${path}`))
  expect([...found].sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
})

test('has a type for every schema, under its name', () => {
  const types = read('bot_builder_client/types.py')
  const defined = new Set(
    [...types.matchAll(/^(?:class )?(\w+)(?:\(TypedDict\):|: TypeAlias = | = TypedDict\()/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(Object.keys(published.components.schemas).filter((name) => !defined.has(name))).toEqual([])
})

test('has no asynchronous method', () => {
  for (const module of ['client', '_runtime'])
    expect(read(`bot_builder_client/${module}.py`)).not.toMatch(
      /\b(async|await|Awaitable|aiter\w*|aread|aclose)\b(?! function)/,
    )
})

test('has the methods of the client for JavaScript', () => {
  const rows = (text: string) =>
    [...text.matchAll(/^\| `([\w.]+)\(.*\| `(.+)` \|$/gm)].map(([, name = '', request]) => [name, request])
  const inPython = rows(read('README.md'))
  const inJavaScript = rows(readFileSync(new URL('generated/client/README.md', root), 'utf8'))
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  expect(inPython.map(([name, request]) => [name?.replace(/_$/, ''), request])).toEqual(
    inJavaScript.map(([name = '', request]) => [snake(name), request]),
  )
  expect(inPython.length).toBeGreaterThan(60)
})
