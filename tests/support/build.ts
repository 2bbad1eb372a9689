import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformFile } from '@swc/core'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Where what `buildService` makes of a source is, from the top of the project. */
export const builtOf = (source: string) => join('.cache', source.replace(/\.ts$/, '.js'))

/**
 * Makes JavaScript of the sources that changed, since tests start more than a hundred processes and a process that has to
 * compile them takes a second longer. Types are not looked at.
 */
export async function buildService(): Promise<void> {
  const folders = ['contract', 'server', 'generated']
  const listed = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  const sources = listed.flat().filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  await Promise.all(
    sources.map(async (source) => {
      const from = join(root, source)
      const to = join(root, builtOf(source))
      const [before, after] = await Promise.all([stat(from), stat(to).catch(() => undefined)])
      if (after && after.mtimeMs >= before.mtimeMs) return
      const { code } = await transformFile(from, {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022', rewriteRelativeImportExtensions: true },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      } as Parameters<typeof transformFile>[1])
      await mkdir(dirname(to), { recursive: true })
      await writeFile(to, code)
    }),
  )
}
