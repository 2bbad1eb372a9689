import { useState } from 'preact/hooks'
import { client } from '../api.ts'
import { BotIcon } from '../list/cards.tsx'
import { listPath } from '../list/paths.ts'
import { urlOf } from '../router.ts'
import { useLoaded, useTask, useTitle } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import type { BotHead } from './head.ts'
import { type Published, PublishedDialog, publish } from './publish.tsx'
import { Share } from './share.tsx'

async function readHead(botId: string, signal: AbortSignal): Promise<BotHead> {
  const [{ bot, currentUserMode }, isPublished] = await Promise.all([
    client.bots.get(botId, {}, { signal }),
    hasPublication(botId, signal),
  ])
  const { id, workspaceId, name, icon, publicId, folderId } = bot
  return {
    id,
    workspaceId,
    name,
    icon,
    publicId,
    folderId,
    isPublished,
    canWrite: currentUserMode === 'write',
  }
}

async function hasPublication(botId: string, signal: AbortSignal): Promise<boolean> {
  const { publications } = await client.publications.list(botId, { limit: 1 }, { signal })
  return publications[0]?.isLive === true
}

/** The pages of one bot. */
export function BotPage({ botId }: { botId: string; view: string }) {
  const head = useLoaded((signal) => readHead(botId, signal), [botId])
  const [published, setPublished] = useState<Published>()
  const task = useTask()
  const bot = head.value
  useTitle(bot?.name ?? 'Bot')
  if (!bot) {
    return (
      <main class="page">
        {head.error ? (
          <p class="alert" role="alert">
            {head.error}
          </p>
        ) : (
          <p role="status">Loading …</p>
        )}
      </main>
    )
  }
  return (
    <main class="page">
      <div class="page-head">
        <div class="bot-title">
          <Link to={listPath(bot.workspaceId, bot.folderId ?? undefined)} label="Back to the list">
            <Icon name="back" />
          </Link>
          <BotIcon icon={bot.icon} />
          <h1>{bot.name}</h1>
        </div>
        <div class="page-tools">
          <a class="button" href={urlOf(`results#${bot.workspaceId}/${bot.id}`)}>
            <Icon name="results" /> Results
          </a>
          {bot.canWrite && (
            <button
              type="button"
              class="main"
              disabled={task.isBusy}
              onClick={() =>
                task.run(async () => {
                  const done = await publish(bot.id)
                  if (done.errorsFound > 0) setPublished(done)
                  head.reload()
                })
              }
            >
              <Icon name="publish" /> Publish
            </button>
          )}
        </div>
      </div>
      {task.error && (
        <p class="alert" role="alert">
          {task.error}
        </p>
      )}
      <Share bot={bot} />
      {published && <PublishedDialog published={published} onClose={() => setPublished(undefined)} />}
    </main>
  )
}
