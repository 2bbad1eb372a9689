import { randomUUID } from 'node:crypto'
import type { Db, Grant } from './context.ts'
import type { Handlers } from './generated/handlers.ts'

interface Context {
  db: Db
  grant: Grant
}

type ShelfContext = Context & { grant: Required<Grant> }

export const handlers: Handlers<{ user: Context; shelf: ShelfContext }> = {
  async createShelf({ body }, reply, { db, grant }) {
    const id = `shelf_${randomUUID()}`
    await db.query('INSERT INTO shelves (id, name, owner) VALUES ($1, $2, $3)', [id, body.name, grant.userId])
    return reply.ok({ shelf: { id, name: body.name } })
  },

  async getShelf({ conditions }, reply, { grant: { shelf } }) {
    const etag = `"${shelf.id}-${shelf.version}"`
    const { id, name } = shelf
    return reply.notModified(conditions, etag) ?? reply.ok({ shelf: { id, name } }, etag)
  },

  async listBooks(_request, reply, { db, grant: { shelf } }) {
    const { rows } = await db.query(
      'SELECT isbn, title FROM books WHERE shelf_id = $1 ORDER BY isbn LIMIT 100',
      [shelf.id],
    )
    return reply.ok({ books: rows })
  },

  async addBook({ body }, reply, { db, grant: { shelf } }) {
    const { isbn, title } = body
    const { rowCount } = await db.query('INSERT INTO books VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      shelf.id,
      isbn,
      title,
    ])
    if (rowCount === 1) return reply.ok({ book: { isbn, title } })
    const message = 'The shelf has a book with this ISBN'
    return reply.fail('CONFLICT', [{ path: ['body', 'isbn'], code: 'taken', message }])
  },

  async removeBook({ params: { isbn } }, reply, { db, grant: { shelf } }) {
    const { rows } = await db.query(
      'DELETE FROM books WHERE shelf_id = $1 AND isbn = $2 RETURNING isbn, title',
      [shelf.id, isbn],
    )
    if (rows[0]) return reply.ok({ book: rows[0] })
    return reply.fail('NOT_FOUND', [
      { path: ['path', 'isbn'], code: 'unknown_book', message: 'The shelf has no such book' },
    ])
  },
}
