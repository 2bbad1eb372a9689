import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { client } from '../api.ts'
import type { BotHead } from '../bot/head.ts'
import { botPath, navigate, useRoute } from '../router.ts'
import { useWorkbench } from '../store/context.ts'
import { countOf } from '../ui/count.ts'
import { Confirmation } from '../ui/dialog.tsx'
import { failureOf, useLoaded, useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { ColumnsDialog } from './columns-dialog.tsx'
import { type ReadResults, type Row, readExport, readFlows, readResults, saveFile, tableOf } from './data.ts'
import { FilterForm } from './filter-form.tsx'
import { type Filters, isSearch, queryOf, rangeOf, readFilters, writeFilters } from './filters.ts'
import { DayChart, Overview } from './overview.tsx'
import { noPreferences, orderColumns } from './preferences.ts'
import { ResultDialog } from './result-dialog.tsx'
import { ResultTable, type Sort, sortRows } from './result-table.tsx'
import { useColumns } from './use-columns.ts'

/** As many as one request deletes. */
const MAX_DELETED = 500

/** Answers of visitors: figures, a table, and each chat. */
export function Results({ bot }: { bot: BotHead }) {
  const filters = readFilters(useRoute().query)
  const key = JSON.stringify(filters)
  const flows = useLoaded((signal) => readFlows(bot.id, signal), [bot.id])
  const [version, setVersion] = useState(0)
  const reading = useResults(bot.id, filters, version)
  const { results, cursor } = reading.value ?? { results: [], cursor: null }
  const [sort, setSort] = useState<Sort>({ column: -1, isDescending: true })
  const [chosen, setChosen] = useState(new Set<string>())
  const [opened, setOpened] = useState<Row>()
  const [asking, setAsking] = useState<string[]>()
  const [isChoosing, setChoosing] = useState(false)
  const { editor } = useWorkbench()
  // So that the flow of this page is saved to the new state immediately.
  const columns = useColumns(
    bot,
    useCallback(() => void editor.refresh(), [editor]),
  )
  const preferences = columns.preferences ?? noPreferences
  const deletion = useTask()
  const download = useDownload(bot.id, filters)

  // Rows that are not in sight any more cannot be chosen.
  useEffect(() => setChosen(new Set()), [key])
  const table = useMemo(
    () => (flows.value ? tableOf(results, flows.value) : { columns: [], rows: [] }),
    [results, flows.value],
  )
  const rows = useMemo(() => sortRows(table.rows, sort), [table, sort])
  const apply = (next: Filters) => navigate(`${botPath(bot.id, 'results')}${writeFilters(next)}`)
  const remove = () =>
    deletion.run(async () => {
      const ids = asking ?? []
      for (let at = 0; at < ids.length; at += MAX_DELETED) {
        await client.results.delete(bot.id, { resultIds: ids.slice(at, at + MAX_DELETED) })
      }
      setAsking(undefined)
      setOpened(undefined)
      setChosen(new Set())
      setVersion(version + 1)
    })
  const range = rangeIn(filters)
  const error = reading.error ?? flows.error ?? download.error ?? (isChoosing ? undefined : columns.error)
  const variables = [...new Set(flows.value?.own[0]?.variables?.map(({ name }) => name) ?? [])]
  return (
    <>
      <div class="page-head">
        <h2>Results</h2>
        <div class="page-tools">
          <button type="button" disabled={!columns.preferences} onClick={() => setChoosing(true)}>
            Columns
          </button>
          <Menu
            label="Download"
            class="button"
            items={[
              { label: 'As CSV, for spreadsheets', onChoose: () => download.start('csv') },
              { label: 'As JSON lines', onChoose: () => download.start('jsonl') },
            ]}
          >
            <Icon name="file" /> Download
          </Menu>
        </div>
      </div>
      <FilterForm
        filters={filters}
        // A filter takes the first colon for the end of the name.
        variables={variables.filter((name) => !name.includes(':'))}
        onApply={apply}
      />
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {download.progress && (
        <p class="note-line" role="status">
          Downloading: {download.progress}{' '}
          <button type="button" class="text" onClick={download.stop}>
            Stop
          </button>
        </p>
      )}
      {range && (
        <Overview
          botId={bot.id}
          range={range}
          isSearch={isSearch(filters)}
          questions={flows.value?.questions ?? new Map()}
          version={version}
        />
      )}
      <div class="results-line">
        <p class="about" role="status">
          {reading.isLoading && results.length === 0
            ? 'Loading …'
            : countWords(results.length, cursor !== null)}
        </p>
        {chosen.size > 0 && (
          <button type="button" class="danger-text" onClick={() => setAsking([...chosen])}>
            <Icon name="delete" /> Delete {countOf(chosen.size, 'result')}
          </button>
        )}
      </div>
      <DayChart results={results} isCut={cursor !== null} />
      {rows.length > 0 && (columns.preferences || columns.error) && (
        <ResultTable
          columns={table.columns}
          preferences={preferences}
          rows={rows}
          sort={sort}
          chosen={chosen}
          canDelete={bot.canWrite}
          onSort={setSort}
          onChoose={setChosen}
          onOpen={setOpened}
        />
      )}
      {cursor !== null && (
        <button type="button" disabled={reading.isLoading} onClick={reading.readMore}>
          More results
        </button>
      )}
      {opened && !asking && (
        <ResultDialog
          botId={bot.id}
          result={opened.result}
          onDelete={bot.canWrite ? () => setAsking([opened.result.id]) : undefined}
          onClose={() => setOpened(undefined)}
        />
      )}
      {isChoosing && (
        <ColumnsDialog
          columns={orderColumns(table.columns, preferences)}
          all={table.columns}
          preferences={preferences}
          isShared={columns.isShared}
          error={columns.error}
          onEdit={columns.edit}
          onClose={() => setChoosing(false)}
        />
      )}
      {asking && (
        <Confirmation
          title={`Delete ${countOf(asking.length, 'result')}?`}
          action="Delete"
          isBusy={deletion.isBusy}
          error={deletion.error}
          onConfirm={remove}
          onClose={() => setAsking(undefined)}
        >
          <p>Answers, transcript, log and files are deleted. This cannot be undone.</p>
        </Confirmation>
      )}
    </>
  )
}

/** The range of statistics; undefined if the days are in the wrong order, which the request for rows reports. */
function rangeIn(filters: Filters) {
  try {
    return rangeOf(filters)
  } catch {
    return undefined
  }
}

/** The service counts no matches: their number is that of the rows that were read. */
function countWords(count: number, isCut: boolean): string {
  if (count === 0) return isCut ? 'No results so far; there may be more.' : 'No results'
  const shown = countOf(count, 'result')
  return isCut ? `The newest of at least ${shown}. Sorting is of these rows.` : `${shown} in all`
}

function useResults(botId: string, filters: Filters, version: number) {
  const key = JSON.stringify(filters)
  const [more, setMore] = useState(0)
  const lastResults = useRef<{ key: string; value: ReadResults }>(undefined)
  const own = `${key} ${version}`
  const loaded = useLoaded(
    async (signal) => {
      const before = lastResults.current?.key === own ? lastResults.current.value : undefined
      const value = await readResults(botId, queryOf(filters), before, signal)
      lastResults.current = { key: own, value }
      return { key: own, value }
    },
    [botId, own, more],
  )
  const isCurrent = loaded.value?.key === own
  return {
    value: isCurrent ? loaded.value?.value : undefined,
    error: loaded.error,
    isLoading: loaded.isLoading,
    readMore: () => setMore(more + 1),
  }
}

function useDownload(botId: string, filters: Filters) {
  const [progress, setProgress] = useState<string>()
  const [error, setError] = useState<string>()
  const controller = useRef<AbortController>(undefined)
  const start = (format: 'csv' | 'jsonl') => {
    controller.current?.abort()
    controller.current = new AbortController()
    const { signal } = controller.current
    setError(undefined)
    setProgress('starting')
    const read = async () => readExport(botId, queryOf(filters), format, signal, setProgress)
    read()
      .then((file) => saveFile(file, `results-${botId}.${format}`))
      .catch((thrown) => !signal.aborted && setError(failureOf(thrown)))
      .finally(() => !signal.aborted && setProgress(undefined))
  }
  const stop = () => {
    controller.current?.abort()
    setProgress(undefined)
  }
  return { progress, error, start, stop }
}
