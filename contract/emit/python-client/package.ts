import { readFileSync } from 'node:fs'
import { errors } from '../../errors.ts'
import { classOf, type Method, methodsOf } from '../../kit/emit/methods.ts'
import { pythonName, snakeCase } from '../../kit/emit/python-names.ts'
import { type JsonObject, nameOf } from '../../kit/emit/schemas.ts'
import type { Operation } from '../../operation.ts'
import { interfaceChanges } from '../changelog.ts'
import { eventNames } from '../client/package.ts'
import { clientOf, queryOf } from './resources.ts'
import { docstring, toTypes } from './types.ts'

/*
 * Files of the Python package of the client: the modules of this folder, one of them in a synchronous and an
 * asynchronous form, and the operations of the contract.
 */

export const moduleName = 'bot_builder_client'

const notice = '# Made by `make generate` from contract/. Do not edit.\n'

/** Text of every file of the package by name. */
export function toPythonClient(
  document: JsonObject,
  operations: Record<string, Operation>,
): Record<string, string> {
  const { version } = document.info as { version: string }
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const methods = Object.entries(operations).flatMap(([id, operation]) => methodsOf(id, operation, document))
  const modules = {
    '__init__.py': entry,
    'py.typed': '',
    'version.py': `${notice}version = "${version}"\n`,
    '_api.py': notice + beside('_api.py'),
    '_shared.py': notice + beside('_shared.py'),
    '_async_runtime.py': notice + beside('_async_runtime.py').replaceAll(/ {2}# async only$/gm, ''),
    '_runtime.py': notice + toBlocking(beside('_async_runtime.py')),
    'webhooks.py': notice + beside('webhooks.py'),
    'types.py': notice + typesOf(schemas),
    'errors.py': notice + errorsModule,
    'client.py': notice + clientOf(methods, document, false),
    'async_client.py': notice + clientOf(methods, document, true),
  }
  return {
    'pyproject.toml': manifest(version),
    'README.md': beside('README.md')
      .replaceAll('{{version}}', version)
      .replace('{{methods}}', () => table(methods, document)),
    LICENSE: beside('../../../LICENSE'),
    'CHANGELOG.md': interfaceChanges(),
    ...Object.fromEntries(Object.entries(modules).map(([name, text]) => [`${moduleName}/${name}`, text])),
  }
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** Derives the synchronous module from the asynchronous one. */
function toBlocking(source: string): string {
  return source
    .replaceAll(/^.* {2}# async only\n/gm, '')
    .replace('from anyio import sleep', 'from time import sleep')
    .replaceAll(/\b(async|await) /g, '')
    .replaceAll(/\bAwaitable\[(\w+)\]/g, '$1')
    .replaceAll('Awaitable, ', '')
    .replaceAll(/Async(?=[A-Z])/g, '')
    .replaceAll(/__a(iter|enter|exit)__/g, '__$1__')
    .replaceAll(/\ba(read|close|iter_sse)\b/g, '$1')
}

const codes = Object.keys(errors) as (keyof typeof errors)[]

const errorsModule = [
  '"""An error for every code of the service."""',
  '',
  'from __future__ import annotations',
  '',
  'from ._api import ApiError',
  ...codes.flatMap((code) => [
    '',
    '',
    `class ${classOf(code)}(ApiError):`,
    `    ${docstring(errors[code].when)}`,
  ]),
  '',
  '',
  'classes: dict[str, type[ApiError]] = {',
  ...codes.map((code) => `    "${code}": ${classOf(code)},`),
  '}',
  '',
].join('\n')

const entry = [
  `${notice}"""Client of the bot builder service."""`,
  '',
  'from . import types, webhooks',
  'from ._api import (',
  ...['ApiError', 'Attempt', 'KeyMatchOptions', 'KeyOptions', 'MatchOptions', 'NoResponseError'].map(
    exportLine,
  ),
  ...['RequestOptions', 'ResponseTimeoutError'].map(exportLine),
  ')',
  'from ._async_runtime import AsyncConversation, AsyncDownload, AsyncPages',
  'from ._runtime import Conversation, Download, Pages',
  'from .async_client import AsyncClient',
  'from .client import Client',
  'from .errors import (',
  ...codes.map(classOf).map(exportLine),
  ')',
  'from .version import version as __version__',
  '',
  '__all__ = [',
  ...[
    ...['ApiError', 'AsyncClient', 'AsyncConversation', 'AsyncDownload', 'AsyncPages', 'Attempt', 'Client'],
    ...[
      'Conversation',
      'Download',
      'KeyMatchOptions',
      'KeyOptions',
      'MatchOptions',
      'NoResponseError',
      'Pages',
    ],
    ...['RequestOptions', 'ResponseTimeoutError', '__version__', 'types', 'webhooks', ...codes.map(classOf)],
  ].map((name) => `    "${name}",`),
  ']',
  '',
].join('\n')

function exportLine(name: string): string {
  return `    ${name},`
}

/** Types of the document, of the changes that `edit` writes, and of the events of webhooks. */
function typesOf(schemas: Record<string, JsonObject>): string {
  const { oneOf } = schemas.BotUpdate as { oneOf: { $ref: string }[] }
  const changes = oneOf.map(({ $ref }) => {
    const name = nameOf($ref)
    const {
      properties,
      required = [],
      ...rest
    } = schemas[name] as {
      properties: JsonObject
      required?: string[]
    }
    const { version: _, updatedAt: __, ...written } = properties
    const needed = required.filter((property) => property in written)
    return [name.replace('Update', 'Change'), { ...rest, properties: written, required: needed }] as const
  })
  const unionOf = (names: readonly string[], description: string) => ({
    description,
    oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  })
  return [
    '"""Types of requests and responses. Each has the name of its schema."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, NotRequired, TypeAlias, TypedDict',
    '',
    '',
    toTypes({
      ...schemas,
      ...Object.fromEntries(changes),
      BotChange: unionOf(
        changes.map(([name]) => name),
        'Properties of a bot to write. Absent ones do not change.',
      ),
      WebhookEvent: unionOf(eventNames, 'An event that a webhook endpoint receives.'),
    }),
  ].join('\n')
}

function table(methods: Method[], document: JsonObject): string {
  return [
    '| Method | Request |',
    '| --- | --- |',
    ...methods.map((method) => {
      const { resource, call, ids, body } = method
      const names = [
        ...ids.map(pythonName),
        ...(call.file ? ['file'] : []),
        ...(body ? ['body'] : []),
        ...queryOf(method, document).map(({ argument }) => `${argument}=`),
      ]
      return `| \`${snakeCase(resource)}.${pythonName(method.name)}(${names.join(', ')})\` | \`${call.method} ${call.path}\` |`
    }),
  ].join('\n')
}

function manifest(version: string): string {
  return `${notice}[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "${moduleName.replaceAll('_', '-')}"
version = "${version}"
description = "Client of the bot builder service, made from its contract."
readme = "README.md"
license = "MIT"
license-files = ["LICENSE"]
requires-python = ">=3.11"
keywords = ["bot", "chatbot", "chat", "api", "client", "sdk", "openapi"]
classifiers = ["Framework :: AsyncIO", "Framework :: Trio", "Typing :: Typed"]
dependencies = ["anyio>=4", "httpx>=0.27,<1", "httpx-sse>=0.4.1,<1", "standardwebhooks>=1,<2"]
`
}
