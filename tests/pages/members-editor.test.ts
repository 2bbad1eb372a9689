import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Draft } from '../../server/pages/members/app/model/draft.ts'
import { keyOf } from '../../server/pages/members/app/model/merge.ts'
import { createEditor, type Editor, type Remote } from '../../server/pages/members/app/store/editor.ts'
import { type KeyValueStore, pendingChanges } from '../../server/pages/members/app/store/pending.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

/* Safe saving: two people edit one bot, connections break, tabs are closed. */

const empty: Draft = {
  version: '6.1',
  groups: [],
  events: [],
  edges: [],
  variables: [],
  theme: {},
  settings: {},
}

/** The service, as far as the editor sees it. */
function newService(draft: Draft = empty) {
  const service = { draft, count: 0, isAway: false }
  const remote: Remote = {
    async read() {
      if (service.isAway) throw new Error('away')
      return { draft: structuredClone(service.draft), tag: String(service.count) }
    },
    async write({ parts, tag }) {
      if (service.isAway) throw new Error('away')
      if (tag !== String(service.count)) throw new Error('stale')
      service.draft = structuredClone({ ...service.draft, ...parts })
      service.count += 1
      return String(service.count)
    },
    kindOf: (error) => ((error as Error).message === 'away' ? 'away' : 'stale'),
    wordsOf: (error) => (error as Error).message,
  }
  return { service, remote }
}

function newStore(): KeyValueStore {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

const openEditor = async (remote: Remote, store = newStore()) =>
  createEditor(await remote.read(), remote, pendingChanges(store, 'bot'), true)

const setName = (editor: Editor, id: string, name: string) => {
  const { draft } = editor.get()
  const others = draft.variables.filter((variable) => variable.id !== id)
  editor.edit({ ...draft, variables: [...others, { id, name }].toSorted((a, b) => (a.id < b.id ? -1 : 1)) })
}

const names = ({ variables }: Draft) => Object.fromEntries(variables.map(({ id, name }) => [id, name]))

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('saving', () => {
  test('an edit is saved by itself after a delay, and undone', async () => {
    const { service, remote } = newService()
    const editor = await openEditor(remote)
    setName(editor, 'a', 'Name')
    expect(editor.get().save).toBe('unsaved')
    await jest.advanceTimersByTimeAsync(1_000)
    expect([editor.get().save, names(service.draft)]).toEqual(['saved', { a: 'Name' }])
    editor.undo()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(names(service.draft)).toEqual({})
    editor.redo()
    await editor.flush()
    expect(names(service.draft)).toEqual({ a: 'Name' })
  })

  test('edits without a connection are kept, retried, and restored in another tab', async () => {
    const { service, remote } = newService()
    const store = newStore()
    const editor = await openEditor(remote, store)
    service.isAway = true
    setName(editor, 'a', 'Name')
    await editor.flush()
    expect(editor.get().save).toBe('away')
    expect(store.length).toBe(1)
    service.isAway = false
    // The first tab was closed: nothing runs its timers.
    jest.clearAllTimers()
    const second = await openEditor(remote, store)
    expect(names(second.get().draft)).toEqual({ a: 'Name' })
    await second.flush()
    expect([second.get().save, names(service.draft), store.length]).toEqual(['saved', { a: 'Name' }, 0])
  })

  test('edits are sent when the connection comes back', async () => {
    const { service, remote } = newService()
    const editor = await openEditor(remote)
    service.isAway = true
    setName(editor, 'a', 'Name')
    await editor.flush()
    service.isAway = false
    await jest.advanceTimersByTimeAsync(4_000)
    expect([editor.get().save, names(service.draft)]).toEqual(['saved', { a: 'Name' }])
  })
})

describe('two editors', () => {
  test('changes of different parts are both saved, and the later one is notified', async () => {
    const { service, remote } = newService()
    const [one, other] = [await openEditor(remote), await openEditor(remote)]
    setName(one, 'a', 'One')
    await one.flush()
    setName(other, 'b', 'Other')
    await other.flush()
    expect(names(service.draft)).toEqual({ a: 'One', b: 'Other' })
    expect(other.get().note).toMatch('Both changes are in')
    await one.refresh()
    expect(names(one.get().draft)).toEqual({ a: 'One', b: 'Other' })
  })

  test('a state that was read before an edit was saved does not replace it', async () => {
    const { remote } = newService()
    let release = () => {}
    const late = new Promise<void>((resolve) => {
      release = resolve
    })
    let isSlow = false
    const editor = await openEditor({
      ...remote,
      async read() {
        const isLate = isSlow
        const stored = await remote.read()
        if (isLate) await late
        return stored
      },
    })
    await remote.write({ version: '6.1', parts: { variables: [{ id: 'b', name: 'Theirs' }] }, tag: '0' })
    isSlow = true
    const reading = editor.refresh()
    isSlow = false
    setName(editor, 'a', 'Mine')
    await editor.flush()
    release()
    await reading
    expect(names(editor.get().draft)).toEqual({ a: 'Mine', b: 'Theirs' })
  })

  test.each([
    ['mine', 'Other'],
    ['theirs', 'One'],
  ] as const)('a conflict waits for a choice, and %s wins when it is taken', async (side, winner) => {
    const { service, remote } = newService({ ...empty, variables: [{ id: 'a', name: 'Name' }] })
    const [one, other] = [await openEditor(remote), await openEditor(remote)]
    setName(one, 'a', 'One')
    await one.flush()
    setName(other, 'a', 'Other')
    await other.flush()
    const { save, conflicts = [] } = other.get()
    expect([save, conflicts.map(({ mine, theirs }) => [mine, theirs])]).toEqual([
      'conflict',
      [['Other', 'One']],
    ])
    expect(names(service.draft)).toEqual({ a: 'One' })
    other.resolve(new Map(conflicts.map(({ path }) => [keyOf(path), side])))
    await other.flush()
    expect([other.get().save, names(service.draft)]).toEqual(['saved', { a: winner }])
  })

  test('any edits of two members, connections and closed tabs lose nothing', async () => {
    const step = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom('edit', 'edit', 'edit', 'flush', 'away', 'back', 'close'),
      id: fc.constantFrom('a', 'b', 'c'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { service, remote } = newService()
        const stores = [newStore(), newStore()]
        const editors = await Promise.all(stores.map((store) => openEditor(remote, store)))
        // Each has parts of its own, so that there is one right outcome.
        const expected: Record<string, string> = {}
        for (const [count, { who, what, id }] of steps.entries()) {
          const editor = editors[who] as Editor
          if (what === 'edit') {
            setName(editor, `${id}${who}`, String(count))
            expected[`${id}${who}`] = String(count)
          } else if (what === 'flush') await editor.flush()
          else if (what !== 'close') service.isAway = what === 'away'
          else if (!service.isAway) editors[who] = await openEditor(remote, stores[who])
        }
        service.isAway = false
        for (const editor of editors) await editor.flush()
        expect(names(service.draft)).toEqual(expected)
        expect(editors.map((editor) => editor.get().save)).toEqual(['saved', 'saved'])
      }),
      { numRuns: runs(100, 2_000) },
    )
  })
})
