import type { Caller, Client } from '../support/client.ts'
import {
  type Endpoint,
  endpoints,
  mistakesOf,
  type PublishedParameter,
  type PublishedResponse,
  parametersOf,
  resolve,
} from '../support/published.ts'

/*
 * A client made of openapi.yaml and nothing else: method, address, credentials, parameters and body of every
 * request are what the document shows. Its examples tell one story, in which the id that a creation answers is
 * the id that is read later; the client keeps what each of them is in reality, and sends that.
 */

export interface ExampleCall {
  /** The name of the example of the body; absent sends none. */
  example?: string
  /** Optional parameters of the query, in place of those that are shown; then nothing is learned of the answer. */
  query?: Record<string, unknown>
}

interface Link {
  operationId: string
  parameters: Record<string, string>
}

/** Values of the examples that stand for records of the service. */
const references = new Set(
  endpoints.flatMap(({ operation }) => parametersOf(operation).map(({ example }) => example)),
)

export class ExampleClient {
  /** Value of this service for each value of the examples. */
  private readonly real = new Map<unknown, string>()

  constructor(
    private readonly service: Pick<Client, 'send'>,
    private readonly caller: Caller,
  ) {}

  /** Says what an example is, where no operation can. */
  let(example: string, value: string) {
    this.real.set(example, value)
  }

  /**
   * Calls an operation as its examples show it and gives the body of the answer. Throws unless request and
   * answer are as documented, and the answer is a success.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  async call(operationId: string, { example, query }: ExampleCall = {}): Promise<any> {
    const endpoint = endpoints.find(({ operation }) => operation.operationId === operationId)
    if (!endpoint) throw new Error(`The document has no operation ${operationId}`)
    const { method, operation } = endpoint
    const target = this.targetOf(endpoint, query)
    const isSecured = operation.security.some((scheme) => 'bearerAuth' in scheme)
    const { status, text, body } = await this.service.send(method, target, {
      as: isSecured ? this.caller : undefined,
      body: this.bodyOf(endpoint, example),
    })
    if (status >= 400) throw new Error(`${operationId} answered ${status}: ${text}`)
    if (!query) this.learn(endpoint, status, body)
    return body
  }

  private targetOf({ path, operation }: Endpoint, query?: Record<string, unknown>): string {
    const parameters = parametersOf(operation)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
      return encodeURIComponent(String(this.valueOf(parameter as PublishedParameter)))
    })
    const search = new URLSearchParams()
    for (const parameter of parameters.filter((one) => one.in === 'query')) {
      const { name, required, schema } = parameter
      const value = query && !required ? query[name] : this.valueOf(parameter)
      if (value === undefined) continue
      refuse(`${operation.operationId}?${name}`, mistakesOf(value, schema))
      search.set(name, String(value))
    }
    return search.size > 0 ? `${filled}?${search}` : filled
  }

  /** A cursor stands for a place in a list: there is none to show before a page has been read. */
  private valueOf({ name, example }: PublishedParameter): unknown {
    return this.real.get(example) ?? (name === 'cursor' ? undefined : example)
  }

  private bodyOf({ operation }: Endpoint, example?: string): unknown {
    const content = operation.requestBody?.content['application/json']
    if (example === undefined) {
      if (operation.requestBody?.required) throw new Error(`${operation.operationId} needs a body`)
      return undefined
    }
    const shown = content?.examples?.[example]
    if (!shown) throw new Error(`${operation.operationId} has no example ${example}`)
    const body = JSON.parse(JSON.stringify(shown.value, (_, value) => this.real.get(value) ?? value))
    refuse(`The body of ${operation.operationId}`, mistakesOf(body, content.schema, 'closed'))
    return body
  }

  /** Takes from an answer what its example calls otherwise, and sees that the links lead to the same. */
  private learn({ operation }: Endpoint, status: number, body: unknown) {
    const { content, links = {} } = resolve(
      operation.responses[status] as PublishedResponse & { links?: Record<string, Link> },
    )
    for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
      this.compare(value, body)
    }
    for (const link of Object.values(links)) {
      const target = endpoints.find((one) => one.operation.operationId === link.operationId)
      if (!target)
        throw new Error(`${operation.operationId} links to ${link.operationId}, which is not there`)
      for (const parameter of parametersOf(target.operation).filter((one) => one.name in link.parameters)) {
        const linked = atPointer(body, link.parameters[parameter.name] as string)
        if (linked === undefined || linked !== this.valueOf(parameter)) {
          throw new Error(`${operation.operationId} links to ${link.operationId} by ${linked}`)
        }
      }
    }
  }

  private compare(example: unknown, actual: unknown, key?: string) {
    if (typeof example === 'object' && typeof actual === 'object' && example && actual) {
      for (const [name, value] of Object.entries(example)) {
        this.compare(value, (actual as Record<string, unknown>)[name], name)
      }
    } else if (
      typeof actual === 'string' &&
      (references.has(example) || key === 'updatedAt' || key === 'deviceCode')
    ) {
      this.real.set(example, actual)
    }
  }
}

/** Returns the value of a body that `$response.body#/bot/id` points to. */
function atPointer(body: unknown, expression: string): unknown {
  const [, path = ''] = /^\$response\.body#\/(.+)$/.exec(expression) ?? []
  return path.split('/').reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], body)
}

function refuse(what: string, mistakes: string[]) {
  if (mistakes.length > 0) throw new Error([`${what} is not as documented:`, ...mistakes].join('\n'))
}
