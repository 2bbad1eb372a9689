import { marked } from 'marked'
import { operations } from '../index.ts'
import { fileMediaType, type Operation } from '../operation.ts'
import { escaped, fieldsOf, typeOf } from './reference-types.ts'
import { type JsonObject, nameOf } from './schemas.ts'

/*
 * The document as HTML to read, to search and to try, which the page `/docs` shows below its guides. Every operation
 * and every component is there once, and can be read without a script.
 */

interface OpenApi {
  tags: { name: string; 'x-displayName': string; description: string }[]
  'x-tagGroups': { tags: string[] }[]
  paths: Record<string, Record<string, Published>>
  components: {
    schemas: Record<string, JsonObject>
    parameters: Record<string, Parameter>
    responses: Record<string, Response>
    headers: Record<string, JsonObject & { description: string }>
  }
}

interface Published {
  operationId: string
  summary: string
  description: string
  tags: string[]
  deprecated?: boolean
  security: unknown[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { description: string; content: Record<string, Content> }
  responses: Record<string, Response | { $ref: string }>
  'x-codeSamples': { label: string; source: string }[]
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: JsonObject
  example?: unknown
}

interface Response {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Content>
}

interface Content {
  schema: JsonObject
  examples?: Record<string, { summary: string; value: unknown }>
}

/** Links to all operations, by their tags. */
export function toContents(document: JsonObject): string {
  const api = document as unknown as OpenApi
  const groups = tagsOf(api).map(({ name, 'x-displayName': title }) => {
    const items = operationsOf(name, api).map(
      ({ method, path, operation: { operationId, summary } }) =>
        `<li><a href="#operations-${name}-${operationId}" title="${method} ${escaped(path)} ${operationId}">${escaped(summary)}</a></li>`,
    )
    return `<h3><a href="#operations-tag-${name}">${escaped(title)}</a></h3>\n<ul>\n${items.join('\n')}\n</ul>\n`
  })
  return groups.join('')
}

/** In the order of their groups. */
function tagsOf(api: OpenApi): OpenApi['tags'] {
  const order = api['x-tagGroups'].flatMap(({ tags }) => tags)
  return api.tags.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
}

function operationsOf(tag: string, { paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export function toReference(document: JsonObject): string {
  const api = document as unknown as OpenApi
  const { schemas, responses, headers } = api.components
  const operationIds = Object.values(api.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId)
  const each = <T>(record: Record<string, T>, show: (name: string, value: T) => string) =>
    Object.entries(record)
      .map(([name, value]) => show(name, value))
      .join('\n')
  return [
    ...tagsOf(api).map((tag) => tagSection(tag, api)),
    '<section id="errors-of-operations"><h3>Errors of operations</h3><p>What every operation that names them answers.</p>',
    each(responses, (name, response) => entry('response', name, responseText(response, operationIds))),
    '</section>',
    '<section id="headers-of-answers"><h3>Headers of answers</h3><dl>',
    each(
      headers,
      (name, header) =>
        `<dt id="header-${name}"><code>${name}</code></dt><dd>${prose(header.description)}</dd>`,
    ),
    '</dl></section>',
    '<section id="schemas"><h3>Schemas</h3><p>What bodies are made of.</p>',
    each(schemas, (name, schema) => entry('schema', name, schemaText(schema))),
    '</section>',
    '',
  ].join('\n')
}

function tagSection({ name, 'x-displayName': title, description }: OpenApi['tags'][number], api: OpenApi) {
  const operations = operationsOf(name, api).map(({ method, path, operation }) =>
    operationText(method, path, operation, api),
  )
  const id = `operations-tag-${name}`
  return `<section class="tag" aria-labelledby="${id}"><h3 id="${id}">${escaped(title)}</h3>${prose(description)}\n${operations.join('\n')}\n</section>`
}

function operationText(method: string, path: string, operation: Published, api: OpenApi): string {
  const { operationId, summary, description, deprecated, security, tags } = operation
  const shown = escaped(path).replaceAll('/', '<wbr>/')
  const isOpen = security.length === 0
  const needed = (operations as Record<string, Operation>)[operationId]?.everythingWithout
  return `<details class="operation" id="operations-${tags[0]}-${operationId}">
<summary><h4><span class="method">${method}</span> <code>${shown}</code> <span class="title">${escaped(summary)}${deprecated ? ' (deprecated)' : ''}</span></h4></summary>
${prose(description)}
<form class="try" data-method="${method}" data-path="${escaped(path)}"${isOpen ? '' : ' data-token'}${needed ? ` data-everything-without="${needed}"` : ''}>
${parametersText(operation, api)}${bodyText(operation, api)}<p class="send"><button type="submit">Send</button> <button type="button" class="as-curl">Copy as curl</button></p>
<div class="answer" role="status"></div>
</form>
${answersText(operation, api)}
<h5>Samples</h5>
${operation['x-codeSamples'].map(({ label, source }) => code(label, source)).join('\n')}
</details>`
}

function parametersText({ operationId, parameters = [] }: Published, api: OpenApi): string {
  if (parameters.length === 0) return ''
  const fields = parameters.map((given) => {
    const parameter = '$ref' in given ? (api.components.parameters[nameOf(given.$ref)] as Parameter) : given
    const { name, in: place, required, description, schema, example } = parameter
    const id = `${operationId}-${name}`
    return `<div class="field"><label for="${id}"><code>${escaped(name)}</code></label> <small>${place}, ${typeOf(schema)}${required ? ', required' : ''}</small>
<div id="${id}-about">${prose(description)}</div>
${input(id, place, name, required === true, schema, example)}</div>`
  })
  return `<h5>Parameters</h5>\n${fields.join('\n')}\n`
}

function input(
  id: string,
  place: string,
  name: string,
  isRequired: boolean,
  schema: JsonObject,
  example: unknown,
): string {
  const attributes = `id="${id}" name="${escaped(name)}" data-in="${place}" aria-describedby="${id}-about"${isRequired ? ' required' : ''}`
  const values = schema.type === 'boolean' ? [true, false] : (schema.enum as unknown[] | undefined)
  if (values) {
    const options = values.map((value) => `<option>${escaped(String(value))}</option>`)
    return `<select ${attributes}><option value=""></option>${options.join('')}</select>`
  }
  return `<input ${attributes} placeholder="${escaped(String(example ?? ''))}" autocomplete="off" spellcheck="false">`
}

function bodyText({ operationId, requestBody }: Published, { components }: OpenApi): string {
  if (requestBody?.content[fileMediaType]) {
    const id = `${operationId}-body`
    return `<h5>Body</h5>
<p>${escaped(requestBody.description)}</p>
<label for="${id}">File to send</label>
<input type="file" id="${id}" name="file">
`
  }
  const content = requestBody?.content['application/json']
  if (!requestBody || !content) return ''
  const id = `${operationId}-body`
  const examples = Object.values(content.examples ?? {})
  const texts = examples.map(({ value }) => JSON.stringify(value, null, 2))
  const options = examples.map(
    ({ summary }, at) => `<option value="${escaped(texts[at] as string)}">${escaped(summary)}</option>`,
  )
  const choice =
    examples.length > 1
      ? `<label for="${id}-example">Example</label> <select id="${id}-example" class="example">${options.join('')}</select>\n`
      : ''
  const schema = components.schemas[nameOf(String(content.schema.$ref))] as JsonObject
  return `<h5>Body</h5>
<p>${typeOf(content.schema)}. ${escaped(requestBody.description)}</p>
${fieldsOf(schema)}
${choice}<label for="${id}">Body to send, as JSON</label>
<textarea id="${id}" name="body" rows="8" spellcheck="false">${escaped(texts[0] ?? '{}')}</textarea>
`
}

function answersText({ operationId, responses }: Published, api: OpenApi): string {
  const items = Object.entries(responses).map(([status, given]) => {
    if (!('$ref' in given)) return `<li><b>${status}</b> ${successText(given)}</li>`
    const name = nameOf(given.$ref)
    const response = api.components.responses[name] as Response
    const [sentence = ''] = response.description.split(/(?<=\.) /)
    const own = Object.entries(response.content ?? {}).flatMap(([, { examples = {} }]) =>
      examples[operationId] ? [code(examples[operationId].summary, json(examples[operationId].value))] : [],
    )
    return `<li><b>${status}</b> <a href="#response-${name}">${name}</a>: ${inline(sentence)}${own.join('')}</li>`
  })
  return `<h5>Answers</h5>\n<ul class="answers">\n${items.join('\n')}\n</ul>`
}

function successText(response: Response): string {
  const bodies = Object.entries(response.content ?? {}).map(
    ([mediaType, { schema, examples = {} }]) =>
      `<p><code>${mediaType}</code>: ${typeOf(schema)}</p>${Object.values(examples)
        .map(({ summary, value }) => code(summary, typeof value === 'string' ? value : json(value)))
        .join('')}`,
  )
  return `${inline(response.description)}${bodies.join('')}${headersText(response)}`
}

/** Without the examples that belong to one operation each, which are shown there. */
function responseText(response: Response, operationIds: string[]): string {
  const bodies = Object.values(response.content ?? {}).map(
    ({ schema, examples = {} }) =>
      `<p>${typeOf(schema)}</p>${Object.entries(examples)
        .filter(([name]) => !operationIds.includes(name))
        .map(([, { summary, value }]) => code(summary, json(value)))
        .join('')}`,
  )
  return `${prose(response.description)}${bodies.join('')}${headersText(response)}`
}

function headersText({ headers = {} }: Response): string {
  const names = Object.entries(headers).map(
    ([name, { $ref }]) => `<a href="#header-${nameOf($ref)}"><code>${name}</code></a>`,
  )
  return `<p>Headers: ${names.join(', ')}</p>`
}

function schemaText(schema: JsonObject): string {
  return `${prose(String(schema.description ?? ''))}${fieldsOf(schema)}`
}

function entry(kind: string, name: string, text: string): string {
  return `<details class="entry" id="${kind}-${name}"><summary><h4><code>${name}</code></h4></summary>${text}</details>`
}

/** A text to copy, under its title. */
function code(title: string, text: string): string {
  return `<figure><figcaption>${escaped(title)}</figcaption><pre tabindex="0"><code>${escaped(text)}</code></pre></figure>`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function prose(markdown: string): string {
  return marked.parse(markdown, { async: false })
}

function inline(markdown: string): string {
  return marked.parseInline(markdown, { async: false })
}
