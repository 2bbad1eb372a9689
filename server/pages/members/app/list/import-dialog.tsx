import { useEffect, useLayoutEffect } from 'preact/hooks'
import { botPath, navigate } from '../router.ts'
import { countOf } from '../ui/count.ts'
import { Dialog } from '../ui/dialog.tsx'
import { failureOf, useQueue } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { ChooseFiles } from './choose-files.tsx'
import { type Imported, importFile } from './data.ts'

type Outcome = { file: string } & ({ imported: Imported } | { error: string })

/** Imports files one after the other, and reports on each. A single file without remarks is opened. */
export function ImportDialog(props: {
  files: File[]
  workspaceId: string
  folderId: string | undefined
  onClose: () => void
  onImported: () => void
}) {
  const { waiting, outcomes, add } = useQueue<Outcome>(async (file) => {
    try {
      const imported = await importFile(file, props.workspaceId, props.folderId)
      props.onImported()
      return { file: file.name, imported }
    } catch (error) {
      return { file: file.name, error: failureOf(error) }
    }
  })
  const [file] = waiting

  // Files that are dropped on the page later come as well.
  useLayoutEffect(() => add(props.files), [props.files])

  useEffect(() => {
    const [outcome] = outcomes
    if (!outcome || !('imported' in outcome) || outcomes.length + waiting.length > 1) return
    if (outcome.imported.warnings.length === 0) navigate(botPath(outcome.imported.botId))
  }, [outcomes])

  return (
    <Dialog title="Import" onClose={props.onClose}>
      {outcomes.length === 0 && !file && (
        <p>
          Choose files that were exported from this service or from another builder. Every version of the
          format is read. <Link to="move">Move all bots from Typebot</Link>
        </p>
      )}
      {file && <p role="status">Importing {file.name} …</p>}
      <ul class="rows" aria-label="Imported files">
        {outcomes.map((outcome, index) => (
          <li key={index} class="outcome">
            <Icon name={'imported' in outcome ? 'check' : 'error'} />
            <div>
              {'imported' in outcome ? (
                <>
                  <button
                    type="button"
                    class="text"
                    onClick={() => navigate(botPath(outcome.imported.botId))}
                  >
                    Open {outcome.imported.name}
                  </button>
                  {outcome.imported.warnings.length > 0 && (
                    <details open={outcome.imported.warnings.length <= 5}>
                      <summary>{countOf(outcome.imported.warnings.length, 'remark')}</summary>
                      <ul>
                        {outcome.imported.warnings.map((warning, at) => (
                          <li key={at}>{warning}</li>
                        ))}
                      </ul>
                    </details>
                  )}
                </>
              ) : (
                <>
                  <strong>{outcome.file} was not imported</strong>
                  <p class="wrong">{outcome.error}</p>
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
      <footer class="actions">
        <button type="button" onClick={props.onClose}>
          Close
        </button>
        <ChooseFiles onChoose={add} />
      </footer>
    </Dialog>
  )
}
