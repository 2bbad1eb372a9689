import openapiTS, { astToString } from 'openapi-typescript'
import { stringify } from 'yaml'
import { besides, events, information, operations, resources } from '../index.ts'
import type { Operation } from '../operation.ts'
import { toAssignability } from './assignability.ts'
import { toClient } from './client/package.ts'
import { editorSchemas } from './editor-schemas.ts'
import { formsOf } from './forms.ts'
import { toHandlers } from './handlers.ts'
import { toOpenApi } from './openapi.ts'
import { toOutcomes } from './outcomes.ts'
import { toOverlay } from './overlay.ts'
import { toPythonClient } from './python-client/package.ts'
import { toReference } from './reference.ts'
import { type JsonObject, nameOf } from './schemas.ts'
import { toTools } from './tools.ts'
import { toWorkflows } from './workflows.ts'

/** Text of every generated file by its path from the root of the project. */
export async function emit(): Promise<Record<string, string>> {
  const document = toOpenApi({ ...information, operations, besides, events })
  const options = { defaultNonNullable: false, alphabetize: true }
  const types = await openapiTS(forServer(document), options)
  // Clients distinguish blocks by type when they read, and rarely write one that the document does not know.
  const clientTypes = await openapiTS(copyOf(document) as unknown as Input, options)
  const streamItems = Object.fromEntries(
    Object.entries(operations).flatMap(([id, { success }]: [string, Operation]) =>
      success.otherMedia ? [[id, success.otherMedia.item]] : [],
    ),
  )
  return {
    'openapi.yaml': toYaml(document),
    ...Object.fromEntries(
      Object.entries(formsOf(document, streamItems)).map(([path, form]) => [path, toYaml(form)]),
    ),
    'generated/openapi-overlay.yaml': toYaml(toOverlay(document, operations)),
    'generated/arazzo.yaml': toYaml(toWorkflows(information.version)),
    ...Object.fromEntries(
      Object.entries(editorSchemas(document)).map(([name, schema]) => [
        `generated/schemas/${name}`,
        `${JSON.stringify(schema, null, 1)}\n`,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(toClient(document, operations, clientTypes)).map(([name, text]) => [
        `generated/client/${name}`,
        text,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(toPythonClient(document, operations)).map(([name, text]) => [
        `generated/python-client/${name}`,
        text,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(toReference(document)).map(([name, text]) => [`generated/reference/${name}`, text]),
    ),
    'generated/openapi.ts': `// Made by \`make generate\` from contract/. Do not edit.\n${astToString(types)}`,
    'generated/tools.json': toTools(),
    'generated/handlers.ts': toHandlers(resources),
    'generated/assignability.ts': toAssignability(operations),
    'generated/outcomes.json': `${JSON.stringify(toOutcomes(document, operations), null, 1)}\n`,
  }
}

function toYaml(document: JsonObject): string {
  const text = stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // YAML 1.1 parsers read unquoted timestamps as dates.
    compat: 'yaml-1.1',
  })
  return `# Made by \`make generate\` from contract/. Do not edit.\n${text}`
}

type Input = Parameters<typeof openapiTS>[0]

/** Copies a document, since openapi-typescript modifies its input. */
function copyOf(document: JsonObject): JsonObject & { components: { schemas: Record<string, JsonObject> } } {
  return structuredClone(document) as ReturnType<typeof copyOf>
}

/**
 * Removes the discriminator of unions with a branch for unknown tags. Otherwise the generator would take the name of
 * that branch as its only tag. The other branches still narrow by theirs.
 */
function forServer(document: JsonObject): Input {
  const copy = copyOf(document)
  for (const schema of Object.values(copy.components.schemas)) {
    const { mapping } = (schema.discriminator ?? { mapping: {} }) as { mapping: Record<string, string> }
    if (Object.entries(mapping).some(([value, reference]) => value === nameOf(reference))) {
      delete schema.discriminator
    }
  }
  return copy as unknown as Input
}
