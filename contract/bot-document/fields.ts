import { z } from '../kit/zod.ts'
import { boundedArray } from './bounded-array.ts'
import { limits } from './limits.ts'
import { quickNumber, quickText } from './quick.ts'
import { selectUnion, wrongType } from './union.ts'

/*
 * The kinds of property in documents. Each call requires a description and an example, so that every published
 * property has both.
 */

/** The id of the record itself: never empty, because edges and mappings name it. */
export function id(description: string, example: string) {
  return quickText(limits.id, 1).meta({ description, example })
}

/** The id of another record. Editors store an empty text until the author chooses. */
export function reference(description: string, example: string) {
  return quickText(limits.id).meta({ description, example })
}

export function variableReference(purpose: string, example = 'varEmail') {
  return reference(`Id of the variable ${purpose}.`, example)
}

export function name(description: string, example: string) {
  return quickText(limits.name).meta({ description, example })
}

/** One line: labels, formats, subjects, vendor settings. */
export function phrase(description: string, example: string) {
  return quickText(limits.phrase).meta({ description, example })
}

/** Free text of any length: messages, code, prompts, values with placeholders. */
export function prose(description: string, example: string) {
  return quickText(limits.prose).meta({ description, example })
}

/** No format `uri`: editors store unfinished addresses and `{{variable}}` placeholders. */
export function url(description: string, example: string) {
  return quickText(limits.url).meta({ description, example })
}

/** A picture address that may be a whole `data:` URL. */
export function picture(description: string, example = 'https://files.example.com/cat.png') {
  return quickText(limits.prose).meta({ description, example })
}

export function colour(description: string, example: string) {
  return name(description, example)
}

export function flag(description: string) {
  return z.boolean().meta({ description })
}

export function number(description: string, bounds: { min: number; max: number; example: number }) {
  return quickNumber(bounds.min, bounds.max).meta({ description, example: bounds.example })
}

const anyNumber = quickNumber(-1e15, 1e15)
const numberText = quickText(limits.name)

/** A number that may be computed at run time: stored as a number or as text with a placeholder. */
export function numberOrText(description: string, example: number | string) {
  return selectUnion([anyNumber, numberText], (value) => {
    if (typeof value === 'number') return anyNumber
    if (typeof value === 'string') return numberText
    return wrongType('Expected a number, or a text such as "{{Age}}"')
  }).meta({
    description: `${description} A number, or a text that is one {{variable}} or reads as a number.`,
    example,
  })
}

export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) {
  return z.enum(values).meta({ description })
}

export function list<Element extends z.ZodType>(
  element: Element,
  description: string,
  maximum: number = limits.entries,
) {
  return boundedArray(element, { maximum }).meta({ description })
}

export function textList(
  description: string,
  example: readonly string[],
  element: z.ZodType<string, string>,
) {
  return boundedArray(element, { maximum: limits.entries }).meta({ description, example: [...example] })
}

/** A rule that a shape alone cannot state. It runs only on values of the right shape. */
export type Rule<Value> = (value: Value) => { path: PropertyKey[]; message: string } | undefined

/** A named, open object: known properties are validated, unknown ones preserved. */
export function component<Shape extends z.ZodRawShape>(
  componentId: string,
  description: string,
  shape: Shape,
  ...rules: Rule<z.output<z.ZodObject<Shape, z.core.$loose>>>[]
) {
  const schema = z.looseObject(shape)
  const ruled = rules.length === 0 ? schema : schema.check(...rules.map(asCheck))
  return ruled.meta({ id: componentId, description })
}

function asCheck<Value>(rule: Rule<Value>) {
  return (payload: z.core.ParsePayload<Value>) => {
    if (payload.issues.length > 0) return
    const issue = rule(payload.value)
    if (issue) payload.issues.push({ code: 'custom', input: payload.value, ...issue })
  }
}

/** Alternative keys by rule: an object needs one of them. Scans of documents check the keys without the rule. */
export const alternatives = new WeakMap<object, readonly string[]>()

/** A rule that requires one of several keys. */
export function requireOneOf(keys: readonly string[], message: string) {
  const rule = (payload: z.core.ParsePayload<Record<string, unknown>>) => {
    const { value, issues } = payload
    if (issues.length > 0 || keys.some((key) => value[key] !== undefined)) return
    issues.push({ code: 'custom', message, path: [], input: value })
  }
  alternatives.set(rule, keys)
  return rule
}

/** Issue of a rule that narrows an enumeration, worded like zod's own. */
export function notOneOf(path: PropertyKey[], allowed: readonly string[]) {
  return {
    path,
    message: `Invalid option: expected one of ${allowed.map((value) => `"${value}"`).join('|')}`,
  }
}
