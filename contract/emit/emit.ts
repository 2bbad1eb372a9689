import openapiTS, { astToString } from 'openapi-typescript'
import { stringify } from 'yaml'
import { botUpdateAliases } from '../bots/schemas.ts'
import { information, operations, resources } from '../index.ts'
import { toHandlers } from './handlers.ts'
import { toOpenApi } from './openapi.ts'

/** Every generated file by its path from the top of the project, with its text. */
export async function emit(): Promise<Record<string, string>> {
  const document = toOpenApi({ ...information, operations, components: botUpdateAliases })
  // It writes into the document it reads.
  const types = await openapiTS(structuredClone(document) as unknown as Parameters<typeof openapiTS>[0], {
    defaultNonNullable: false,
    alphabetize: true,
  })
  return {
    'openapi.yaml': `# Made by \`make generate\` from contract/. Do not edit.\n${stringify(document, {
      aliasDuplicateObjects: false,
      lineWidth: 0,
      // Readers of YAML 1.1 would take unquoted times for dates.
      compat: 'yaml-1.1',
    })}`,
    'generated/openapi.ts': `// Made by \`make generate\` from contract/. Do not edit.\n${astToString(types)}`,
    'generated/handlers.ts': toHandlers(resources),
  }
}
