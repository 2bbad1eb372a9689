import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
const output = '.cache/server'

/** What is started, by its place in `server/`; a thread of the sandbox is looked for beside what starts it. */
const entries = { main: 'main.ts', admin: 'admin.ts', 'sandbox-worker': 'chat/tools/sandbox-worker.ts' }

/** Packages that stay as they are: some are watched by telemetry or read files of their own, others are seldom loaded. */
const apart = /^(pg|pino|@jitl|quickjs|@opentelemetry|@aws-sdk|@smithy|openai|@anthropic|yaml$)/

/** Where what `buildService` makes of `server/main.ts` or `server/admin.ts` is, from the top of the project. */
export const builtOf = (source: string) => source.replace(/^server\/(.+)\.ts$/, `${output}/$1.js`)

/**
 * Makes a few files of the service and the packages that it always loads, unless no source has changed. Tests start more
 * than a hundred processes, each of which takes half as much CPU time to start from these. Types are not looked at.
 */
export async function buildService(): Promise<void> {
  if (
    (await lastChange(output)) > (await lastChange('contract', 'server', 'generated', 'package-lock.json'))
  ) {
    return
  }
  await rm(join(root, output), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, place]) => [name, join('server', place)]),
    ),
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    logLevel: 'warning',
    // Packages that are no ES modules ask for what Node brings.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [
      {
        name: 'packages that stay apart',
        setup: ({ onResolve }) => onResolve({ filter: apart }, ({ path }) => ({ path, external: true })),
      },
    ],
  })
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
