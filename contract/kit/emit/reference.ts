import { marked } from 'marked'
import { fileMediaType, type Operation } from '../operation.ts'
import { type ClientPackages, programSamplesOf } from './program-samples.ts'
import { escapeText, fieldsOf, typeOf } from './reference-types.ts'
import { type JsonObject, nameOf } from './schemas.ts'

/*
 * Renders the document as HTML for the pages below `/docs`. Every operation and every component is there once, and is
 * readable without a script. Links begin with `/docs`; the server makes them relative.
 */

interface OpenApi {
  tags: { name: string; 'x-displayName': string; description: string }[]
  'x-tagGroups': { tags: string[] }[]
  paths: Record<string, Record<string, Published>>
  webhooks?: Record<string, { post: Published }>
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

/** One page of the reference. */
interface ReferencePage {
  /** The last part of its address. */
  name: string
  title: string
  /** One or two sentences for previews of links. */
  description: string
}

/** Files of the reference by name: a page for each resource, the table of contents, and the search index. */
export function toReference(
  document: JsonObject,
  operations: Record<string, Operation>,
  packages: ClientPackages,
): Record<string, string> {
  const api = document as unknown as OpenApi
  const events = api.webhooks ?? {}
  const { version } = document.info as { version: string }
  const { schemas, responses, headers } = api.components
  const operationIds = Object.values(api.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId)
  const each = <T>(record: Record<string, T>, show: (name: string, value: T) => string) =>
    Object.entries(record)
      .map(([name, value]) => show(name, value))
      .join('\n')
  const tags = tagsOf(api).filter(({ name }) => operationsOf(name, api).length > 0)
  const pages: ReferencePage[] = [
    ...tags.map(({ name, 'x-displayName': title, description }) => ({ name, title, description })),
    ...(api.webhooks
      ? [
          {
            name: 'events',
            title: 'Events',
            description: 'Events that the service posts to webhook endpoints.',
          },
        ]
      : []),
    {
      name: 'errors',
      title: 'Errors and headers',
      description: 'Errors and headers that the operations share.',
    },
    { name: 'schemas', title: 'Schemas', description: 'Components of the bodies of requests and responses.' },
  ]
  const errors = [
    '<h2 id="errors-of-operations">Errors of operations</h2><p>Responses of every operation that names them.</p>',
    each(responses, (name, response) => entry('response', name, responseText(response, operationIds))),
    '<h2 id="headers-of-responses">Headers of responses</h2><dl>',
    each(
      headers,
      (name, header) =>
        `<dt id="header-${name}"><code>${name}</code></dt><dd>${prose(header.description)}</dd>`,
    ),
    '</dl>',
  ]
  return {
    'pages.json': `${JSON.stringify({ version, pages }, null, 1)}\n`,
    'search.json': `${JSON.stringify(searchedOf(document, tags))}\n`,
    'contents.html': tags.map((tag) => contentsOf(tag, api)).join(''),
    ...Object.fromEntries(
      tags.map((tag) => [`${tag.name}.html`, tagSection(tag, document, operations, packages)]),
    ),
    ...(api.webhooks
      ? { 'events.html': each(events, (name, { post }) => entry('event', name, eventText(post, api))) }
      : {}),
    'errors.html': errors.join('\n'),
    'schemas.html': each(schemas, (name, schema) => entry('schema', name, schemaText(schema))),
  }
}

function contentsOf({ name, 'x-displayName': title }: OpenApi['tags'][number], api: OpenApi): string {
  const items = operationsOf(name, api).map(
    ({ path, method, operation: { operationId, summary } }) =>
      `<li><a href="/docs/${name}#${operationId}" title="${method} ${escapeText(path)}">${escapeText(summary)}</a></li>`,
  )
  return `<h3><a href="/docs/${name}">${escapeText(title)}</a></h3>\n<ul>\n${items.join('\n')}\n</ul>\n`
}

/** Entry of the search index. `hint` is shown beside the title; `text` is searched. */
type Searched = [title: string, href: string, hint: string, text: string]

function searchedOf(document: JsonObject, tags: OpenApi['tags']): Searched[] {
  const api = document as unknown as OpenApi
  const wordsOf = (schema: JsonObject = {}) =>
    Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(
      ([name, { description }]) => `${name} ${description ?? ''}`,
    )
  const ofOperations = tags.flatMap((tag) =>
    operationsOf(tag.name, api).map(({ method, path, operation }): Searched => {
      const { operationId, summary, description, requestBody } = operation
      const parameters = parametersOf(operation, api).map((one) => `${one.name} ${one.description}`)
      const { $ref } = requestBody?.content['application/json']?.schema ?? {}
      const fields = wordsOf(api.components.schemas[nameOf(String($ref))])
      const text = [operationId, description, ...parameters, ...fields].join(' ')
      return [summary, `/docs/${tag.name}#${operationId}`, `${method} ${path}`, text]
    }),
  )
  const ofSchemas = Object.entries(api.components.schemas).map(([name, schema]): Searched => {
    const text = [schema.description ?? '', ...wordsOf(schema)].join(' ')
    return [name, `/docs/schemas#schema-${name}`, 'schema', text]
  })
  const ofEvents = Object.entries(api.webhooks ?? {}).map(
    ([name, { post }]): Searched => [name, `/docs/events#event-${name}`, 'event', post.description],
  )
  return [...ofOperations, ...ofEvents, ...ofSchemas]
}

/** Tags in the order of their groups. */
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

function tagSection(
  { name, description }: OpenApi['tags'][number],
  document: JsonObject,
  operations: Record<string, Operation>,
  packages: ClientPackages,
): string {
  const texts = operationsOf(name, document as unknown as OpenApi).map(({ method, path, operation }) =>
    operationText(
      method,
      path,
      operation,
      operations[operation.operationId] as Operation,
      document,
      packages,
    ),
  )
  return `${prose(description)}\n${texts.join('\n')}\n`
}

function operationText(
  method: string,
  path: string,
  operation: Published,
  declared: Operation,
  document: JsonObject,
  packages: ClientPackages,
): string {
  const api = document as unknown as OpenApi
  const { operationId, summary, description, deprecated, security } = operation
  const shown = escapeText(path).replaceAll('/', '<wbr>/')
  const isOpen = security.length === 0
  const needed = declared.everythingWithout
  const samples = [
    ...operation['x-codeSamples'],
    ...programSamplesOf(
      operationId,
      declared,
      document,
      parametersOf(operation, api) as unknown as JsonObject[],
      packages,
    ),
  ]
  return `<details class="operation" id="${operationId}">
<summary><h2><span class="method ${method.toLowerCase()}">${method}</span> <code>${shown}</code> <span class="title">${escapeText(summary)}${deprecated ? ' (deprecated)' : ''}</span></h2></summary>
<div class="sides">
<div>
${prose(description)}
</div>
<div class="samples">
<h3>Samples</h3>
${samples.map(({ label, source }) => `<figure data-language="${label}"><figcaption>${label}</figcaption><pre tabindex="0"><code>${escapeText(source)}</code></pre></figure>`).join('\n')}
</div>
</div>
<form class="try" data-method="${method}" data-path="${escapeText(path)}"${isOpen ? '' : ' data-token'}${needed ? ` data-everything-without="${needed}"` : ''}>
${parametersText(operation, api)}${bodyText(operation, api)}<p class="send"><button type="submit">Send</button> <button type="button" class="as-curl">Copy as curl</button></p>
<div class="answer" role="status"></div>
</form>
${responsesText(operation, api)}
</details>`
}

function parametersOf({ parameters = [] }: Published, api: OpenApi): Parameter[] {
  return parameters.map((given) =>
    '$ref' in given ? (api.components.parameters[nameOf(given.$ref)] as Parameter) : given,
  )
}

function parametersText(operation: Published, api: OpenApi): string {
  const parameters = parametersOf(operation, api)
  if (parameters.length === 0) return ''
  const fields = parameters.map(({ name, in: place, required, description, schema, example }) => {
    const id = `${operation.operationId}-${name}`
    return `<div class="field"><label for="${id}"><code>${escapeText(name)}</code></label> <small>${place}, ${typeOf(schema)}${required ? ', required' : ''}</small>
<div id="${id}-about">${prose(description)}</div>
${input(id, place, name, required === true, schema, example)}</div>`
  })
  return `<h3>Parameters</h3>\n${fields.join('\n')}\n`
}

function input(
  id: string,
  place: string,
  name: string,
  isRequired: boolean,
  schema: JsonObject,
  example: unknown,
): string {
  const attributes = `id="${id}" name="${escapeText(name)}" data-in="${place}" aria-describedby="${id}-about"${isRequired ? ' required' : ''}`
  const values = schema.type === 'boolean' ? [true, false] : (schema.enum as unknown[] | undefined)
  if (values) {
    const options = values.map((value) => `<option>${escapeText(String(value))}</option>`)
    return `<select ${attributes}><option value=""></option>${options.join('')}</select>`
  }
  return `<input ${attributes} placeholder="${escapeText(String(example ?? ''))}" autocomplete="off" spellcheck="false">`
}

function bodyText({ operationId, requestBody }: Published, { components }: OpenApi): string {
  if (requestBody?.content[fileMediaType]) {
    const id = `${operationId}-body`
    return `<h3>Body</h3>
<p>${escapeText(requestBody.description)}</p>
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
    ({ summary }, at) => `<option value="${escapeText(texts[at] as string)}">${escapeText(summary)}</option>`,
  )
  const choice =
    examples.length > 1
      ? `<label for="${id}-example">Example</label> <select id="${id}-example" class="example">${options.join('')}</select>\n`
      : ''
  const schema = components.schemas[nameOf(String(content.schema.$ref))] as JsonObject
  return `<h3>Body</h3>
<p>${typeOf(content.schema)}. ${escapeText(requestBody.description)}</p>
${fieldsOf(schema)}
${choice}<label for="${id}">Body to send, as JSON</label>
<textarea id="${id}" name="body" rows="8" spellcheck="false">${escapeText(texts[0] ?? '{}')}</textarea>
`
}

function responsesText({ operationId, responses }: Published, api: OpenApi): string {
  const items = Object.entries(responses).map(([status, given]) => {
    if (!('$ref' in given)) return `<li><b>${status}</b> ${successText(given, api)}</li>`
    const name = nameOf(given.$ref)
    const response = api.components.responses[name] as Response
    const [sentence = ''] = response.description.split(/(?<=\.) /)
    const own = Object.entries(response.content ?? {}).flatMap(([, { examples = {} }]) =>
      examples[operationId] ? [code(examples[operationId].summary, json(examples[operationId].value))] : [],
    )
    return `<li><b>${status}</b> <a href="/docs/errors#response-${name}">${name}</a>: ${inline(sentence)}${own.join('')}</li>`
  })
  return `<h3>Responses</h3>\n<ul class="responses">\n${items.join('\n')}\n</ul>`
}

function successText(response: Response, api: OpenApi): string {
  const bodies = Object.entries(response.content ?? {}).map(
    ([mediaType, { schema, examples = {} }]) =>
      `<p><code>${mediaType}</code>: ${typeOf(schema)}</p>${schema.$ref ? fieldsOf(api.components.schemas[nameOf(String(schema.$ref))] as JsonObject) : ''}${Object.values(
        examples,
      )
        .map(({ summary, value }) => code(summary, typeof value === 'string' ? value : json(value)))
        .join('')}`,
  )
  return `${inline(response.description)}${bodies.join('')}${headersText(response)}`
}

/** Renders a response without the examples of single operations, which are shown at these. */
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
    ([name, { $ref }]) => `<a href="/docs/errors#header-${nameOf($ref)}"><code>${name}</code></a>`,
  )
  return `<p>Headers: ${names.join(', ')}</p>`
}

function eventText({ description, requestBody }: Published, { components }: OpenApi): string {
  const content = requestBody?.content['application/json'] as Content
  const schema = components.schemas[nameOf(String(content.schema.$ref))] as JsonObject
  const examples = Object.values(content.examples ?? {})
  return `${prose(description)}<p>${typeOf(content.schema)}</p>${fieldsOf(schema)}${examples.map(({ value }) => code('Body', json(value))).join('')}`
}

function schemaText(schema: JsonObject): string {
  return `${prose(String(schema.description ?? ''))}${fieldsOf(schema)}`
}

function entry(kind: string, name: string, text: string): string {
  return `<details class="entry" id="${kind}-${name}"><summary><h3><code>${name}</code></h3></summary>${text}</details>`
}

/** Renders a text to copy, under its title. */
function code(title: string, text: string): string {
  return `<figure><figcaption>${escapeText(title)}</figcaption><pre tabindex="0"><code>${escapeText(text)}</code></pre></figure>`
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
