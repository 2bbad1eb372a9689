import { connectTo } from './session.ts'

/*
 * The mark of a database that was made for sandbox mode, and its clock. The schema `sandbox` is the mark. Its functions
 * have the names of PostgreSQL's clock, and connections of the service look there first, so that every statement reads
 * the time of the sandbox.
 */

/** Search path of connections in sandbox mode. */
export const sandboxSearchPath = 'public, sandbox, pg_catalog'

/** The database and the configuration do not fit together. Waiting does not help, so the process ends. */
export class SandboxMismatch extends Error {}

const marking = `
  CREATE SCHEMA sandbox;
  CREATE TABLE sandbox.clock (id boolean PRIMARY KEY DEFAULT true CHECK (id), moved_by interval NOT NULL DEFAULT '0');
  INSERT INTO sandbox.clock DEFAULT VALUES;
  CREATE FUNCTION sandbox.now() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT pg_catalog.now() + moved_by FROM sandbox.clock';
  CREATE FUNCTION sandbox.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT pg_catalog.clock_timestamp() + moved_by FROM sandbox.clock';`

/**
 * Marks an empty database for sandbox mode. Throws if the database has data that no sandbox made, or is the database of
 * a sandbox and the service does not run as one: the tokens of a sandbox are public.
 */
export async function markDatabase(url: string, isSandbox: boolean): Promise<void> {
  const client = await connectTo(url)
  try {
    const { rows } = await client.query(`SELECT to_regclass('sandbox.clock') IS NOT NULL AS is_marked,
      EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')) AS is_used`)
    const { is_marked: isMarked, is_used: isUsed } = rows[0]
    if (isMarked && !isSandbox) {
      throw new SandboxMismatch(
        'The database belongs to a sandbox, whose tokens everybody knows: set SANDBOX=true, or DATABASE_URL or DATA_DIR to another database',
      )
    }
    if (!isSandbox || isMarked) return
    if (isUsed) {
      throw new SandboxMismatch(
        'SANDBOX=true needs a database of its own, and this one has data that no sandbox made: set DATABASE_URL to an empty database, or DATA_DIR to another folder',
      )
    }
    await client.query(`BEGIN; ${marking}; COMMIT`)
  } finally {
    await client.end()
  }
}
