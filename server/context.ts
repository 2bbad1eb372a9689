import type { BotGrant, FolderGrant, UserGrant, WorkspaceGrant } from './access.ts'
import type { Services } from './router.ts'

/** What a handler gets beside its request: the services, the moment of the request, and its grant. */
type Context = Omit<Services, 'now'> & { now: Date }

export interface Contexts extends Record<'anyone' | 'user' | 'workspace' | 'folder' | 'bot', unknown> {
  anyone: Context
  user: Context & { grant: UserGrant }
  workspace: Context & { grant: WorkspaceGrant }
  folder: Context & { grant: FolderGrant }
  bot: Context & { grant: BotGrant }
}
