import type express from 'express'
import type { Issue } from '../../contract/errors.ts'
import type { OutcomeTable } from '../../contract/kit/outcomes.ts'
import { z } from '../../contract/kit/zod.ts'
import { readBytes } from '../kit/request.ts'
import { sendProblem } from '../kit/response.ts'
import { unknownMethod } from '../kit/route-issues.ts'
import type { SandboxMode } from './sandbox.ts'

/* Routes of sandbox mode, beside the contract: the world, the table of outcomes, the reset and the clock. */

const MAX_CLOCK_BYTES = 1_024

const howToSetClock =
  'Send {"now": "2026-02-01T09:00:00.000Z"}, a time from the year 2000 to 2099, or {"advanceSeconds": 3600}, at most 3,155,760,000'

const clockBody = z.union([
  z.strictObject({ now: z.iso.datetime({ offset: true }).transform((text) => new Date(text)) }),
  z.strictObject({ advanceSeconds: z.number().min(0).max(3_155_760_000) }),
])

export function serveSandbox(
  app: express.Express,
  sandbox: () => SandboxMode | undefined,
  outcomes: OutcomeTable,
) {
  const serve = (method: 'GET' | 'POST', path: string, run: Run) => {
    const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'OPTIONS, POST'
    app.all(path, async (request, response) => {
      response.locals.path = path
      const opened = sandbox()
      const isAsked = request.method === method || (method === 'GET' && request.method === 'HEAD')
      if (isAsked && opened) return run(opened, request, response)
      if (isAsked) return sendProblem(response, 'SERVICE_UNAVAILABLE')
      response.setHeader('Allow', allow)
      if (request.method === 'OPTIONS') response.status(204).end()
      else sendProblem(response, 'METHOD_NOT_ALLOWED', [unknownMethod(request.method, allow)])
    })
  }
  serve('GET', '/sandbox', (opened, _request, response) => response.json(opened.state()))
  serve('GET', '/sandbox/outcomes', (_opened, _request, response) => response.json(outcomes))
  serve('POST', '/sandbox/reset', async (opened, _request, response) => {
    await opened.reset()
    response.json(opened.state())
  })
  serve('POST', '/sandbox/clock', async (opened, request, response) => {
    const time = timeIn((await readBytes(request, MAX_CLOCK_BYTES))?.toString(), new Date(opened.state().now))
    if (!time) return sendProblem(response, 'BAD_REQUEST', [wrongClock])
    await opened.setClock(time)
    response.json(opened.state())
  })
}

type Run = (opened: SandboxMode, request: express.Request, response: express.Response) => unknown

const wrongClock: Issue = { path: ['body'], code: 'invalid_value', message: howToSetClock }

/** Undefined if the text names no time that the clock can be set to. */
function timeIn(text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const { data } = clockBody.safeParse(json)
  if (!data) return undefined
  const time = 'now' in data ? data.now : new Date(now.getTime() + data.advanceSeconds * 1_000)
  return time.getUTCFullYear() >= 2000 && time.getUTCFullYear() < 2100 ? time : undefined
}
