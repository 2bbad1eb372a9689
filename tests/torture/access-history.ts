import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createToken } from '../../server/access/bearer-tokens.ts'
import { newId } from '../../server/ids.ts'
import { type Call, check } from './checker.ts'
import type { Answer } from './client.ts'
import type { Installation } from './installation.ts'
import { type AccessOp, accessModel } from './models.ts'
import { type Caller, count, promise, type Run, Violation } from './run.ts'

/*
 * A user gets access and loses it again, by a token, by a role, or by the end of a workspace, while others try doors of
 * all processes.
 */

/** A user who is nowhere a member, and a token of theirs. */
export interface Stranger {
  id: string
  email: string
  token: string
}

/** Makes a user with a token, for which there is no operation. */
export async function addStranger({ database }: Installation): Promise<Stranger> {
  const now = new Date()
  const id = newId(now)
  const email = `${id}@example.com`
  const { token, hash, hint } = createToken()
  await database.query(
    'INSERT INTO users (id, email, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)',
    [id, email, 'Stranger', now],
  )
  await database.query(
    `INSERT INTO api_tokens (id, token_hash, hint, owner_user_id, name, created_at) VALUES ($1, $2, $3, $4, 'x', $5)`,
    [newId(now), hash, hint, id, now],
  )
  return { id, email, token }
}

interface Doors {
  token: string
  workspaceId: string
  botId?: string
}

class AccessHistory {
  private readonly calls: Call<AccessOp>[] = []

  constructor(private readonly run: Run) {}

  note({ start, end }: Answer, op: AccessOp) {
    this.calls.push({ start, end, op })
  }

  /** Repeats a change of access until it is certain. `done` are the statuses that confirm it. */
  async change(
    caller: Caller,
    isAllowed: boolean,
    done: number[],
    method: string,
    path: string,
    body?: object,
  ) {
    const answer = await caller.settle(method, path, body && { body })
    promise(
      done.includes(answer.status ?? 0),
      `${method} ${path} was answered ${answer.status}: ${answer.text}`,
    )
    this.note(answer, { kind: 'change', isAllowed, what: `${method} ${path}` })
    return answer
  }

  /** Tries one door. */
  async try(caller: Caller, { token, workspaceId, botId }: Doors) {
    const reading: [string, string][] = [['GET', `/v1/workspaces/${workspaceId}`]]
    if (botId) reading.push(['GET', `/v1/bots/${botId}`])
    const [method, path] = caller.random.one([...reading, ['POST', '/v1/folders'] as [string, string]])
    const body = method === 'POST' ? { workspaceId, folder: { name: 'Let in' } } : undefined
    const answer = await caller.try(method, path, { token, body })
    const { status } = answer
    if (status === undefined || status === 503) return
    const isAllowed = status < 300
    promise(isAllowed || [401, 403, 404].includes(status), `${method} ${path} was answered ${status}`)
    this.note(answer, { kind: 'try', isAllowed, what: `${method} ${path}` })
  }

  /** Lets others try doors as long as `work` lasts, and once more afterwards. */
  async during(callers: Caller[], doors: Doors, work: () => Promise<void>) {
    let isOver = false
    const trying = callers.map(async (caller) => {
      do {
        await this.try(caller, doors)
        await sleep(caller.random.below(20))
      } while (!isOver)
      await this.try(caller, doors)
      await this.try(caller, doors)
    })
    const working = work().finally(() => {
      isOver = true
    })
    await Promise.all([working, ...trying])
  }

  check(what: string) {
    count(this.run, `${what} in and out`)
    count(this.run, 'calls at doors', this.calls.length)
    const verdict = check(accessModel, this.calls)
    if (verdict.verdict !== 'broken') return
    const lines = verdict.stuck.map((op) => JSON.stringify(op)).join('\n  ')
    throw new Violation(`Whom ${what} let in cannot be explained: nothing of this fits\n  ${lines}`)
  }
}

/** Time for what was sent before to be through everywhere. */
const pause = (caller: Caller) => sleep(60 + caller.random.below(200))

export async function aToken(run: Run, caller: Caller, others: Caller[], botId: string) {
  const history = new AccessHistory(run)
  const made = await history.change(caller, true, [201], 'POST', '/v1/users/me/tokens', { name: 'Short' })
  const { id, token } = made.body.apiToken
  await history.during(others, { token, workspaceId: run.installation.workspaceId, botId }, async () => {
    await pause(caller)
    await history.change(caller, false, [200, 404], 'DELETE', `/v1/users/me/tokens/${id}`)
    await pause(caller)
  })
  history.check('a token')
}

export async function aRole(run: Run, caller: Caller, others: Caller[], botId: string, stranger: Stranger) {
  const history = new AccessHistory(run)
  const { workspaceId } = run.installation
  const members = `/v1/workspaces/${workspaceId}/members`
  await history.during(others, { token: stranger.token, workspaceId, botId }, async () => {
    for (let round = 0; round < 3; round++) {
      await pause(caller)
      const member = { email: stranger.email, role: 'MEMBER' }
      await history.change(caller, true, [201, 409], 'POST', members, member)
      await pause(caller)
      await history.change(caller, false, [200, 404], 'DELETE', `${members}/${stranger.id}`)
    }
    await pause(caller)
  })
  history.check('a role')
}

export async function aWorkspace(run: Run, caller: Caller, others: Caller[]) {
  const history = new AccessHistory(run)
  const name = `Short ${randomBytes(4).toString('hex')}`
  const made = await history.change(caller, true, [201], 'POST', '/v1/workspaces', { name })
  const workspaceId = made.body.workspace.id
  const { token } = run.installation
  await history.during(others, { token, workspaceId }, async () => {
    await pause(caller)
    await history.change(caller, false, [200, 404, 403], 'DELETE', `/v1/workspaces/${workspaceId}`)
    await pause(caller)
  })
  history.check('a workspace')
}
