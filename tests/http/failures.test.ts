import { describe, expect, test } from '@jest/globals'
import { codeOf } from '../../server/http/failures.ts'

/*
 * Errors of PostgreSQL, Citus and sockets, in their words, while a server restarts, recovers, fails over or is
 * upgraded.
 */

const failing = (message: string, code: string) => Object.assign(new Error(message), { code })

/** As Drizzle hands on what a statement failed with. */
const wrapped = (error: Error) => Object.assign(new Error('Failed query: select 1'), { cause: error })

describe('codeOf gives 503 for', () => {
  test.each([
    ['57P01', 'terminating connection due to administrator command'],
    ['57P02', 'terminating connection because of crash of another server process'],
    ['57P03', 'the database system is starting up'],
    ['57P03', 'the database system is not yet accepting connections'],
    ['57P03', 'the database system is in recovery mode'],
    ['57P04', 'database "bots" has been dropped'],
    ['57P05', 'terminating connection due to idle-session timeout'],
    ['57014', 'canceling statement due to conflict with recovery'],
    ['08000', 'connection exception'],
    ['08001', 'could not establish any connections to the node 10.0.0.2:5432 after 30000 ms'],
    ['08003', 'connection does not exist'],
    ['08004', 'no more connections allowed (max_client_conn)'],
    [
      '08006',
      'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: timeout expired',
    ],
    ['08006', 'the total number of connections on the server is more than max_connections(100)'],
    ['08007', 'transaction resolution unknown'],
    ['08P01', 'query_wait_timeout'],
    ['25006', 'cannot execute INSERT in a read-only transaction'],
    ['25006', 'writing to worker nodes is not currently allowed'],
    ['25P03', 'terminating connection due to idle-in-transaction timeout'],
    ['25P04', 'terminating connection due to transaction timeout'],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.3"'],
    ['28P01', 'password authentication failed for user "bots"'],
    ['3D000', 'database "bots" does not exist'],
    ['40001', 'could not serialize access due to concurrent update'],
    ['40001', 'terminating connection due to conflict with recovery'],
    ['40P01', 'canceling the transaction since it was involved in a distributed deadlock'],
    ['53000', 'insufficient resources'],
    ['53100', 'could not extend file "base/5/16401": No space left on device'],
    ['53200', 'out of memory'],
    ['53300', 'sorry, too many clients already'],
    ['53300', 'remaining connection slots are reserved for roles with the SUPERUSER attribute'],
    ['53400', 'configuration limit exceeded'],
    ['55000', 'recovery is in progress'],
    ['55000', 'recovery is not in progress'],
    ['55P03', 'canceling statement due to lock timeout'],
    ['XX000', 'loaded Citus library version differs from installed extension version'],
    ['XX000', 'loaded Citus library version differs from latest available extension version'],
    ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
    ['XX000', 'writing to worker nodes is not currently allowed'],
    ['XX000', 'failed to assign 4 task(s) to worker nodes'],
    ['XX000', 'could not find an available connection'],
    ['XX000', "failed to prepare transaction 'citus_0_1' on host 10.0.0.2:5432"],
    ['XX000', 'server closed the connection unexpectedly'],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['ECONNRESET', 'read ECONNRESET'],
    ['ECONNABORTED', 'write ECONNABORTED'],
    ['EPIPE', 'write EPIPE'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND database'],
    ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN database'],
    ['ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.2:5432'],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.2:5432'],
    ['ENETUNREACH', 'connect ENETUNREACH 10.0.0.2:5432'],
  ])('%s: %s', (code, message) => {
    expect(codeOf(failing(message, code)).code).toBe('SERVICE_UNAVAILABLE')
    expect(codeOf(wrapped(failing(message, code))).code).toBe('SERVICE_UNAVAILABLE')
  })
})

describe('codeOf gives 500 for', () => {
  test.each([
    ['23505', 'duplicate key value violates unique constraint "bots_pkey"'],
    ['42P01', 'relation "bots" does not exist'],
    ['42703', 'column "recovery is in progress" does not exist'],
    ['55000', 'currval of sequence "a" is not yet defined in this session'],
    ['XX000', 'cache lookup failed for type 5'],
    ['XX001', 'invalid page in block 0 of relation base/5/16401'],
    ['22012', 'division by zero'],
  ])('%s: %s', (code, message) => {
    expect(codeOf(failing(message, code)).code).toBe('INTERNAL_SERVER_ERROR')
    expect(codeOf(wrapped(failing(message, code))).code).toBe('INTERNAL_SERVER_ERROR')
  })
})
