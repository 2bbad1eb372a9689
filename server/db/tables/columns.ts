import { customType, smallint, text, timestamp } from 'drizzle-orm/pg-core'
import { JsonText } from '../../kit/json/json-text.ts'

/* Types of columns, and columns that several tables have. */

/**
 * The tables, in two kinds. Catalogue tables are small and have foreign keys among themselves. Bot tables
 * are keyed by the bot's id first and have none to each other, so that they can be distributed by it
 * (`migrations/distribute.sql`).
 * Ids are text made by the service; times are set by the service, never by the database.
 */

/** A `json` column: stored, read and sent as the text that was written, without parsing. */
export const json = customType<{ data: JsonText; driverData: string | Buffer }>({
  dataType: () => 'json',
  toDriver: (value) => value.parameter,
  fromDriver: (value) => new JsonText(value),
})

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** A request with an idempotency key and its response, written in the transaction of its effects. */
export const keyedRequest = () => ({
  /** Empty where the request needs no token. */
  userId: text('user_id').notNull(),
  key: text('key').notNull(),
  /** SHA-256 of method, path and body. */
  digest: bytea('digest').notNull(),
  /** Lease of the process that runs a request with outbound calls, until it is done; see `kit/idempotency.ts`. */
  leaseId: text('lease_id'),
  /** End of that lease, see `db/lease.ts`. */
  leasedUntil: time('leased_until'),
  /** The response; null before there is one. The body is also null where it holds a secret, or is too large. */
  status: smallint('status'),
  headers: json('headers'),
  body: bytea('body'),
  /** Parts of the request that belong into the body, see `kit/request-parts.ts`; null for none. */
  requestParts: json('request_parts'),
  /** Id of the created record, if the response has its secret. */
  madeId: text('made_id'),
  createdAt: time('created_at').notNull(),
})

/** A response that is too large for the row of its key, compressed with gzip. */
export const keyedResponse = () => ({
  userId: text('user_id').notNull(),
  key: text('key').notNull(),
  body: bytea('body').notNull(),
})
