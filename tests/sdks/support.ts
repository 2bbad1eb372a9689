import { readFileSync } from 'node:fs'

/* Values that main.ts passes to every story, whatever its language. */

export const baseUrl = given('BASE_URL')
export const token = given('TOKEN')
/** Token of a user who may only read the workspace of `answeredBotId`. */
export const guestToken = given('GUEST_TOKEN')
/** A bot with the results `resultIds`, newest first. */
export const answeredBotId = given('ANSWERED_BOT_ID')
export const resultIds = given('RESULT_IDS').split(',')
export const currentDocument = JSON.parse(readFileSync(given('CURRENT_DOCUMENT'), 'utf8'))
export const legacyDocument = JSON.parse(readFileSync(given('LEGACY_DOCUMENT'), 'utf8'))

export function given(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run the story with make sdks`)
  return value
}

/** Returns the parts that a document has in common with every response that contains it. */
export function flowOf(document: object) {
  const { groups, events, edges, variables, theme, settings } = document as Record<string, unknown>
  return { groups, events, edges, variables, theme, settings }
}
