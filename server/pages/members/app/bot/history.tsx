import { useState } from 'preact/hooks'
import type { FlowChange, PublicationSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { toMarked } from '../model/rich-text.ts'
import { useWorkbench } from '../store/context.ts'
import { Confirmation } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'
import type { BotHead } from './head.ts'

/** The publications of a bot, the changes between them, and the way back to one. */
export function History({ bot, onRestored }: { bot: BotHead; onRestored: () => void }) {
  const { editor } = useWorkbench()
  const [cursor, setCursor] = useState<string>()
  const [earlier, setEarlier] = useState<PublicationSummary[]>([])
  const page = useLoaded(
    async (signal) => {
      await editor.flush()
      return client.publications.list(bot.id, { limit: 30, cursor }, { signal })
    },
    [bot.id, cursor],
  )
  const members = useLoaded(
    async (signal) => (await client.members.list(bot.workspaceId, {}, { signal })).members,
    [bot.workspaceId],
  )
  const nameOf = (userId: string) => {
    const member = members.value?.find((each) => each.userId === userId)
    return member?.user.name ?? member?.user.email ?? 'somebody'
  }
  const all = [...earlier, ...(page.value?.publications ?? [])]
  const [live] = all
  return (
    <>
      <div class="page-head">
        <h2>History</h2>
      </div>
      {page.error && (
        <p class="alert" role="alert">
          {page.error}
        </p>
      )}
      {page.isLoading && !page.value && <p role="status">Loading …</p>}
      {page.value && all.length === 0 && <p class="about">The bot was never published.</p>}
      {live && (
        <section class="panel">
          <h3>Draft</h3>
          <Changes botId={bot.id} from={live.id} to="draft" since="the last publication" />
        </section>
      )}
      <ol class="history" aria-label="Publications">
        {all.map((publication, index) => (
          <li key={publication.id} class="panel">
            <div class="history-head">
              <div>
                <h3>{dateOf(publication.createdAt)}</h3>
                <p class="about">
                  {publication.isLive && <span class="state published">Live</span>} Published by{' '}
                  {nameOf(publication.publishedBy)}
                </p>
              </div>
              {bot.canWrite && <Restore bot={bot} publication={publication} onRestored={onRestored} />}
            </div>
            {all[index + 1] && (
              <Changes
                botId={bot.id}
                from={all[index + 1]?.id ?? ''}
                to={publication.id}
                since="the publication before"
              />
            )}
          </li>
        ))}
      </ol>
      {page.value?.nextCursor && (
        <button
          type="button"
          onClick={() => {
            setEarlier(all)
            setCursor(page.value?.nextCursor ?? undefined)
          }}
        >
          Earlier publications
        </button>
      )}
    </>
  )
}

function Restore(props: { bot: BotHead; publication: PublicationSummary; onRestored: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const { editor } = useWorkbench()
  const task = useTask()
  const restore = () =>
    task.run(async () => {
      await editor.flush()
      await client.publications.restore(props.bot.id, props.publication.id)
      await editor.refresh()
      setAsking(false)
      props.onRestored()
    })
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Restore
      </button>
      {isAsking && (
        <Confirmation
          title="Restore this publication?"
          action="Restore into the draft"
          isBusy={task.isBusy}
          error={task.error}
          onConfirm={restore}
          onClose={() => setAsking(false)}
        >
          <p>
            The draft is replaced by the flow, theme and settings of {dateOf(props.publication.createdAt)}.
            Publish the draft first if you want to keep it. The live bot changes when you publish.
          </p>
        </Confirmation>
      )}
    </>
  )
}

/** Differences between two states, read when they are opened. */
function Changes(props: { botId: string; from: string; to: string; since: string }) {
  const [isOpen, setOpen] = useState(props.to === 'draft')
  const { state } = useWorkbench()
  const compared = useLoaded(
    async (signal) => {
      if (!isOpen) return undefined
      return client.bots.compare(props.botId, { from: props.from, to: props.to }, { signal })
    },
    [props.botId, props.from, props.to, isOpen, props.to === 'draft' && state.base],
  )
  const changes = compared.value?.changes
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Changes since {props.since}</summary>
      {compared.error && (
        <p class="alert" role="alert">
          {compared.error}
        </p>
      )}
      {changes?.length === 0 && <p class="about">No changes</p>}
      <ul class="changes">
        {changes?.map((change, index) => (
          <Change key={index} change={change} />
        ))}
      </ul>
      {compared.value?.isComplete === false && (
        <p class="about">There are more changes than this list holds.</p>
      )}
    </details>
  )
}

function Change({ change }: { change: FlowChange }) {
  const [before, after] = [change.before, change.after].map((value) => shownValue(change.path, value))
  return (
    <li>
      {change.message}
      {(before !== undefined || after !== undefined) && (
        <div class="before-after">
          {before !== undefined && <del>{before}</del>} {after !== undefined && <ins>{after}</ins>}
        </div>
      )}
    </li>
  )
}

/** A short value as text, and rich text with its marks; undefined for others. */
function shownValue(path: string[], value: unknown): string | undefined {
  if (path.at(-1) === 'richText' && Array.isArray(value)) return toMarked(value)
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}
