/** Messages of a block to a model: texts with placeholders, and the earlier dialogue. */

import { asObject, asObjects, asString, filledText, type JsonObject, webUrl } from '../../../json/access.ts'
import type { ModelMessage } from '../../../outbound/model-types.ts'
import {
  computeRemainingMilliseconds,
  type Execution,
  log,
  noMemory,
  reserveMemory,
  spendOutboundCall,
  waitFor,
} from '../execution.ts'
import { findUploads, readUpload } from '../files.ts'
import type { Block } from '../flow-index.ts'
import { countCharacters, fill, readVariable, spendFilled } from '../variables.ts'

const MAX_PICTURES = 10
const pictureMilliseconds = 5_000
/** Uploads of a chat that one call sends to a model, in base64. */
const MAX_PICTURES_BYTES = 10_485_760

/** Models of these vendors that look at pictures. */
const seeing: Record<string, RegExp> = {
  openai: /^gpt-(5|4o|4-turbo(?!-preview)|4.*vision-preview)/,
  anthropic: /^claude-/,
}

type Speaker = 'user' | 'assistant'

export async function messagesOf(run: Execution, block: Block, model: string): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = []
  const system = asString(block.options.systemMessage)
  if (block.type === 'anthropic' && system !== undefined) {
    const content = await fill(run, system)
    if (content !== '') messages.push({ role: 'system', content })
  }
  for (const message of asObjects(block.options.messages)) {
    switch (message.role) {
      case 'Dialogue':
        for (const entry of dialogue(run, message)) messages.push(entry)
        break
      case 'Messages sequence ✨':
        for (const entry of sequence(run, asObject(message.content))) messages.push(entry)
        break
      case 'system':
      case 'assistant':
      case 'user': {
        const content = await fill(run, asString(message.content) ?? '')
        const name = filledText(message.name)
        if (content !== '') {
          messages.push({ role: message.role, content, ...(name === undefined ? {} : { name }) })
        }
        break
      }
      default:
      // Not chosen yet.
    }
  }
  return seeing[block.type]?.test(model) ? withPictures(run, messages) : messages
}

/** A list in which two speakers alternate. An empty item is omitted, but counts for the speakers of the next ones. */
function dialogue(run: Execution, { dialogueVariableId, startsBy }: JsonObject): ModelMessage[] {
  const items = itemsOf(run, dialogueVariableId)
  const first: Speaker = startsBy === 'assistant' ? 'assistant' : 'user'
  return items.flatMap((content, index): ModelMessage[] => {
    const role = index % 2 === 0 ? first : first === 'user' ? 'assistant' : 'user'
    return content ? [{ role, content }] : []
  })
}

/** Two lists, one per speaker. The speaker with more items began. */
function sequence(run: Execution, content: JsonObject): ModelMessage[] {
  const sides = {
    user: itemsOf(run, content.userMessagesVariableId),
    assistant: itemsOf(run, content.assistantMessagesVariableId),
  }
  const order: Speaker[] =
    sides.user.length > sides.assistant.length ? ['user', 'assistant'] : ['assistant', 'user']
  const rounds = Math.max(sides.user.length, sides.assistant.length)
  return Array.from({ length: rounds }, (_, round) =>
    order.flatMap((role): ModelMessage[] => {
      const words = sides[role][round]
      return words ? [{ role, content: words }] : []
    }),
  ).flat()
}

/** Items of a dialogue. They count as filled text, since blocks may send them to models any number of times. */
function itemsOf(run: Execution, variableId: unknown): (string | null)[] {
  const value = readVariable(run, variableId)
  spendFilled(run, countCharacters(value))
  if (run.isAborted || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** Addresses of pictures, alone between blank lines, become pictures. */
export async function withPictures(run: Execution, messages: ModelMessage[]): Promise<ModelMessage[]> {
  let pictures = 0
  let left = MAX_PICTURES_BYTES
  const shown: ModelMessage[] = []
  for (const message of messages) {
    if (message.role !== 'user' || typeof message.content !== 'string') {
      shown.push(message)
      continue
    }
    const parts: { text?: string; imageUrl?: string }[] = []
    for (const part of message.content.split('\n\n')) {
      for (const words of addressesIn(part)) {
        const imageUrl = pictures < MAX_PICTURES ? await pictureAt(run, words, left) : null
        const last = parts.at(-1)
        if (imageUrl !== null) {
          pictures += 1
          if (imageUrl !== words) left -= imageUrl.length
          parts.push({ imageUrl })
        } else if (last?.text !== undefined) last.text += `\n\n${words}`
        else parts.push({ text: words })
      }
    }
    const hasPicture = parts.some(({ imageUrl }) => imageUrl !== undefined)
    shown.push(hasPicture ? { ...message, content: parts } : message)
  }
  return shown
}

/** A part that is a JSON list of addresses, or addresses with commas between them, is each of them. */
function addressesIn(part: string): string[] {
  const joined = part.split(', ')
  if (joined.length > 1 && joined.every((each) => webUrl(each) !== null)) return joined
  if (!part.startsWith('["http')) return [part]
  try {
    const found: unknown = JSON.parse(part)
    if (Array.isArray(found) && found.every((each) => typeof each === 'string')) return found
  } catch {
    // It only looks like one.
  }
  return [part]
}

/**
 * The address of a picture for a model, or null. Uploads of the chat are sent themselves, since the vendor could not
 * open private ones, nor anything inside of a private network.
 */
async function pictureAt(run: Execution, words: string, maximumBytes: number): Promise<string | null> {
  const url = words.startsWith('http') ? webUrl(words.trim()) : null
  if (url === null) return null
  const upload = (await findUploads(run, [words.trim()])).get(words.trim())
  if (upload !== undefined) {
    if (!upload.mediaType.startsWith('image/')) return null
    // In base64, in the text of the request, and in its bytes.
    if (!(await reserveMemory(run, 4 * upload.size))) {
      log(run, 'error', 'A picture was sent as its address', { details: noMemory, isInternal: true })
      return null
    }
    // Base64 takes four characters for three bytes.
    const bytes = await readUpload(
      run,
      upload,
      Math.floor((maximumBytes * 3) / 4),
      'The picture is too large',
    )
    return typeof bytes === 'string' ? null : `data:${upload.mediaType};base64,${bytes.toString('base64')}`
  }
  if (!(await spendOutboundCall(run))) return null
  const milliseconds = Math.max(1, Math.min(pictureMilliseconds, computeRemainingMilliseconds(run)))
  const response = await waitFor(
    run,
    run.effects.httpRequest({ url: url.href, method: 'HEAD', headers: {}, milliseconds }),
  )
  return response.ok && response.status < 300 && response.contentType.startsWith('image/') ? words : null
}
