import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type OperationId, operations, resources } from '../contract/index.ts'
import { fileMediaType, ownErrorsOf } from '../contract/kit/operation.ts'
import { root } from '../server/root.ts'
import {
  codeOfResponse,
  endpoints,
  type JsonSchema,
  mistakesInSchemas,
  mistakesOf,
  type PublishedContent,
  type PublishedOperation,
  type PublishedResponse,
  parametersOf,
  published,
  publishedText,
  readForm,
  resolve,
} from './support/published.ts'

/*
 * Promises of openapi.yaml to readers and generators, beyond its validity: it has all operations of the description,
 * names work in every language, and everything is described, bounded and shown by a valid example.
 */

const five = 'BAD_REQUEST UNAUTHORIZED FORBIDDEN NOT_FOUND INTERNAL_SERVER_ERROR'
const four = 'BAD_REQUEST UNAUTHORIZED FORBIDDEN INTERNAL_SERVER_ERROR'

test('every component is a JSON Schema, in every form', () => {
  const forms = [published, readForm('openapi-slim').readable, readForm('openapi-slim-3.0').readable]
  expect(forms.map(mistakesInSchemas)).toEqual([[], [], []])
  expect(mistakesInSchemas({ components: { schemas: { Odd: { type: 'texts' } } } } as never)).not.toEqual([])
})

test('the introduction shows valid examples to readers of the file alone', () => {
  const description = String(published.info.description)
  const shown = /`(\{"bot": .*?\}\})`/.exec(description)?.[1] ?? ''
  expect(mistakesOf(JSON.parse(shown), { $ref: '#/components/schemas/UpdateBotBody' })).toEqual([])
  const [, type = '', block] = /from `([a-z ]+)` to `(\w+)`/.exec(description) ?? []
  expect(published.components.schemas.Block?.discriminator?.mapping[type]).toBe(
    `#/components/schemas/${block}`,
  )
  for (const [, header = ''] of description.matchAll(/header `([A-Z][\w-]+)`/g)) {
    expect(publishedText).toMatch(new RegExp(`^ +(name: )?"?${header}"?:?$`, 'm'))
  }
})

/** The operations of the description with the codes that it lists. */
const described: [operationId: string, endpoint: string, codes: string][] = [
  ['listFolders', 'GET /v1/folders', five],
  ['getFolder', 'GET /v1/folders/{folderId}', five],
  ['updateFolder', 'PATCH /v1/folders/{folderId}', five],
  ['deleteFolder', 'DELETE /v1/folders/{folderId}', five],
  ['createWorkspace', 'POST /v1/workspaces', four],
  ['getWorkspace', 'GET /v1/workspaces/{workspaceId}', five],
  ['updateWorkspace', 'PATCH /v1/workspaces/{workspaceId}', five],
  ['deleteWorkspace', 'DELETE /v1/workspaces/{workspaceId}', five],
  ['listMembers', 'GET /v1/workspaces/{workspaceId}/members', five],
  ['createBot', 'POST /v1/bots', four],
  ['getBot', 'GET /v1/bots/{botId}', five],
  ['updateBot', 'PATCH /v1/bots/{botId}', five],
  ['deleteBot', 'DELETE /v1/bots/{botId}', five],
  ['publishBot', 'POST /v1/bots/{botId}/publish', four],
  ['unpublishBot', 'POST /v1/bots/{botId}/unpublish', four],
  ['getPublishedBot', 'GET /v1/bots/{botId}/publishedBot', five],
  ['listResults', 'GET /v1/bots/{botId}/results', five],
  ['getStats', 'GET /v1/bots/{botId}/analytics/stats', five],
  ['deleteResults', 'DELETE /v1/bots/{botId}/results', five],
  ['saveClientLogs', 'POST /api/v2/sessions/{sessionId}/clientLogs', 'BAD_REQUEST INTERNAL_SERVER_ERROR'],
]

/**
 * Codes that the description does not list: those of a body, conditions or a key, of limits, and of a database that is
 * away.
 */
