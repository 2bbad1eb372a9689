import type { Schema } from '../model/schema.ts'
import { service } from '../service.ts'
import { useLoaded } from '../ui/hooks.ts'

const schemas = new Map<string, Promise<Schema>>()

/** The JSON Schema of bots in a version, read once. */
export function useSchema(version: string): Schema | undefined {
  return useLoaded(() => {
    const known = schemas.get(version) ?? read(version)
    schemas.set(version, known)
    known.catch(() => schemas.delete(version))
    return known
  }, [version]).value
}

async function read(version: string): Promise<Schema> {
  const response = await fetch(new URL(`schemas/bot-${version}.json`, service))
  if (!response.ok) throw new Error(`The service answered ${response.status}`)
  return (await response.json()) as Schema
}
