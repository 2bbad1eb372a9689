import { z } from '../kit/zod.ts'
import { bubbles, startBlock } from './blocks/bubbles.ts'
import { choices } from './blocks/choices.ts'
import { classicOpenAiBlock } from './blocks/classic-openai.ts'
import { httpRequests, legacyHttpRequests } from './blocks/http-request.ts'
import { fileInputs, inputs } from './blocks/inputs.ts'
import { integrations } from './blocks/integrations.ts'
import { logic } from './blocks/logic.ts'
import { peopleBlocks } from './blocks/people.ts'
import { sheets } from './blocks/sheets.ts'
import { vendorBlocks } from './blocks/vendors/all.ts'
import { boundedArray } from './bounded-array.ts'
import { component, id, name } from './fields.ts'
import { coordinates } from './flow.ts'
import { limits } from './limits.ts'
import { quickText } from './quick.ts'
import { taggedUnion, tagOf } from './union.ts'
import { currentVersions, type DocumentVersion, type LegacyVersion, legacyVersions } from './versions.ts'

/** Blocks of each version, and the groups that contain them. */

const currentFamilies = {
  start: [startBlock],
  bubble: bubbles,
  input: [...inputs, fileInputs.current, ...choices.current, ...choices.shared],
  logic: [...logic.shared, ...logic.current, ...peopleBlocks],
  integration: [sheets.current, ...httpRequests, ...integrations, classicOpenAiBlock],
  vendor: vendorBlocks,
} as const

function buildLegacyFamilies(version: LegacyVersion) {
  return {
    start: [startBlock],
    bubble: bubbles,
    input: [...inputs, fileInputs.legacy, ...choices.legacy, ...choices.shared],
    logic: [...logic.shared, ...logic.legacy, ...peopleBlocks],
    integration: [sheets.legacy, ...legacyHttpRequests(version !== '3'), ...integrations, classicOpenAiBlock],
    vendor: [],
  } as const
}

const legacyFamilies = {
  '3': buildLegacyFamilies('3'),
  '4': buildLegacyFamilies('4'),
  '5': buildLegacyFamilies('5'),
} as const

type Families = typeof currentFamilies | ReturnType<typeof buildLegacyFamilies>
type BlockFamily = keyof Families
type BlockSchema = z.ZodObject<z.ZodRawShape>

type BlocksOf<F extends Families> = readonly [
  ...F['start'],
  ...F['bubble'],
  ...F['input'],
  ...F['logic'],
  ...F['integration'],
  ...F['vendor'],
]

/** Every type of block of any version. */
export type BlockType = z.output<BlocksOf<Families>[number]['shape']['type']>

export type BubbleType = z.output<Families['bubble'][number]['shape']['type']>
export type InputType = z.output<Families['input'][number]['shape']['type']>

/** The return type is explicit, or the compiler would merge the families of all versions. */
function blocksOf<F extends Families>(families: F): BlocksOf<F> {
  const { start, bubble, input, logic, integration, vendor } = families
  return [...start, ...bubble, ...input, ...logic, ...integration, ...vendor] as unknown as BlocksOf<F>
}

const currentBlocks = blocksOf(currentFamilies)
const currentTypes = currentBlocks.map((block) => tagOf(block, 'type'))

const opaqueBlock = component(
  'OpaqueBlock',
  'A block of a type unknown to this service. The service preserves and returns it unchanged.',
  {
    id: id('Id of the block.', 'blkAskMood'),
    type: quickText(limits.id, 1).meta({
      description: 'Any other type of block.',
      example: 'mood input',
      not: { enum: currentTypes },
    }),
  },
)

const block = taggedUnion('type', currentBlocks, opaqueBlock).meta({
  id: 'Block',
  description: 'A block of the flow in versions 6 and 6.1. The type decides its shape.',
})

const groupShape = {
  id: id('Id of the group.', 'grpContact'),
  title: name('Title shown in the editor.', 'Contact details'),
  graphCoordinates: coordinates,
}

