import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { client } from '../api.ts'
import { Inbox } from '../chats/inbox.tsx'
import { FlowPage } from '../flow/flow-page.tsx'
import { BotIcon } from '../list/cards.tsx'
import { listPath } from '../list/paths.ts'
import type { Draft } from '../model/draft.ts'
import { newId } from '../model/draft.ts'
import { type PlacedFinding, placeFindings } from '../model/findings.ts'
import { Results } from '../results/results-page.tsx'
import { botPath } from '../router.ts'
import { useEditorState, WorkbenchContext } from '../store/context.ts'
import { createEditor, type Editor } from '../store/editor.ts'
import { type KeyValueStore, pendingChanges } from '../store/pending.ts'
import { remoteOf } from '../store/remote.ts'
import { useLoaded, useTask, useTitle } from '../ui/hooks.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import type { BotHead } from './head.ts'
import { History } from './history.tsx'
import { type Published, PublishedDialog, publish } from './publish.tsx'
import { Settings } from './settings.tsx'
import { Share } from './share.tsx'

async function readHead(botId: string, signal: AbortSignal): Promise<BotHead> {
  const [{ bot, currentUserMode }, { publications }] = await Promise.all([
    client.bots.get(botId, {}, { signal }),
    client.publications.list(botId, { limit: 1 }, { signal }),
  ])
  const { id, workspaceId, name, icon, publicId, folderId, customDomain, isClosed } = bot
  const isPublished = publications[0]?.isLive === true
  const canWrite = currentUserMode === 'write'
  return { id, workspaceId, name, icon, publicId, folderId, customDomain, isClosed, isPublished, canWrite }
}

function localStore(): KeyValueStore | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

interface OpenBot {
  head: BotHead
  editor: Editor
  storedVersion: () => string | undefined
}

async function openEditor(botId: string, signal: AbortSignal): Promise<OpenBot> {
  const remote = remoteOf(botId)
  const [head, stored] = await Promise.all([readHead(botId, signal), remote.read()])
  const editor = createEditor(stored, remote, pendingChanges(localStore(), botId), head.canWrite)
  return { head, editor, storedVersion: remote.storedVersion }
}

/** The pages of one bot. */
export function BotPage(props: { botId: string; view: string; query: URLSearchParams }) {
  const { botId, view, query } = props
  const opened = useLoaded((signal) => openEditor(botId, signal), [botId])
  if (opened.value) return <Opened key={botId} {...opened.value} view={view} query={query} />
  return (
    <main class="page">
      {opened.error ? (
        <>
          <p class="alert" role="alert">
            {opened.error}
          </p>
          <button type="button" onClick={opened.reload}>
            Try again
          </button>
        </>
      ) : (
        <p role="status">Loading …</p>
      )}
    </main>
  )
}

const tabs: { view: string; label: string; icon: IconName }[] = [
  { view: '', label: 'Flow', icon: 'flow' },
  { view: 'results', label: 'Results', icon: 'results' },
  { view: 'chats', label: 'Chats', icon: 'chat' },
  { view: 'share', label: 'Share', icon: 'share' },
  { view: 'history', label: 'History', icon: 'history' },
  { view: 'settings', label: 'Settings', icon: 'settings' },
]

interface Page {
  view: string
  query: URLSearchParams
}

function Opened({ head: opened, editor, storedVersion, view, query }: OpenBot & Page) {
  const { id } = opened
  const state = useEditorState(editor)
  const reading = useLoaded((signal) => readHead(id, signal), [id])
  const head = reading.value ?? opened
  const findings = useFindings(id, state.base, storedVersion)
  const [published, setPublished] = useState<Published>()
  const task = useTask()
  useTitle(head.name)

  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void editor.refresh()
    const retry = () => void editor.flush()
    document.addEventListener('visibilitychange', look)
    addEventListener('online', retry)
    // Saves changes that were restored when the page was opened.
    retry()
    return () => {
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', retry)
      void editor.flush()
    }
  }, [editor])

  const edit = useCallback(
    (change: (draft: Draft) => Draft, field?: string) => editor.edit(change(editor.get().draft), field),
    [editor],
  )
  const workbench = useMemo(
    () => ({
      editor,
      state,
      botId: id,
      workspaceId: head.workspaceId,
      canWrite: head.canWrite,
      findings,
      edit,
    }),
    [editor, state, head, findings, edit],
  )
  const refreshHead = () => {
    reading.reload()
    void editor.refresh()
  }
  const release = () =>
    task.run(async () => {
      await editor.flush()
      if (editor.get().save !== 'saved')
        throw new Error('The last changes are not saved yet, so nothing was published.')
      const done = await publish(id)
      setPublished(done)
      refreshHead()
    })
  return (
    <WorkbenchContext.Provider value={workbench}>
      <div class="bot-page">
        <header class="bot-head">
          <div class="bot-title">
            <Link to={listPath(head.workspaceId, head.folderId ?? undefined)} label="Back to the list">
              <Icon name="back" />
            </Link>
            <BotIcon icon={head.icon} />
            <h1>{head.name}</h1>
          </div>
          <nav class="bot-tabs" aria-label="Bot">
            {tabs
              .filter(({ view }) => head.canWrite || view !== 'chats')
              .map((tab) => (
                <Link key={tab.view} to={botPath(id, tab.view)} current={view === tab.view}>
                  <Icon name={tab.icon} /> {tab.label}
                </Link>
              ))}
          </nav>
          {head.canWrite && (
            <button type="button" class="main" disabled={task.isBusy} onClick={release}>
              <Icon name="publish" /> Publish
            </button>
          )}
        </header>
        {task.error && (
          <p class="alert bot-alert" role="alert">
            {task.error}
          </p>
        )}
        {published && published.errorsFound === 0 && (
          <p class="note" role="status" key={newId()}>
            Published. New chats run it from now on.
            <button type="button" class="text" onClick={() => setPublished(undefined)}>
              Close
            </button>
          </p>
        )}
        {view === '' ? (
          <main class="flow-main">
            <FlowPage />
          </main>
        ) : (
          <main class={view === 'results' || view === 'chats' ? 'page wide' : 'page'}>
            {view === 'chats' && (
              <Inbox
                title="Chats"
                tabTitle={head.name}
                source={{ botId: id, botName: head.name, workspaceId: head.workspaceId }}
                path={botPath(id, 'chats')}
                chosen={query.get('chat') ?? ''}
              />
            )}
            {view === 'results' && <Results bot={head} />}
            {view === 'share' && <Share bot={head} />}
            {view === 'history' && <History bot={head} onRestored={refreshHead} />}
            {view === 'settings' && <Settings bot={head} onChanged={refreshHead} />}
          </main>
        )}
        {published && published.errorsFound > 0 && (
          <PublishedDialog published={published} onClose={() => setPublished(undefined)} />
        )}
      </div>
    </WorkbenchContext.Provider>
  )
}

/** Findings of the check in the stored draft, on the parts that they are about. */
function useFindings(botId: string, base: Draft, storedVersion: () => string | undefined): PlacedFinding[] {
  const check = useLoaded(
    async (signal) => {
      const { findings } = await client.bots.check(botId, { signal })
      // The check counts in the stored document; converted, its parts have other places.
      return storedVersion() === base.version ? placeFindings(findings, base) : findings
    },
    [botId, base],
  )
  return check.value ?? noFindings
}

const noFindings: PlacedFinding[] = []
