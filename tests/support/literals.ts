import pg from 'pg'

/** A value of a statement as SQL has it. */
export function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  // As text, which takes the type of its parameter.
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(toElement).join(',')}}`)
  return pg.escapeLiteral(String(value))
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  const text = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
