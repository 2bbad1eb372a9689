/** Events in the feed of Blink, and redirects inside of its app. */
import { extname } from 'node:path'
import { pick } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import {
  asObject,
  asObjects,
  asString,
  asStrings,
  filledText,
  type JsonObject,
  parseJson,
  webUrl,
} from '../../../../json/access.ts'
import {
  computeRemainingMilliseconds,
  type Execution,
  sendAction,
  spendOutboundCall,
  waitFor,
} from '../../execution.ts'
import { findUploads } from '../../files.ts'
import { failCall, type VendorCall } from './call.ts'
import { reportStatus, saveParts, sendRequest } from './send.ts'

const HEAD_TIMEOUT_MS = 10_000

export async function sendFeedEvent(run: Execution, made: VendorCall): Promise<void> {
  const { options, credentials } = made.call
  const sections = await readSections(run, made)
  if (sections === null) return
  const { title, text: words } = asObject(options.pushNotification)
  const json = {
    body: { ribbon_color: options.ribbonColor, sections },
    category: options.categoryId,
    user_ids: idsIn(options.userIds),
    group_ids: idsIn(options.groupIds),
    notification_title: title,
    notification_text: words,
    allow_comments: options.allowComments,
    allow_reactions: options.allowReactions,
  }
  const headers = { authorization: `Bearer ${String(credentials.apiKey)}` }
  const response = await sendRequest(run, made, { path: '/feed/events', headers, json })
  if (response === null) return
  if (response.status >= 400) return reportStatus(run, made, response)
  saveParts(run, made, { items: { 'Event ID': pick(response.body, 'data', 'event_id') } })
}

/** Ids as a list, as JSON of one, or with commas between them; undefined if there are none. */
function idsIn(given: unknown): string[] | undefined {
  const value = typeof given === 'string' ? (parseJson(given) ?? given) : given
  const ids = asStrings(Array.isArray(value) ? value : String(value ?? '').split(','))
    .flatMap((each) => {
      const inner = each.startsWith('[') ? parseJson(each) : undefined
      return Array.isArray(inner) ? asStrings(inner) : [each]
    })
    .map((id) => id.trim())
    .filter((id) => id !== '')
  return ids.length > 0 ? ids : undefined
}

async function readSections(run: Execution, made: VendorCall): Promise<JsonObject[] | null> {
  const sections: JsonObject[] = []
  for (const section of asObjects(made.call.options.sections)) {
    const written = await writeSection(run, section)
    if (typeof written === 'string') {
      failCall(run, made.block, `Blink: no event was sent, since ${written}`, undefined, made.action.context)
      return null
    }
    sections.push(written)
  }
  if (sections.length > 0) return sections
  failCall(run, made.block, 'Blink: no event was sent, since there are no sections')
  return null
}

/** A section as the vendor has it, or why there is none. */
async function writeSection(run: Execution, section: JsonObject): Promise<JsonObject | string> {
  const { type, ...properties } = section
  switch (type) {
    case 'Header':
    case 'Text':
    case 'Labelled Text':
      return { type: snake(type), ...snakeKeys(properties), is_markdown: true }
    case 'Image gallery': {
      const images = asStrings(properties.imageUrls).map((url) => ({ type: 'gallery_image', image_url: url }))
      return { type: 'gallery', data: images }
    }
    case 'YouTube': {
      const id = youTubeId(asString(properties.link) ?? asString(properties.url) ?? '')
      return id === undefined
        ? 'the address of a YouTube video is not valid'
        : { type: 'youtube', video_id: id }
    }
    case 'Link':
    case 'Event': {
      const { description, ...rest } = properties
      return { type: snake(type), ...snakeKeys(rest), ...(description ? { subtitle: description } : {}) }
    }
    case 'Buttons':
      return { type: 'buttons', data: asObjects(properties.buttons).map(writeButton) }
    case 'Attachment':
      return writeAttachment(run, asString(properties.url) ?? '')
    case 'Horizontal Bar Chart': {
      const data = asObjects(properties.data).map(({ name, value, label }) => ({
        name,
        raw_value: Number(value),
        display_value: label,
      }))
      return { type: 'horizontal_bar_chart', total_raw_value: Number(properties.total), data }
    }
    default:
      return filledText(type) === undefined
        ? 'a section has no type'
        : { type: snake(String(type)), ...snakeKeys(properties) }
  }
}

function writeButton({ clientAction, label, iconUrl }: JsonObject): JsonObject {
  const { type, url } = asObject(clientAction)
  const address = Buffer.from(asString(url) ?? '').toString('base64')
  const kind = type === 'Open Webview' ? 'webview' : 'link'
  return { label, client_action: `blink:${kind}?url=${address}&action=open`, icon_url: iconUrl }
}

async function writeAttachment(run: Execution, address: string): Promise<JsonObject | string> {
  const url = webUrl(address)
  if (url === null) return 'the address of an attachment is not valid'
  // The service may not reach itself by its public address.
  const upload = (await findUploads(run, [address])).get(address)
  if (upload !== undefined) return attachmentOf(url, upload.name, upload.size)
  if (!(await spendOutboundCall(run))) return 'one turn may not call out more often'
  const milliseconds = Math.max(1, Math.min(HEAD_TIMEOUT_MS, computeRemainingMilliseconds(run)))
  const head = { url: url.href, method: 'HEAD', headers: {}, milliseconds }
  const response = await waitFor(run, run.effects.httpRequest(head))
  if (!response.ok || response.status >= 300)
    return `an attachment cannot be read (${response.ok ? response.status : response.message})`
  const name = url.pathname.split('/').at(-1) || 'attachment'
  return attachmentOf(url, name, Number(response.headers['content-length'] ?? 0))
}

function attachmentOf({ href }: URL, name: string, size: number): JsonObject {
  return {
    type: 'attachment',
    file_name: name,
    file_ext: extname(name).slice(1),
    file_size: size,
    download_url: href,
    open_url: href,
  }
}

function youTubeId(address: string): string | undefined {
  const url = webUrl(address)
  if (url === null) return undefined
  const host = url.hostname.replace(/^(www|m)\./, '')
  const [, first = '', second = ''] = url.pathname.split('/')
  if (host === 'youtu.be') return filledText(first)
  if (host !== 'youtube.com') return undefined
  return first === 'watch' ? filledText(url.searchParams.get('v')) : filledText(second)
}

const snake = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\s+/g, '_')
    .toLowerCase()

function snakeKeys(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [snake(key), value]))
}

/** Addresses of the app of the vendor, and of the web. */
export async function redirectInBlink(run: Execution, { block, call }: VendorCall): Promise<void> {
  const url = (asString(call.options.url) ?? '').trim()
  if (!/^blink:/i.test(url) && webUrl(url) === null) {
    return failCall(run, block, 'Blink: not a web address', url)
  }
  sendAction(run, { type: 'redirect', redirect: { url, isNewTab: !/^blink:/i.test(url) } })
}
