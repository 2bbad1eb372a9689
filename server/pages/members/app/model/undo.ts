import type { Draft } from './draft.ts'

/** The drafts before and after the current one. */
export interface Undo {
  past: Draft[]
  future: Draft[]
  /** Names the field that the last edit was in: edits of one field in a row are undone together. */
  field: string | undefined
}

export const emptyUndo: Undo = { past: [], future: [], field: undefined }

const MAX_UNDO_EDITS = 200

export function recordEdit(undo: Undo, before: Draft, field?: string): Undo {
  const isSame = field !== undefined && field === undo.field && undo.past.length > 0
  return { past: isSame ? undo.past : [...undo.past, before].slice(-MAX_UNDO_EDITS), future: [], field }
}

export function stepBack(undo: Undo, current: Draft): { undo: Undo; draft: Draft } | undefined {
  const draft = undo.past.at(-1)
  if (!draft) return undefined
  return {
    draft,
    undo: { past: undo.past.slice(0, -1), future: [current, ...undo.future], field: undefined },
  }
}

export function stepForward(undo: Undo, current: Draft): { undo: Undo; draft: Draft } | undefined {
  const [draft, ...future] = undo.future
  if (!draft) return undefined
  return { draft, undo: { past: [...undo.past, current], future, field: undefined } }
}