const undescribed: Record<string, string[]> = {
  all: ['TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE', 'REQUEST_HEADER_FIELDS_TOO_LARGE'],
  body: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'],
  conditional: ['PRECONDITION_FAILED'],
  key: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
}

const takesKey = (operation: PublishedOperation) =>
  parametersOf(operation).some(({ name }) => name === 'Idempotency-Key')

test('every POST and PATCH with a token accepts an idempotency key, and of the others start chat alone', () => {
  for (const { method, operation } of endpoints) {
    const isWrite = (method === 'POST' || method === 'PATCH') && operation.security.length > 0
    const { operationId } = operation
    expect({ operationId, takesKey: takesKey(operation) }).toEqual({
      operationId,
      takesKey: isWrite || operationId === 'startChat',
    })
  }
})

describe('the description', () => {
  test.each(described)('%s: %s', (operationId, endpoint, codes) => {
    const [method, path] = endpoint.split(' ') as [string, string]
    const operation = published.paths[path]?.[method.toLowerCase()] as PublishedOperation
    expect(operation.operationId).toBe(operationId)
    const further = [
      ...(undescribed.all ?? []),
      ...(operation.requestBody ? (undescribed.body ?? []) : []),
      ...(parametersOf(operation).some(({ name }) => name === 'If-Match' || name === 'If-None-Match')
        ? (undescribed.conditional ?? [])
        : []),
      ...(takesKey(operation) ? (undescribed.key ?? []) : []),
    ]
    expect(codesOf(operation).sort()).toEqual([...codes.split(' '), ...further].sort())
  })

  test('contains the address of the page size and the filter', () => {
    const parametersAt = (path: string) => parametersOf(published.paths[path]?.get as PublishedOperation)
    const parameters = parametersAt('/v1/bots/{botId}/results')
    const limit = parameters.find(({ name }) => name === 'limit')
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
    const filters = ['today', 'last7Days', 'last30Days', 'monthToDate', 'lastMonth', 'yearToDate', 'allTime']
    const stats = parametersAt('/v1/bots/{botId}/analytics/stats')
    for (const list of [parameters, stats]) {
      expect(list.find(({ name }) => name === 'timeFilter')?.schema.enum).toEqual(filters)
    }
  })

  test('contains the shapes of an update, by version', () => {
    const { BotUpdate = {}, BotUpdateCurrent = {}, BotUpdateLegacy = {} } = published.components.schemas
    const versions = ({ discriminator }: JsonSchema) => Object.keys(discriminator?.mapping ?? {}).sort()
    expect(versions(BotUpdateCurrent)).toEqual(['6', '6.1'])
    expect(versions(BotUpdateLegacy)).toEqual(['3', '4', '5'])
    expect(versions(BotUpdate)).toEqual(['3', '4', '5', '6', '6.1'])
    const shapesOf = ({ oneOf = [] }: JsonSchema) => oneOf.map(({ $ref }) => $ref)
    expect(shapesOf(BotUpdate)).toEqual([...shapesOf(BotUpdateLegacy), ...shapesOf(BotUpdateCurrent)])
  })
})

