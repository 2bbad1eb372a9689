import type { Readable } from 'node:stream'

/**
 * Stores the bytes of files. The service makes the keys, of lower-case letters and digits, never of text by visitors.
 */
export interface FileStore {
  /** Stores a complete file; if its bytes end with an error, nothing is stored. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes from `start` to `end`, both included; undefined where there is no such file. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** True if this many bytes fit without filling the disk; absent if unknown. */
  hasRoom?(bytes: number): Promise<boolean>
  /** Throws if the store cannot be used; called once at the start. */
  check?(): Promise<void>
  /** Succeeds also where there is none. */
  remove(key: string): Promise<void>
}
