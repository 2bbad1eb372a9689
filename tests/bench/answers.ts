import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Contestant, sessionsOf } from './rounds.ts'

/*
 * That servers which are compared answer the same. What each makes for itself, such as ids, times and cursors, may
 * differ where something is made, and only there.
 */

interface Given {
  status: number
  body: unknown
}

/** Throws where a server answers something else than the first one. */
export async function compareAnswers(title: string, contestants: Contestant[]): Promise<void> {
  const [first, ...others] = contestants
  if (!first) return
  const expected = await ask(first)
  if (expected.status >= 300 && expected.status !== 304) {
    throw new Error(`${title}: ${first.target.name} answers ${expected.status}`)
  }
  for (const other of others) {
    const answer = await ask(other)
    if (isDeepStrictEqual(answer, expected)) continue
    const [theirs, ours] = [answer, expected].map((given) => JSON.stringify(given).slice(0, 1500))
    const log = other.target.log ? await readFile(other.target.log, 'utf8') : ''
    throw new Error(
      `${title}: ${other.target.name} answers\n${theirs}\ninstead of\n${ours}\nEnd of its log:\n${log.slice(-2_000)}`,
    )
  }
}

/** True if a server knows the operation, which an earlier release may not. */
export async function isKnown(contestant: Contestant): Promise<boolean> {
  const { status } = await ask(contestant)
  return status < 300 || status === 304
}

async function ask(contestant: Contestant): Promise<Given> {
  const { target, request, token } = contestant
  const { method, target: path, body, headers = {} } = request
  const [sessionId = ''] = await sessionsOf(contestant, 1)
  const response = await fetch(`http://127.0.0.1:${target.port}${path.replace('{sessionId}', sessionId)}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value.replace('{number}', `${Date.now()}-asked`),
        ]),
      ),
    },
    body,
  })
  const { status } = response
  const text = await response.text()
  const isStream = headers.Accept === 'text/event-stream'
  const isRead = method === 'GET'
  return {
    status,
    body: text === '' || isStream ? '' : JSON.parse(text, (key, value) => plain(key, value, isRead)),
  }
}

function plain(key: string, value: unknown, isRead: boolean): unknown {
  if (key === 'nextCursor' && value !== null) return 'a cursor'
  if (isRead || typeof value !== 'string') return value
  if (key === 'sessionId' || key === 'resultId') return 'an id'
  if (/^[0-9a-z]{26}$/.test(value)) return 'an id'
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'a time' : value
}