export const group = component(
  'Group',
  'Blocks that run from the first to the last, in versions 6 and 6.1.',
  {
    ...groupShape,
    blocks: blocks(block),
  },
)

export const groups = boundedArray(group, { maximum: limits.groups }).meta({
  description: 'The groups of the flow, in no particular order.',
})

/**
 * The legacy versions share one published group and one published union of blocks. They differ in required
 * properties, which rules of the shared components check.
 */
function legacyGroups(version: LegacyVersion) {
  const legacyBlocks = blocksOf(legacyFamilies[version])
  const knownTypes = new Set(legacyBlocks.map((block) => tagOf(block, 'type')))
  const messages = currentTypes
    .filter((type) => !knownTypes.has(type))
    .map((type) => [type, `Blocks of type "${type}" need version ${currentVersions.join(' or ')}`] as const)

  const legacyBlock = taggedUnion('type', legacyBlocks, opaqueBlock, new Map(messages)).meta({
    id: 'LegacyBlock',
    description: 'A block of the flow in versions 3, 4 and 5. The type decides its shape.',
  })

  const legacyGroup = component(
    'LegacyGroup',
    'Blocks that run from the first to the last, in versions 3, 4 and 5. Only version 5 requires the list of blocks.',
    { ...groupShape, blocks: blocks(legacyBlock).optional() },
    (group) =>
      version === '5' && group.blocks === undefined
        ? { path: ['blocks'], message: 'The list of blocks is required from version 5 on' }
        : undefined,
  )

  return boundedArray(legacyGroup, { maximum: limits.groups }).meta({
    description: 'The groups of the flow, in no particular order.',
  })
}

export const legacyGroupsByVersion = {
  '3': legacyGroups('3'),
  '4': legacyGroups('4'),
  '5': legacyGroups('5'),
} as const satisfies Record<LegacyVersion, z.ZodType>

/** One shape of one block type, and the versions that have it. */
export interface CatalogueEntry {
  type: string
  family: BlockFamily
  /** Name of the published component. */
  component: string
  schema: BlockSchema
  versions: DocumentVersion[]
  /** Documented properties of its options, or of its content if it has no options. */
  options: string[]
}

export const blockCatalogue: readonly CatalogueEntry[] = collect([
  ...legacyVersions.map((version) => [version, legacyFamilies[version]] as const),
  ...currentVersions.map((version) => [version, currentFamilies] as const),
])

function collect(families: readonly (readonly [DocumentVersion, Families])[]): CatalogueEntry[] {
  const entries = new Map<string, CatalogueEntry>()
  for (const [version, byFamily] of families) {
    for (const [family, schemas] of Object.entries(byFamily) as [BlockFamily, readonly BlockSchema[]][]) {
      for (const schema of schemas) {
        const component = String(schema.meta()?.id)
        const entry = entries.get(component)
        if (entry) entry.versions.push(version)
        else {
          const type = tagOf(schema, 'type')
          entries.set(component, {
            type,
            family,
            component,
            schema,
            versions: [version],
            options: optionsOf(schema),
          })
        }
      }
    }
  }
  return [...entries.values()]
}

function optionsOf(schema: BlockSchema): string[] {
  const { options, content } = schema.shape
  const inner = options ?? content
  const object = inner instanceof z.ZodOptional ? inner.unwrap() : inner
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

function blocks<Block extends z.ZodType>(block: Block) {
  return boundedArray(block, { maximum: limits.blocksPerGroup }).meta({
    description: 'The blocks, in the order they run.',
  })
}

/** Types of blocks that only show messages. The flow continues after each. */
export const bubbleTypes = typesOf('bubble')

/** Types of blocks that wait for an answer of the visitor. */
export const inputTypes = typesOf('input')

function typesOf(family: BlockFamily): ReadonlySet<string> {
  return new Set(blockCatalogue.filter((entry) => entry.family === family).map(({ type }) => type))
}
