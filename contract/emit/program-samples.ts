import type { Operation } from '../operation.ts'
import { callOf } from './client/package.ts'
import { fileNameOf, type Sample, type SampleRequest, sampleRequestOf } from './samples.ts'
import type { JsonObject } from './schemas.ts'

/*
 * Each operation as a program: with the client package, in Python and in Go. The reference page shows them beside those
 * of the document, which would grow by a quarter with them.
 */

/** `parameters` are those of the published operation, with components in place of references. */
export function programSamplesOf(
  id: string,
  operation: Operation,
  document: JsonObject,
  parameters: JsonObject[],
): Sample[] {
  const request = sampleRequestOf(operation, parameters)
  return [
    {
      lang: 'TypeScript',
      label: 'Client package',
      source: toClientCall(id, operation, document, parameters),
    },
    { lang: 'Python', label: 'Python', source: toPython(request) },
    { lang: 'Go', label: 'Go', source: toGo(request) },
  ]
}

function toClientCall(
  id: string,
  operation: Operation,
  document: JsonObject,
  parameters: JsonObject[],
): string {
  const { access, success, everythingWithout } = operation
  const { resource, name, parameters: names, answer } = callOf(id, operation, document)
  const exampleOf = (wanted: string) => parameters.find((parameter) => parameter.name === wanted)?.example
  const query = parameters.filter(
    (parameter) =>
      parameter.in === 'query' && (parameter.required || parameter.name === everythingWithout?.[0]),
  )
  const given = names.map((parameter) => {
    const [argument = ''] = parameter.split(/\?|:/)
    if (argument === 'file') return 'file'
    if (argument === 'body') return toLiteral(sampleRequestOf(operation, parameters).body)
    if (argument === 'query')
      return toLiteral(Object.fromEntries(query.map((one) => [one.name, one.example])))
    return toLiteral(exampleOf(argument))
  })
  // Trailing arguments that say nothing are left out.
  while (given.at(-1) === '{}' && names[given.length - 1]?.includes('?')) given.pop()
  const call = `client.${resource}.${name}(${given.join(', ')})`
  const file = names.some((parameter) => parameter.startsWith('file:'))
  return [
    ...(file ? ["import { openAsBlob } from 'node:fs'"] : []),
    "import { createClient } from 'bot-builder-client'",
    '',
    `const client = createClient({ baseUrl: url${access.kind === 'anyone' ? '' : ', token'} })`,
    ...(file ? [`const file = await openAsBlob('${fileNameOf(parameters)}')`] : []),
    ...(answer.startsWith('Pages')
      ? [`for await (const entry of ${call}) console.log(entry)`]
      : success.mediaType === undefined
        ? [`console.log(await ${call})`]
        : [`const response = await ${call}`, 'console.log(await response.text())']),
  ].join('\n')
}

/** A value as JavaScript, in which names of properties need no quotation marks. */
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

/** Raw, unless it has the mark that ends a raw text. */
function goLiteral(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``
}
