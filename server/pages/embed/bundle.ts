import { fileURLToPath } from 'node:url'
import { root } from '../../root.ts'
import { languages } from '../texts/index.ts'

/** Bundles the script for pages of other sites, with its style and the few texts that it has in every language. */
export async function bundleEmbed(): Promise<string> {
  const { build } = await import('esbuild')
  const texts = Object.entries(languages).map(
    ([language, { chat, openChat, closeChat, dismiss, notHere }]) => [
      language,
      { chat, openChat, closeChat, dismiss, notHere },
    ],
  )
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('server/pages/embed/', root)),
    entryPoints: ['embed.js'],
    write: false,
    bundle: true,
    format: 'iife',
    target: ['es2022'],
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    loader: { '.css': 'text' },
    define: { EMBED_TEXTS: JSON.stringify(Object.fromEntries(texts)) },
  })
  const [script] = outputFiles
  if (!script) throw new Error('The bundler made no script')
  return script.text
}
