import type { BotSummary, Folder } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { botPath } from '../router.ts'
import { useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/menu.tsx'
import { agoOf } from '../ui/times.ts'
import { stateOf } from './data.ts'
import type { ListDialog } from './dialogs.tsx'

const states = {
  draft: { label: 'Draft', hint: 'Not published' },
  published: { label: 'Live', hint: 'Published as it is' },
  changed: { label: 'Live, changed', hint: 'Changed since it was published' },
}

/** An icon is an emoji or the address of a picture. */
export function BotIcon({ icon }: { icon: string | null }) {
  if (!icon)
    return (
      <span class="bot-icon">
        <Icon name="bot" />
      </span>
    )
  if (/^(https?:|data:)/.test(icon))
    return <img class="bot-icon" src={icon} alt="" loading="lazy" referrerpolicy="no-referrer" />
  return (
    <span class="bot-icon" aria-hidden="true">
      {icon}
    </span>
  )
}

export function FolderCard({
  folder,
  to,
  onAct,
}: {
  folder: Folder
  to: string
  onAct: (dialog: ListDialog) => void
}) {
  return (
    <li class="card folder">
      <span class="bot-icon">
        <Icon name="folder" />
      </span>
      <div class="card-text">
        <Link to={to} class="card-link">
          {folder.name}
        </Link>
      </div>
      <Menu
        label={`Actions for folder ${folder.name}`}
        items={[
          { label: 'Rename', icon: 'edit', onChoose: () => onAct({ kind: 'rename-folder', folder }) },
          { label: 'Move', icon: 'move', onChoose: () => onAct({ kind: 'move-folder', folder }) },
          {
            label: 'Delete',
            icon: 'delete',
            isDanger: true,
            onChoose: () => onAct({ kind: 'delete-folder', folder }),
          },
        ]}
      >
        <Icon name="menu" />
      </Menu>
    </li>
  )
}

export function BotCard(props: {
  bot: BotSummary
  onAct: (dialog: ListDialog) => void
  onChanged: () => void
}) {
  const { bot, onAct, onChanged } = props
  const task = useTask()
  const state = states[stateOf(bot)]
  const duplicate = () =>
    task.run(async () => {
      await client.bots.duplicate(bot.id, {})
      onChanged()
    })
  const writable = bot.accessRight === 'write'
  return (
    <li class="card" aria-busy={task.isBusy}>
      <BotIcon icon={bot.icon} />
      <div class="card-text">
        <Link to={botPath(bot.id)} class="card-link">
          {bot.name}
        </Link>
        <p class="about">
          <span class={`state ${stateOf(bot)}`} title={state.hint}>
            {state.label}
          </span>{' '}
          Edited {agoOf(bot.updatedAt)}
        </p>
        {task.error && (
          <p class="alert" role="alert">
            {task.error}
          </p>
        )}
      </div>
      {writable && (
        <Menu
          label={`Actions for ${bot.name}`}
          items={[
            { label: 'Rename', icon: 'edit', onChoose: () => onAct({ kind: 'rename-bot', bot }) },
            { label: 'Duplicate', icon: 'copy', onChoose: duplicate },
            { label: 'Move', icon: 'move', onChoose: () => onAct({ kind: 'move-bot', bot }) },
            {
              label: 'Delete',
              icon: 'delete',
              isDanger: true,
              onChoose: () => onAct({ kind: 'delete-bot', bot }),
            },
          ]}
        >
          <Icon name="menu" />
        </Menu>
      )}
    </li>
  )
}
