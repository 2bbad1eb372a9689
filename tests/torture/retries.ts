import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, isUnsettled, send } from './client.ts'
import { stamped } from './documents.ts'
import { type Installation, install, ownServer } from './installation.ts'
import type { Random } from './random.ts'
import { promise } from './run.ts'

/*
 * Writes with a key, sent again until they are answered, through connections that break at random before and after
 * the commit, while processes and the database are killed. Each is done once, and every answer to it is the same.
 */

interface Write {
  method: string
  path: string
  body: object
}

/** Kind of write, with the number of times that it was done according to the database. */
interface Kind {
  write(place: number, round: number): Write
}

export async function retry(seed: number, total: number, random: Random): Promise<string> {
  const server = await ownServer()
  const installation = await install({ databaseUrl: server.url, processes: 3 })
  const { members, workspaceId, database } = installation
  try {
    const bots = await settleAll(installation, 8, (place) => ({
      method: 'POST',
      path: '/v1/bots',
      body: { workspaceId, bot: { ...stamped('0'), publicId: `retried-${place}` } },
    }))
    const ids = bots.map(({ body }) => body.bot.id as string)
    for (const id of ids)
      await settleOne(installation, random, { method: 'POST', path: `/v1/bots/${id}/publish`, body: {} })
    const revisions = async () => {
      const { rows } = await database.query('SELECT id, revision FROM bots WHERE id = ANY($1)', [ids])
      return new Map<string, number>(rows.map(({ id, revision }) => [id, Number(revision)]))
    }
    const before = await revisions()

    const kinds: Kind[] = [
      {
        write: (place, round) => ({
          method: 'POST',
          path: '/v1/folders',
          body: { workspaceId, folder: { name: `folder ${place} ${round}` } },
        }),
      },
      {
        write: (place, round) => ({
          method: 'PATCH',
          path: `/v1/bots/${ids[place % ids.length]}`,
          body: { bot: { version: '6.1', name: `name ${place} ${round}` }, overwrite: true },
        }),
      },
      {
        write: (place, round) => ({
          method: 'POST',
          path: '/v1/bots',
          body: { workspaceId, bot: { name: `bot ${place} ${round}` } },
        }),
      },
      {
        write: (place, round) => ({
          method: 'POST',
          path: `/api/v1/bots/retried-${place % ids.length}/startChat`,
          body: { prefilledVariables: { Said: `chat ${place} ${round}` } },
        }),
      },
    ]
    for (const { proxy } of members) {
      proxy.cut = (request) => {
        if (!random.chance(request === 'commit' ? 0.04 : 0.004)) return undefined
        return random.one(['before', 'after'] as const)
      }
    }
    let left = total
    let attempts = 0
    let repeats = 0
    const done = kinds.map(() => 0)
    const changes = new Map<string, number>()
    const faults = { 'killed processes': 0, 'killed databases': 0 }
    let isOver = false
    const start = performance.now()
    const breaking = (async () => {
      for (let place = 0; !isOver; place++) {
        await sleep(2_000 + random.below(4_000))
        if (isOver) return
        if (place % 4 === 3) {
          await server.signal(random.one(['SIGKILL', 'SIGQUIT', 'SIGINT'] as const))
          faults['killed databases']++
          await sleep(3_000)
        } else {
          const member = random.one(members)
          await member.kill()
          await member.start()
          faults['killed processes']++
        }
      }
    })()
    const working = Array.from({ length: 24 }, async (_, place) => {
      const mine = random.part(place)
      for (let round = 0; left-- > 0; round++) {
        const kind = mine.below(kinds.length)
        const write = (kinds[kind] as Kind).write(place, round)
        const key = randomUUID()
        const settled = await settleOne(installation, mine, write, key)
        attempts += settled.attempts
        done[kind] = (done[kind] ?? 0) + 1
        if (kind === 1) {
          const id = ids[place % ids.length] as string
          changes.set(id, (changes.get(id) ?? 0) + 1)
        }
        if (!mine.chance(0.3)) continue
        const again = await settleOne(installation, mine, write, key)
        attempts += again.attempts
        repeats++
        promise(
          again.answer.status === settled.answer.status && again.answer.text === settled.answer.text,
          `A replay differs: ${settled.answer.text}, then ${again.answer.text}`,
        )
        promise(
          again.answer.headers['idempotent-replayed'] === 'true',
          `${write.path} was done again for its key`,
        )
      }
    })
    await Promise.all(working).finally(() => {
      isOver = true
    })
    await breaking
    const took = (performance.now() - start) / 1_000
    const cuts = members.reduce((sum, { proxy }) => sum + proxy.cuts, 0)
    for (const { proxy } of members) proxy.cut = undefined

    const twice = await database.query(
      `SELECT name, count(*) FROM folders GROUP BY 1 HAVING count(*) > 1
       UNION ALL SELECT name, count(*) FROM bots WHERE name LIKE 'bot %' GROUP BY 1 HAVING count(*) > 1
       UNION ALL SELECT variables::text, count(*) FROM results GROUP BY 1 HAVING count(*) > 1`,
    )
    promise(twice.rows.length === 0, `Done twice: ${JSON.stringify(twice.rows.slice(0, 5))}`)
    const { rows } = await database.query(
      `SELECT (SELECT count(*)::int FROM folders) AS folders, (SELECT count(*)::int FROM results) AS results,
         (SELECT count(*)::int FROM bots WHERE name LIKE 'bot %') AS bots`,
    )
    const [folders, , made, chats] = done
    promise(
      rows[0].folders === folders && rows[0].bots === made && rows[0].results === chats,
      `Acknowledged ${JSON.stringify(done)}, found ${JSON.stringify(rows[0])}`,
    )
    const after = await revisions()
    for (const id of ids) {
      const [rose, wanted] = [(after.get(id) ?? 0) - (before.get(id) ?? 0), changes.get(id) ?? 0]
      promise(rose === wanted, `${wanted} updates of a bot were acknowledged, and ${rose} made`)
    }
    return `seed ${seed}: ${total} writes in ${attempts} attempts, ${cuts} cut connections, ${faults['killed processes']} killed processes, ${faults['killed databases']} killed databases, ${Math.round(took)} s: each done once; ${repeats} replays, each the same to the byte`
  } finally {
    await installation.stop()
    await server.stop()
  }
}

