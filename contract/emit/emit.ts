import openapiTS, { astToString } from 'openapi-typescript'
import { stringify } from 'yaml'
import { information, operations, resources } from '../index.ts'
import { type OpenUnions, toAssignability } from '../kit/emit/assignability.ts'
import { toClient } from '../kit/emit/client/package.ts'
import { formsOf } from '../kit/emit/forms.ts'
import { type HandlerModules, toHandlers } from '../kit/emit/handlers.ts'
import { toOpenApi } from '../kit/emit/openapi.ts'
import { toOutcomes } from '../kit/emit/outcomes.ts'
import { toOverlay } from '../kit/emit/overlay.ts'
import { toReference } from '../kit/emit/reference.ts'
import { type JsonObject, nameOf } from '../kit/emit/schemas.ts'
import type { Operation } from '../operation.ts'
import { clientPackage } from './client/package.ts'
import { editorSchemas } from './editor-schemas.ts'
import { moduleName, toPythonClient } from './python-client/package.ts'
import { source } from './source.ts'
import { toTools } from './tools.ts'
import { toWorkflows } from './workflows.ts'

/** Text of every generated file by its path from the root of the project. */
export async function emit(): Promise<Record<string, string>> {
  const document = toOpenApi(source)
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
      Object.entries(formsOf(document, streamItems, flowParts)).map(([name, form]) => [
        `generated/${name}`,
        toYaml(form),
      ]),
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
      Object.entries(toClient(document, operations, clientTypes, clientPackage)).map(([name, text]) => [
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
      Object.entries(toReference(document, operations, packages)).map(([name, text]) => [
        `generated/reference/${name}`,
        text,
      ]),
    ),
    'generated/openapi.ts': `${head}\n${astToString(types)}`,
    'generated/tools.json': toTools(),
    'generated/handlers.ts': toHandlers(resources, handlerModules),
    'generated/assignability.ts': toAssignability(operations, { head, ...modules }, openUnions),
    'generated/outcomes.json': `${JSON.stringify(toOutcomes(document, operations), null, 1)}\n`,
  }
}

const head = '// Made by `make generate` from contract/. Do not edit.'
const modules = { contract: '../contract/index.ts', kit: '../contract/kit', wire: './openapi.ts' }

const handlerModules: HandlerModules<Operation> = {
  head,
  ...modules,
  handler: '../contract/operation.ts',
  bodyOf: {
    imports: "import type { WithoutParts } from '../contract/operation.ts'",
    type: ({ documentParts = {} }, parsed) => {
      const parts = Object.keys(documentParts).map((name) => `'${name}'`)
      return parts.length === 0 ? parsed : `WithoutParts<${parsed}, ${parts.join(' | ')}>`
    },
  },
}

const openUnions: OpenUnions = {
  imports: "import type { events, groups, legacyGroupsByVersion } from '../contract/bot-document/index.ts'",
  unions: {
    Block: "z.output<typeof groups>[number]['blocks'][number]",
    LegacyBlock: "NonNullable<z.output<(typeof legacyGroupsByVersion)['5']>[number]['blocks']>[number]",
    FlowEvent: 'z.output<typeof events>[number]',
  },
}

/** Components of a flow. Tools that only copy flows do not need them. */
const flowParts = ['Group', 'LegacyGroup', 'FlowEvent', 'Edge', 'Variable', 'Theme', 'Settings']

const packages = { npm: clientPackage.name, python: moduleName }

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
