import type { Logger } from 'pino'
import type { Database } from '../db/client.ts'
import { databaseError, isOfRows } from '../db/errors.ts'
import type { JsonText } from '../kit/json/json-text.ts'
import { giveBack } from './deleted-results.ts'
import { leaseStatements, type Taken } from './leases.ts'

/* Bodies of posts: all endpoints of an event get the same bytes, which are read and made once. */

/** The posted body, byte for byte. */
export function payloadOf({ type, createdAt }: Pick<Taken, 'type' | 'createdAt'>, data: JsonText): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${createdAt.toISOString()}","data":${data.text}}`
}

/** A taken delivery with its body; without one if its event cannot be read. */
export type Ready = Taken & { body: Buffer | undefined }

/**
 * Reads the bodies of deliveries that were just taken. Ends the leases of those beside which another process took an
 * earlier or a redelivered one of their subject: they are due again once that is over.
 */
export async function withBodies(db: Database, log: Logger, taken: readonly Taken[]): Promise<Ready[]> {
  const { read } = leaseStatements(db)
  const bodies = new Map<string, Buffer>()
  const overtaken = new Set<Taken>()
  const ordinals = new Map<Taken, number>()
  for (const its of seriesOf(taken))
    for (const [ordinal, delivery] of its.entries()) ordinals.set(delivery, ordinal)
  const readSome = async (some: readonly Taken[]) => {
    const events = new Set<string>()
    const places = some.map((delivery, nth) => {
      const isFirst = !events.has(eventOf(delivery))
      events.add(eventOf(delivery))
      return { ...delivery, nth, ordinal: ordinals.get(delivery), isFirst }
    })
    for (const { nth, isOvertaken, data } of await read({ places: JSON.stringify(places) })) {
      const delivery = some[nth] as Taken
      if (isOvertaken) overtaken.add(delivery)
      if (data) bodies.set(eventOf(delivery), Buffer.from(payloadOf(delivery, data)))
    }
  }
  try {
    await readSome(taken)
  } catch (error) {
    if (!isOfRows(error)) throw error
    for (const event of new Set(taken.map(eventOf))) {
      await readSome(taken.filter((delivery) => eventOf(delivery) === event)).catch((failure) => {
        if (!isOfRows(failure)) throw failure
        log.warn({ event, err: databaseError(failure) }, 'an event cannot be read')
      })
    }
  }
  await giveBack(db, [...overtaken])
  return taken
    .filter((delivery) => !overtaken.has(delivery))
    .map((delivery) => ({ ...delivery, body: bodies.get(eventOf(delivery)) }))
}

/**
 * Taken deliveries of each subject to each endpoint, in order: all but the first of a series wait for the one before.
 */
export function seriesOf(taken: readonly Taken[]): Taken[][] {
  const series = new Map<string, Taken[]>()
  for (const delivery of [...taken].sort((one, other) => one.seq - other.seq)) {
    const key = `${delivery.botId} ${delivery.endpointId} ${delivery.subject}`
    const its = series.get(key)
    if (its) its.push(delivery)
    else series.set(key, [delivery])
  }
  return [...series.values()]
}

/** Key of the event of a delivery, which those to other endpoints have too. */
const eventOf = ({ botId, id }: Taken) => `${botId} ${id}`