describe('the document', () => {
  test('has the version that every reader supports', () => expect(published.openapi).toBe('3.1.0'))

  test('has its title, summary, version, contact, licence and terms', () => {
    const info = published.info as { license: object; contact: object }
    for (const key of [
      'title',
      'summary',
      'description',
      'version',
      'contact',
      'license',
      'termsOfService',
    ]) {
      expect(info).toHaveProperty(key)
    }
    expect(Object.keys(info.license).sort()).toEqual(['name', 'url'])
  })

  test('has no reference outside of itself', () => {
    const references = [...publishedText.matchAll(/\$ref: (.*)/g)].map(([, target]) => target ?? '')
    expect(references.filter((target) => !/^"?#\/components\//.test(target))).toEqual([])
  })

  test('has tags with a description and a display name, each in one group', () => {
    const tags = published.tags as { name: string; description: string; 'x-displayName'?: string }[]
    for (const { name, description, 'x-displayName': shown } of tags) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(description).toMatch(/^[A-Z].*\.$/)
      expect(shown).toBeTruthy()
    }
    const grouped = (published['x-tagGroups'] as { tags: string[] }[]).flatMap((group) => group.tags)
    expect(grouped.sort()).toEqual(tags.map(({ name }) => name).sort())
  })

  test('requires a bearer token and nothing else', () => {
    expect(published.components.securitySchemes).toEqual({
      bearerAuth: { type: 'http', scheme: 'bearer', description: expect.stringMatching(/token/) },
    })
  })

  test('has no unused component, beside released names and events of streams', () => {
    const unused = Object.entries(published.components).flatMap(([kind, components]) =>
      kind === 'securitySchemes'
        ? []
        : Object.keys(components)
            .map((name) => `#/components/${kind}/${name}`)
            .filter((reference) => !publishedText.includes(`"${reference}"`)),
    )
    const besides = ['BotUpdateCurrent', 'BotUpdateLegacy', 'ChatEvent']
    expect(unused).toEqual(besides.map((name) => `#/components/schemas/${name}`))
  })

  test('has no keyword that generators fail on', () => {
    const avoided = new Set([
      'allOf',
      'if',
      'then',
      'else',
      'patternProperties',
      'prefixItems',
      'propertyNames',
      'unevaluatedProperties',
      '$dynamicRef',
      'nullable',
      'const',
      'writeOnly',
    ])
    const found = schemas.flatMap(({ at, schema }) =>
      Object.keys(schema)
        .filter((keyword) => avoided.has(keyword))
        .map((keyword) => `${at}: ${keyword}`),
    )
    expect(found).toEqual([])
  })
})

const actingParameters = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'cursor']

/** Parameters besides those of paths that have to be sent, where they are not optional. */
const needed = ['workspaceId', 'fileName']

/** Bodies of JSON: a file is bytes, of which nothing can be said. */
function bodiesOf(content: Record<string, PublishedContent> = {}): PublishedContent[] {
  return Object.entries(content).flatMap(([media, one]) => (media === fileMediaType ? [] : [one]))
}

/** Words that no parameter may be called by, since some language keeps them for itself. */
const reserved =
  'class default delete enum export final function global import in interface new object package private public return static switch this type var'.split(
    ' ',
  )

const readme = readFileSync(new URL('contract/README.md', root), 'utf8')
const verbs = (/^- Verbs of operations: ([a-z,\s]+?)\./m.exec(readme)?.[1] ?? '').split(/,\s+/)

test('the resources of the contract have every operation, and no other', () => {
  const ofResources = Object.values(resources).flatMap((each) => Object.keys(each))
  expect(ofResources.sort()).toEqual(Object.keys(operations).sort())
})

