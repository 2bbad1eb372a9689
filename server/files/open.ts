import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { adviceOn, makeFolder } from '../db/data-folder.ts'
import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import type { FileStore } from './store.ts'

/**
 * The store of this installation: a bucket, the folder of `FILES_DIR`, or one beside the embedded database; null where
 * there is none of them. Throws where nothing can be written into `FILES_DIR`.
 */
export async function openFileStore(config: Config): Promise<FileStore | null> {
  if (config.S3_ENDPOINT) return openBucket(config)
  if (config.FILES_DIR) {
    await tryFolder(config.FILES_DIR)
    return openFolder(config.FILES_DIR)
  }
  return config.DATABASE_URL ? null : openFolder(join(config.DATA_DIR, 'files'))
}

const waysOut = { variable: 'FILES_DIR', otherwise: 'or S3_ENDPOINT to an object store' }

/** Better at the start than with the first file of a visitor. */
async function tryFolder(folder: string): Promise<void> {
  const file = join(folder, `${randomBytes(8).toString('hex')}.partial`)
  try {
    await makeFolder(folder)
    await writeFile(file, 'Can be written', { mode: 0o600 })
    await rm(file)
  } catch (error) {
    const { message } = error as Error
    const advice =
      adviceOn(message, folder, waysOut) ?? `set FILES_DIR to another folder, ${waysOut.otherwise}`
    throw new Error(`Files of visitors cannot be kept in ${folder} (${message}): ${advice}`)
  }
}
