/** Functions of a block that the model can call: their descriptions for it, and their code in the sandbox. */

import {
  asObject,
  asObjects,
  asString,
  asStrings,
  cutText,
  filledText,
  type JsonObject,
  parseJson,
} from '../../../json/access.ts'
import { plainNumbers } from '../../../kit/json/exact-numbers.ts'
import type { ModelTool, ToolCall } from '../../../outbound/model-types.ts'
import type { EvaluateArgument } from '../../../sandbox/types.ts'
import { evaluate } from '../evaluate.ts'
import type { Execution } from '../execution.ts'
import { toValue } from '../flow-index.ts'
import { compile, setAssignedVariables, textOfValue } from '../variables.ts'

export interface ChatFunction extends ModelTool {
  code: string
}

/** Leaves out functions without a name or without code. */
export function functionsOf(tools: unknown): ChatFunction[] {
  return asObjects(tools).flatMap((tool) => {
    const [name, code] = [filledText(tool.name)?.trim(), filledText(tool.code)]
    if (!name || code === undefined || (tool.type ?? 'function') !== 'function') return []
    const description = filledText(tool.description)
    const parameters = schemaIn(tool.parameters)
    return [{ name, code, parameters, ...(description === undefined ? {} : { description }) }]
  })
}

/** A list of parameters, or a JSON Schema, which may be a text. */
function schemaIn(given: unknown): JsonObject {
  if (Array.isArray(given) || given === undefined) return parametersOf(asObjects(given))
  const schema = asObject(typeof given === 'string' ? parseJson(given) : given)
  return { type: 'object', properties: {}, ...schema }
}

function parametersOf(given: JsonObject[]): JsonObject {
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const parameter of given) {
    const name = filledText(parameter.name)
    const schema = schemaOf(parameter)
    if (name === undefined || schema === null) continue
    properties.push([name, schema])
    if (parameter.required !== false) required.push(name)
  }
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

/** The JSON Schema of a value that is described as parameters and wanted variables are; `null` if it says too little. */
export function schemaOf({ type, description, values }: JsonObject): JsonObject | null {
  const annotation = filledText(description) === undefined ? {} : { description }
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type, ...annotation }
    case 'array':
      return { type, items: { type: 'string' }, ...annotation }
    case 'enum': {
      const allowed = asStrings(values)
      return allowed.length === 0 ? null : { type: 'string', enum: allowed, ...annotation }
    }
    default:
      return null
  }
}

const MAX_RESULT_CHARACTERS = 100_000

/**
 * Runs a function and returns the text for the model. Errors of the code are returned too: the model has to handle
 * them.
 */
export async function callFunction(
  run: Execution,
  functions: ChatFunction[],
  call: ToolCall,
): Promise<string> {
  const called = functions.find(({ name }) => name === call.name)
  if (called === undefined) return failure('There is no such function')
  const given = plainNumbers(parseJson(call.arguments === '' ? '{}' : call.arguments))
  if (typeof given !== 'object' || given === null) return failure('The arguments are no JSON object')
  const compiled = compile(run, called.code)
  // Passes declared arguments only: a name becomes a parameter of the code.
  const declared = asObject(called.parameters.properties)
  const args = Object.entries(given).flatMap(([name, value]) =>
    Object.hasOwn(declared, name) && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)
      ? [{ name, value: value as EvaluateArgument }]
      : [],
  )
  const missing = Object.keys(declared)
    .filter((name) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) && !args.some((one) => one.name === name))
    .map((name) => ({ name, value: null }))
  const evaluation = await evaluate(run, {
    form: 'body',
    code: compiled.code,
    args: [...compiled.args, ...args, ...missing],
  })
  if (!evaluation.ok) return failure(evaluation.message)
  setAssignedVariables(run, evaluation.assignments)
  return cutText(textOfValue(toValue(evaluation.value)), MAX_RESULT_CHARACTERS)
}

function failure(description: string): string {
  return JSON.stringify({ context: 'While executing function', description: asString(description) })
}
