import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import type { FileStore } from './store.ts'

/** The store of this installation: a bucket, or a folder beside the embedded database; null where there is neither. */
export function openFileStore(config: Config): FileStore | null {
  if (config.S3_ENDPOINT) return openBucket(config)
  return config.DATABASE_URL ? null : openFolder(join(config.DATA_DIR, 'files'))
}
