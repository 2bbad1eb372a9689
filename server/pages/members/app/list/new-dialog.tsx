import { useEffect, useRef, useState } from 'preact/hooks'
import type { Template, TemplateSummary } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { draftOf } from '../model/draft.ts'
import { sampleChat } from '../model/sample-chat.ts'
import { botPath, navigate } from '../router.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useLoaded, useTask } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'

const categoryNames: Record<TemplateSummary['category'], string> = {
  collect: 'Collect answers',
  support: 'Support people',
  engage: 'Engage and guide',
}

/** Begins a bot: an empty one, or one of a template, which is shown as a chat. */
export function NewDialog(props: { workspaceId: string; folderId: string | undefined; onClose: () => void }) {
  const [chosen, setChosen] = useState<string>()
  const list = useLoaded(async (signal) => (await client.templates.list({ signal })).templates, [])
  const loaded = useLoaded(
    async (signal) => (chosen ? (await client.templates.get(chosen, { signal })).template : undefined),
    [chosen],
  )
  const task = useTask()
  const template = loaded.value?.id === chosen ? loaded.value : undefined
  const create = () =>
    task.run(async () => {
      const folder = { folderId: props.folderId ?? null }
      const begun = chosen ? (template ?? (await client.templates.get(chosen)).template).bot : undefined
      const { bot } = await client.bots.create(
        {
          workspaceId: props.workspaceId,
          bot: begun ? { ...begun, ...folder } : { name: 'New bot', ...folder },
        },
        { minimal: true },
      )
      navigate(botPath(bot.id))
    })
  const error = task.error ?? list.error ?? loaded.error
  return (
    <Dialog title="New bot" wide onClose={props.onClose}>
      <div class="templates">
        <div class="template-list">
          <button type="button" aria-pressed={!chosen} onClick={() => setChosen(undefined)}>
            <span class="template-icon">
              <Icon name="add" />
            </span>
            Empty bot
          </button>
          {Object.entries(categoryNames).map(([category, name]) => (
            <section key={category} aria-label={name}>
              <h3>{name}</h3>
              {(list.value ?? [])
                .filter((each) => each.category === category)
                .map((each) => (
                  <button
                    key={each.id}
                    type="button"
                    aria-pressed={chosen === each.id}
                    onClick={() => setChosen(each.id)}
                  >
                    <span class="template-icon" aria-hidden="true">
                      {each.icon}
                    </span>
                    {each.name}
                  </button>
                ))}
            </section>
          ))}
        </div>
        <div class="template-shown" aria-live="polite">
          {!chosen && (
            <div class="empty">
              <Icon name="flow" />
              <p>Start with an empty flow, or choose a template to see it as a chat.</p>
            </div>
          )}
          {chosen && !template && !error && <p role="status">Loading …</p>}
          {template && <Shown key={template.id} template={template} />}
        </div>
      </div>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      <footer class="actions template-actions">
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button type="button" class="main" disabled={task.isBusy} onClick={create}>
          {chosen ? 'Use this template' : 'Start empty'}
        </button>
      </footer>
    </Dialog>
  )
}

function Shown({ template }: { template: Template }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // On a phone the chat is below the list.
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), [])
  const theme = template.bot.theme
  const { hostBubbles, guestBubbles, buttons } = theme.chat ?? {}
  const colours = (part: { backgroundColor?: string; color?: string } | undefined) => ({
    backgroundColor: part?.backgroundColor,
    color: part?.color,
  })
  return (
    <>
      <h3 ref={heading}>
        <span aria-hidden="true">{template.icon}</span> {template.name}
      </h3>
      <p>{template.description}</p>
      {template.needs.map((need) => (
        <p key={need} class="about">
          <strong>You need:</strong> {need}.
        </p>
      ))}
      <section
        class="sample-chat"
        aria-label="The beginning of a chat"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keys
        tabIndex={0}
        style={{ backgroundColor: theme.general?.background?.content }}
      >
        {sampleChat(draftOf(template.bot)).map(({ role, words }, index) =>
          role === 'buttons' ? (
            <div key={index} class="sample-buttons">
              {words.map((button) => (
                <span key={button} style={colours(buttons)}>
                  {button}
                </span>
              ))}
            </div>
          ) : (
            <div
              key={index}
              class={`sample-line ${role}`}
              style={colours(role === 'bot' ? hostBubbles : guestBubbles)}
            >
              {words.map((line, at) => (
                <span key={at}>{line}</span>
              ))}
            </div>
          ),
        )}
      </section>
    </>
  )
}
