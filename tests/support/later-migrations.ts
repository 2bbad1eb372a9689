import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'
import { root } from '../../server/root.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

/** Returns a new folder with the migrations of this release, and after them those given by name, as SQL. */
export async function migrationsWith(later: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bot-builder-migrations-'))
  folders.push(folder)
  await cp(new URL('migrations/', root), folder, { recursive: true })
  const file = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(file, 'utf8'))
  for (const [tag, text] of Object.entries(later)) {
    const { idx, when } = journal.entries.at(-1)
    journal.entries.push({ ...journal.entries[0], idx: idx + 1, when: when + 1, tag })
    await writeFile(join(folder, `${tag}.sql`), text)
  }
  await writeFile(file, JSON.stringify(journal))
  return folder
}
