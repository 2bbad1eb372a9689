import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { renderCatalogueTable, renderVendorTable } from '../bot-document/index.ts'
import { emit } from './emit.ts'
import { withGenerators } from './generators.ts'

/** Writes the generated files. Nothing else in this folder writes to disk. */
const root = new URL('../../', import.meta.url)
for (const [path, text] of Object.entries(await emit())) {
  const file = new URL(path, root)
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, text)
}

const clients = new URL('contract/guides/clients.md', root)
const guideText = withGenerators(
  await readFile(clients, 'utf8'),
  await readFile(new URL('tests/sdks/README.md', root), 'utf8'),
)
await writeFile(clients, guideText)

await replaceTable('contract/bot-document/README.md', 'catalogue', renderCatalogueTable())
await replaceTable('server/guides/vendors.md', 'vendors', renderVendorTable())

async function replaceTable(path: string, name: string, table: string): Promise<void> {
  const page = new URL(path, root)
  const part = new RegExp(`<!-- ${name}:begin -->[\\s\\S]*<!-- ${name}:end -->`)
  const text = await readFile(page, 'utf8')
  await writeFile(
    page,
    text.replace(part, () => `<!-- ${name}:begin -->\n\n${table}\n\n<!-- ${name}:end -->`),
  )
}
