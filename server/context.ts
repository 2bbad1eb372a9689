import type { Logger } from 'pino'
import type { BotGrant, FolderGrant, UserGrant, WorkspaceGrant } from './access/index.ts'
import type { ChatTools } from './chat/tools/index.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'

/** What the whole process shares. */
export interface Services {
  db: Database
  config: Config
  log: Logger
  now: () => Date
  /** Authenticates cursors; the same in all processes of the installation. */
  cursorKey: Buffer
  chat: ChatTools
}

/** What a handler gets beside its request: the services, the moment of the request, and its grant. */
type Context = Omit<Services, 'now'> & { now: Date }

export interface Contexts extends Record<'anyone' | 'user' | 'workspace' | 'folder' | 'bot', unknown> {
  anyone: Context
  user: Context & { grant: UserGrant }
  workspace: Context & { grant: WorkspaceGrant }
  folder: Context & { grant: FolderGrant }
  bot: Context & { grant: BotGrant }
}
