import { findBlock } from '../model/draft.ts'
import { nameOf, summaryOf } from '../model/words.ts'
import { useWorkbench } from '../store/context.ts'
import type { Selection } from './selection.ts'

/** A turn of the chat with the draft, as the chat page reports it. */
export interface Turn {
  /** Ids of the blocks whose messages were shown. */
  shown: string[]
  /** Id of the block of the input. */
  asked: string | undefined
  answer: string | undefined
  variables: { id: string; name: string; value?: unknown }[]
  logs: { status?: string; description: string; details?: string; context?: string }[]
}

/** Lists the events at each block while the draft was tried. */
export function Happenings({ turns, onSelect }: { turns: Turn[]; onSelect: (selection: Selection) => void }) {
  const { state } = useWorkbench()
  const { draft } = state
  const block = (id: string | undefined, before: string) => {
    const found = id === undefined ? undefined : findBlock(draft, id)
    if (!found) return null
    return (
      <li key={`${before} ${id}`}>
        {before}{' '}
        <button type="button" class="text" onClick={() => onSelect({ kind: 'block', id: found.block.id })}>
          {nameOf(found.block.type)}
        </button>{' '}
        <span class="about">{summaryOf(found.block, draft.variables)}</span>
      </li>
    )
  }
  const errors = turns.flatMap(({ logs }) => logs).filter(({ status }) => status === 'error').length
  const variables = turns.at(-1)?.variables ?? []
  return (
    <div class="happenings">
      <details>
        <summary>Variables</summary>
        {variables.length === 0 && <p class="about">No variable has a value yet.</p>}
        <dl aria-label="Variables of the test">
          {variables.map(({ id, name, value }) => (
            <div key={id}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
      <details>
        <summary>
          Log{errors > 0 && <span class="wrong">: {errors === 1 ? '1 error' : `${errors} errors`}</span>}
        </summary>
        <ol aria-label="Log of the test">
          {turns.map(({ shown, asked, answer, logs }, index) => (
            <li key={index}>
              {index === 0 ? 'Start' : 'Answer'}
              {answer !== undefined && <strong> {answer}</strong>}
              <ul>
                {[...new Set(shown)].map((id) => block(id, 'Showed'))}
                {logs.map(({ status, description, details, context }, at) => (
                  <li key={`log ${at}`} class={status === 'error' ? 'wrong' : undefined}>
                    {description}
                    {context && findBlock(draft, context) && (
                      <>
                        {' '}
                        <button
                          type="button"
                          class="text"
                          onClick={() => onSelect({ kind: 'block', id: context })}
                        >
                          at {nameOf(findBlock(draft, context)?.block.type ?? '')}
                        </button>
                      </>
                    )}
                    {details && <pre>{details}</pre>}
                  </li>
                ))}
                {block(asked, 'Asked')}
              </ul>
            </li>
          ))}
        </ol>
      </details>
    </div>
  )
}
