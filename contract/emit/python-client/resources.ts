import { groupsOf, type Method } from '../../kit/emit/methods.ts'
import { pythonName, snakeCase } from '../../kit/emit/python-names.ts'
import { type JsonObject, nameOf } from '../../kit/emit/schemas.ts'
import { minimumKeyOf } from '../../kit/operation.ts'
import { docstring, typeOf } from './types.ts'

/* Python methods of the client, synchronous and asynchronous. */

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Parameters<typeof typeOf>[0]
}

/** Parameters of the query as keyword arguments: the required ones first. */
export function queryOf({ operation, call }: Method, document: JsonObject) {
  const { path, method } = operation
  const { parameters: shared } = document.components as { parameters: Record<string, Parameter> }
  const published = (document.paths as Record<string, Record<string, { parameters?: Parameter[] }>>)[path]
  const all = (published?.[method]?.parameters ?? []).map((parameter) =>
    parameter.$ref ? (shared[nameOf(parameter.$ref)] as Parameter) : parameter,
  )
  const query = call.query ? all.filter((parameter) => parameter.in === 'query') : []
  return query
    .map(({ name, required = false, schema, description }) => ({
      name,
      argument: pythonName(name),
      type: schema.items ? 'Sequence[str]' : typeOf(schema, name, []),
      isRequired: required,
      description,
    }))
    .sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
}

export function clientOf(methods: Method[], document: JsonObject, isAsync: boolean): string {
  const resources = groupsOf(methods)
  const prefix = isAsync ? 'Async' : ''
  const wait = isAsync ? 'async ' : ''
  const classOfResource = (resource: string) =>
    `${prefix}${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
  const runtime = ['Caller', 'Conversation', 'Download', 'Pages', 'Token'].map((name) => `${prefix}${name}`)
  return [
    `"""One method for every operation, for callers who ${isAsync ? 'await' : 'wait for'} it."""`,
    '',
    'from __future__ import annotations',
    '',
    `from collections.abc import ${isAsync ? 'AsyncIterator, Awaitable, ' : ''}Callable, ${isAsync ? '' : 'Iterator, '}Mapping, Sequence`,
    'from functools import partial',
    'from typing import IO, Any, Literal, Unpack, overload',
    '',
    'import httpx',
    '',
    'from . import types, webhooks',
    'from ._api import Attempt, KeyMatchOptions, KeyOptions, MatchOptions, Operation, RequestOptions',
    `from ._${isAsync ? 'async_' : ''}runtime import ${runtime.join(', ')}, edit_bot`,
    'from ._shared import call_of',
    ...resources.flatMap(([resource, group]) => [
      '',
      '',
      `class ${classOfResource(resource)}:`,
      `    def __init__(self, caller: ${prefix}Caller) -> None:`,
      '        self._caller = caller',
      ...group.flatMap((method) => ['', ...indentLines(methodText(method, document, isAsync))]),
      ...(resource === 'bots' ? ['', ...indentLines(edit(isAsync))] : []),
      ...(resource === 'chat' ? ['', ...indentLines(converse(isAsync))] : []),
      ...(resource === 'webhooks' ? ['', '    verify = staticmethod(webhooks.verify)'] : []),
    ]),
    '',
    '',
    `class ${prefix}Client:`,
    '    """',
    '    A client of the service at `base_url`, such as `https://bots.example.com`, with or without a path.',
    '',
    isAsync
      ? '    `token` is an access token, or an async function that returns one and is called before every request. Chats need'
      : '    `token` is an access token, or a function that returns one and is called before every request. Chats need',
    '    none. `timeout` is the maximum silence of the service in seconds, `math.inf` for none. Default: 60, for operations',
    '    that call other services 150, for uploads 600. `max_retries` is the maximum of retries, if they are safe.',
    '    `logger` is called after every attempt. `http_client` replaces its own client of httpx.',
    '    """',
    '',
    '    def __init__(',
    '        self,',
    '        base_url: str,',
    '        *,',
    `        token: ${prefix}Token | None = None,`,
    '        headers: Mapping[str, str] | None = None,',
    '        timeout: float | None = None,',
    '        max_retries: int = 2,',
    '        logger: Callable[[Attempt], object] | None = None,',
    `        http_client: httpx.${prefix}Client | None = None,`,
    '    ) -> None:',
    `        caller = ${prefix}Caller(base_url, token, headers or {}, timeout, max_retries, logger, http_client)`,
    '        self._caller = caller',
    ...resources.map(
      ([resource]) => `        self.${snakeCase(resource)} = ${classOfResource(resource)}(caller)`,
    ),
    '',
    `    ${wait}def close(self) -> None:`,
    '        """Closes its connections, unless they belong to a given `http_client`."""',
    `        ${isAsync ? 'await ' : ''}self._caller.close()`,
    '',
    `    ${wait}def __${isAsync ? 'a' : ''}enter__(self) -> ${prefix}Client:`,
    '        return self',
    '',
    `    ${wait}def __${isAsync ? 'a' : ''}exit__(self, *_: object) -> None:`,
    `        ${isAsync ? 'await ' : ''}self.close()`,
    '',
  ].join('\n')
}

