import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from './root.ts'

/*
 * Builds the service, into `dist/server` where this is run as a program: a few files of its sources and of the packages
 * that it always loads, from which it starts in half the time that as many modules take. Types are looked at by
 * `make check`.
 */

const top = fileURLToPath(root)

/** What is started, by its place in `server/`; a thread of the sandbox is looked for beside what starts it. */
const entries = { main: 'main.ts', admin: 'admin.ts', 'sandbox-worker': 'chat/tools/sandbox-worker.ts' }

/**
 * Packages that stay as they are: some are watched by telemetry or read files of their own, others are seldom loaded. Of
 * telemetry all but its API, which the metrics always load; two copies of it share what is registered.
 */
const apart = /^(pg|pino|@jitl|quickjs|@opentelemetry\/[^a]|@aws-sdk|@smithy|openai|@anthropic|yaml$)/

/** Writes the build to a folder two below the top of the project, such as `dist/server`, in place of what was there. */
export async function buildService(output: string): Promise<void> {
  await rm(join(top, output), { recursive: true, force: true })
  await build({
    absWorkingDir: top,
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
    sourcemap: true,
    sourcesContent: false,
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

// Not awaited: the set-up of the tests loads this as a module that cannot.
if (process.argv[1] === fileURLToPath(import.meta.url)) void buildService('dist/server')
