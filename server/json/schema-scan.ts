import { BoundedArray } from '../../contract/bot-document/bounded-array.ts'
import { alternatives } from '../../contract/bot-document/fields.ts'
import { QuickNumber, QuickText } from '../../contract/bot-document/quick.ts'
import { SelectUnion, tagOf } from '../../contract/bot-document/union.ts'
import { z } from '../../contract/kit/zod.ts'
import { COMMA, MINUS, POINT, ZERO } from '../kit/json/bytes.ts'
import {
  hashOf,
  isAt,
  type Scan,
  type Shape,
  scanAny,
  scanList,
  scanNumber,
  scanObject,
  scanText,
} from '../kit/json/scan.ts'
import { fromUtf8 } from '../kit/json/utf8.ts'

/*
 * Scans for JSON that fits a schema. Objects, lists, unions, texts and numbers of documents are validated as bytes.
 * All other values are parsed one by one and validated by zod.
 */

const known = new Map<z.core.$ZodType, Scan>()

/** Passes values that certainly fit a schema of documents. */
export function scanOf(schema: z.core.$ZodType): Scan {
  let scan = known.get(schema)
  if (!scan) {
    scan = make(schema)
    known.set(schema, scan)
  }
  return scan
}

function make(schema: z.core.$ZodType): Scan {
  // Some kinds store their bounds as rules; rules that were added to them need zod.
  const rules = schema._zod.def.checks?.length ?? 0
  if (schema instanceof z.ZodOptional && rules === 0) return scanOf(schema._zod.def.innerType)
  if (schema instanceof z.ZodObject) return objectScan(schema) ?? scanByParsing(schema)
  if (schema instanceof BoundedArray && rules === 1) return listScan(schema)
  if (schema instanceof SelectUnion && rules === 0) return unionScan(schema) ?? scanByParsing(schema)
  if (schema instanceof QuickText && rules === 1) return textScan(schema) ?? scanByParsing(schema)
  if (schema instanceof QuickNumber && rules === 2) return numberScan(schema)
  if (schema instanceof z.ZodEnum && rules === 0) return oneOfScan(schema.options)
  if (schema instanceof z.ZodUnknown && rules === 0) return scanAny
  return scanByParsing(schema)
}

function scanByParsing(schema: z.core.$ZodType): Scan {
  return (bytes, at, depth) => {
    const end = scanAny(bytes, at, depth)
    if (end < 0) return -1
    const value: unknown = JSON.parse(fromUtf8(bytes.subarray(at, end)))
    return z.core.safeParse(schema, value).success ? end : -1
  }
}

/** A property that counts has a bit of its own, of 31. */
const MAX_COUNTED_PROPERTIES = 31

/**
 * Undefined where an object is closed or has other rules, where more properties count than there are bits, or where two
 * keys have one hash.
 */
function objectScan(schema: z.ZodObject): Scan | undefined {
  const { shape: declared, catchall, checks = [] } = schema._zod.def
  const [oneOf, ...others] = checks.map((check) => alternatives.get(check._zod.check))
  if (!(catchall instanceof z.ZodUnknown) || others.length > 0 || checks.length !== (oneOf ? 1 : 0))
    return undefined
  const shape: Shape = { properties: new Map(), required: 0, oneOf: 0 }
  let bits = 0
  for (const [name, property] of Object.entries(declared)) {
    const isRequired = property._zod.optin === undefined
    const isOneOf = oneOf?.includes(name) === true
    const bit = isRequired || isOneOf ? 1 << bits++ : 0
    if (isRequired) shape.required |= bit
    if (isOneOf) shape.oneOf |= bit
    const key = Buffer.from(name)
    if (bits > MAX_COUNTED_PROPERTIES || shape.properties.has(hashOf(key))) return undefined
    shape.properties.set(hashOf(key), { key, scan: scanOf(property), bit })
  }
  return (bytes, at, depth) => scanObject(bytes, at, depth, shape)
}

function listScan(schema: InstanceType<typeof BoundedArray>): Scan {
  const { element, maximum } = schema._zod.def
  const scan = scanOf(element)
  return (bytes, at, depth) => scanList(bytes, at, depth, scan, maximum)
}

/**
 * Scans objects of a union: finds the tag first, then scans with its branch. Not sure of an unknown tag. Undefined
 * for unions without a tag.
 */
function unionScan(schema: InstanceType<typeof SelectUnion>): Scan | undefined {
  const { discriminator, options } = schema._zod.def
  if (discriminator === undefined) return undefined
  const branches = new Map<number, Scan>()
  for (const branch of options as z.ZodObject<z.ZodRawShape>[]) {
    if (!(branch.shape[discriminator] instanceof z.ZodEnum)) continue
    branches.set(hashOf(Buffer.from(`"${tagOf(branch, discriminator)}"`)), scanOf(branch))
  }
  const key = Buffer.from(`"${discriminator}":`)
  return (bytes, open, depth) => {
    let at = open
    do {
      const start = at + 1
      const colon = scanText(bytes, start)
      if (colon < 0) return -1
      const value = colon + 1
      at = scanAny(bytes, value, depth + 1)
      if (at < 0) return -1
      if (!isAt(key, bytes, start, value - start)) continue
      // If another tag has the same hash, the scan of the branch fails.
      return branches.get(hashOf(bytes, value, at))?.(bytes, open, depth) ?? -1
    } while (bytes[at] === COMMA)
    return -1
  }
}

/**
 * A text has no more characters than bytes. A minimum above 1 cannot be checked: a text that is not empty has at
 * least one character.
 */
function textScan(schema: InstanceType<typeof QuickText>): Scan | undefined {
  const { minimum, maximum } = schema._zod.def
  if (minimum > 1) return undefined
  return (bytes, at) => {
    const end = scanText(bytes, at)
    const length = end - at - 2
    return length >= minimum && length <= maximum ? end : -1
  }
}

function numberScan(schema: InstanceType<typeof QuickNumber>): Scan {
  const { minimum, maximum } = schema._zod.def
  return (bytes, at) => {
    const end = scanNumber(bytes, at)
    if (end < 0) return -1
    const value = numberAt(bytes, at, end)
    return value >= minimum && value <= maximum ? end : -1
  }
}

function oneOfScan(values: readonly unknown[]): Scan {
  const known = values.map((value) => Buffer.from(JSON.stringify(value)))
  return (bytes, at) => {
    const end = scanText(bytes, at)
    return known.some((value) => isAt(value, bytes, at, end - at)) ? end : -1
  }
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  let value = 0
  const first = bytes[start] === MINUS ? start + 1 : start
  for (let at = first; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === POINT) return Number(bytes.toString('latin1', start, end))
    value = 10 * value + byte - ZERO
  }
  return first === start ? value : -value
}
