import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileStore } from './store.ts'

/** Files in a folder, for any number of processes that reach it: no two of them write one key. */
export function openFolder(folder: string): FileStore {
  // Spread over folders by their last characters, which are random.
  const pathOf = (key: string) => join(folder, key.slice(-2), key)
  return {
    async write(key, bytes) {
      const path = pathOf(key)
      const partial = `${path}.partial`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        await writeFlushed(partial, bytes)
        await rename(partial, path)
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
      await flushFolder(dirname(path))
    },
    async read(key, range) {
      const path = pathOf(key)
      if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined
      return createReadStream(path, range)
    },
    async remove(key) {
      await rm(`${pathOf(key)}.partial`, { force: true })
      await rm(pathOf(key), { force: true })
    },
  }
}

/** Writes a file that only this account can read, and waits until it is on the disk. */
export async function writeFlushed(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const target = await open(path, 'w', 0o600)
  await pipeline(bytes, target.createWriteStream({ flush: true }))
}

/** A renamed file is safe only when its folder is. Windows has no such thing. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
