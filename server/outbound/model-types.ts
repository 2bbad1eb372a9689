import type { JsonObject } from '../json/access.ts'
import type { ReserveMemory } from './response-body.ts'

/* Requests to language models and their responses, in one form for all vendors. */

export interface ToolCall {
  id: string
  name: string
  /** JSON, as the model wrote it. */
  arguments: string
}

export type ModelMessage =
  | { role: 'system'; content: string; name?: string }
  /** Parts are texts, and pictures by their addresses. */
  | { role: 'user'; content: string | { text?: string; imageUrl?: string }[]; name?: string }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[]; name?: string }
  | { role: 'tool'; toolCallId: string; content: string }

export interface ModelTool {
  name: string
  description?: string
  /** A JSON Schema. */
  parameters: JsonObject
}

export interface ModelRequest {
  protocol: 'openai' | 'anthropic'
  apiKey: string
  baseUrl: string
  apiVersion?: string
  model: string
  messages: ModelMessage[]
  tools: ModelTool[]
  temperature?: number
  maxTokens?: number
  /** The text of the response is to be JSON of this JSON Schema. */
  schema?: JsonObject
  /** Requests the response as a stream, and receives its text piece by piece. */
  onText?: (piece: string) => void
  /** True if a stream has to request the number of its tokens; not every vendor supports that option. */
  wantsUsage: boolean
  /** For everything together, attempts included. */
  milliseconds: number
  /** As that of requests. */
  reserveMemory?: ReserveMemory
}

export type ModelResponse =
  | {
      ok: true
      text: string
      toolCalls: ToolCall[]
      /** Reason of an early end: the maximum of tokens was reached, or a filter of the vendor cut the text. */
      stop?: 'length' | 'filter'
      usage: { prompt: number; completion: number; total: number }
    }
  | { ok: false; status?: number; message: string }
