/** Blocks that show something. */

import { asObject, asString, type JsonObject, storableText } from '../../../json/access.ts'
import { type Execution, type Next, next, sendBubble } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import { fillRichText, markdownOf, plainTextOf, richTextIn, richTextOf } from '../rich-text.ts'
import type { Bubble, Position, TranscriptEntry } from '../types.ts'
import { fillDeep, fillNumber } from '../variables.ts'

export async function runTextBubble(run: Execution, block: Block): Promise<Next> {
  const source = richTextIn(block.content)
  if (source.length > 0) sendText(run, block.id, await fillRichText(run, source))
  return next
}

/** A text from the runtime itself, for instance a retry message. */
export function sendPlainText(run: Execution, value: string): void {
  sendText(run, run.effects.newId(), richTextOf(value))
}

type MediaType = Exclude<Bubble['type'], 'text'>

/**
 * Returns the runner of media blocks of that type: it shows their content, and an embed may wait for an event in it.
 */
export function mediaBubble(type: MediaType) {
  return async (run: Execution, block: Block, position: Position): Promise<Next> => {
    const content = asObject(await fillDeep(run, block.content))
    if (content.height !== undefined) {
      const height = await fillNumber(run, block.content.height)
      if (height === undefined) delete content.height
      else content.height = height
    }
    sendBubble(run, { id: block.id, type, content: type === 'video' ? analyseVideo(content) : content })
    const url = asString(content.url)
    if (url !== undefined)
      appendToTranscript(
        run,
        type === 'embed' ? { role: 'bot', type: 'text', text: url } : mediaEntry(type, url),
      )
    if (type !== 'embed' || asObject(content.waitForEvent).isEnabled !== true) return next
    run.waiting = position
    run.waitsFor = 'embed'
    return { kind: 'wait' }
  }
}

export function appendToTranscript(run: Execution, entry: TranscriptEntry): void {
  run.transcript.push(entry)
}

function sendText(run: Execution, id: string, richText: unknown[]): void {
  const content =
    run.format === 'markdown'
      ? { type: 'markdown' as const, markdown: markdownOf(richText) }
      : { type: 'richText' as const, richText }
  sendBubble(run, { id, type: 'text', content })
  const plain = plainTextOf(richText)
  if (plain !== '') appendToTranscript(run, { role: 'bot', type: 'text', text: storableText(plain) })
}

function mediaEntry(type: 'image' | 'video' | 'audio', url: string): TranscriptEntry {
  return { role: 'bot', type, [type]: storableText(url) }
}

/** Names the player and the video for addresses of known services, whatever page of theirs was pasted. */
function analyseVideo(content: JsonObject): JsonObject {
  const given = asString(content.url)
  if (given === undefined || !URL.canParse(given)) return content
  const url = new URL(given)
  const host = url.hostname.replace(/^(www|m|player|play|video)\./, '')
  const steps = url.pathname.split('/').filter((step) => step !== '')
  const last = steps.at(-1)
  const found =
    host === 'youtu.be'
      ? { type: 'youtube', id: steps[0] }
      : host === 'youtube.com' || host === 'youtube-nocookie.com'
        ? { type: 'youtube', id: url.searchParams.get('v') ?? steps[1] }
        : host === 'vimeo.com'
          ? { type: 'vimeo', id: steps.find((step) => /^\d+$/.test(step)) }
          : host === 'tiktok.com'
            ? { type: 'tiktok', id: last }
            : host === 'gumlet.io' || host === 'gumlet.com' || host === 'gumlet.tv'
              ? { type: 'gumlet', id: last }
              : undefined
  if (found?.id === undefined) return { ...content, type: 'url' }
  const query = url.searchParams
  query.delete('v')
  const queryParamsStr = query.size > 0 ? `?${query}` : undefined
  return { ...content, type: found.type, id: found.id, ...(queryParamsStr ? { queryParamsStr } : {}) }
}
