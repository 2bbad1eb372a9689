import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { renderCatalogueTable } from '../bot-document/index.ts'
import { emit } from './emit.ts'
import { withGenerators } from './generators.ts'

/** Writes the generated files. Nothing else in this folder writes to disk. */
const root = new URL('../../', import.meta.url)
for (const folder of ['schemas', 'client', 'python-client/bot_builder_client', 'reference']) {
  await mkdir(new URL(`generated/${folder}/`, root), { recursive: true })
}
for (const [path, text] of Object.entries(await emit())) await writeFile(new URL(path, root), text)

const clients = new URL('contract/guides/clients.md', root)
const guideText = withGenerators(
  await readFile(clients, 'utf8'),
  await readFile(new URL('tests/sdks/README.md', root), 'utf8'),
)
await writeFile(clients, guideText)

const guide = new URL('contract/bot-document/README.md', root)
const table = `<!-- catalogue:begin -->\n\n${renderCatalogueTable()}\n\n<!-- catalogue:end -->`
const text = await readFile(guide, 'utf8')
await writeFile(
  guide,
  text.replace(/<!-- catalogue:begin -->[\s\S]*<!-- catalogue:end -->/, () => table),
)