async function settleAll(
  installation: Installation,
  count: number,
  write: (place: number) => Write,
): Promise<Answer[]> {
  const { members, token } = installation
  return Promise.all(
    Array.from({ length: count }, (_, place) => {
      const { method, path, body } = write(place)
      return send(members[0]?.url ?? '', method, path, { token, body, patience: 60_000 })
    }),
  )
}

/** Sends a write to any process until it is answered. */
async function settleOne(
  { members, token }: Installation,
  random: Random,
  { method, path, body }: Write,
  key: string = randomUUID(),
): Promise<{ answer: Answer; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const { url } = random.one(members)
    const answer = await send(url, method, path, {
      token,
      body,
      headers: { 'idempotency-key': key },
      patience: 15_000,
    })
    if (!isUnsettled(answer)) {
      promise((answer.status ?? 500) < 300, `${method} ${path} was answered ${answer.status}: ${answer.text}`)
      return { answer, attempts }
    }
    promise(attempts < 2_000, `${method} ${path} is never answered`)
    await sleep(20 + random.below(80))
  }
}

/** Requests a second with keys and without, in turn, on one quiet process. */
export async function throughput(seconds: number): Promise<string> {
  const server = await ownServer()
  const installation = await install({ databaseUrl: server.url, processes: 1 })
  const { members, token, workspaceId } = installation
  const url = members[0]?.url ?? ''
  const { body } = await send(url, 'POST', '/v1/bots', {
    token,
    body: { workspaceId, bot: { ...stamped('0'), publicId: 'quick' } },
  })
  await send(url, 'POST', `/v1/bots/${body.bot.id}/publish`, { token, body: {} })
  const kinds: Record<string, Write> = {
    'create folder': {
      method: 'POST',
      path: '/v1/folders',
      body: { workspaceId, folder: { name: 'Quick' } },
    },
    'start chat': { method: 'POST', path: '/api/v1/bots/quick/startChat', body: {} },
  }
  const rate = async ({ method, path, body }: Write, isKeyed: boolean) => {
    let answers = 0
    const end = performance.now() + seconds * 1_000
    const ask = async () => {
      while (performance.now() < end) {
        const headers: Record<string, string> = isKeyed ? { 'idempotency-key': randomUUID() } : {}
        const { status } = await send(url, method, path, { token, body, headers })
        promise((status ?? 500) < 300, `${path} was answered ${status}`)
        answers++
      }
    }
    await Promise.all(Array.from({ length: 16 }, ask))
    return answers / seconds
  }
  try {
    const lines: string[] = []
    for (const [name, write] of Object.entries(kinds)) {
      const sums = [0, 0]
      for (let round = 0; round < 4; round++) {
        for (const place of [0, 1]) {
          const found = await rate(write, place === 1)
          // The first round warms up.
          if (round > 0) sums[place] = (sums[place] ?? 0) + found / 3
        }
      }
      const [without = 0, withKeys = 0] = sums
      lines.push(
        `${name}: ${Math.round(withKeys)}/s with keys, ${Math.round(without)}/s without (${(withKeys / without).toFixed(2)})`,
      )
    }
    return lines.join('; ')
  } finally {
    await installation.stop()
    await server.stop()
  }
}
