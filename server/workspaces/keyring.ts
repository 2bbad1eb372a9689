import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { flushFolder } from '../uploads/folder.ts'

/*
 * The keys that credentials and secrets of webhook endpoints are encrypted with, AES-256-GCM. The first one encrypts,
 * all decrypt: so a new key can be put in front of the old one, and whatever the old one has encrypted stays readable
 * until it is encrypted anew.
 */

export interface Key {
  /** Says which key it is, and nothing about it. */
  id: string
  bytes: Buffer
}

export interface Keyring {
  /** All keys, the one that encrypts first. Empty where there are none yet. */
  read(): Promise<Key[]>
  /** Only for keys in a file: creates the first one, unless there is one, and returns the present keys. */
  make?: () => Promise<Key[]>
  /** Only where keys are in a file: puts a new one in front. */
  add?: () => Promise<Key[]>
  /** Only where keys are in a file: drops all but the first and those with these ids. */
  dropUnused?: (used: ReadonlySet<string>) => Promise<void>
}

/** Something cannot be encrypted or decrypted; the message is for operators, and goes into the log alone. */
export class KeyProblem extends Error {}

/** The keys of `ENCRYPTION_KEY`, or of a file in the data folder where the database is there too. */
export function openKeyring({ ENCRYPTION_KEY, DATABASE_URL, DATA_DIR }: Config): Keyring {
  if (ENCRYPTION_KEY) {
    const keys = ENCRYPTION_KEY.map(toKey)
    return { read: async () => keys }
  }
  return DATABASE_URL ? { read: async () => [] } : fileKeyring(join(DATA_DIR, 'encryption-key'))
}

export const newKey = () => toKey(randomBytes(32))

function toKey(bytes: Buffer): Key {
  return { id: hash('sha256', Buffer.concat([Buffer.from('key id '), bytes])).slice(0, 16), bytes }
}

/** One key a line, in base64. Read anew every time, so that processes side by side agree on the first one. */
function fileKeyring(file: string): Keyring {
  async function read(): Promise<Key[]> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw new KeyProblem(`The encryption key cannot be read from ${file}: ${error.code}`)
    })
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const bytes = Buffer.from(line, 'base64')
        if (bytes.length !== 32) throw new KeyProblem(`${file} is damaged: a line is no key of 32 bytes`)
        return toKey(bytes)
      })
  }
  async function write(keys: Key[]): Promise<string> {
    const written = `${file}.${keys[0]?.id}`
    // One that a process left behind which was killed is written over.
    const handle = await open(written, 'w', 0o600)
    await handle.writeFile(keys.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''))
    await handle.sync()
    await handle.close()
    return written
  }
  async function replace(keys: Key[]) {
    await rename(await write(keys), file)
    await flushFolder(dirname(file))
  }
  return {
    read,
    async make() {
      const written = await write([newKey()])
      // If several processes create the first key concurrently, one succeeds: a link does not replace an existing
      // file.
      await link(written, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      await rm(written)
      await flushFolder(dirname(file))
      return read()
    },
    async add() {
      const keys = [newKey(), ...(await read())]
      await replace(keys)
      return keys
    },
    async dropUnused(used) {
      const keys = await read()
      const usedKeys = keys.filter(({ id }, at) => at === 0 || used.has(id))
      if (usedKeys.length < keys.length) await replace(usedKeys)
    },
  }
}

const nonceBytes = 12
const tagBytes = 16

/** `owner` is bound to the encrypted text: under another one it cannot be decrypted. */
export function encrypt({ bytes }: Key, text: string, owner: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(owner))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function decrypt({ bytes }: Key, sealed: Buffer, owner: string): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-tagBytes))
    const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    throw new KeyProblem('The secret was changed in the database, so it cannot be decrypted')
  }
}

/** A secret as a row has it. */
export interface Sealed {
  data: Buffer
  keyId: string
}

export function seal(key: Key, text: string, owner: string): Sealed {
  return { data: encrypt(key, text, owner), keyId: key.id }
}

export function unseal(keys: Key[], { data, keyId }: Sealed, owner: string): string {
  const key = keys.find(({ id }) => id === keyId)
  if (key) return decrypt(key, data, owner)
  throw new KeyProblem(
    `The secret was encrypted with the key ${keyId}, which is not among those of ENCRYPTION_KEY or the data folder`,
  )
}
