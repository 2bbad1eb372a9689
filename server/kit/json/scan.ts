import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  POINT,
  QUOTE,
  SPACE,
  UNDERSCORE,
  ZERO,
} from './bytes.ts'

/*
 * Scans JSON as bytes without making values of it. It is careful rather than complete: it accepts compact JSON within
 * the limits, and returns -1 if it is not sure. The caller then parses the JSON, which reports any issue.
 *
 * It is not sure of numeric escapes, integers that may not be exact, exponents, white space between tokens, and keys
 * that may be `__proto__`.
 */

/** Limits of every body, checked before a schema validates it: levels of nesting, properties of one object, values. */
export const limits = { depth: 64, keys: 5_000, values: 300_000 }

/**
 * Returns the position after the value that begins at `at`, or -1. `depth` is the level of the value, 1 for the body.
 * Bytes are UTF-8, and too few to hold more values than the limit.
 */
export type Scan = (bytes: Buffer, at: number, depth: number) => number

/** 1 for bytes that are no plain characters of a text. Behind the last byte a lookup gives neither 0 nor 1. */
const special = new Uint8Array(256)
special.fill(1, 0, SPACE)
special[QUOTE] = special[BACKSLASH] = 1

const escapes = new Uint8Array(256)
for (const escaped of Buffer.from('"\\/bfnrt')) escapes[escaped] = 1

export function scanText(bytes: Buffer, open: number): number {
  if (bytes[open] !== QUOTE) return -1
  for (let at = open + 1; ; at += 2) {
    while (special[bytes[at] as number] === 0) at++
    if (bytes[at] === QUOTE) return at + 1
    if (bytes[at] !== BACKSLASH || escapes[bytes[at + 1] as number] !== 1) return -1
  }
}

/** An integer of so many digits is exact in JavaScript. */
const EXACT_DIGITS = 15

export function scanNumber(bytes: Buffer, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start
  let at = endOfDigits(bytes, first)
  const digits = at - first
  if (digits === 0 || digits > EXACT_DIGITS || (bytes[first] === ZERO && digits > 1)) return -1
  if (bytes[at] === POINT) {
    const fraction = at + 1
    at = endOfDigits(bytes, fraction)
    if (at === fraction) return -1
  }
  const isPower = bytes[at] === 0x65 || bytes[at] === 0x45
  return isPower ? -1 : at
}

function endOfDigits(bytes: Buffer, from: number): number {
  let at = from
  while (isDigit(bytes[at])) at++
  return at
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]))

function scanWord(bytes: Buffer, at: number): number {
  const word = words.get(bytes[at] as number)
  return word && isAt(word, bytes, at, word.length) ? at + word.length : -1
}

/** True if `length` bytes from `start` on are the expected ones. */
export function isAt(expected: Buffer, bytes: Buffer, start: number, length: number): boolean {
  if (expected.length !== length) return false
  for (let at = 0; at < length; at++) if (bytes[start + at] !== expected[at]) return false
  return true
}

/** Any value. */
export function scanAny(bytes: Buffer, at: number, depth: number): number {
  switch (bytes[at]) {
    case QUOTE:
      return scanText(bytes, at)
    case OPEN_BRACE:
      return scanObject(bytes, at, depth, anyShape)
    case OPEN_BRACKET:
      return scanList(bytes, at, depth, scanAny, Number.POSITIVE_INFINITY)
    case MINUS:
      return scanNumber(bytes, at)
    default:
      return isDigit(bytes[at]) ? scanNumber(bytes, at) : scanWord(bytes, at)
  }
}

/** An object; `visit` is given the text of each key, as it is written, and scans its value. */
export function scanProperties(
  bytes: Buffer,
  open: number,
  visit: (key: string, at: number) => number,
): number {
  if (bytes[open] !== OPEN_BRACE) return -1
  let at = open + 1
  let isOpen = bytes[at] !== CLOSE_BRACE
  while (isOpen) {
    const colon = scanText(bytes, at)
    if (colon < 0 || bytes[colon] !== COLON) return -1
    at = visit(bytes.toString('utf8', at + 1, colon - 1), colon + 1)
    if (at < 0) return -1
    isOpen = bytes[at] === COMMA
    if (isOpen) at++
  }
  return bytes[at] === CLOSE_BRACE ? at + 1 : -1
}

/** Properties of an object, as far as its schema names them. */
export interface Shape {
  /** By the hash of their keys. */
  properties: Map<number, Property>
  /** Bits of all required properties. */
  required: number
  /** Bits of the properties of which one is required; 0 if there is no such rule. */
  oneOf: number
}

export interface Property {
  key: Buffer
  scan: Scan
  /** A bit of its own if `required` or `oneOf` counts the property, else 0. */
  bit: number
}

const anyShape: Shape = { properties: new Map(), required: 0, oneOf: 0 }

export function scanObject(bytes: Buffer, open: number, depth: number, shape: Shape): number {
  if (bytes[open] !== OPEN_BRACE || depth > limits.depth) return -1
  const { properties, required, oneOf } = shape
  let seen = 0
  let at = open + 1
  let isOpen = bytes[at] !== CLOSE_BRACE
  for (let keys = 1; isOpen; keys++) {
    if (keys > limits.keys || bytes[at] !== QUOTE) return -1
    const start = ++at
    let hash = 0
    let byte = bytes[at] as number
    while (special[byte] === 0) {
      hash = hashWith(hash, byte)
      byte = bytes[++at] as number
    }
    const length = at - start
    if (byte !== QUOTE || bytes[at + 1] !== COLON || mayBePrototype(bytes, start, length)) return -1
    const property = properties.get(hash)
    if (property !== undefined && isAt(property.key, bytes, start, length)) {
      at = property.scan(bytes, at + 2, depth + 1)
      seen |= property.bit
    } else at = scanAny(bytes, at + 2, depth + 1)
    if (at < 0) return -1
    isOpen = bytes[at] === COMMA
    if (isOpen) at++
  }
  if (bytes[at] !== CLOSE_BRACE) return -1
  return (seen & required) === required && (oneOf === 0 || (seen & oneOf) !== 0) ? at + 1 : -1
}

function mayBePrototype(bytes: Buffer, start: number, length: number): boolean {
  return length === 9 && bytes[start] === UNDERSCORE
}

/** Hashes the bytes between two positions. */
export function hashOf(bytes: Buffer, start = 0, end = bytes.length): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = hashWith(hash, bytes[at] as number)
  return hash
}

function hashWith(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0
}

export function scanList(bytes: Buffer, open: number, depth: number, element: Scan, maximum: number): number {
  if (bytes[open] !== OPEN_BRACKET || depth > limits.depth) return -1
  let at = open + 1
  let isOpen = bytes[at] !== CLOSE_BRACKET
  for (let count = 1; isOpen; count++) {
    if (count > maximum) return -1
    at = element(bytes, at, depth + 1)
    if (at < 0) return -1
    isOpen = bytes[at] === COMMA
    if (isOpen) at++
  }
  return bytes[at] === CLOSE_BRACKET ? at + 1 : -1
}
