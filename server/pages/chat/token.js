import { forget, keep, readKept } from './storage.js'

/* The access token of a tab, which the pages of results and of the reference share. */

const key = 'token'

export const keptToken = {
  get: () => readKept('session', key),
  set: (value) => keep('session', key, value),
  forget: () => forget('session', key),
}

/** Returns why a text cannot be the value of a header: mostly an invisible character. */
export function headerProblem(text) {
  const [character] = text.match(/[^\x20-\x7e]/u) ?? []
  if (character === undefined) return undefined
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')
  const shown = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}", ` : ''
  return `has a character that cannot be in it (${shown}U+${code}). Copy it again.`
}
