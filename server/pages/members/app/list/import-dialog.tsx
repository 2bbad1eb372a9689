import { useEffect, useState } from 'preact/hooks'
import { botPath, navigate } from '../router.ts'
import { countOf } from '../ui/count.ts'
import { Dialog } from '../ui/dialog.tsx'
import { failureOf } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
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
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const [waiting, setWaiting] = useState(props.files)
  const [file] = waiting

  useEffect(() => {
    if (!file) return
    let isGone = false
    importFile(file, props.workspaceId, props.folderId).then(
      (imported) => done({ file: file.name, imported }),
      (error) => done({ file: file.name, error: failureOf(error) }),
    )
    function done(outcome: Outcome) {
      if (isGone) return
      const isOnly = waiting.length === 1 && outcomes.length === 0
      if (isOnly && 'imported' in outcome && outcome.imported.warnings.length === 0) {
        return navigate(botPath(outcome.imported.botId))
      }
      setOutcomes([...outcomes, outcome])
      setWaiting(waiting.slice(1))
      if ('imported' in outcome) props.onImported()
    }
    return () => {
      isGone = true
    }
  }, [file])

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
        <label class="button main">
          Choose files
          <input
            type="file"
            class="visually-hidden"
            accept=".json,application/json"
            multiple
            onChange={(event) => {
              setWaiting([...waiting, ...(event.currentTarget.files ?? [])])
              event.currentTarget.value = ''
            }}
          />
        </label>
      </footer>
    </Dialog>
  )
}
