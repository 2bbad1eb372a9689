import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildCommand } from './command/build.ts'
import { bundleEmbed } from './pages/embed/bundle.ts'
import { bundleMembersPages } from './pages/members/bundle.ts'
import { root } from './root.ts'

/*
 * Builds the service, into `dist/server` if run as a program: its sources and the packages it always loads become a few
 * files. They load in half the time of as many modules. `make check` checks the types.
 */

const top = fileURLToPath(root)

/**
 * Entry points by their path in `server/`. A thread of the sandbox is loaded from the folder of the file that starts
 * it.
 */
const entries = { main: 'main.ts', admin: 'admin.ts', 'sandbox-worker': 'sandbox/worker.ts' }

/**
 * Packages that are not bundled: OpenTelemetry instruments some or they read files of their own, others are seldom
 * loaded. The API of OpenTelemetry is bundled, since metrics always load it; two copies share their registrations.
 */
const apart =
  /^(esbuild|pg|pino|iconv-lite|@jitl|quickjs|@opentelemetry\/[^a]|@aws-sdk|@smithy|openai|@anthropic|yaml$)/

/** Writes the build to a folder two below the top of the project, such as `dist/server`, and replaces its contents. */
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
    // Packages that are no ES modules require modules of Node.
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
  const folder = join(top, output, 'members')
  await mkdir(folder)
  for (const [name, content] of await bundleMembersPages()) await writeFile(join(folder, name), content)
  await writeFile(join(top, output, 'embed.js'), await bundleEmbed())
}

// Not awaited: the set-up of the tests loads this as a module that cannot.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  void buildService('dist/server').then(() => buildCommand(join(top, 'dist/command')))
}
