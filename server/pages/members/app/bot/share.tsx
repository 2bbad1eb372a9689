import { useState } from 'preact/hooks'
import { encode } from 'uqr'
import { urlOf } from '../router.ts'
import { service } from '../service.ts'
import { CopyField } from '../ui/copy-field.tsx'
import type { BotHead } from './head.ts'

const kinds = {
  standard: 'In the page',
  bubble: 'As a button in a corner',
  popup: 'Over the page',
}

type Kind = keyof typeof kinds

function embedCode(kind: Kind, publicId: string): string {
  const script = `<script src="${new URL('embed.js', service).href}" async></script>`
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
  const url = urlOf(`chat/${encodeURIComponent(bot.publicId)}`)
  return (
    <div class="columns">
      <section class="panel" aria-labelledby="link-title">
        <h2 id="link-title">Link</h2>
        <CopyField label="Address of the chat" value={url} />
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
    </div>
  )
}

function QrCode({ text, name }: { text: string; name: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
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
