import { sql } from 'drizzle-orm'

/** The time so many milliseconds from now, by the clock of the database: the clocks of processes differ. */
export const dueAfter = (milliseconds: number) =>
  sql`now() + ${milliseconds}::float8 * interval '1 millisecond'`
