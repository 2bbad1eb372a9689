/** Outcome of reading a reply to an input. */
import type { Upload } from '../../../uploads/uploads.ts'
import type { Execution } from '../execution.ts'
import type { Block } from '../flow-index.ts'
import type { Answer, Message } from '../types.ts'

export type Reading =
  | {
      kind: 'understood'
      /** Stored as the answer, and in the variable of the input unless `value` differs. */
      content: string
      value?: string | string[]
      /** Text that clients show for the answer if it differs from the content; empty for a picture without words. */
      shown?: string
      attachedFileUrls?: Answer['attachedFileUrls']
      /** Files of the chat that the answer names. */
      uploads?: Upload[]
      /** Edge of the chosen item. It goes before the edge of the block. */
      edgeId?: string | undefined
      /** Further variables to set. */
      assignments?: { variableId: unknown; value: string | string[] }[]
    }
  | { kind: 'skipped' }
  | { kind: 'invalid'; retryMessage?: string }

export type ReadReply = (run: Execution, block: Block, reply: Reply) => Promise<Reading> | Reading

export interface Reply {
  /** Empty when nothing was sent. */
  text: string
  message: Message | null
}

export const invalidReading: Reading = { kind: 'invalid' }

export function understood(content: string): Reading {
  return { kind: 'understood', content }
}
