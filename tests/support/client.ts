import type { Server } from 'node:http'
import request from 'supertest'
import { type OperationId, operations } from '../../contract/index.ts'
import type { z } from '../../contract/kit/zod.ts'
import type { Operation } from '../../contract/operation.ts'
import type { operations as wire } from '../../generated/openapi.ts'
import * as kit from '../kit/subject.ts'
import { checkAnswer } from './published.ts'

/** Calls the service over HTTP. Every answer is held against the published document, whatever the test wants. */
export interface Client {
  /** Calls an operation and gives its answer, whatever it is. */
  call<Id extends OperationId>(id: Id, options?: CallOptions<Id>): Promise<Answer>
  /** Calls an operation that must succeed, and gives the body of its answer. */
  ok<Id extends OperationId>(id: Id, options?: CallOptions<Id>): Promise<Reply<Id>>
  /** Sends any request. `target` is path and query as they go out. */
  send(method: string, target: string, options?: SendOptions): Promise<Answer>
}

/** Whoever has a token. */
export interface Caller {
  token: string
}

/** Input is not checked by the compiler where a test wants to send nonsense: give it as `unknown`. */
export interface CallOptions<Id extends OperationId = OperationId> extends Omit<SendOptions, 'body'> {
  params?: Record<string, string>
  /** Absent and undefined are the same. */
  query?: Record<string, string | number | boolean | undefined>
  body?: Id extends OperationId ? BodyOf<Id> | Unchecked : never
}

export interface SendOptions {
  as?: Caller
  /** Several values are several headers of one name. */
  headers?: Record<string, string | string[]>
  /** Sent as JSON, unless it is text or bytes, which are sent as they are. */
  body?: unknown
  /** Set where the test breaks the service; any other 500 throws its cause. */
  wants500?: boolean
}

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
  /** The parsed body, for assertions; undefined where the answer is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what it is differs from operation to operation
  body: any
}

type Contract<Id extends OperationId> = (typeof operations)[Id]

/** The body of an operation as callers write it. */
export type BodyOf<Id extends OperationId> =
  Contract<Id> extends { body: infer Body extends z.ZodType } ? z.input<Body> : undefined

/** A body that the contract need not allow. */
export type Unchecked = { readonly [unchecked]: true }
declare const unchecked: unique symbol

/** Lets a test send a body that does not fit. */
export function anyBody(body: unknown): Unchecked {
  return body as Unchecked
}

type Responses<Id extends OperationId> = Id extends keyof wire ? wire[Id]['responses'] : never
type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

/** The body of the success of an operation. */
export type Reply<Id extends OperationId> = JsonOf<
  Responses<Id> extends { 200: infer Ok }
    ? Ok
    : Responses<Id> extends { 201: infer Created }
      ? Created
      : never
>

/** The path of an operation with its parameters and query filled in. */
export function targetOf(
  id: OperationId,
  { params = {}, query = {} }: Pick<CallOptions, 'params' | 'query'> = {},
): string {
  return kit.targetOf(operations[id], { params, query })
}

/** `logs` explains an operation that does not succeed. */
export function createClient(server: Server, logs: readonly Record<string, unknown>[] = []): Client {
  function failure(what: string, { status, headers, text }: Omit<Answer, 'body'>): Error {
    const { err } = logs.find((line) => line.requestId === headers['x-request-id'] && line.err) ?? {}
    const cause = err as { message?: string; stack?: string } | undefined
    const why = cause ? `\nIts cause, from the log: ${cause.stack ?? JSON.stringify(cause, null, 2)}` : ''
    return new Error(`${what} answered ${status}: ${text.slice(0, 2_000)}${why}`)
  }

  const client: Client = {
    async send(method, target, { as, headers = {}, body, wants500 } = {}) {
      const sent = request(server)
        [method.toLowerCase() as 'get'](target)
        .buffer(true)
        .parse(asText)
        .redirects(0)
      if (as) sent.set('Authorization', `Bearer ${as.token}`)
      if (body !== undefined) sent.set('Content-Type', 'application/json')
      for (const [name, value] of Object.entries(headers)) sent.set(name, value as string)
      if (body !== undefined) {
        // Superagent writes text and bytes as they are, as long as it does not know the type.
        const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
        sent.serialize((value: unknown) => value as string).send(bytes as string)
      }
      const response = await sent
      const text = typeof response.body === 'string' ? response.body : ''
      const answer = { status: response.status, headers: response.headers as Record<string, string>, text }
      if (answer.status === 500 && !wants500) throw failure(`${method} ${target}`, answer)
      checkAnswer({ method, target, ...answer })
      const isJson =
        text !== '' && /^application\/([\w.+-]+\+)?json/.test(answer.headers['content-type'] ?? '')
      return { ...answer, body: isJson ? JSON.parse(text) : undefined }
    },

    call(id, { params, query, ...rest } = {}) {
      return client.send(
        (operations[id] as Operation).method.toUpperCase(),
        targetOf(id, { params, query }),
        rest,
      )
    },

    async ok(id, options) {
      const answer = await client.call(id, options)
      if (answer.status !== operations[id].success.status) throw failure(id, answer)
      return answer.body
    },
  }
  return client
}

/** Superagent hands over the stream, and calls it a response. */
function asText(response: unknown, done: (error: Error | null, body: string) => void) {
  const stream = response as NodeJS.ReadableStream
  const chunks: Buffer[] = []
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  stream.on('end', () => done(null, Buffer.concat(chunks).toString()))
}
