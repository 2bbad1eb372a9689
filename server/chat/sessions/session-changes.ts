import { EventEmitter } from 'node:events'
import { afterCommit, type Database } from '../../db/client.ts'

/** Changes of sessions that this process wrote, by their ids. Followers find those of other processes by asking. */
export const sessionChanges = new EventEmitter<Record<string, []>>().setMaxListeners(0)

/** Wakes those who follow a session in this process, once the change is committed. */
export function announceChange(db: Database, sessionId: string) {
  afterCommit(db, () => sessionChanges.emit(sessionId))
}