describe.each(endpoints)('$operation.operationId', ({ operation, path }) => {
  test('has a name that is a verb of contract/README.md and a noun', () => {
    const [, verb = ''] = /^([a-z]+)[A-Z][A-Za-z0-9]*$/.exec(operation.operationId) ?? []
    const hint = `${operation.operationId} does not begin with one of the verbs listed in contract/README.md, followed by a noun`
    expect(verbs.includes(verb) ? '' : hint).toBe('')
  })

  test('has a summary, a description and one tag that is declared', () => {
    expect(operation.summary.length).toBeLessThanOrEqual(60)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.description).toMatch(/^[A-Z][\s\S]{18,}\.$/)
    expect(operation.tags).toHaveLength(1)
    expect(published.tags.map(({ name }) => name)).toContain(operation.tags[0])
  })

  test('has explicit statuses, one of them a success', () => {
    const statuses = Object.keys(operation.responses)
    expect(statuses.filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([])
    expect(statuses.filter((status) => status < '300')).toHaveLength(1)
    const isLenient = ['publishBot', 'unpublishBot', 'saveClientLogs'].includes(operation.operationId)
    expect(path.includes('{') && !statuses.includes('404')).toBe(isLenient)
  })

  test('has a request id on success and, where something is created, its address and links', () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers, links } = resolve(response) as PublishedResponse & { links?: object }
      expect(headers).toHaveProperty('X-Request-Id')
      expect(headers?.Location !== undefined).toBe(status === '201')
      expect(links !== undefined).toBe(status === '201')
    }
  })

  test('has its roles and scopes', () => {
    expect(operation.description).toMatch(/\n\nPermission: [a-z]/)
    const takesToken = codesOf(operation).includes('UNAUTHORIZED')
    expect(operation.security).toEqual(takesToken ? [{ bearerAuth: [] }] : [])
    const scope = operation['x-required-scope']
    const isForEveryToken = operation.description.includes(' by any token')
    const needsScope = takesToken && !isForEveryToken
    expect(published.components.schemas.TokenScope?.enum?.includes(scope) ?? false).toBe(needsScope)
    if (needsScope) expect(operation.description).toContain(`by a token with the scope \`${scope}\``)
  })

  test('documents every parameter of its path, and describes and types every parameter', () => {
    const parameters = parametersOf(operation)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath)
    for (const parameter of parameters) {
      expect(parameter.description).toMatch(/^[A-Z`][\s\S]*\.$/)
      // A header or cursor that changes what a request does has none: importers would send it.
      expect(parameter.example !== undefined).toBe(!actingParameters.includes(parameter.name))
      if (parameter.example !== undefined) {
        expect(mistakesOf(parameter.example, parameter.schema)).toEqual([])
      }
      expect(parameter.required).toBe(
        parameter.in === 'path' || (needed.includes(parameter.name) && parameter.required),
      )
      expect(parameter.name).toMatch(
        parameter.in === 'header' ? /^[A-Z][a-z]*(-[A-Z][a-z]+)*$/ : /^[a-z][A-Za-z]*$/,
      )
      expect(reserved).not.toContain(parameter.name)
      expect(['string', 'integer', 'boolean', 'array']).toContain(parameter.schema.type)
    }
  })

  test('has valid examples of its body and its success', () => {
    const { requestBody, responses } = operation
    const contents: PublishedContent[] = [
      ...bodiesOf(requestBody?.content),
      ...Object.entries(responses)
        .filter(([status]) => status < '400')
        .flatMap(([, response]) => Object.values(resolve(response).content ?? {})),
    ]
    for (const { schema, examples = {} } of contents) {
      expect(Object.keys(examples).length).toBeGreaterThan(0)
      for (const { summary, value } of Object.values(examples)) {
        expect(summary).toMatch(/^[A-Z].*[^.]$/)
        expect(mistakesOf(value, schema, 'closed')).toEqual([])
      }
    }
  })

  test('has a named component for every body', () => {
    const contents = [
      ...bodiesOf(operation.requestBody?.content),
      ...Object.values(operation.responses).flatMap((response) =>
        Object.entries(resolve(response).content ?? {}).flatMap(([media, content]) =>
          // Lines of JSON and events are texts.
          /[/+]json$/.test(media) ? [content] : [],
        ),
      ),
    ]
    const hint = 'a body has no name: give its schema .meta({ id, description })'
    for (const { schema } of contents) expect(schema.$ref ?? hint).toMatch(/^#\/components\/schemas\//)
  })

  test('has its named response for every error', () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status >= '400')
        expect(response).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\//) })
    }
  })
})

describe('names', () => {
  const ids = endpoints.map(({ operation }) => operation.operationId)
  const components = Object.keys(published.components.schemas)

  test.each([
    ['operations', ids],
    ['components', components],
  ])('in %s differ in more than case and punctuation', (_kind, names) => {
    const plain = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
    expect(plain.filter((name, at) => plain.indexOf(name) !== at)).toEqual([])
  })

  test('names of components are usable in any language', () => {
    const taken = [
      'Error',
      'Response',
      'Request',
      'File',
      'Headers',
      'Object',
      'Date',
      'Map',
      'Record',
      'Event',
    ]
    expect(components.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || taken.includes(name))).toEqual([])
  })
})

describe('errors', () => {
  const { NotModified: _, ...errorResponses } = published.components.responses
  test.each(Object.entries(errorResponses))('%s', (name, response) => {
    const code = codeOfResponse(response)
    const content = response.content?.['application/json'] as PublishedContent
    const schema = resolve(content.schema)
    expect(schema.required).toEqual(['code', 'message', 'issues'])
    expect(schema.properties?.code?.enum).toEqual([code])
    expect(response.headers).toHaveProperty('X-Request-Id')
    expect(name.toUpperCase()).toBe(code.replaceAll('_', ''))
    for (const { value } of Object.values(content.examples ?? {})) {
      expect(mistakesOf(value, content.schema, 'closed')).toEqual([])
    }
  })

  test('a conflict has an example for each operation that lists it, by its name, and those of keys', () => {
    const { content } = published.components.responses.Conflict as PublishedResponse
    const shown = Object.keys(content?.['application/json']?.examples ?? {})
    const own = endpoints.flatMap(({ operation: { operationId } }) =>
      ownErrorsOf(operations[operationId as OperationId]).includes('CONFLICT') ? [operationId] : [],
    )
    expect(own.length).toBeGreaterThan(3)
    expect(shown).toEqual([...own, 'inProgress', 'alreadyCreated'])
  })

  test('the codes of issues are an open list that programs can read', () => {
    const { IssueCode = {}, ErrorIssue } = published.components.schemas
    expect(ErrorIssue?.properties?.code).toEqual({ $ref: '#/components/schemas/IssueCode' })
    const codes = IssueCode['x-extensible-enum'] as string[]
    expect(codes).toEqual(expect.arrayContaining(['custom', 'conflict', 'invalid_type']))
    expect(IssueCode.enum).toBeUndefined()
    for (const code of codes) expect(IssueCode.description).toContain(`- \`${code}\`: `)
  })

  test('the five of the description have its texts', () => {
    const texts = Object.values(errorResponses).map((response) => {
      const [example] = Object.values(response.content?.['application/json']?.examples ?? {})
      return example?.value as { code: string; message: string }
    })
    expect(Object.fromEntries(texts.map(({ code, message }) => [code, message]))).toMatchObject({
      BAD_REQUEST: 'Invalid input data',
      UNAUTHORIZED: 'Authorization not provided',
      FORBIDDEN: 'Insufficient access',
      NOT_FOUND: 'Not found',
      INTERNAL_SERVER_ERROR: 'Internal server error',
    })
  })
})

