/* Words that were being written, or were sent and rejected, when the chat continued without them. */

/** With the id of the input that they were for. */
let unsent

export function forgetUnsent() {
  unsent = undefined
}

export function keepUnsent(field, inputId) {
  if (field?.value) unsent = { inputId, words: field.value }
}

/** Stores rejected words, which neither bot nor member has read. */
export function keepRefused(words, inputId) {
  if (words) unsent = { inputId, words, isRefused: true }
}

/**
 * Restores words that were for the same input, that members can now read in place of the bot, or that were sent to
 * members who have handed the chat back meanwhile. True if it did.
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
