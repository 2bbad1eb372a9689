import { expect, jest, test } from '@jest/globals'
import type { Logger } from 'pino'
import { retryUntilReady } from '../../server/db/retry.ts'

test.each([
  ['53100', 'the disk of the database is full, make room on it: the start waits and tries again'],
  ['57P03', 'the database does not answer, or not in time: the start waits and tries again'],
])('a start that fails with SQLSTATE %s logs the cause and succeeds later', async (code, message) => {
  const error = jest.fn()
  const failure = Object.assign(new Error('could not extend file'), { code })
  const work = jest.fn<() => Promise<void>>().mockRejectedValueOnce(failure).mockResolvedValueOnce()
  await retryUntilReady({ error } as unknown as Logger, () => false, work)
  expect(work).toHaveBeenCalledTimes(2)
  expect(error).toHaveBeenCalledWith(expect.anything(), message)
})
