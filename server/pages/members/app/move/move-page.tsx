import { useState } from 'preact/hooks'
import type { WorkspaceSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { ChooseFiles } from '../list/choose-files.tsx'
import { type Imported, importFile } from '../list/data.ts'
import { botPath, urlOf } from '../router.ts'
import { failureOf, useFileDrop, useQueue, useTitle } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { countVerdicts, failure, type Report, reportOn, reportWithoutCheck, type Verdict } from './report.ts'

/* Bots of Typebot: their exports are imported one after the other, and each gets a report of its working parts. */

const titles: Record<Verdict, string> = {
  runs: 'Runs as it is',
  needs: 'Runs once something is set',
  partly: 'Runs, but some blocks are skipped',
  unchecked: 'Imported, but not checked: open it to see what runs',
  failed: 'Not imported',
}

export function MovePage({ workspaces }: { workspaces: WorkspaceSummary[] }) {
  const [workspaceId, setWorkspaceId] = useState(workspaces[0]?.id)
  const queue = useQueue((file) => moveFile(file, workspaceId ?? ''), workspaceId !== undefined)
  const { waiting, outcomes: reports } = queue
  const drop = useFileDrop(queue.add)
  useTitle('Move from Typebot')

  const isBusy = waiting.length > 0
  return (
    <main class={drop.isDragging ? 'page dropping' : 'page'} {...drop.handlers}>
      <div class="page-head">
        <h1>Move from Typebot</h1>
      </div>
      <p>
        Export each bot there, and drop the files here, one or a hundred. Each becomes a draft, and this page
        says what runs.{' '}
        <a href={urlOf('docs#moving-from-typebot')}>All steps, and how sites keep their code</a>
      </p>
      <div class="page-tools">
        {workspaces.length > 1 && (
          <label class="field">
            Workspace
            <select
              value={workspaceId}
              disabled={isBusy}
              onChange={(event) => setWorkspaceId(event.currentTarget.value)}
            >
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <ChooseFiles onChoose={queue.add} />
      </div>
      <p role="status">{statusOf(reports, waiting)}</p>
      {reports.length > 0 && (
        <ul class="rows" aria-label="Moved bots">
          {reports.map((report, index) => (
            <li key={index} class="outcome">
              <Icon name={report.verdict === 'runs' ? 'check' : 'error'} />
              <div>
                {report.bot ? <Link to={botPath(report.bot.id)}>{report.bot.name}</Link> : report.file}
                <p>{titles[report.verdict]}</p>
                <Details title="Skipped in chats" texts={report.skipped} isOpen />
                <Details title="To set first" texts={report.needed} isOpen />
                <Details
                  title="Remarks"
                  texts={report.remarks}
                  isOpen={report.verdict === 'failed' || report.verdict === 'unchecked'}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}

function Details({ title, texts, isOpen }: { title: string; texts: string[]; isOpen?: boolean }) {
  if (texts.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>
        {title}: {texts.length}
      </summary>
      <ul>
        {texts.map((text, at) => (
          <li key={at}>{text}</li>
        ))}
      </ul>
    </details>
  )
}

function statusOf(reports: Report[], waiting: File[]): string {
  const counts = countVerdicts(reports).flatMap(([verdict, count]) =>
    count === 0 ? [] : [`${titles[verdict]}: ${count}`],
  )
  const [file] = waiting
  const all = reports.length + waiting.length
  if (file) counts.unshift(`Importing ${file.name} (${reports.length + 1} of ${all}) …`)
  return counts.join(' · ')
}

async function moveFile(file: File, workspaceId: string): Promise<Report> {
  let imported: Imported
  try {
    imported = await importFile(file, workspaceId, undefined)
  } catch (error) {
    return failure(file.name, failureOf(error))
  }
  const { botId, name, warnings } = imported
  const bot = { id: botId, name }
  try {
    const { findings } = await client.bots.check(botId)
    return reportOn(file.name, bot, warnings, findings)
  } catch (error) {
    return reportWithoutCheck(file.name, bot, warnings, failureOf(error))
  }
}
