import { newId } from '../../ids.ts'

/*
 * The id of a session begins with the id of its bot, so that every statement can name both: they are the key of
 * sessions.
 */

export function newSessionId(botId: string, now: Date): string {
  return `${botId}-${newId(now)}`
}

/** Returns the bot of a session; undefined for a text that is no id of a session. */
export function botOfSession(sessionId: string): string | undefined {
  return /^(.+)-[0-9a-z]{26}$/.exec(sessionId)?.[1]
}
