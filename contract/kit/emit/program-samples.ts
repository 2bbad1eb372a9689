import type { Operation } from '../operation.ts'
import { parametersOf as methodParameters } from './client/signatures.ts'
import { callOf, type Method } from './methods.ts'
import { pythonName, snakeCase } from './python-names.ts'
import { fileNameOf, type Sample, type SampleRequest, sampleRequestOf } from './samples.ts'
import type { JsonObject } from './schemas.ts'

/*
 * Sample programs for each operation: with the client packages, in Python and in Go. Only the reference pages show
 * them, since the document would grow by a quarter.
 */

/** Names of the packages of clients: as npm knows it, and as Python imports it. */
export interface ClientPackages {
  npm: string
  python?: string
}

/** `parameters` are those of the published operation, with references resolved. */
export function programSamplesOf(
  id: string,
  operation: Operation,
  document: JsonObject,
  parameters: JsonObject[],
  { npm, python }: ClientPackages,
): Sample[] {
  const request = sampleRequestOf(operation, parameters)
  const method = callOf(id, operation, document)
  return [
    { lang: 'TypeScript', label: 'Client package', source: toClientCall(method, parameters, npm) },
    ...(python
      ? [{ lang: 'Python', label: 'Python package', source: toPythonCall(method, parameters, python) }]
      : []),
    { lang: 'Python', label: 'Python', source: toPython(request) },
    { lang: 'Go', label: 'Go', source: toGo(request) },
  ]
}

function toClientCall(method: Method, parameters: JsonObject[], npm: string): string {
  const { resource, name, operation, call } = method
  const { access, success } = operation
  const names = methodParameters(method)
  const given = names.map((parameter) => {
    const [argument = ''] = parameter.split(/\?|:/)
    if (argument === 'file') return 'file'
    if (argument === 'body') return toLiteral(sampleRequestOf(operation, parameters).body)
    if (argument === 'query') return toLiteral(Object.fromEntries(queryOf(method, parameters)))
    return toLiteral(exampleOf(parameters, argument))
  })
  // Omits trailing arguments that are empty and optional.
  while (given.at(-1) === '{}' && names[given.length - 1]?.includes('?')) given.pop()
  const called = `client.${resource}.${name}(${given.join(', ')})`
  return [
    ...(call.file ? ["import { openAsBlob } from 'node:fs'"] : []),
    `import { createClient } from '${npm}'`,
    '',
    `const client = createClient({ baseUrl: url${access.kind === 'anyone' ? '' : ', token'} })`,
    ...(call.file ? [`const file = await openAsBlob('${fileNameOf(parameters)}')`] : []),
    ...(call.entries
      ? [`for await (const entry of ${called}) console.log(entry)`]
      : success.mediaType === undefined
        ? [`console.log(await ${called})`]
        : [`const response = await ${called}`, 'console.log(await response.text())']),
  ].join('\n')
}

/** Required parameters of the query. If one of several is required, the first of them. */
function queryOf({ operation }: Method, parameters: JsonObject[]): [string, unknown][] {
  const wanted = operation.everythingWithout?.[0]
  return parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || parameter.name === wanted))
    .map(({ name, example }) => [String(name), example])
}

function exampleOf(parameters: JsonObject[], wanted: string): unknown {
  return parameters.find((parameter) => parameter.name === wanted)?.example
}

function toPythonCall(method: Method, parameters: JsonObject[], python: string): string {
  const { resource, operation, call, ids, body } = method
  const sent = body && sampleRequestOf(operation, parameters).body
  const given = [
    ...ids.map((id) => pythonLiteral(exampleOf(parameters, id), '')),
    ...(call.file ? ['file'] : []),
    ...(sent !== undefined && (body?.isRequired || JSON.stringify(sent) !== '{}')
      ? [pythonLiteral(sent, '')]
      : []),
    ...queryOf(method, parameters).map(([name, value]) => `${snakeCase(name)}=${pythonLiteral(value, '')}`),
  ]
  const called = `client.${snakeCase(resource)}.${pythonName(method.name)}(${given.join(', ')})`
  const token = operation.access.kind === 'anyone' ? '' : ', token=os.environ["TOKEN"]'
  const lines = call.entries
    ? [`for entry in ${called}:`, '    print(entry)']
    : [`print(${called}${call.raw ? '.text()' : ''})`]
  return [
    'import os',
    '',
    `from ${python} import Client`,
    '',
    `client = Client(os.environ["URL"]${token})`,
    ...(call.file
      ? [`with open("${fileNameOf(parameters)}", "rb") as file:`, ...lines.map((line) => `    ${line}`)]
      : lines),
  ].join('\n')
}

/** Renders a value as JavaScript, without quotation marks around property names. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
}

function toPython({ method, target, isOpen, body, file }: SampleRequest): string {
  const headers = [
    ...(isOpen ? [] : [`"Authorization": f"Bearer {os.environ['TOKEN']}"`]),
    ...(file === undefined ? [] : ['"Content-Type": "application/octet-stream"']),
  ]
  return [
    'import os',
    '',
    'import httpx',
    '',
    'response = httpx.request(',
    `    "${method}",`,
    `    os.environ["URL"] + ${JSON.stringify(target)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body, '    ')},`]),
    ...(file === undefined ? [] : [`    content=open("${file}", "rb").read(),`]),
    ')',
    'response.raise_for_status()',
    'print(response.text)',
  ].join('\n')
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((entry) => pythonLiteral(entry, `${indent}    `))
    : Object.entries(value).map(
        ([name, entry]) => `${JSON.stringify(name)}: ${pythonLiteral(entry, `${indent}    `)}`,
      )
  const [open, close] = isList ? '[]' : '{}'
  if (entries.length === 0) return `${open}${close}`
  return `${open}\n${entries.map((entry) => `${indent}    ${entry},\n`).join('')}${indent}${close}`
}

function toGo({ method, target, isOpen, body, file }: SampleRequest): string {
  const text = JSON.stringify(body, null, 2)
  const sent =
    file !== undefined ? 'file' : body === undefined ? 'nil' : `strings.NewReader(${goLiteral(text)})`
  const failed = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}'
  return [
    'package main',
    '',
    'import (',
    ...['fmt', 'io', 'log', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])].map(
      (name) => `\t"${name}"`,
    ),
    ')',
    '',
    'func main() {',
    ...(file === undefined ? [] : [`\tfile, err := os.Open("${file}")`, failed]),
    `\trequest, err := http.NewRequest("${method}", os.Getenv("URL")+${JSON.stringify(target)}, ${sent})`,
    failed,
    ...(isOpen ? [] : ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))']),
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    ...(file === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/octet-stream")']),
    '\tresponse, err := http.DefaultClient.Do(request)',
    failed,
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    failed,
    '\tif response.StatusCode >= 400 {',
    '\t\tlog.Fatal(string(text))',
    '\t}',
    '\tfmt.Println(string(text))',
    '}',
  ].join('\n')
}

/** Renders a raw string literal, unless the text contains a backtick, which would end it. */
function goLiteral(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``
}
