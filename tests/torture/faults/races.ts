import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isUnsettled, send } from '../client.ts'
import { stamped, stampOf } from '../documents.ts'
import type { Installation } from '../installation.ts'
import { promise } from '../run.ts'
import {
  ask,
  type Fault,
  installed,
  newBot,
  onlyStatuses,
  rows,
  some,
  tally,
  times,
  unhurried,
} from './fault.ts'

/* Races between two processes over one database. */

const patch = (
  to: Installation,
  place: number,
  id: string,
  bot: object,
  headers: Record<string, string> = {},
) => ask(to, place, 'PATCH', `/v1/bots/${id}`, { bot: { version: '6.1', ...bot } }, { headers })

async function waitsForLock(client: pg.Client) {
  for (;;) {
    const { rows } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    if (rows.length > 0) return
    await sleep(10)
  }
}

const deadlocks: Fault = {
  id: 'F6',
  what: 'a deadlock, and everything serialisable',
  run: (setting) =>
    installed({}, async (to, database) => {
      const { id } = await newBot(to, { name: 'Wanted' })
      const client = new pg.Client({ connectionString: database.url })
      client.on('error', () => {})
      await client.connect()
      // Another client holds the name that the update wants, and then wants the bot that the update holds.
      await client.query('BEGIN')
      await client.query(`INSERT INTO public_ids (public_id, bot_id) VALUES ('wanted', $1)`, [id])
      const claiming = patch(to, 0, id, { publicId: 'wanted' })
      await waitsForLock(client)
      await client.query('SELECT 1 FROM bots WHERE id = $1 FOR UPDATE', [id]).catch(() => {})
      await client.query('ROLLBACK')
      const claimed = await claiming
      onlyStatuses([claimed], [200])
      const [{ broken }] = await rows(
        to,
        `SELECT deadlocks::int AS broken FROM pg_stat_database WHERE datname = current_database()`,
      )

      const name = new URL(database.url).pathname.slice(1)
      await client.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`)
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      await client.end()
      const ids = await times(4, async (place) => {
        for (;;) {
          const bot = { ...stamped('0'), publicId: `serial-${place}` }
          const made = await ask(to, place, 'POST', '/v1/bots', { workspaceId: to.workspaceId, bot })
          if (made.status === 201) return made.body.bot.id as string
          onlyStatuses([made], [503])
        }
      })
      const answers = (
        await times(16, async (place) => {
          const mine = []
          for (let round = 0; round < some(setting, 20, 6); round++) {
            const bot = ids[(place + round) % ids.length] as string
            mine.push(
              await patch(to, place, bot, {
                ...stamped(`${place} ${round}`),
                publicId: `serial-${place % 4}-${round}`,
              }),
              await ask(to, place, 'POST', `/v1/bots/${bot}/publish`, {}),
              await ask(to, place, 'POST', '/v1/folders', {
                workspaceId: to.workspaceId,
                folder: { name: 'Serial' },
              }),
            )
          }
          return mine
        })
      ).flat()
      // A name that another bot has is a 400.
      onlyStatuses(answers, [200, 201, 400, 503])
      promise(
        answers.some(({ status }) => status === 200),
        'Nothing was done under serialisable isolation',
      )
      return `deadlocks broken by the database: ${broken}, update answered ${claimed.status}; serialisable: ${tally(answers)}`
    }),
}

const preconditions: Fault = {
  id: 'F11',
  what: 'sixteen clients update one bot with If-Match, in two processes',
  run: (setting) =>
    installed({ variables: unhurried }, async (to) => {
      const { id, headers } = await newBot(to, { ...stamped('0'), name: '0' })
      const start = (await rows(to, 'SELECT revision FROM bots WHERE id = $1', [id]))[0].revision
      let tag = headers.etag as string
      const names: string[] = []
      const answers = (
        await times(16, async (place) => {
          const mine = []
          for (let round = 0; round < some(setting, 40, 5); round++) {
            const name = `${place}-${round}`
            const answer = await patch(to, place + round, id, { name }, { 'if-match': tag })
            if (answer.status === 200) {
              names.push(name)
              promise(answer.body.bot.name === name, 'An update was answered with the name of another one')
            }
            // Both say which state the bot is in by now.
            tag = (answer.headers.etag as string | undefined) ?? tag
            mine.push(answer)
          }
          return mine
        })
      ).flat()
      onlyStatuses(answers, [200, 412])
      const [{ revision, name }] = await rows(to, 'SELECT revision, name FROM bots WHERE id = $1', [id])
      promise(
        Number(revision) === Number(start) + names.length,
        `${names.length} updates were acknowledged, and ${revision - start} made`,
      )
      const lasts = answers.filter(({ status }) => status === 200).sort((a, b) => a.end - b.end)
      promise(names.includes(name), 'The name is none that was acknowledged')
      const moments = lasts.map(({ body }) => body.bot.updatedAt)
      promise(new Set(moments).size === moments.length, 'Two updates have one moment')

      // Without a precondition: the value is the last one of a property, or one that came at the same time.
      const others = (
        await times(8, async (place) => {
          const mine = []
          for (let round = 0; round < some(setting, 20, 4); round++) {
            const bot =
              place % 2 === 0 ? { name: `n-${place}-${round}` } : { theme: { stamp: `t-${place}-${round}` } }
            mine.push({ bot, answer: await patch(to, place, id, bot) })
          }
          return mine
        })
      ).flat()
      onlyStatuses(
        others.map(({ answer }) => answer),
        [200],
      )
      const { body } = await ask(to, 0, 'GET', `/v1/bots/${id}`)
      for (const part of ['name', 'theme'] as const) {
        const writes = others.filter(({ bot }) => part in bot)
        const found = writes.find(
          ({ bot }) => JSON.stringify((bot as never)[part]) === JSON.stringify(body.bot[part]),
        )
        promise(found, `The ${part} is none that was written`)
        const later = writes.some(({ answer }) => answer.start > (found?.answer.end ?? 0))
        promise(!later, `The ${part} was overwritten by something earlier`)
      }
      return `${tally(answers)}; revision rose by ${names.length}; without a precondition ${others.length} of ${others.length} are in order`
    }),
}

const publications: Fault = {
  id: 'F12',
  what: 'updates and publications of one bot at once',
  run: (setting) =>
    installed({ variables: unhurried }, async (to) => {
      const { id } = await newBot(to, { ...stamped('0'), publicId: 'both' })
      const acknowledged = new Set(['0'])
      const seen = new Set<string>()
      let isOver = false
      const publishing = times(3, async (place) => {
        while (!isOver) {
          const published = await ask(to, place, 'POST', `/v1/bots/${id}/publish`, {})
          onlyStatuses([published], [200])
          const { body } = await ask(to, place + 1, 'GET', `/v1/bots/${id}/publishedBot`)
          seen.add(stampOf(body.publishedBot))
        }
      })
      const writing = times(4, async (place) => {
        for (let round = 0; round < some(setting, 60, 8); round++) {
          const stamp = `${place}-${round}`
          const answer = await patch(to, place, id, stamped(stamp))
          onlyStatuses([answer], [200])
          acknowledged.add(stamp)
        }
      }).finally(() => {
        isOver = true
      })
      await Promise.all([publishing, writing])
      const copies = await rows(
        to,
        'SELECT groups, variables, theme, settings FROM bot_publications WHERE bot_id = $1',
        [id],
      )
      for (const copy of copies) {
        const stamp = stampOf(
          Object.fromEntries(
            Object.entries(copy).map(([part, text]) => [
              part,
              typeof text === 'string' ? JSON.parse(text) : text,
            ]),
          ) as never,
        )
        promise(acknowledged.has(stamp), `A publication has ${stamp}, which nobody wrote`)
      }
      return `${acknowledged.size - 1} updates, ${copies.length} publications, each of one revision; ${seen.size} different ones were read`
    }),
}

const deletions: Fault = {
  id: 'F13',
  what: 'a bot is deleted while it is updated, published and talked to',
  run: (setting) =>
    installed({ variables: unhurried }, async (to) => {
      const answers = []
      const results: string[] = []
      for (let round = 0; round < some(setting, 40, 6); round++) {
        const publicId = `gone-${round}`
        const { id } = await newBot(to, { ...stamped('0'), publicId })
        await ask(to, 0, 'POST', `/v1/bots/${id}/publish`, {})
        const start = (place: number) => ask(to, place, 'POST', `/api/v1/bots/${publicId}/startChat`, {})
        const [first, deleted, ...others] = await Promise.all([
          start(0),
          ask(to, 1, 'DELETE', `/v1/bots/${id}`),
          patch(to, 0, id, stamped('1')),
          ask(to, 1, 'POST', `/v1/bots/${id}/publish`, {}),
          start(1),
          ask(to, 0, 'GET', `/v1/bots/${id}/results`),
        ])
        onlyStatuses([deleted], [200])
        onlyStatuses([first, ...others], [200, 403, 404, 409])
        answers.push(first, deleted, ...others)
        for (const place of [0, 1]) {
          onlyStatuses(
            [
              await ask(to, place, 'GET', `/v1/bots/${id}`),
              await ask(to, place, 'GET', `/v1/bots/${id}/results`),
              await ask(to, place, 'GET', `/v1/bots/${id}/publishedBot`),
              await start(place),
            ],
            [404],
          )
        }
        if (first.status === 200) results.push(first.body.resultId)
        if (first.status === 200) {
          const reply = await ask(to, 1, 'POST', `/api/v1/sessions/${first.body.sessionId}/continueChat`, {
            message: 'Still there?',
          })
          onlyStatuses([reply], [404])
        }
      }
      const orphans = await rows(
        to,
        `SELECT p.bot_id FROM published_bots p JOIN bots b ON b.id = p.bot_id
         WHERE b.deleted_at IS NOT NULL AND p.publication_id IS NOT NULL
         UNION ALL SELECT p.bot_id FROM public_ids p JOIN bots b ON b.id = p.bot_id WHERE b.deleted_at IS NOT NULL`,
      )
      promise(orphans.length === 0, `${orphans.length} publications or names of bots that are gone are left`)
      return `${tally(answers)}; ${results.length} chats began before the end and are over; no orphan`
    }),
}

const names: Fault = {
  id: 'F14',
  what: 'two bots claim one public id, in two processes',
  run: (setting) =>
    installed({ variables: unhurried }, async (to) => {
      const bots = await times(2, (place) => newBot(to, { name: `Bot ${place}` }))
      const answers = []
      const rounds = some(setting, 60, 8)
      for (let round = 0; round < rounds; round++) {
        const publicId = `claimed-${round}`
        const both = await Promise.all(bots.map(({ id }, place) => patch(to, place, id, { publicId })))
        onlyStatuses(both, [200, 400])
        promise(both.filter(({ status }) => status === 200).length === 1, `${publicId}: ${tally(both)}`)
        const refused = both.find(({ status }) => status === 400)
        promise(
          JSON.stringify(refused?.body.issues[0].path) === '["body","bot","publicId"]',
          `The refusal does not name the field: ${refused?.text}`,
        )
        answers.push(...both)
      }
      const owners = await rows(to, 'SELECT public_id FROM bots WHERE public_id IS NOT NULL')
      promise(
        new Set(owners.map((row) => row.public_id)).size === owners.length,
        'One public id has two owners',
      )
      return `${rounds} names: ${tally(answers)}`
    }),
}

const duplicates: Fault = {
  id: 'F16',
  what: 'one request fifty times at once, with another body, and after a crash',
  run: (setting) =>
    installed({ variables: unhurried }, async (to) => {
      const create = (place: number, key: string, name = key) =>
        ask(
          to,
          place,
          'POST',
          '/v1/folders',
          { workspaceId: to.workspaceId, folder: { name } },
          { headers: { 'idempotency-key': key } },
        )
      const made = async (key: string) =>
        (await rows(to, 'SELECT 1 FROM folders WHERE name = $1', [key])).length
      const rounds = some(setting, 10, 2)
      let waited = 0
      for (let round = 0; round < rounds; round++) {
        const key = `fifty-${round}`
        const answers = await times(50, (place) => create(place, key))
        onlyStatuses(answers, [201, 409])
        for (const answer of answers.filter(({ status }) => status === 409)) {
          waited++
          promise(
            isUnsettled(answer) && answer.headers['retry-after'],
            `A repeat was refused: ${answer.text}`,
          )
        }
        const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text))
        promise(texts.size === 1, `Fifty requests with one key have ${texts.size} answers`)
        promise((await made(key)) === 1, `Fifty requests with one key made ${await made(key)} folders`)
        onlyStatuses([await create(round, key, 'Another body')], [422])
      }
      const [member] = to.members
      const keys: string[] = []
      const crashes = some(setting, 5, 1)
      for (let crash = 0; crash < crashes; crash++) {
        const writing = times(8, async (place) => {
          for (let round = 0; ; round++) {
            const key = `crash-${crash}-${place}-${round}`
            keys.push(key)
            if ((await create(0, key)).status === undefined) return
          }
        })
        const before = keys.length
        while (keys.length < before + 40) await sleep(5)
        await member?.kill()
        await writing
        await member?.start()
      }
      for (const key of keys) {
        for (let attempt = 0; ; attempt++) {
          const again = await create(attempt, key)
          if (again.status === 201) break
          onlyStatuses([again], [409, 503])
          promise(attempt < 200, 'The key of a dead process is held for ever')
          await sleep(50)
        }
        promise((await made(key)) === 1, `${key} was done ${await made(key)} times`)
      }
      const url = member?.url ?? ''
      const short = await send(url, 'POST', '/v1/folders', {
        token: to.token,
        headers: { 'idempotency-key': '"' },
      })
      onlyStatuses([short], [400])
      return `${rounds} × 50: one folder each, ${waited} told to wait; ${crashes} crashes with ${keys.length} requests, each done once`
    }),
}

export const races = [deadlocks, preconditions, publications, deletions, names, duplicates]
