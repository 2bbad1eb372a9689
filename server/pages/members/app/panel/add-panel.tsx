import { useState } from 'preact/hooks'
import type { Selection } from '../flow/selection.ts'
import { addBlock } from '../model/edits.ts'
import { addableTypes, familyNames, newBlock } from '../model/new-blocks.ts'
import { type Family, kindOf, nameOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { BlockIcon } from '../ui/block-icon.tsx'
import { PanelHead } from './parts.tsx'

/** Offers the types of blocks. */
export function AddPanel(props: {
  groupId: string
  index: number
  onSelect: (selection: Selection) => void
}) {
  const { edit } = useWorkbench()
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const add = (type: string) => {
    const block = newBlock(type)
    edit((draft) => addBlock(draft, props.groupId, props.index, block))
    props.onSelect({ kind: 'block', id: block.id })
  }
  const families = Object.entries(addableTypes) as [Family, string[]][]
  const found = families
    .map(([family, types]) => ({
      family,
      types: types.filter((type) => nameOf(type).toLowerCase().includes(words)),
    }))
    .filter(({ types }) => types.length > 0)
  return (
    <>
      <PanelHead title="Add a block" onClose={() => props.onSelect(undefined)} />
      <label class="field">
        <span class="visually-hidden">Search blocks</span>
        <input
          type="search"
          placeholder="Search blocks"
          value={search}
          ref={(element) => {
            if (element && search === '' && document.activeElement === document.body) element.focus()
          }}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = found[0]?.types[0]
            if (event.key === 'Enter' && words !== '' && first) add(first)
          }}
        />
      </label>
      {found.map(({ family, types }) => (
        <section key={family} class="palette" aria-label={familyNames[family]}>
          <h3>{familyNames[family]}</h3>
          <div>
            {types.map((type) => (
              <button key={type} type="button" onClick={() => add(type)}>
                <BlockIcon type={type} /> {kindOf(type).label}
              </button>
            ))}
          </div>
        </section>
      ))}
      {found.length === 0 && <p class="about">No block matches “{search.trim()}”.</p>}
    </>
  )
}
