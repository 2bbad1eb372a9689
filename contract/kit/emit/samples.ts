import { fileMediaType, type Operation } from '../operation.ts'
import type { JsonObject } from './schemas.ts'

/*
 * Sample requests for each operation, from the examples of its parameters and its body. Shell samples read the address
 * from URL and the token from TOKEN, as in the guides; programs use `url` and `token`.
 */

export interface Sample {
  lang: string
  label: string
  source: string
}

/** `parameters` are those of the published operation, with references resolved. */
export function samplesOf(operation: Operation, parameters: JsonObject[]): Sample[] {
  const request = sampleRequestOf(operation, parameters)
  return [
    { lang: 'Shell', label: 'curl', source: toCurl(request) },
    { lang: 'JavaScript', label: 'fetch', source: toFetch(request) },
  ]
}

export function sampleRequestOf(
  { method, path, access, body, fileBody, requestExamples = {}, everythingWithout }: Operation,
  parameters: JsonObject[],
): SampleRequest {
  return {
    method: method.toUpperCase(),
    target: targetOf(path, parameters, everythingWithout?.[0]),
    isOpen: access.kind === 'anyone',
    body: body && shortest(Object.values(requestExamples).map(({ value }) => value)),
    file: fileBody && fileNameOf(parameters),
  }
}

export interface SampleRequest {
  method: string
  /** Path and query. */
  target: string
  isOpen: boolean
  body: unknown
  /** Name of the file to send if the body is a file. */
  file: string | undefined
}

export function fileNameOf(parameters: JsonObject[]): string {
  return String(parameters.find(({ name }) => name === 'fileName')?.example)
}

/** Omits optional parameters, except the first of those without which the request would mean everything. */
function targetOf(path: string, parameters: JsonObject[], everythingWithout?: string): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path)
  const query = parameters
    .filter(({ in: place, name, required }) => place === 'query' && (required || name === everythingWithout))
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

function shortest(values: unknown[]): unknown {
  const length = (value: unknown) => JSON.stringify(value).length
  return values.toSorted((one, other) => length(one) - length(other))[0] ?? {}
}

function toCurl({ method, target, isOpen, body, file }: SampleRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$URL${target}"`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
    ...(file === undefined ? [] : [`-H 'Content-Type: ${fileMediaType}'`, `--data-binary @${file}`]),
  ]
  return lines.join(' \\\n  ')
}

function toFetch({ method, target, isOpen, body, file }: SampleRequest): string {
  const headers = [
    ...(isOpen ? [] : [`Authorization: \`Bearer \${token}\``]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
    ...(file === undefined ? [] : [`'Content-Type': '${fileMediaType}'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined
      ? []
      : [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`]),
    ...(file === undefined ? [] : ['body: file']),
  ]
  const opened =
    file === undefined ? '' : `const file = await (await import('node:fs')).openAsBlob('${file}')\n`
  const given = options.length > 0 ? `, {\n${options.map((line) => `  ${line},\n`).join('')}}` : ''
  return `${opened}const response = await fetch(\`\${url}${target}\`${given})\nif (!response.ok) throw new Error(await response.text())`
}
