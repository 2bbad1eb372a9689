import type { Readable } from 'node:stream'

/** Where the bytes of files are. Keys are lower-case letters and digits of the service, never what a visitor wrote. */
export interface FileStore {
  /** Keeps a file that is whole: one whose bytes end with an error leaves nothing. */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes from `start` to `end`, both included; undefined where there is no such file. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Whether so many bytes can come without the disk running full; absent where nobody knows. */
  hasRoom?(bytes: number): Promise<boolean>
  /** Throws where the store cannot be used; asked once at the start. */
  check?(): Promise<void>
  /** Succeeds also where there is none. */
  remove(key: string): Promise<void>
}
