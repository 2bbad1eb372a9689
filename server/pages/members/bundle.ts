import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../root.ts'

/** The scripts and styles of the members' pages, by file name. */
export type Assets = Map<string, Uint8Array>

/** Bundles the members' pages. Parts that are loaded later, such as the JSON editor, become files of their own. */
export async function bundleMembersPages(): Promise<Assets> {
  const { build } = await import('esbuild')
  const folder = fileURLToPath(new URL('server/pages/members/app/', root))
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { app: 'main.tsx', style: 'styles/style.css' },
    outdir: join(folder, 'out'),
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    target: ['es2022'],
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    // The client loads it for webhooks alone, which no page receives.
    external: ['standardwebhooks'],
  })
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}
