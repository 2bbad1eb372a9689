/* Words that were being written when the chat went on without them. */

/** With the id of the input that they were for. */
let unsent

export function forgetUnsent() {
  unsent = undefined
}

export function keepUnsent(field, inputId) {
  if (field?.value) unsent = { inputId, words: field.value }
}

/** Puts words back that were for the same input, or that people can read in place of the bot. True if it did. */
export function restoreUnsent(field, inputId) {
  const before = unsent
  unsent = undefined
  if (!field || !before || (inputId !== before.inputId && inputId !== 'people')) return false
  field.value = before.words
  return true
}