function indentLines(lines: string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `    ${line}`))
}

function methodText(method: Method, document: JsonObject, isAsync: boolean): string[] {
  const { call, ids, body, responseBody, minimal } = method
  const prefix = isAsync ? 'Async' : ''
  const name = pythonName(method.name)
  const query = queryOf(method, document)
  const positional = [
    'self',
    ...ids.map((id) => `${pythonName(id)}: str`),
    ...(call.file ? ['file: bytes | IO[bytes]'] : []),
    ...(body ? [`body: types.${body.name}${body.isRequired ? '' : ' | None = None'}`] : []),
  ]
  const keywordsWith = (needed?: string) =>
    query.map(({ name: wire, argument, type, isRequired }) =>
      isRequired || wire === needed ? `${argument}: ${type}` : `${argument}: ${type} | None = None`,
    )
  const options = `**options: Unpack[${optionsOf(method)}]`
  const page = `types.${responseBody}`
  const type = call.raw
    ? `${prefix}Download`
    : call.entries
      ? `${prefix}Pages[${page}, ${entryOf(method, document)}]`
      : call.events
        ? `${isAsync ? 'Async' : ''}Iterator[${page}]`
        : page
  const isPlain = !call.raw && !call.entries && !call.events
  const wait = isAsync && isPlain ? 'async ' : ''
  const signature = (more: string[], result: string, needed?: string) => {
    const named = [...more, ...keywordsWith(needed)]
    const all = [...positional, ...(named.length > 0 ? ['*', ...named] : []), options]
    return `${wait}def ${name}(${all.join(', ')}) -> ${result}:`
  }
  const found = `{${ids.map((id) => `"${id}": ${pythonName(id)}`).join(', ')}}`
  const content = call.file ? 'file' : body ? 'body' : 'None'
  const given = query.map(({ name: wire, argument }) => `"${wire}": ${argument}`)
  const all = minimal ? '{**options, "minimal": minimal}' : 'options'
  const codeOf = (queryText: string) =>
    `call_of(${[operationText(call), found, content, queryText, all].join(', ')})`
  const pageQuery = `{${given.join(', ')}}`
  const documentation = documentationOf(method, query)
  const lines = call.raw
    ? [`return ${prefix}Download(lambda: self._caller.send(${codeOf(pageQuery)}))`]
    : call.entries
      ? [
          `query: dict[str, Any] = ${pageQuery}`,
          '',
          `${isAsync ? 'async ' : ''}def get_page(next_cursor: str | None) -> Any:`,
          '    page_query = query if next_cursor is None else {**query, "cursor": next_cursor}',
          `    return ${isAsync ? 'await ' : ''}self._caller.call(${codeOf('page_query')})`,
          '',
          `return ${prefix}Pages(get_page, "${call.entries}")`,
        ]
      : call.events
        ? [`return self._caller.events(${codeOf(pageQuery)})`]
        : [
            `response_body: ${minimal ? `${page} | types.${minimal}` : page} = ${isAsync ? 'await ' : ''}self._caller.call(${codeOf(pageQuery)})`,
            'return response_body',
          ]
  // The usual overload comes first, since editors show that one.
  const overloads = minimal
    ? [
        signature(['minimal: Literal[False] = False'], page),
        signature(['minimal: Literal[True]'], `types.${minimal}`),
      ]
    : (call.needs ?? []).map((needed) => signature([], type, needed))
  const head = [
    ...overloads.flatMap((overload) => ['@overload', `${overload} ...`, '']),
    minimal ? signature(['minimal: bool = False'], `${page} | types.${minimal}`) : signature([], type),
  ]
  return [...head, ...documentation.map((line) => (line === '' ? '' : `    ${line}`)), ...indentLines(lines)]
}

