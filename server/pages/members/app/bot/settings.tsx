import { useState } from 'preact/hooks'
import { client } from '../api.ts'
import { Preview } from '../flow/preview.tsx'
import type { JsonObject } from '../model/draft.ts'
import { resolve } from '../model/schema.ts'
import { SchemaForm } from '../panel/schema-form.tsx'
import { useSchema } from '../panel/schemas.ts'
import { botPath, navigate } from '../router.ts'
import { useWorkbench } from '../store/context.ts'
import { useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import type { BotHead } from './head.ts'

const parts = { theme: 'Theme', settings: 'Settings' } as const

/** Name and address of the bot, its theme and its settings. */
export function Settings({ bot, onChanged }: { bot: BotHead; onChanged: () => void }) {
  const { state, edit, canWrite } = useWorkbench()
  const { draft } = state
  const root = useSchema(draft.version)
  const [part, setPart] = useState<keyof typeof parts>('theme')
  const [isTesting, setTesting] = useState(false)
  const schema = root?.properties?.[part]
  return (
    <div class={isTesting ? 'settings testing' : 'settings'}>
      <div class="stack">
        <HeadForm bot={bot} onChanged={onChanged} />
        <section class="panel" aria-label="Theme and settings">
          <div class="page-head">
            <fieldset class="tabs" aria-label="Part">
              {Object.entries(parts).map(([name, label]) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={part === name}
                  onClick={() => setPart(name as keyof typeof parts)}
                >
                  {label}
                </button>
              ))}
            </fieldset>
            {canWrite && (
              <button type="button" aria-pressed={isTesting} onClick={() => setTesting(!isTesting)}>
                <Icon name="play" /> Test
              </button>
            )}
          </div>
          <p class="about">Changes are saved in the draft. Publish to make them live.</p>
          {root && schema && (
            <SchemaForm
              key={part}
              root={root}
              schema={resolve(root, schema)}
              value={draft[part]}
              isReadOnly={!canWrite}
              onChange={(next: JsonObject) => edit((before) => ({ ...before, [part]: next }), part)}
            />
          )}
        </section>
      </div>
      {isTesting && (
        <Preview
          key={JSON.stringify(state.base.theme)}
          groupId={undefined}
          onSelect={() => navigate(botPath(bot.id))}
          onClose={() => setTesting(false)}
        />
      )}
    </div>
  )
}

/** Properties that take effect immediately, without publishing. */
function HeadForm({ bot, onChanged }: { bot: BotHead; onChanged: () => void }) {
  const { state, editor } = useWorkbench()
  const [name, setName] = useState(bot.name)
  const [icon, setIcon] = useState(bot.icon ?? '')
  const [publicId, setPublicId] = useState(bot.publicId ?? '')
  const [isClosed, setClosed] = useState(bot.isClosed)
  const [isSaved, setSaved] = useState(false)
  const task = useTask()
  const save = (event: Event) => {
    event.preventDefault()
    setSaved(false)
    void task.run(async () => {
      await editor.flush()
      const { bot: current } = await client.bots.get(bot.id)
      const change = {
        name: name.trim(),
        icon: icon.trim() || null,
        publicId: publicId.trim() || null,
        isClosed,
      }
      await client.bots.update(bot.id, { bot: { version: current.version, ...change } }, { minimal: true })
      setSaved(true)
      onChanged()
    })
  }
  return (
    <form class="panel" onSubmit={save} aria-label="Bot">
      <h2>Bot</h2>
      <fieldset class="plain" disabled={!bot.canWrite}>
        <label class="field">
          Name
          <input
            value={name}
            maxLength={255}
            required
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Icon
          <input
            value={icon}
            placeholder="🎯, or the address of a picture"
            onInput={(event) => setIcon(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Public id
          <input
            value={publicId}
            maxLength={255}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title="Lower-case letters, digits and single inner hyphens"
            aria-describedby="public-id-about"
            onInput={(event) => setPublicId(event.currentTarget.value)}
          />
        </label>
        <p id="public-id-about" class="about">
          The last part of the address of the chat: lower-case letters, digits and single hyphens.
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={isClosed}
            onChange={(event) => setClosed(event.currentTarget.checked)}
          />
          Closed: no new chats start
        </label>
        {task.error && (
          <p class="alert" role="alert">
            {task.error}
          </p>
        )}
        <footer class="actions">
          <span role="status" class="about">
            {isSaved && state.save === 'saved' ? 'Saved' : ''}
          </span>
          <button type="submit" class="main" disabled={task.isBusy}>
            Save
          </button>
        </footer>
      </fieldset>
    </form>
  )
}
