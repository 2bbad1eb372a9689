import { useState } from 'preact/hooks'
import { create } from 'qrcode'
import type { JsonObject } from '../model/draft.ts'
import { urlOf } from '../router.ts'
import { chatService } from '../service.ts'
import { useWorkbench } from '../store/context.ts'
import { CopyField } from '../ui/copy-field.tsx'
import type { BotHead } from './head.ts'

const kinds = {
  standard: 'In the page',
  bubble: 'As a button in a corner',
  popup: 'Over the page',
}

type Kind = keyof typeof kinds

function embedCode(kind: Kind, publicId: string): string {
  const script = `<script src="${new URL('embed.js', chatService).href}" async></script>`
  if (kind === 'standard')
    return `${script}\n<bot-standard bot="${publicId}" style="height: 32rem"></bot-standard>`
  return `${script}\n<bot-${kind} bot="${publicId}"></bot-${kind}>`
}

/** The ways to reach the published bot. */
export function Share({ bot }: { bot: BotHead }) {
  const [kind, setKind] = useState<Kind>('bubble')
  if (!bot.isPublished || bot.publicId === null) {
    return (
      <div class="empty">
        <h2>Not published yet</h2>
        <p>Publish the bot to get its link, a QR code and the code for your site.</p>
      </div>
    )
  }
  const url = new URL(`chat/${encodeURIComponent(bot.publicId)}`, chatService).href
  return (
    <div class="columns">
      <section class="panel" aria-labelledby="link-title">
        <h2 id="link-title">Link</h2>
        <CopyField label="Address of the chat" value={url} />
        {bot.customDomain !== null && (
          <CopyField label="Address on your own domain" value={`https://${bot.customDomain}`} />
        )}
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            Open the chat
          </a>
        </p>
        <QrCode text={url} name={bot.publicId} />
      </section>
      <section class="panel" aria-labelledby="embed-title">
        <h2 id="embed-title">On your site</h2>
        <fieldset class="choices">
          <legend>Where it shows</legend>
          {Object.entries(kinds).map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="kind"
                checked={kind === value}
                onChange={() => setKind(value as Kind)}
              />
              {label}
            </label>
          ))}
        </fieldset>
        <CopyField label="Code for the page" value={embedCode(kind, bot.publicId)} lines={4} />
        <p class="about">
          <a href={urlOf('docs#embedding')}>Options, events and commands</a>
        </p>
      </section>
      <Origins />
    </div>
  )
}

const originsIn = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim().replace(/\/$/, ''))
    .filter(Boolean)

const originForm = /^https?:\/\/[^/?#\s]+$/i

/** The sites that may show the chat. Part of the settings, so it takes effect when the bot is published. */
function Origins() {
  const { state, edit, canWrite } = useWorkbench()
  const security = (state.draft.settings.security ?? {}) as JsonObject
  const stored = Array.isArray(security.allowedOrigins) ? (security.allowedOrigins as string[]) : []
  const [text, setText] = useState(stored.join('\n'))
  const wrong = originsIn(text).find((line) => !originForm.test(line))
  const write = (next: string) => {
    setText(next)
    const origins = originsIn(next)
    if (origins.some((origin) => !originForm.test(origin))) return
    edit((draft) => {
      const { allowedOrigins: _, ...rest } = (draft.settings.security ?? {}) as JsonObject
      const changed = origins.length > 0 ? { ...rest, allowedOrigins: origins } : rest
      return { ...draft, settings: { ...draft.settings, security: changed } }
    }, 'origins')
  }
  return (
    <section class="panel" aria-labelledby="origins-title">
      <h2 id="origins-title">Allowed sites</h2>
      <p class="about">
        One address to a line, such as https://www.example.com. Empty allows every site. Publish to make a
        change live.
      </p>
      <label class="field">
        Sites that may show the chat
        <textarea
          rows={4}
          value={text}
          disabled={!canWrite}
          spellcheck={false}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </label>
      {wrong && (
        <p class="wrong" role="status">
          “{wrong}” is no site: write https:// and the host, without a path.
        </p>
      )}
    </section>
  )
}

/** The empty margin that readers need. */
const MARGIN_MODULES = 2

function QrCode({ text, name }: { text: string; name: string }) {
  const { modules } = create(text, { errorCorrectionLevel: 'L' })
  const size = modules.size + 2 * MARGIN_MODULES
  const path = Array.from(modules.data, (isDark, index) => {
    const [x, y] = [index % modules.size, Math.floor(index / modules.size)]
    return isDark ? `M${x + MARGIN_MODULES} ${y + MARGIN_MODULES}h1v1h-1z` : ''
  }).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
  const source = `data:image/svg+xml,${encodeURIComponent(svg)}`
  return (
    <figure class="qr">
      <img src={source} alt={`QR code of ${text}`} width="180" height="180" />
      <figcaption>
        <a href={source} download={`${name}.svg`}>
          Download the QR code
        </a>
      </figcaption>
    </figure>
  )
}
