import { blockCatalogue } from '../../../contract/bot-document/index.ts'
import { z } from '../../../contract/kit/zod.ts'
import { isAbsent, isRecord } from '../../documents/conversion/document.ts'
import { nearest } from '../../kit/issues/nearest.ts'
import { type Findings, type Flow, issue, type Path, quote } from './flow.ts'

/** The shape of a block of a type in a version. Blocks of outside services are not looked into: chats skip them. */
const shapes = new Map(
  blockCatalogue
    .filter(({ family }) => family !== 'vendor')
    .flatMap(({ type, versions, schema }) =>
      versions.map((version) => [shapeKey(version, type), schema] as const),
    ),
)

function shapeKey(version: string, type: string): string {
  return `${version}/${type}`
}

/**
 * Finds unknown properties of a block that closely resemble a known one, or that are beside `options` or `content`
 * instead of in it. Documents are full of keys that editors and their versions leave behind, so that other unknown
 * properties are no issues.
 */
export function* unknownProperties(flow: Flow, block: unknown, path: Path): Findings {
  if (!isRecord(block) || typeof block.type !== 'string') return
  const schema = shapes.get(shapeKey(flow.version, block.type))
  if (schema === undefined) return
  yield* misspelt(flow, schema, block, path)
  for (const place of ['options', 'content'] as const) {
    const inner = unwrapSchema(schema.shape[place])
    if (!(inner instanceof z.ZodObject)) continue
    const given = isRecord(block[place]) ? block[place] : {}
    for (const key of Object.keys(block)) {
      if (leftBehind.has(key) || Object.hasOwn(schema.shape, key)) continue
      const isOther = key === (place === 'options' ? 'content' : 'options') && isAbsent(block[place])
      if (!isOther && (!Object.hasOwn(inner.shape, key) || Object.hasOwn(given, key))) continue
      const message = isOther
        ? `Blocks of the type ${quote(block.type)} have ${quote(place)} instead of ${quote(key)}.`
        : `The property ${quote(key)} belongs into ${quote(place)} of the block.`
      yield issue([...path, key], 'unknown_property', message)
    }
  }
}

/** Old editors wrote these into every block. */
const leftBehind = new Set(['groupId', 'blockId'])

function* misspelt({ effort }: Pick<Flow, 'effort'>, given: unknown, value: unknown, path: Path): Findings {
  const schema = unwrapSchema(given)
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, member] of value.entries())
      yield* misspelt({ effort }, schema.element, member, [...path, index])
  }
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return
  for (const [key, member] of Object.entries(value)) {
    if (Object.hasOwn(schema.shape, key)) {
      yield* misspelt({ effort }, schema.shape[key], member, [...path, key])
      continue
    }
    yield
    const missing = Object.keys(schema.shape).filter((name) => !Object.hasOwn(value, name))
    const meant = nearest(key, missing, effort)
    if (meant === undefined) continue
    const message = `There is no property ${quote(key)} here. Probably ${quote(meant)} is meant.`
    yield issue([...path, key], 'unknown_property', message)
  }
}

function unwrapSchema(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapSchema(schema.unwrap())
    : schema
}
