import { blink } from './blink.ts'
import { calCom } from './cal-com.ts'
import { chatNode } from './chat-node.ts'
import { difyAi } from './dify-ai.ts'
import { elevenLabs } from './elevenlabs.ts'
import { gmail } from './gmail.ts'
import { googleSheets } from './google-sheets.ts'
import { anthropic, deepSeek, groq, mistral, openRouter, perplexity, togetherAi } from './models.ts'
import { nocoDb } from './nocodb.ts'
import { openAi } from './openai.ts'
import { postHog } from './posthog.ts'
import { qrCode } from './qr-code.ts'
import { segment } from './segment.ts'
import type { VendorRow } from './vendor.ts'
import { zendesk } from './zendesk.ts'

/** The rows of all outside services, in the order of the published document. */
export const vendors = [
  openAi,
  anthropic,
  mistral,
  groq,
  togetherAi,
  openRouter,
  perplexity,
  deepSeek,
  difyAi,
  chatNode,
  elevenLabs,
  calCom,
  nocoDb,
  segment,
  postHog,
  qrCode,
  zendesk,
  blink,
  gmail,
] as const

export type VendorType = (typeof vendors)[number]['type']

type Blocks<Rows extends readonly { block: unknown }[]> = { [Index in keyof Rows]: Rows[Index]['block'] }

export const vendorBlocks = vendors.map(({ block }) => block) as unknown as Blocks<typeof vendors>

const rows: ReadonlyMap<string, VendorRow> = new Map<string, VendorRow>([
  ...vendors.map((row): [string, VendorRow] => [row.type, row]),
  ['Google Sheets', googleSheets],
])

/** The row of a type of block. */
export function vendorRow(type: unknown): VendorRow | undefined {
  return typeof type === 'string' ? rows.get(type) : undefined
}
