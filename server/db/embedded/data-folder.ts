import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from './programs.ts'

/** True if a data folder already holds a database. */
export async function hasData(dataDirectory: string): Promise<boolean> {
  try {
    await access(join(dataDirectory, 'postgres/data/PG_VERSION'))
    return true
  } catch (error) {
    // A folder that cannot be read counts as one with data. Its next use reports why.
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR'
  }
}

/** The variable that names a folder, and the settings that can replace it. */
interface WaysOut {
  variable: string
  otherwise: string
}

const ofDatabase: WaysOut = { variable: 'DATA_DIR', otherwise: 'or DATABASE_URL to a server of your own' }

/**
 * Returns advice on a failure of the machine, by the code of an error or the output of PostgreSQL; undefined for other
 * failures.
 */
export function adviceOn(
  said: string,
  folder: string,
  { variable, otherwise }: WaysOut = ofDatabase,
): string | undefined {
  if (/ENOSPC|EDQUOT|No space left|quota exceeded|wrote only \d+ of/i.test(said))
    return `the disk is full: make room on it, set ${variable} to a folder on another disk, ${otherwise}`
  if (/EROFS|Read-only file system/i.test(said))
    return `it is read-only: set ${variable} to a folder that can be written, ${otherwise}`
  if (/invalid permissions/i.test(said))
    return `others may read or write it: take that from them with chmod 700 '${join(folder, 'postgres/data')}', ${otherwise}`
  if (/EACCES|EPERM|Permission denied/i.test(said))
    return `this account may not write there: set ${variable} to a folder that it owns, ${otherwise}`
  if (/ENOTDIR|EEXIST|Not a directory/i.test(said))
    return `${folder}, or what it is in, is a file: set ${variable} to a folder, ${otherwise}`
  if (/ENOENT|ENAMETOOLONG|ELOOP/.test(said))
    return `no such folder can be made: set ${variable} to another one, ${otherwise}`
  return undefined
}

/** Node tries for ever to make a folder with its parents where the system has no such place, such as in /proc. */
export async function makeFolder(folder: string): Promise<void> {
  const isThere = await stat(folder).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  if (isThere) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}