function operationText(call: Method['call']): string {
  const fields = [
    JSON.stringify(call.method),
    JSON.stringify(call.path),
    ...(['key', 'open', 'repeatable', 'file', 'events', 'raw'] as const).flatMap((flag) =>
      call[flag] ? [`${flag}=True`] : [],
    ),
    ...(call.entries ? [`entries="${call.entries}"`] : []),
    ...(call.needs ? [`needs=(${call.needs.map((name) => `"${name}"`).join(', ')},)`] : []),
    ...(call.timeout === undefined ? [] : [`timeout=${call.timeout / 1000}`]),
  ]
  return `Operation(${fields.join(', ')})`
}

function optionsOf({ operation, isConditional }: Method): string {
  const isKeyed = minimumKeyOf(operation) !== undefined
  if (isKeyed) return isConditional ? 'KeyMatchOptions' : 'KeyOptions'
  return isConditional ? 'MatchOptions' : 'RequestOptions'
}

/** Type of the entries of a page. */
function entryOf({ responseBody = '', call }: Method, document: JsonObject): string {
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const { properties } = schemas[responseBody] as { properties: Record<string, { items: { $ref: string } }> }
  return `types.${nameOf(properties[call.entries ?? '']?.items.$ref ?? '')}`
}

function documentationOf({ operation, call, minimal }: Method, query: ReturnType<typeof queryOf>): string[] {
  const { summary, description, deprecated } = operation
  const text = [
    `${summary}: \`${call.method} ${call.path}\``,
    '',
    description,
    ...(deprecated ? ['', `Deprecated since ${deprecated.since}, removed on ${deprecated.sunset}.`] : []),
    ...(minimal ? ['', 'With `minimal`, the response is short.'] : []),
    ...(query.length > 0
      ? ['', ...query.map(({ argument, description: what }) => `- \`${argument}\`: ${what}`)]
      : []),
    '',
  ]
  return docstring(text.join('\n')).split('\n')
}

/** The method `edit`, which combines two operations and so is in no table. */
function edit(isAsync: boolean): string[] {
  const wait = isAsync ? 'async ' : ''
  const given = isAsync ? ' | Awaitable[types.BotChange]' : ''
  const head = (bot: string, migrate: string) => [
    `${wait}def edit(`,
    '    self,',
    '    bot_id: str,',
    `    change: Callable[[${bot}], types.BotChange${given}],`,
    '    *,',
    `    migrate_to_latest_version: ${migrate},`,
    '    attempts: int = 10,',
    '    **options: Unpack[RequestOptions],',
    ') -> types.BotBody:',
  ]
  return [
    '@overload',
    ...head('types.BotV61', 'Literal[True]').slice(0, -1),
    ') -> types.BotBody: ...',
    '',
    '@overload',
    ...head('types.Bot', 'bool = False').slice(0, -1),
    ') -> types.BotBody: ...',
    '',
    ...head('Any', 'bool = False'),
    '    """',
    '    Reads a bot, applies a change and writes it. If somebody else wrote in between, reads the bot again and applies the',
    '    change to that, so `change` may be called several times. It returns the properties to write.',
    '',
    '    With `migrate_to_latest_version`, the bot is converted to version 6.1. `attempts` is the maximum of attempts',
    '    before the call fails with the conflict.',
    '    """',
    `    response_body: types.BotBody = ${isAsync ? 'await ' : ''}edit_bot(`,
    '        lambda: self.get(bot_id, migrate_to_latest_version=migrate_to_latest_version or None, **options),',
    '        partial(self.update, bot_id, **options),',
    '        change,',
    '        attempts,',
    '    )',
    '    return response_body',
  ]
}

function converse(isAsync: boolean): string[] {
  const prefix = isAsync ? 'Async' : ''
  return [
    `${isAsync ? 'async ' : ''}def converse(self, public_id: str, body: types.StartChatBody | None = None, **options: Unpack[KeyOptions]) -> ${prefix}Conversation:`,
    '    """Starts a chat and stores its session: `chat = client.chat.converse(public_id)`, `chat.say("Ada")`."""',
    `    return ${prefix}Conversation(${isAsync ? 'await ' : ''}self.start(public_id, body, **options), self.continue_)`,
  ]
}
