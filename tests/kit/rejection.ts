import assert from 'node:assert/strict'
import { type ErrorCode, errors } from '../../contract/kit/errors.ts'
import {
  type Answer,
  type CaseRequest,
  call,
  operationOf,
  pathsOf,
  type Send,
  type Subject,
} from './subject.ts'

/**
 * Sends a request that must be rejected with this code, and proves that it wrote nothing. `at` is the path of an issue.
 */
export async function expectRejection(
  subject: Subject,
  id: string,
  request: CaseRequest,
  code: ErrorCode,
  at: string | undefined,
  send: Send = subject.send,
): Promise<Answer> {
  const before = await subject.stored()
  const answer = await call(send, operationOf(subject, id), request)
  const { status, message } = errors[code]
  const { body } = answer
  assert.deepEqual(
    { status: answer.status, code: body?.code, message: body?.message },
    { status, code, message },
    `${id} got ${answer.status}: ${answer.text.slice(0, 2_000)}`,
  )
  const paths = pathsOf(answer)
  assert.equal(new Set(paths).size, paths.length, `a path has two issues: ${paths.join(', ')}`)
  // These always say what was not found, or what is not allowed.
  const isExplained = code === 'NOT_FOUND' || code === 'FORBIDDEN'
  if (at !== undefined) assert(paths.includes(at), `no issue is at ${at}: ${answer.text}`)
  else assert.equal(paths.length > 0, isExplained, `the issues are ${JSON.stringify(body.issues)}`)
  if (!request.isRace) assert.equal(await subject.stored(), before, `the rejection of ${id} wrote something`)
  return answer
}
