import { chmod, copyFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/* Builds the package of the command `bots`: its sources and packages become a few files, so that it installs alone. */

const here = new URL('./', import.meta.url)

/** Writes the package to a folder, and replaces its contents. */
export async function buildCommand(output: string): Promise<void> {
  await rm(output, { recursive: true, force: true })
  await build({
    entryPoints: { bots: fileURLToPath(new URL('main.ts', here)) },
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    logLevel: 'warning',
    // Packages that are no ES modules require modules of Node.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  await chmod(`${output}/bots.js`, 0o755)
  await copyFile(new URL('package.json', here), `${output}/package.json`)
}
