import { randomUUID } from 'node:crypto'
import { hasConditions, isStale } from '../../../server/kit/conditions.ts'
import type { Db, Grant } from './context.ts'
import type { Handlers } from './generated/handlers.ts'

interface Context {
  db: Db
  grant: Grant
}

type ShelfContext = Context & { grant: Required<Grant> }

type Shelf = Pick<Required<Grant>['shelf'], 'id' | 'version'>

/** A write compares what a tag has before its last hyphen. Behind it stands the form in which the record is shown. */
const stateOf = ({ id, version }: Shelf) => `${id}-${version}`
const tagOf = (shelf: Shelf) => `"${stateOf(shelf)}-plain"`

export const handlers: Handlers<{ user: Context; shelf: ShelfContext }> = {
  async createShelf({ body }, respond, { db, grant }) {
    const id = `shelf_${randomUUID()}`
    await db.query('INSERT INTO shelves (id, name, owner) VALUES ($1, $2, $3)', [id, body.name, grant.userId])
    return respond.ok({ shelf: { id, name: body.name } })
  },

  async getShelf({ conditions }, respond, { grant: { shelf } }) {
    const etag = tagOf(shelf)
    const { id, name } = shelf
    return respond.notModified(conditions, etag) ?? respond.ok({ shelf: { id, name } }, etag)
  },

  async updateShelf({ body, conditions }, respond, { db, grant: { shelf } }) {
    if (isStale(conditions, stateOf(shelf))) return respond.preconditionFailed(conditions, tagOf(shelf))
    // The grant was read before: a condition holds only for the version that was compared.
    const {
      rows: [changed],
    } = await db.query(
      `UPDATE shelves SET name = $2, version = version + 1 WHERE id = $1 AND (NOT $3 OR version = $4)
        RETURNING id, name, version`,
      [shelf.id, body.name, hasConditions(conditions), shelf.version],
    )
    if (changed) return respond.ok({ shelf: { id: changed.id, name: changed.name } }, tagOf(changed))
    const { rows } = await db.query('SELECT id, version FROM shelves WHERE id = $1', [shelf.id])
    return respond.preconditionFailed(conditions, tagOf(rows[0]))
  },

  async listBooks(_request, respond, { db, grant: { shelf } }) {
    const { rows } = await db.query(
      'SELECT isbn, title FROM books WHERE shelf_id = $1 ORDER BY isbn LIMIT 100',
      [shelf.id],
    )
    return respond.ok({ books: rows })
  },

  async addBook({ body }, respond, { db, grant: { shelf } }) {
    const { isbn, title } = body
    const { rowCount } = await db.query('INSERT INTO books VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      shelf.id,
      isbn,
      title,
    ])
    if (rowCount === 1) return respond.ok({ book: { isbn, title } })
    const message = 'The shelf has a book with this ISBN'
    return respond.fail('CONFLICT', [{ path: ['body', 'isbn'], code: 'taken', message }])
  },

  async removeBook({ params: { isbn } }, respond, { db, grant: { shelf } }) {
    const { rows } = await db.query(
      'DELETE FROM books WHERE shelf_id = $1 AND isbn = $2 RETURNING isbn, title',
      [shelf.id, isbn],
    )
    if (rows[0]) return respond.ok({ book: rows[0] })
    return respond.fail('NOT_FOUND', [
      { path: ['path', 'isbn'], code: 'unknown_book', message: 'The shelf has no such book' },
    ])
  },
}
