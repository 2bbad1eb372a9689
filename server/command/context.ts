import type { Io } from './io.ts'
import type { Service } from './profiles.ts'

/** Options of every command. */
export interface GlobalOptions {
  profile?: string
  json?: boolean
  folder: string
}

export interface Context {
  io: Io
  isJson(): boolean
  /** The folder of bots, as an absolute path. */
  folder(): string
  /** The service of the folder, of the named profile, or of the current one. */
  service(): Service
}
