import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { adviceOn, makeFolder } from '../db/embedded/data-folder.ts'
import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import { hasFreeDisk } from './free-disk.ts'
import type { FileStore } from './store.ts'

/**
 * The store of this installation: a bucket, the folder of `FILES_DIR`, or one beside the embedded database; null where
 * there is none of them. Throws where nothing can be written into `FILES_DIR`.
 */
export async function openFileStore(config: Config): Promise<FileStore | null> {
  if (config.S3_ENDPOINT) return withFloor(openBucket(config), config)
  if (config.FILES_DIR) {
    await tryFolder(config.FILES_DIR)
    return withFloor(openFolder(config.FILES_DIR), config)
  }
  return config.DATABASE_URL ? null : withFloor(openFolder(join(config.DATA_DIR, 'files')), config)
}

/** An embedded database on a full disk writes nothing any more, so files leave it room. */
function withFloor(
  files: FileStore,
  { FILES_DIR, DATABASE_URL, DATA_DIR, DISK_MIN_FREE }: Config,
): FileStore {
  const folders = [...(FILES_DIR ? [FILES_DIR] : []), ...(DATABASE_URL ? [] : [DATA_DIR])]
  const hasRoom = (bytes: number) => hasFreeDisk(folders, bytes, DISK_MIN_FREE * MEGABYTE)
  return DISK_MIN_FREE === 0 || folders.length === 0 ? files : { ...files, hasRoom }
}

const MEGABYTE = 1024 * 1024

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
