/* Words that were being written, or were sent and refused, when the chat went on without them. */

/** With the id of the input that they were for. */
let unsent

export function forgetUnsent() {
  unsent = undefined
}

export function keepUnsent(field, inputId) {
  if (field?.value) unsent = { inputId, words: field.value }
}

/** Keeps words that were refused: nobody has read them. */
export function keepRefused(words, inputId) {
  if (words) unsent = { inputId, words, isRefused: true }
}

/**
 * Puts words back that were for the same input, that people can read in place of the bot, or that were sent to people
 * who have given the chat back meanwhile. True if it did.
 */
export function restoreUnsent(field, inputId) {
  const before = unsent
  unsent = undefined
  if (!field || !before) return false
  const isToPeople = before.isRefused && before.inputId === 'people'
  if (inputId !== before.inputId && inputId !== 'people' && !isToPeople) return false
  field.value = before.words
  return true
}
