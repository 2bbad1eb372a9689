import { useState } from 'preact/hooks'
import { type Draft, findBlock } from '../model/draft.ts'
import { type Conflict, keyOf, type Side } from '../model/merge.ts'
import { toMarked } from '../model/rich-text.ts'
import { labelOf } from '../model/schema.ts'
import { nameOf, summaryOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Shows both sides of each conflict, and takes one of them. */
export function ConflictDialog({ conflicts }: { conflicts: Conflict[] }) {
  const { state, editor } = useWorkbench()
  const [choices, setChoices] = useState(new Map<string, Side>())
  const choose = (key: string, side: Side) => setChoices(new Map(choices).set(key, side))
  const all = (side: Side) => setChoices(new Map(conflicts.map(({ path }) => [keyOf(path), side])))
  const isComplete = conflicts.every(({ path }) => choices.has(keyOf(path)))
  return (
    <Dialog title="Somebody else changed the same parts" wide onClose={() => {}}>
      <p>
        Everything else was merged. Choose for each part. Nothing is saved before, and your changes are kept
        in this browser.
      </p>
      <div class="actions centred">
        <button type="button" onClick={() => all('mine')}>
          Take all of mine
        </button>
        <button type="button" onClick={() => all('theirs')}>
          Take all of theirs
        </button>
      </div>
      <ul class="conflicts">
        {conflicts.map((conflict) => {
          const key = keyOf(conflict.path)
          return (
            <li key={key}>
              <h3>{placeOf(conflict.path, state.draft, state.base)}</h3>
              <div class="sides">
                <SideChoice
                  title="Mine"
                  value={conflict.mine}
                  name={key}
                  isChosen={choices.get(key) === 'mine'}
                  onChoose={() => choose(key, 'mine')}
                />
                <SideChoice
                  title="Theirs"
                  value={conflict.theirs}
                  name={key}
                  isChosen={choices.get(key) === 'theirs'}
                  onChoose={() => choose(key, 'theirs')}
                />
              </div>
            </li>
          )
        })}
      </ul>
      <footer class="actions">
        <button type="button" class="main" disabled={!isComplete} onClick={() => editor.resolve(choices)}>
          Save these
        </button>
      </footer>
    </Dialog>
  )
}

function SideChoice(props: {
  title: string
  name: string
  value: unknown
  isChosen: boolean
  onChoose: () => void
}) {
  return (
    <label class={props.isChosen ? 'side chosen' : 'side'}>
      <span>
        <input type="radio" name={props.name} checked={props.isChosen} onChange={props.onChoose} />{' '}
        {props.title}
      </span>
      <pre>{wordsOf(props.name, props.value)}</pre>
    </label>
  )
}

const MAX_SHOWN_LETTERS = 2_000

function wordsOf(key: string, value: unknown): string {
  if (value === undefined) return 'Deleted'
  if (key.endsWith('\nrichText')) return toMarked(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.length > MAX_SHOWN_LETTERS ? `${text.slice(0, MAX_SHOWN_LETTERS)} …` : text
}

const listNames: Record<string, string> = {
  groups: 'Group',
  edges: 'Connection',
  variables: 'Variable',
  events: 'Event',
}

/** The path of a conflict in words. */
function placeOf(path: string[], ...drafts: Draft[]): string {
  const [part = '', id, inner, innerId] = path
  const name = listNames[part]
  if (!name) return path.map(labelOf).join(' › ')
  const known = drafts.flatMap((draft) => {
    if (part === 'groups') return draft.groups.filter((group) => group.id === id).map(({ title }) => title)
    if (part === 'variables')
      return draft.variables.filter((variable) => variable.id === id).map((each) => each.name)
    return []
  })
  const whole = `${name}${known[0] ? ` “${known[0]}”` : ''}`
  if (part !== 'groups' || inner !== 'blocks' || innerId === undefined) {
    return [whole, ...path.slice(2).map(labelOf)].join(' › ')
  }
  const found = drafts.map((draft) => findBlock(draft, innerId)).find(Boolean)
  const variables = drafts[0]?.variables ?? []
  const block = found
    ? `${nameOf(found.block.type)} “${summaryOf(found.block, variables).slice(0, 40)}”`
    : 'Block'
  return [whole, block, ...path.slice(4).map(labelOf)].join(' › ')
}
