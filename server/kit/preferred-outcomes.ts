import type { IncomingMessage } from 'node:http'
import type { Outcome, OutcomeTable } from '../../contract/kit/outcomes.ts'
import { preferencesOf } from './conditions.ts'
import { problem } from './problem.ts'
import { type HttpResponse, privateReadHeaders } from './response.ts'

/*
 * Outcomes on demand in sandbox mode, in the words of mock servers: `Prefer: code=409, example=inProgress` responds with
 * that example of the document, before anything of the request is read. A request without such a preference is real.
 */

/** The response that a request prefers; undefined if it prefers none. */
export type PreferredOutcome = (operationId: string, request: IncomingMessage) => HttpResponse | undefined

export function preferOutcomes(table: OutcomeTable): PreferredOutcome {
  return (operationId, request) => {
    const preferences = preferencesOf(request)
    const code = preferences.get('code')
    const example = preferences.get('example')
    if (code === undefined && example === undefined) return undefined
    const all = table.operations[operationId]?.outcomes ?? []
    const fitting = all.filter(
      (outcome) =>
        (code === undefined || String(outcome.status) === code) &&
        (example === undefined || outcome.example === example),
    )
    const outcome = chooseMedia(table, fitting, request, preferences.get('return') === 'minimal')
    if (!outcome) return unknownOutcome(operationId, all)
    const { headers, mediaType, body } = responseOf(table, outcome)
    const isTaggedRead = request.method !== 'POST' && request.method !== 'PATCH' && outcome.status < 400
    return {
      status: outcome.status,
      headers: { ...headers, ...(headers.ETag && isTaggedRead ? privateReadHeaders(headers.ETag) : {}) },
      mediaType,
      body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
    }
  }
}

function responseOf({ responses }: OutcomeTable, { response }: Outcome) {
  const found = typeof response === 'string' ? responses[response] : response
  if (!found) throw new Error(`The table of outcomes has no response ${String(response)}`)
  return found
}

/** Chooses among several media types as the operation itself does. */
function chooseMedia(
  table: OutcomeTable,
  fitting: readonly Outcome[],
  { headers: { accept = '' } }: IncomingMessage,
  isMinimal: boolean,
): Outcome | undefined {
  const find = (fits: (mediaType: string) => boolean) =>
    fitting.find((outcome) => fits(responseOf(table, outcome).mediaType ?? ''))
  const minimal = fitting.find((outcome) => 'Preference-Applied' in responseOf(table, outcome).headers)
  if (isMinimal && minimal) return minimal
  return find((mediaType) => mediaType !== '' && accept.includes(mediaType)) ?? fitting[0]
}

function unknownOutcome(operationId: string, outcomes: readonly Outcome[]): HttpResponse {
  const names = outcomes.map(
    ({ status, example }) => `code=${status}${example ? `, example=${example}` : ''}`,
  )
  const message = `${operationId} has no such outcome. Send one of these as Prefer: ${names.join('; ')}`
  const issue = {
    path: ['header', 'prefer'],
    code: 'invalid_value' as const,
    message: message.slice(0, 2_000),
  }
  return { ...problem('BAD_REQUEST', [issue]), mediaType: 'application/json' }
}
