import { changedParts, type Draft } from '../model/draft.ts'
import { type Conflict, isEqual, merge, type Side } from '../model/merge.ts'
import { emptyUndo, recordEdit, stepBack, stepForward, type Undo } from '../model/undo.ts'
import { applyPending, type PendingChange, type PendingChanges } from './pending.ts'

/*
 * The draft under edit. Edits are saved by themselves if the stored draft is unchanged; changes of others are merged,
 * and a person decides about conflicts. This browser stores an edit until the service has it.
 */

export interface Stored {
  draft: Draft
  tag: string
}

export interface Remote {
  read(): Promise<Stored>
  /** Writes the parts and returns the new tag. */
  write(change: { version: string; parts: Partial<Draft>; tag: string }): Promise<string>
  /** Classifies a failed write: another write came first, there was no response, or the service rejected it. */
  kindOf(error: unknown): 'stale' | 'away' | 'rejected'
  wordsOf(error: unknown): string
}

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'away' | 'conflict' | 'rejected'

export interface EditorState {
  draft: Draft
  /** The draft as the service has it. */
  base: Draft
  undo: Undo
  save: SaveState
  problem?: string
  /** Shown once: changes of others were merged, or earlier ones restored. */
  note?: string
  conflicts?: Conflict[]
}

export interface Editor {
  get(): EditorState
  subscribe(listener: () => void): () => void
  edit(draft: Draft, field?: string): void
  undo(): void
  redo(): void
  /** Decides all conflicts. */
  resolve(choices: Map<string, Side>): void
  /** Saves unsaved edits immediately; resolves when that ended, successfully or not. */
  flush(): Promise<void>
  /** Reads changes of others, if there is nothing to save. */
  refresh(): Promise<void>
  dismissNote(): void
}

const SAVE_DELAY_MS = 1_000
const RETRY_DELAY_MS = 4_000

export function createEditor(
  stored: Stored,
  remote: Remote,
  pending: PendingChanges,
  canWrite: boolean,
): Editor {
  let { tag } = stored
  let theirs: Stored | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  const listeners = new Set<() => void>()
  let state: EditorState = { draft: stored.draft, base: stored.draft, undo: emptyUndo, save: 'saved' }

  function update(change: Partial<EditorState>) {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  function schedule(delay: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), delay)
  }

  function keepLocally() {
    const mine = changedParts(state.base, state.draft)
    if (Object.keys(mine).length === 0) return pending.forget()
    const base = Object.fromEntries(Object.keys(mine).map((name) => [name, state.base[name as keyof Draft]]))
    pending.keep({ tag, base, mine } satisfies PendingChange)
  }

  function edit(draft: Draft, field?: string) {
    if (draft === state.draft || !canWrite) return
    const undo = recordEdit(state.undo, state.draft, field)
    change(draft, undo)
  }

  function change(draft: Draft, undo: Undo) {
    update({ draft, undo, save: state.save === 'conflict' ? 'conflict' : 'unsaved', problem: undefined })
    keepLocally()
    if (state.save !== 'conflict') schedule(SAVE_DELAY_MS)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    running ??= save().finally(() => {
      running = undefined
    })
    return running
  }

  async function save() {
    while (state.draft !== state.base && state.save !== 'conflict') {
      const sent = state.draft
      update({ save: 'saving' })
      try {
        tag = await remote.write({ version: sent.version, parts: changedParts(state.base, sent), tag })
        update({ base: sent, save: sent === state.draft ? 'saved' : 'unsaved', problem: undefined })
        keepLocally()
      } catch (error) {
        const kind = remote.kindOf(error)
        if (kind === 'stale' && (await takeTheirs())) continue
        if (kind === 'stale') return
        update({ save: kind, problem: remote.wordsOf(error) })
        if (kind === 'away') schedule(RETRY_DELAY_MS)
        return
      }
    }
    if (state.save !== 'conflict') update({ save: 'saved', problem: undefined })
  }

  /** Merges the changes of others. False if that needs a decision, or they could not be read. */
  async function takeTheirs(): Promise<boolean> {
    try {
      theirs = await remote.read()
    } catch (error) {
      const kind = remote.kindOf(error)
      update({ save: kind === 'stale' ? 'rejected' : kind, problem: remote.wordsOf(error) })
      schedule(RETRY_DELAY_MS)
      return false
    }
    const merged = merge(state.base, state.draft, theirs.draft)
    if (merged.conflicts.length > 0) {
      update({ save: 'conflict', conflicts: merged.conflicts })
      return false
    }
    settle(theirs, merged.value)
    return true
  }

  /** Continues from the state of the service, with `draft` as the state to reach. */
  function settle({ draft: base, tag: newTag }: Stored, draft: Draft) {
    const isNews = !isEqual(base, state.base)
    tag = newTag
    theirs = undefined
    update({
      base,
      draft: isEqual(draft, base) ? base : draft,
      conflicts: undefined,
      save: 'unsaved',
      // An undo would revert changes of others.
      ...(isNews
        ? { undo: emptyUndo, note: 'Somebody else changed the bot meanwhile. Both changes are in.' }
        : {}),
    })
    keepLocally()
  }

  for (const left of canWrite ? pending.takeLeft() : []) restore(left)

  function restore(left: PendingChange) {
    const restored = applyPending(state.draft, left)
    if (isEqual(restored.value, state.draft) && restored.conflicts.length === 0) return
    if (restored.conflicts.length === 0) {
      update({
        draft: restored.value,
        save: 'unsaved',
        note: 'Changes that had not been saved were restored.',
      })
      keepLocally()
      return schedule(0)
    }
    theirs = { draft: state.draft, tag }
    const mine = { ...state.draft, ...left.mine }
    update({ base: restored.before, draft: mine, save: 'conflict', conflicts: restored.conflicts })
    keepLocally()
  }

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit,
    undo() {
      const step = stepBack(state.undo, state.draft)
      if (step) change(step.draft, step.undo)
    },
    redo() {
      const step = stepForward(state.undo, state.draft)
      if (step) change(step.draft, step.undo)
    },
    resolve(choices) {
      if (!theirs) return
      settle(theirs, merge(state.base, state.draft, theirs.draft, choices).value)
      void flush()
    },
    flush,
    async refresh() {
      if (running || state.draft !== state.base || state.save === 'conflict') return
      const known = tag
      const read = await remote.read().catch(() => undefined)
      // An edit that was saved meanwhile is newer than the draft that was read.
      if (!read || read.tag === tag || tag !== known || running || state.draft !== state.base) return
      const isNews = !isEqual(read.draft, state.base)
      tag = read.tag
      if (!isNews) return
      update({
        base: read.draft,
        draft: read.draft,
        undo: emptyUndo,
        note: 'Somebody else changed the bot. This is its new state.',
      })
    },
    dismissNote: () => update({ note: undefined }),
  }
}
