import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildService } from '../../server/build.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const output = '.cache/server'

/**
 * Returns the path of the file that `buildChanged` makes of `server/main.ts`, `server/admin.ts` or
 * `server/sandbox-worker.ts`, from the top of the project.
 */
export const builtOf = (source: string) => source.replace(/^server\/(.+)\.ts$/, `${output}/$1.js`)

/** Builds the service for tests that start processes or threads, unless no source has changed. */
export async function buildChanged(): Promise<void> {
  const changed = await lastChange('contract', 'server', 'generated', 'package-lock.json')
  if (changed >= (await lastChange(output))) await buildService(output)
}

/** When one of the files last changed, in milliseconds; 0 where there is none. */
async function lastChange(...places: string[]): Promise<number> {
  const found = await Promise.all(
    places.map(async (place) => {
      const entry = await stat(join(root, place)).catch(() => undefined)
      if (!entry?.isDirectory()) return entry?.mtimeMs ?? 0
      const names = await readdir(join(root, place), { recursive: true })
      const files = await Promise.all(names.map((name) => stat(join(root, place, name))))
      return Math.max(0, ...files.filter((file) => file.isFile()).map(({ mtimeMs }) => mtimeMs))
    }),
  )
  return Math.max(...found)
}
