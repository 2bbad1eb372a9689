import { useState } from 'preact/hooks'
import type { Selection } from '../flow/selection.ts'
import { type Block, exitsOf, findBlock, type JsonObject } from '../model/draft.ts'
import { duplicateBlock, moveBlock, removeBlock, replaceBlock } from '../model/edits.ts'
import { blockSchema } from '../model/schema.ts'
import { itemSummary, nameOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import { Icon } from '../ui/icons.tsx'
import { ExitField } from './exit-field.tsx'
import { JsonPanel } from './json-panel.tsx'
import { Findings, PanelHead } from './parts.tsx'
import { SchemaForm } from './schema-form.tsx'
import { useSchema } from './schemas.ts'
import { TextEditor } from './text-editor.tsx'

export function BlockPanel({ id, onSelect }: { id: string; onSelect: (selection: Selection) => void }) {
  const { state, edit, canWrite, findings } = useWorkbench()
  const { draft } = state
  const root = useSchema(draft.version)
  const [isJson, setJson] = useState(false)
  const found = findBlock(draft, id)
  if (!found) return <PanelHead title="Block" onClose={() => onSelect(undefined)} />
  const { block, group, blockIndex } = found
  const schema = root && blockSchema(root, block.type)
  const change = (next: JsonObject) => edit((before) => replaceBlock(before, next as Block), `block ${id}`)
  const move = (by: number) =>
    edit((before) => moveBlock(before, id, group.id, by > 0 ? blockIndex + 2 : blockIndex - 1))
  const duplicate = () => {
    const blockCopy = duplicateBlock(draft, id)
    if (!blockCopy) return
    edit(() => blockCopy.draft)
    onSelect({ kind: 'block', id: blockCopy.block.id })
  }
  return (
    <>
      <PanelHead title={nameOf(block.type)} onClose={() => onSelect(undefined)}>
        {canWrite && (
          <>
            <button
              type="button"
              class="quiet square"
              aria-label="Move up"
              disabled={blockIndex === 0}
              onClick={() => move(-1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="quiet square"
              aria-label="Move down"
              disabled={blockIndex === group.blocks.length - 1}
              onClick={() => move(1)}
            >
              <Icon name="down" />
            </button>
            <button type="button" class="quiet square" aria-label="Duplicate block" onClick={duplicate}>
              <Icon name="copy" />
            </button>
            <button
              type="button"
              class="quiet square danger-text"
              aria-label="Delete block"
              onClick={() => {
                edit((before) => removeBlock(before, id))
                onSelect({ kind: 'group', id: group.id })
              }}
            >
              <Icon name="delete" />
            </button>
          </>
        )}
      </PanelHead>
      <p class="about">
        In{' '}
        <button type="button" class="text" onClick={() => onSelect({ kind: 'group', id: group.id })}>
          {group.title || 'Untitled'}
        </button>
      </p>
      <Findings findings={findings.filter(({ blockId }) => blockId === id)} />
      <fieldset class="tabs" aria-label="View of the block">
        <button type="button" aria-pressed={!isJson} onClick={() => setJson(false)}>
          Form
        </button>
        <button type="button" aria-pressed={isJson} onClick={() => setJson(true)}>
          JSON
        </button>
      </fieldset>
      {isJson ? (
        <JsonPanel
          key={id}
          value={block}
          root={root}
          schema={schema}
          label={`${nameOf(block.type)} as JSON`}
          isReadOnly={!canWrite}
          check={(next) => (next.id === id ? undefined : 'Leave the id as it is: edges name it.')}
          onChange={change}
        />
      ) : (
        <>
          {block.type === 'text' && (
            <TextEditor key={id} block={block} onChange={change} isReadOnly={!canWrite} />
          )}
          {!root && (
            <p role="status" class="about">
              Loading the form …
            </p>
          )}
          {root && !schema && (
            <p class="about">
              This service does not know the type “{block.type}”. It is kept, and can be edited as JSON.
            </p>
          )}
          {root && schema && block.type !== 'text' && (
            <BlockForm block={block} change={change} root={root} schema={schema} isReadOnly={!canWrite} />
          )}
          <ExitFields block={block} />
        </>
      )}
    </>
  )
}

/** The options of a block without the frame around them. */
function BlockForm(props: {
  block: Block
  change: (next: JsonObject) => void
  root: Parameters<typeof blockSchema>[0]
  schema: NonNullable<ReturnType<typeof blockSchema>>
  isReadOnly: boolean
}) {
  const { block, change, root, schema, isReadOnly } = props
  const opened = ['options', 'content'].filter((name) => schema.properties?.[name])
  const resolved = (name: string) => {
    const property = schema.properties?.[name] ?? {}
    const target = property.$ref?.split('/').at(-1)
    return (target && root.definitions?.[target]) || property
  }
  return (
    <>
      <SchemaForm
        root={root}
        schema={schema}
        value={block}
        onChange={change}
        isReadOnly={isReadOnly}
        hidden={['options', 'content']}
      />
      {opened.map((name) => (
        <SchemaForm
          key={name}
          root={root}
          schema={resolved(name)}
          value={(block[name] as JsonObject | undefined) ?? {}}
          onChange={(next) => change({ ...block, [name]: next })}
          isReadOnly={isReadOnly}
        />
      ))}
    </>
  )
}

function ExitFields({ block }: { block: Block }) {
  const { state } = useWorkbench()
  const { variables } = state.draft
  return (
    <section class="exits" aria-label="Where it leads">
      <h3>Where it leads</h3>
      {exitsOf(block).map(({ source }) => {
        const item = block.items?.find((each) => each.id === source.itemId)
        const path = item?.paths?.find((each) => each.id === source.pathId)
        const words = path?.text ?? (item ? itemSummary(block, item, variables) : undefined)
        const label = words ?? (block.items ? 'Otherwise' : 'Then')
        return <ExitField key={`${source.itemId} ${source.pathId}`} source={source} label={label} />
      })}
    </section>
  )
}
