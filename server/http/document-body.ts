import { isUtf8 } from 'node:buffer'
import { currentVersions } from '../../contract/bot-document/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { scanOf } from '../json/schema-scan.ts'
import { limits, scanAny, scanProperties } from '../kit/json/scan.ts'
import { parseJson } from '../kit/json-body.ts'

const emptyList = Buffer.from('[]')

/**
 * Reads a body without parsing the parts of the document in its bot, whose bytes are checked against their schemas.
 * Returns the rest of the body, with an empty list in place of each part, and the texts of all properties of the bot.
 * Undefined if there are no parts or the check is inconclusive: the caller must parse the body then.
 */
export function scanBody(
  { body, documentParts }: Operation,
  bytes: Buffer,
): { value: unknown; texts: Map<string, Buffer> } | undefined {
  // So few bytes cannot hold too many values.
  if (!body || !documentParts || bytes.length > 2 * limits.values || !isUtf8(bytes)) return undefined
  const texts = new Map<string, Buffer>()
  const rest: Buffer[] = []
  let from = 0
  const scanPart = (name: string, at: number): number => {
    const schema = Object.hasOwn(documentParts, name) ? documentParts[name] : undefined
    const end = schema ? scanOf(schema)(bytes, at, 3) : scanAny(bytes, at, 3)
    if (end < 0) return -1
    texts.set(name, bytes.subarray(at, end))
    if (schema) {
      rest.push(bytes.subarray(from, at), emptyList)
      from = end
    }
    return end
  }
  const end = scanProperties(bytes, 0, (name, at) => {
    if (name !== 'bot') return scanAny(bytes, at, 2)
    // The last of duplicate keys counts.
    texts.clear()
    return scanProperties(bytes, at, scanPart)
  })
  if (end !== bytes.length || rest.length === 0) return undefined
  rest.push(bytes.subarray(from))
  const parsed = parseJson(Buffer.concat(rest))
  const checked = 'value' in parsed ? body.safeParse(parsed.value) : undefined
  return checked?.success && isCurrent(checked.data) ? { value: checked.data, texts } : undefined
}

function isCurrent(value: unknown): boolean {
  const { version } = (value as { bot: { version: string } }).bot
  return (currentVersions as readonly string[]).includes(version)
}
