import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { renderCatalogueTable } from '../bot-document/index.ts'
import { emit } from './emit.ts'

/** Writes what the contract generates; the only file here that touches the disk. */
const root = new URL('../../', import.meta.url)
for (const folder of ['schemas', 'client']) {
  await mkdir(new URL(`generated/${folder}/`, root), { recursive: true })
}
for (const [path, text] of Object.entries(await emit())) await writeFile(new URL(path, root), text)

const guide = new URL('contract/bot-document/README.md', root)
const table = `<!-- catalogue:begin -->\n\n${renderCatalogueTable()}\n\n<!-- catalogue:end -->`
const text = await readFile(guide, 'utf8')
await writeFile(
  guide,
  text.replace(/<!-- catalogue:begin -->[\s\S]*<!-- catalogue:end -->/, () => table),
)
