import type { Schema } from '../model/schema.ts'
import { service } from '../service.ts'
import { useLoaded } from '../ui/hooks.ts'

const schemas = new Map<string, Promise<Schema>>()

/** The JSON Schema of bots in a version. */
export const useSchema = (version: string) => useLoaded(() => readSchema(`bot-${version}`), [version]).value

/** Reads a JSON Schema of the service once. */
export function readSchema(name: string): Promise<Schema> {
  const known = schemas.get(name) ?? fetchSchema(name)
  schemas.set(name, known)
  known.catch(() => schemas.delete(name))
  return known
}

async function fetchSchema(name: string): Promise<Schema> {
  const response = await fetch(new URL(`schemas/${name}.json`, service))
  if (!response.ok) throw new Error(`The service answered ${response.status}`)
  return (await response.json()) as Schema
}
