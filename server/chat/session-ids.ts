import { newId } from '../ids.ts'

/*
 * The id of a session begins with that of its bot, so that whoever has the one knows the other: sessions are keyed by
 * both, and every statement names the bot.
 */

export function newSessionId(botId: string, now: Date): string {
  return `${botId}-${newId(now)}`
}

/** The bot of a session; undefined for an id of a release before 1.1, which does not say. */
export function botOfSession(sessionId: string): string | undefined {
  return /^(.+)-[0-9a-z]{26}$/.exec(sessionId)?.[1]
}
