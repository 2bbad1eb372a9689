import type { Logger } from 'pino'
import type { BotGrant, FolderGrant, UserGrant, WorkspaceGrant } from './access/index.ts'
import type { ChatTools } from './chat-tools.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { Once as KitOnce, Within as KitWithin } from './kit/idempotency.ts'
import type { HandlerContext } from './kit/router.ts'
import type { Slot } from './kit/shares/admission-queue.ts'
import type { CountMessage, createQuotas, Quota } from './shares/quotas.ts'
import type { FileStore } from './uploads/store.ts'
import type { Keyring } from './workspaces/keyring.ts'

/** Runs a piece of work of the caller in its turn, if it would block the thread for too long. */
export type Pace = <Value>(work: () => Value | Promise<Value>) => Promise<Value>

/** Services that the whole process shares. */
export interface Services {
  db: Database
  /** For reads and counts of results: a standby that is as recent as `db`, if there is one, else `db`. */
  reads: Database
  config: Config
  log: Logger
  now: () => Date
  /** Authenticates cursors; the same in all processes of the installation. */
  cursorKey: Buffer
  chat: ChatTools
  /** Keyring for credentials. */
  keyring: Keyring
  /** Store for files of visitors; null if none is configured. */
  files: FileStore | null
  /** Base URL of the service; available once it listens. */
  publicUrl: () => string
  /** Storage of visitors that is left today. */
  quotas: ReturnType<typeof createQuotas>
  /** Messages of members that are left today. */
  countMessage: CountMessage
}

/** See `Once` of the kit. The scope is a bot. */
export type Once = KitOnce<Database>
export type Within = KitWithin<Database>

/**
 * Context of a handler, passed beside its request. `now` is the time of the request; `arrivedAt` is its arrival by
 * `performance.now()`, to measure its age. A handler releases its `slot` while it waits for something else. `pace`
 * belongs to the tenant of the caller, `quota` to its address.
 */
type Context = Omit<Services, 'now' | 'quotas'> & {
  now: Date
  arrivedAt: number
  once: Once
  slot: Slot
  pace: Pace
  quota: () => Quota
  /** Address range of the caller; empty where it is unknown. */
  network: () => string
  within: Within
  completeKey: HandlerContext<Database>['completeKey']
  /** Base URL of the service on the host that the request names; undefined where none is configured. */
  visitedUrl: string | undefined
  /** The host that the request names, if it belongs to bots: it serves these alone. */
  visitedDomain: string | undefined
}

export interface Contexts extends Record<'anyone' | 'user' | 'workspace' | 'folder' | 'bot', unknown> {
  anyone: Context
  user: Context & { grant: UserGrant }
  workspace: Context & { grant: WorkspaceGrant }
  folder: Context & { grant: FolderGrant }
  bot: Context & { grant: BotGrant }
}
