import type { components } from '../../generated/openapi.ts'
import { markdownOf } from '../chat/engine/bubbles.ts'
import { asObject, asObjects, asString, filledText, type JsonObject } from '../json/access.ts'

/* A turn of the bot, or a message of a member, as messages of Chatwoot. */

type Bubble = components['schemas']['MessageBubble']
type Turn = Partial<components['schemas']['ContinuedChatBody']>

export interface Outgoing {
  /** In Markdown. */
  content: string
  /** Items to choose from, in place of a plain text. */
  items?: Item[]
  /** Address of a file; the content then is that of a message without it. */
  fileUrl?: string
}

interface Item {
  title: string
  value: string
}

/** Stands where there are items and no text to go with them. */
const NO_TEXT = '…'

/** Only its own widget sends a choice back. Other channels get numbers to answer with. */
const WIDGET = 'Channel::WebWidget'

/** The messages of bubbles, and of the input of a turn. */
export function messagesOf(bubbles: readonly Bubble[], turn: Turn, channel: string): Outgoing[] {
  const messages = bubbles.map(messageOf).filter(({ content }) => content.trim() !== '')
  for (const { type, ...action } of turn.clientSideActions ?? []) {
    const url = type === 'redirect' ? filledText(asObject((action as JsonObject).redirect).url) : undefined
    if (url !== undefined) messages.push({ content: url })
  }
  const { input } = turn
  if (input?.payment) messages.push({ content: `${input.payment.amount}: ${input.payment.url}` })
  const items = itemsOf(input)
  if (items.length === 0) return messages
  const last = messages.at(-1)
  const question = last && last.fileUrl === undefined ? (messages.pop() as Outgoing) : { content: NO_TEXT }
  messages.push(
    isSelect(input, channel)
      ? { ...question, items }
      : {
          content: [question.content, '', ...items.map(({ title }, at) => `${at + 1}. ${title}`)].join('\n'),
        },
  )
  return messages
}

/** The item of a numbered list that a text means; undefined for a text that is none, or the title of another one. */
export function itemNumbered(text: string, input: Turn['input'], channel: string): string | undefined {
  const number = text.trim()
  if (!/^\d{1,4}$/.test(number) || isSelect(input, channel) || input?.options?.isMultipleChoice === true)
    return
  const items = itemsOf(input)
  return items.some(({ title }) => title.trim() === number) ? undefined : items[Number(number) - 1]?.value
}

function isSelect(input: Turn['input'], channel: string): boolean {
  return channel === WIDGET && input?.options?.isMultipleChoice !== true
}

function itemsOf(input: Turn['input']): Item[] {
  const items = asObjects(input?.items)
  const shown =
    input?.type === 'cards'
      ? items.flatMap((card) => {
          const paths = asObjects(card.paths)
          const title = asString(card.title) ?? ''
          return paths.length > 0
            ? paths.map(({ id, text }) => ({ id, title: [title, asString(text)].filter(Boolean).join(': ') }))
            : [{ id: card.id, title }]
        })
      : items.map(({ id, content, title, pictureSrc }) => ({
          id,
          title: filledText(content) ?? filledText(title) ?? filledText(pictureSrc) ?? '',
        }))
  return shown.flatMap(({ id, title }) => (title === '' ? [] : [{ title, value: asString(id) ?? title }]))
}

/** Complete by its type: a kind of bubble that the contract adds does not compile until it has a message. */
function messageOf({ type, content }: Bubble): Outgoing {
  switch (type) {
    case 'text':
      return { content: content.type === 'markdown' ? content.markdown : markdownOf(content.richText) }
    case 'image':
    case 'audio':
    case 'video': {
      const { url, type: kind, id } = asObject(content)
      const address = filledText(url) ?? filledText(id) ?? ''
      // Videos of platforms are pages.
      const isFile = type !== 'video' || kind === 'url'
      return isFile ? { content: address, fileUrl: address } : { content: address }
    }
    case 'embed':
      return { content: filledText(asObject(content).url) ?? '' }
  }
}
