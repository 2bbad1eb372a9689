/** Runs code of a bot in the sandbox, within the limits of a turn. */

import { withText } from '../../outbound/response-body.ts'
import type { CodeAnswer, CodeRequest, EvaluateOutcome, EvaluateRequest } from '../../sandbox/types.ts'
import {
  computeRemainingMilliseconds,
  currentFrame,
  type Execution,
  log,
  spendOutboundCall,
  waitFor,
} from './execution.ts'

/** Maximum time that one piece of code may wait for all responses to its requests. */
const fetchMilliseconds = 10_000

/** CPU time that creating an engine costs each piece of code. */
const setupMilliseconds = 1

/** Evaluates code and writes its console output to the log of the result. */
export async function evaluate(
  run: Execution,
  {
    form,
    code,
    args,
    mayFetch = true,
  }: Pick<EvaluateRequest, 'form' | 'code' | 'args'> & { mayFetch?: boolean },
): Promise<EvaluateOutcome> {
  if (code === '') return { ok: true, value: null, assignments: [], milliseconds: 0, lines: [] }
  const left = run.limits.evaluationMillisecondsPerTurn - run.spent.evaluationMs
  if (left <= 0) return rejectEvaluation('time', 'The code of this turn used up its time')
  const maximum = run.limits.codeCharacters
  if (code.length > maximum)
    return rejectEvaluation('error', `Code of more than ${maximum} characters is not run`)
  const milliseconds = Math.min(run.limits.evaluationMilliseconds, Math.ceil(left))
  const owner = currentFrame(run).botId
  const deadline = performance.now() + fetchMilliseconds
  const fetch = async (request: CodeRequest) =>
    mayFetch
      ? send(run, request, deadline)
      : { ok: false as const, message: 'This code may send no requests' }
  const evaluation = await waitFor(
    run,
    run.effects.evaluate({ form, code, args, owner, milliseconds, fetch }),
  )
  run.spent.evaluationMs += evaluation.milliseconds + setupMilliseconds
  for (const line of evaluation.lines) log(run, 'info', 'Code says', { details: line, isInternal: true })
  return evaluation
}

function rejectEvaluation(reason: 'time' | 'error', message: string): EvaluateOutcome {
  return { ok: false, reason, message, milliseconds: 0, lines: [] }
}

async function send(run: Execution, request: CodeRequest, deadline: number): Promise<CodeAnswer> {
  if (!(await spendOutboundCall(run))) return { ok: false, message: 'One turn may not call out more often' }
  const left = Math.min(deadline - performance.now(), computeRemainingMilliseconds(run))
  if (left <= 0) return { ok: false, message: `No answer within ${fetchMilliseconds} ms` }
  const response = withText(await run.effects.httpRequest({ ...request, milliseconds: left }))
  if (!response.ok) return response
  const { status, headers, text: body } = response
  return { ok: true, status, headers: Object.fromEntries(plainHeaders(headers)), body }
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
}