/** Every schema of the document that stands by itself, with where it is. */
const schemas = [
  ...Object.entries(published.components.schemas).flatMap(([name, schema]) => within(name, schema)),
  ...endpoints.flatMap(({ operation }) =>
    parametersOf(operation).flatMap(({ name, schema }) => within(`${operation.operationId}?${name}`, schema)),
  ),
]

describe('schemas', () => {
  test('a text has a maximal length, and a pattern, a format or values', () => {
    const unbounded = schemas.filter(
      ({ schema }) =>
        typesOf(schema).includes('string') &&
        schema.enum === undefined &&
        (schema.maxLength === undefined || (schema.pattern ?? schema.format) === undefined),
    )
    expect(placesOf(unbounded)).toEqual([])
  })

  test('e-mail addresses have a pattern and no format, since that of the standard is one of ASCII alone', () => {
    expect(placesOf(schemas.filter(({ schema }) => schema.format === 'email'))).toEqual([])
    expect(schemas.filter(({ schema }) => String(schema.pattern).includes(')*@[')).length).toBeGreaterThan(1)
  })

  test('patterns of request bodies exclude U+0000, which no text may contain', () => {
    const taking = schemas.filter(({ schema }) => {
      const { pattern, format, readOnly } = schema
      return !format && !readOnly && /\[\^(?!\\x00)/.test(String(pattern ?? '').replaceAll('^\\s*', ''))
    })
    expect(placesOf(taking)).toEqual([])
  })

  test('patterns work in every engine', () => {
    const special = schemas.filter(({ schema }) =>
      /\(\?[=!<]|\\[1-9pPkbBu]|\[\[:/.test(String(schema.pattern ?? '')),
    )
    expect(placesOf(special)).toEqual([])
  })

  test('integers have a format and bounds', () => {
    const unbounded = schemas.filter(
      ({ schema }) =>
        typesOf(schema).includes('integer') &&
        [schema.format, schema.minimum, schema.maximum].includes(undefined),
    )
    expect(placesOf(unbounded)).toEqual([])
  })

  test('every single number has the format double, so that clients keep all of its digits', () => {
    const isBranch = /\|\d+$/
    const narrow = schemas.filter(
      ({ at, schema }) =>
        typesOf(schema).includes('number') && schema.format !== (isBranch.test(at) ? undefined : 'double'),
    )
    expect(placesOf(narrow)).toEqual([])
  })

  test('no number is one that a client in JavaScript would round', () => {
    const bounds = ['minimum', 'maximum'].flatMap((bound) =>
      schemas.map(({ at, schema }) => ({ at, value: Number(schema[bound] ?? 0) })),
    )
    expect(bounds.filter(({ value }) => Math.abs(value) > Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('objects are named components', () => {
    const nameless = schemas.filter(({ schema, isComponent }) => !isComponent && schema.properties)
    expect(placesOf(nameless)).toEqual([])
  })

  test('lists have a maximal length, and entries of one kind', () => {
    const unbounded = schemas.filter(
      ({ schema }) =>
        typesOf(schema).includes('array') && (schema.maxItems === undefined || schema.items === undefined),
    )
    expect(placesOf(unbounded)).toEqual([])
  })

  test('maps have a maximal size', () => {
    const unbounded = schemas.filter(
      ({ schema }) =>
        schema.properties === undefined && schema.additionalProperties && schema.maxProperties === undefined,
    )
    expect(placesOf(unbounded)).toEqual([])
  })

  test('every union of objects has a property that tells them apart', () => {
    const vague = schemas.filter(({ schema }) => {
      const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
      const objects = branches.filter((branch) => typesOf(resolve(branch)).includes('object'))
      if (objects.length < 2) return false
      const isMixed = objects.length < branches.length
      return schema.anyOf !== undefined || !(isMixed ? isToldApart(objects) : isFullyMapped(schema))
    })
    expect(placesOf(vague)).toEqual([])
  })

  test('no union is within another one, beside null or one text', () => {
    const nested = schemas.filter(({ schema }) => {
      const branches = (schema.oneOf ?? []).filter(
        (branch) => !['null', 'string'].includes(String(resolve(branch).type)),
      )
      return branches.length > 1 && branches.some((branch) => resolve(branch).oneOf)
    })
    expect(placesOf(nested)).toEqual([])
  })

  test('a message is a text or one tagged union, each a component', () => {
    const { Message = {}, StructuredMessage = {} } = published.components.schemas
    expect(Message.oneOf?.map(({ $ref }) => $ref?.split('/').at(-1))).toEqual([
      'PlainMessage',
      'StructuredMessage',
    ])
    expect(isFullyMapped(StructuredMessage)).toBe(true)
    // Validators that follow the discriminator in place of the branches would accept a text for it without.
    expect(StructuredMessage.type).toBe('object')
  })

  test('no union is of texts and lists', () => {
    const mixed = schemas.filter(({ schema }) =>
      schema.oneOf?.some((branch) => typesOf(branch).includes('array')),
    )
    expect(placesOf(mixed)).toEqual([])
  })

  test('no value of a list of values is null or empty', () => {
    const odd = schemas.filter(({ schema }) => schema.enum?.some((value) => value === null || value === ''))
    expect(placesOf(odd)).toEqual([])
  })

  test('every component and every property is described', () => {
    const silent = schemas.filter(
      ({ schema, isNamed }) => isNamed && !('$ref' in schema) && typeof schema.description !== 'string',
    )
    expect(placesOf(silent)).toEqual([])
  })

  test('components and responses have descriptions of at least twenty characters, as linters require', () => {
    const components = Object.values(published.components.schemas).map(({ description }) => description)
    const responses = endpoints.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((response) =>
        'description' in response ? [response.description] : [],
      ),
    )
    const short = [...components, ...responses].filter((text) => typeof text === 'string' && text.length < 20)
    expect(short).toEqual([])
  })

  test('every property without a type has a valid example', () => {
    const shown = schemas.filter(({ schema, isProperty }) => {
      const types = typesOf(schema).filter((type) => type !== 'null')
      return (
        isProperty && !schema.enum && types.some((type) => ['string', 'number', 'integer'].includes(type))
      )
    })
    expect(placesOf(shown.filter(({ schema }) => !('example' in schema)))).toEqual([])
    const wrong = schemas.filter(
      ({ schema }) => schema.example !== undefined && mistakesOf(schema.example, schema).length > 0,
    )
    expect(placesOf(wrong)).toEqual([])
  })

  test('schemas of requests are closed, except for flow documents and their like', () => {
    const isClosed = (schema: JsonSchema): boolean => {
      const { additionalProperties, oneOf } = resolve(schema)
      return additionalProperties === false || oneOf?.every(isClosed) === true
    }
    const open = endpoints.flatMap(({ operation }) =>
      Object.values(operation.requestBody?.content ?? {}).filter(({ schema }) => !isClosed(schema)),
    )
    expect(open.map(({ schema }) => schema.$ref)).toEqual([
      '#/components/schemas/WebhookData',
      '#/components/schemas/ChatwootEvent',
    ])
  })
})

function codesOf(operation: PublishedOperation): string[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status >= '400')
    .map(([, response]) => codeOfResponse(response))
}

interface Place {
  at: string
  schema: JsonSchema
  isComponent: boolean
  isNamed: boolean
  isProperty: boolean
}

function within(
  at: string,
  schema: JsonSchema,
  kind: 'component' | 'property' | 'part' = 'component',
): Place[] {
  return [
    {
      at,
      schema,
      isComponent: kind === 'component',
      isNamed: kind !== 'part' && !at.includes('?'),
      isProperty: kind === 'property',
    },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      within(`${at}.${name}`, inner, 'property'),
    ),
    ...(schema.items ? within(`${at}[]`, schema.items, 'part') : []),
    ...(typeof schema.additionalProperties === 'object'
      ? within(`${at}{}`, schema.additionalProperties, 'part')
      : []),
    ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((branch, index) =>
      within(`${at}|${index}`, branch, 'part'),
    ),
  ]
}

function placesOf(places: Place[]): string[] {
  return places.map(({ at }) => at)
}

function typesOf({ type }: JsonSchema): string[] {
  return Array.isArray(type) ? type : type === undefined ? [] : [type]
}

/** Beside a text there is no mapping: each branch then has one value of its own for a type that it must have. */
function isToldApart(objects: JsonSchema[]): boolean {
  const values = objects.map((branch) => {
    const { properties, required, additionalProperties } = resolve(branch)
    const isTagged = (required as string[]).includes('type') && additionalProperties === false
    return isTagged && properties?.type?.enum?.length === 1 ? properties.type.enum[0] : undefined
  })
  return !values.includes(undefined) && new Set(values).size === values.length
}

/**
 * Returns true if every branch is named by its only value of the tag. One branch may go by its own name: that of all
 * values that no other branch has.
 */
function isFullyMapped({ oneOf = [], discriminator }: JsonSchema): boolean {
  if (!discriminator) return false
  const branches = oneOf.filter((branch) => branch.$ref)
  const { propertyName, mapping } = discriminator
  const tags = Object.entries(mapping).map(([value, reference]) => {
    const branch = resolve<JsonSchema>({ $ref: reference })
    const tag = branch.properties?.[propertyName]
    return { value, reference, tag, isRequired: (branch.required as string[]).includes(propertyName) }
  })
  const named = tags.filter(({ value, tag }) => tag?.enum?.length === 1 && tag.enum[0] === value)
  const rest = tags.filter((one) => !named.includes(one))
  const isDisjoint = rest.every(({ value, reference, tag }) => {
    const excluded = (tag?.not as JsonSchema | undefined)?.enum ?? []
    return reference.endsWith(`/${value}`) && named.every((one) => excluded.includes(one.value))
  })
  return (
    tags.every(({ isRequired }) => isRequired) &&
    rest.length <= 1 &&
    isDisjoint &&
    branches.every(({ $ref }) => tags.some(({ reference }) => reference === $ref))
  )
}
