import type { InputToShow } from '../types.ts'

/** The input of a visitor who talks to people. It is no block of the flow. */
export function inputForPeople(maximumSize: number | undefined): InputToShow {
  const input: InputToShow = { id: 'people', type: 'text input' }
  if (maximumSize === undefined) return input
  return { ...input, options: { attachments: { isEnabled: true } }, upload: { maximumSize } }
}
