/* Errors of the database. Apart from the client, which loads pg: telemetry has to come before that. */

/** SQLSTATE of a database error, also inside the error Drizzle wraps around it. */
export function sqlState(error: unknown): string | undefined {
  const cause = databaseError(error)
  return cause && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

/** The error without the wrapper of Drizzle, whose message has every parameter of the statement. */
export function databaseError(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return error.cause instanceof Error && error.message.startsWith('Failed query') ? error.cause : error
}

/** An error of the text of a statement, or of a table or privilege that it lacks: no row is at fault. */
export function isOfStatement(error: unknown): boolean {
  return /^(0A|42)/.test(sqlState(error) ?? '')
}

/** An error that other rows may not meet: not one of the connection, of a statement, or of a database without room. */
export function isOfRows(error: unknown): boolean {
  const state = sqlState(error)
  return (
    state !== undefined &&
    /^[\dA-Z]{5}$/.test(state) &&
    !/^(08|25|53|57P)/.test(state) &&
    !isOfStatement(error)
  )
}
