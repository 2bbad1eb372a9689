import openapiTS, { astToString } from 'openapi-typescript'
import { stringify } from 'yaml'
import { toAssignability } from '../../../contract/kit/emit/assignability.ts'
import { type ClientPackage, toClient } from '../../../contract/kit/emit/client/package.ts'
import { toHandlers } from '../../../contract/kit/emit/handlers.ts'
import { toOpenApi } from '../../../contract/kit/emit/openapi.ts'
import { toReference } from '../../../contract/kit/emit/reference.ts'
import { books, type Operation, operations, shelves, source } from './contract.ts'

/* Everything that the kit makes of the contract. */

const head = '// Made by `make generate` from the contract. Do not edit.'
const modules = { head, contract: '../contract.ts', kit: '../../../../contract/kit', wire: './openapi.ts' }

const clientPackage: ClientPackage = {
  head,
  name: 'library-client',
  description: 'Client of the library.',
  keywords: ['library'],
  license: 'MIT',
  readme: '# library-client {{version}}\n\n{{methods}}\n',
  errors: source.errors,
}

export const document = toOpenApi(source)

/** Texts of the files that are committed, by name. */
export async function emitFiles(): Promise<Record<string, string>> {
  return {
    'openapi.yaml': stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
    'openapi.ts': `${head}\n${astToString(await wireTypes())}`,
    'handlers.ts': toHandlers<Operation>({ shelves, books }, { ...modules, handler: '../contract.ts' }),
    'assignability.ts': toAssignability(operations, modules),
  }
}

export async function emitClient(): Promise<Record<string, string>> {
  return toClient(document, operations, await wireTypes(), clientPackage)
}

export function emitReference(): Record<string, string> {
  return toReference(document, operations, { npm: clientPackage.name })
}

function wireTypes() {
  const copy = structuredClone(document) as unknown as Parameters<typeof openapiTS>[0]
  return openapiTS(copy, { defaultNonNullable: false, alphabetize: true })
}
