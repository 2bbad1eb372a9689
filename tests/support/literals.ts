import pg from 'pg'

/** A value of a statement as SQL has it. */
export function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) return `ARRAY[${value.map(toLiteral).join(', ')}]`
  return pg.escapeLiteral(String(value))
}
