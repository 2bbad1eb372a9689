import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/* Checks of tools other than generators use this: the reads of the document, with their requests and responses. */

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  example: string
}

interface Content {
  examples?: Record<string, { value: unknown }>
  schema?: { example?: unknown }
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  responses: Record<string, { content?: Record<string, Content> }>
}

const document: {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter> }
} = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))

export const operationIds = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
)

/** Every read with its address after the host, made of examples, and the examples of its answer. */
export const reads = Object.entries(document.paths).flatMap(([path, { get }]) => {
  if (!get) return []
  const parameters = (get.parameters ?? []).map((given) => {
    const name = given.$ref?.split('/').at(-1)
    return name === undefined ? given : (document.components.parameters[name] ?? given)
  })
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const filled = inPath.reduce((left, { name, example }) => left.replace(`{${name}}`, example), path)
  const query = new URLSearchParams(inQuery.map(({ name, example }) => [name, example]))
  const [answer] = Object.values(get.responses['200']?.content ?? {})
  const named = Object.values(answer?.examples ?? {}).map(({ value }) => value)
  const examples = [...named, answer?.schema?.example]
  return [{ operationId: get.operationId, address: `${filled}?${query}`, examples }]
})
