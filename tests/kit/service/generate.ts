import { writeFile } from 'node:fs/promises'
import { emitFiles } from './emit.ts'

const folder = new URL('generated/', import.meta.url)
for (const [name, text] of Object.entries(await emitFiles())) await writeFile(new URL(name, folder), text)
