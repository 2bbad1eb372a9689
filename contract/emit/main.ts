import { mkdir, writeFile } from 'node:fs/promises'
import { emit } from './emit.ts'

/** Writes what the contract generates; the only file here that touches the disk. */
const root = new URL('../../', import.meta.url)
await mkdir(new URL('generated/', root), { recursive: true })
for (const [path, text] of Object.entries(await emit())) await writeFile(new URL(path, root), text)
