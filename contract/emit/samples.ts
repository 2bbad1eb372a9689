import type { Operation } from '../operation.ts'
import type { JsonObject } from './schemas.ts'

/*
 * Each operation as a request to copy, made of the examples of its parameters and its body. The shell has the address
 * in URL and the token in TOKEN, as in the guides; programs have them in `url` and `token`.
 */

interface Sample {
  lang: string
  label: string
  source: string
}

/** `parameters` are those of the published operation, with components in place of references. */
export function samplesOf(
  { method, path, access, body, requestExamples = {} }: Operation,
  parameters: JsonObject[],
): Sample[] {
  const request = {
    method: method.toUpperCase(),
    target: targetOf(path, parameters),
    isOpen: access.kind === 'anyone',
    body: body && shortest(Object.values(requestExamples).map(({ value }) => value)),
  }
  return [
    { lang: 'Shell', label: 'curl', source: toCurl(request) },
    { lang: 'JavaScript', label: 'fetch', source: toFetch(request) },
  ]
}

interface Request {
  method: string
  /** Path and query. */
  target: string
  isOpen: boolean
  body: unknown
}

/** Paths and required parameters as their examples have them; what may be absent is. */
function targetOf(path: string, parameters: JsonObject[]): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

function shortest(values: unknown[]): unknown {
  const length = (value: unknown) => JSON.stringify(value).length
  return values.toSorted((one, other) => length(one) - length(other))[0] ?? {}
}

function toCurl({ method, target, isOpen, body }: Request): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$URL${target}"`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ]
  return lines.join(' \\\n  ')
}

function toFetch({ method, target, isOpen, body }: Request): string {
  const headers = [
    ...(isOpen ? [] : [`Authorization: \`Bearer \${token}\``]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined
      ? []
      : [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`]),
  ]
  const given = options.length > 0 ? `, {\n${options.map((line) => `  ${line},\n`).join('')}}` : ''
  return `const response = await fetch(\`\${url}${target}\`${given})\nif (!response.ok) throw new Error(await response.text())`
}
