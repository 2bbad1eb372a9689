import { client } from '../api.ts'
import { service } from '../service.ts'
import { currentToken } from '../session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { dateOf } from '../ui/times.ts'
import { type Result, saveFile } from './data.ts'

const MAX_SHOWN_LOGS = 100

/** One chat: its transcript, its files, and its log. */
export function ResultDialog(props: {
  botId: string
  result: Result
  onDelete: (() => void) | undefined
  onClose: () => void
}) {
  const { botId, result } = props
  const read = useLoaded(
    async (signal) => {
      const [{ transcript }, { logs }] = await Promise.all([
        client.transcripts.get(botId, result.id, { signal }),
        client.resultLogs.list(botId, result.id, { limit: MAX_SHOWN_LOGS }, { signal }),
      ])
      return { transcript, logs }
    },
    [botId, result.id],
  )
  const files = result.answers.flatMap(({ attachedFileUrls = [] }) => attachedFileUrls)
  const names = { bot: 'Bot', user: 'Visitor', member: 'Member' }
  return (
    <Dialog title={`Chat of ${dateOf(result.createdAt)}`} wide onClose={props.onClose}>
      <p class="about">
        {result.isCompleted ? 'Completed' : 'Not completed'} · {result.id}
      </p>
      {read.error && (
        <p class="alert" role="alert">
          {read.error}
        </p>
      )}
      {!read.value && !read.error && <p role="status">Loading …</p>}
      {read.value && (
        <>
          <h3>Transcript</h3>
          {read.value.transcript.length === 0 && <p class="about">Nothing was said.</p>}
          <ol class="transcript" aria-label="Transcript">
            {read.value.transcript.map(({ role, type, text, image, video, audio }, index) => (
              <li key={index} class={role}>
                <span class="visually-hidden">{names[role]}: </span>
                {text ?? (
                  <a href={image ?? video ?? audio} target="_blank" rel="noopener noreferrer">
                    {type}
                  </a>
                )}
              </li>
            ))}
          </ol>
          {files.length > 0 && (
            <>
              <h3>Files</h3>
              <ul class="rows">
                {files.map((url) => (
                  <li key={url}>
                    <FileLink url={url} />
                  </li>
                ))}
              </ul>
            </>
          )}
          <h3>Log</h3>
          {read.value.logs.length === 0 && <p class="about">Nothing was noticed while the chat ran.</p>}
          <ul class="log" aria-label="Log">
            {read.value.logs.map(({ id, status, description, details, context, createdAt }) => (
              <li key={id} class={status === 'error' ? 'wrong' : undefined}>
                <strong>{description}</strong>
                <span class="about"> {[context, dateOf(createdAt)].filter(Boolean).join(', ')}</span>
                {details && <pre>{details}</pre>}
              </li>
            ))}
          </ul>
        </>
      )}
      <footer class="actions">
        {props.onDelete && (
          <button type="button" class="danger-text" onClick={props.onDelete}>
            <Icon name="delete" /> Delete
          </button>
        )}
        <button type="button" class="main" onClick={props.onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}

const fileNameOf = (url: string) => {
  const last = url.split('/').at(-1) ?? url
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** A file of a visitor. Those of this service need the token of the page. */
export function FileLink({ url }: { url: string }) {
  const task = useTask()
  const name = fileNameOf(url)
  const isOwn = url.startsWith(new URL('files/', service).href)
  if (!/^https?:/.test(url)) return <>{url}</>
  const fetchFile = (event: Event) => {
    event.preventDefault()
    void task.run(async () => {
      const response = await fetch(url, { headers: { Authorization: `Bearer ${await currentToken()}` } })
      if (!response.ok)
        throw new Error(response.status === 404 ? 'The file was deleted.' : 'The file cannot be read.')
      saveFile(await response.blob(), name)
    })
  }
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer" onClick={isOwn ? fetchFile : undefined}>
        {name}
      </a>
      {task.error && <span role="alert"> ({task.error})</span>}
    </>
  )
}
