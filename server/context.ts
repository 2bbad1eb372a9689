import type { Logger } from 'pino'
import type { BotGrant, FolderGrant, UserGrant, WorkspaceGrant } from './access/index.ts'
import type { ChatTools } from './chat/tools/index.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { FileStore } from './files/store.ts'
import type { Quota } from './http/quotas.ts'
import type { Place } from './http/room.ts'
import type { Keyring } from './workspaces/keyring.ts'

/** Does a piece of work of the caller in its turn, for what takes the thread longer than others can wait. */
export type Pace = <Value>(work: () => Value | Promise<Value>) => Promise<Value>

/** What the whole process shares. */
export interface Services {
  db: Database
  /** For what reads results and counts them: a standby where it is as far as `db` and there is one, else `db`. */
  reads: Database
  config: Config
  log: Logger
  now: () => Date
  /** Authenticates cursors; the same in all processes of the installation. */
  cursorKey: Buffer
  chat: ChatTools
  /** Of credentials. */
  keyring: Keyring
  /** Where files of visitors are; null where the installation has no place for them. */
  files: FileStore | null
  /** Where callers reach the service; known once it listens. */
  publicUrl: () => string
}

/**
 * Runs what calls out, of an operation that says so, once for the idempotency key of the request. `run` writes by
 * `keep`, with the answer that is then its own: both are committed, or neither. Without a key it just runs.
 */
export type Once = <Answer>(botId: string, run: (keep: Keep<Answer>) => Promise<Answer>) => Promise<Answer>

/**
 * Runs what writes, of an operation that says `preparesFirst`: within the transaction of the idempotency key of the
 * request, which keeps the answer. Without a key it just runs.
 */
export type Within = <Answer>(run: (db: Database) => Promise<Answer>) => Promise<Answer>

/** `write` may be repeated, and is undone when it says false. */
type Keep<Answer> = (answer: Answer, write: (db: Database) => Promise<boolean>) => Promise<boolean>

/**
 * What a handler gets beside its request: the services, the moment of the request, and its grant. `arrivedAt` is
 * when it came in by `performance.now()`, which tells how long it has been here. `place` is left while it
 * waits for somebody else. `pace` is of its tenant. `quota` is of its address.
 */
type Context = Omit<Services, 'now'> & {
  now: Date
  arrivedAt: number
  once: Once
  place: Place
  pace: Pace
  quota: Quota
  within: Within
}

export interface Contexts extends Record<'anyone' | 'user' | 'workspace' | 'folder' | 'bot', unknown> {
  anyone: Context
  user: Context & { grant: UserGrant }
  workspace: Context & { grant: WorkspaceGrant }
  folder: Context & { grant: FolderGrant }
  bot: Context & { grant: BotGrant }
}
