import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { operations } from '../contract/index.ts'
import { programSamplesOf } from '../contract/kit/emit/program-samples.ts'
import type { JsonObject } from '../contract/kit/emit/schemas.ts'
import type { Operation } from '../contract/operation.ts'
import { createClient } from '../generated/client/index.js'
import { endpoints, published, resolve } from './support/published.ts'

/* Samples that the reference shows beside those of the document: with the client packages, in Python and in Go. */

const samples = endpoints.map(({ operation }) => {
  const { operationId, parameters = [] } = operation
  const declared = (operations as Record<string, Operation>)[operationId] as Operation
  const given = parameters.map((parameter) => resolve(parameter)) as unknown as JsonObject[]
  const all = programSamplesOf(operationId, declared, published as unknown as JsonObject, given, {
    npm: 'bot-builder-client',
    python: 'bot_builder_client',
  })
  return {
    operationId,
    declared,
    sourceOf: (wanted: string) => all.find(({ label }) => label === wanted)?.source ?? '',
  }
})

test.each(['Python package', 'Python'])('every sample of %s has the syntax of Python', (label) => {
  const script = 'import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)'
  const input = JSON.stringify(samples.map(({ sourceOf }) => sourceOf(label)))
  const { status, stderr, error } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  if (error) process.stderr.write('No python3: the samples in Python were not read\n')
  else expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('every sample in Go is written as gofmt writes it', () => {
  for (const { sourceOf } of samples) {
    const input = `${sourceOf('Go')}\n`
    const { stdout, stderr, error } = spawnSync('gofmt', ['-e'], { input, encoding: 'utf8' })
    if (error) {
      process.stderr.write('No gofmt: the samples in Go were not read\n')
      return
    }
    expect({ stdout, stderr }).toEqual({ stdout: input, stderr: '' })
  }
})

test.each(samples)(
  'the sample of $operationId with the client package sends its request',
  async ({ declared, sourceOf }) => {
    const sent: string[] = []
    const send = async (url: string | URL | Request, { method = 'GET' }: RequestInit = {}) => {
      sent.push(`${method} ${new URL(String(url)).pathname}`)
      return new Response('', { status: 400 })
    }
    const script = sourceOf('Client package')
      .replaceAll(/^import .*\n/gm, '')
      .replace(/openAsBlob\([^)]*\)/, 'new Blob([])')
    const run = new Function(
      'createClient',
      'url',
      'token',
      'console',
      `return (async () => {\n${script}\n})()`,
    )
    const create = (options: Parameters<typeof createClient>[0]) => createClient({ ...options, fetch: send })
    // It rejects, since the response is an error; what was sent counts.
    await run(create, 'http://localhost', 'token', { log() {} }).catch(() => undefined)
    const path = declared.path.replaceAll(/\{\w+\}/g, '[^/{}]+')
    expect(sent).toEqual([expect.stringMatching(new RegExp(`^${declared.method.toUpperCase()} ${path}$`))])
  },
)
