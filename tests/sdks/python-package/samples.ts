import { operations } from '../../../contract/index.ts'
import { programSamplesOf } from '../../../contract/kit/emit/program-samples.ts'
import type { JsonObject } from '../../../contract/kit/emit/schemas.ts'
import type { Operation } from '../../../contract/operation.ts'
import { endpoints, published, resolve } from '../../support/published.ts'

/* Prints the samples of the reference that use the package, each with the request that it has to send. */

const samples = endpoints.map(({ operation: { operationId, parameters = [] } }) => {
  const declared = (operations as Record<string, Operation>)[operationId] as Operation
  const given = parameters.map((parameter) => resolve(parameter)) as unknown as JsonObject[]
  const all = programSamplesOf(operationId, declared, published as unknown as JsonObject, given, {
    npm: 'bot-builder-client',
    python: 'bot_builder_client',
  })
  const source = all.find(({ label }) => label === 'Python package')?.source
  return { operationId, method: declared.method.toUpperCase(), path: declared.path, source }
})
console.log(JSON.stringify(samples))
