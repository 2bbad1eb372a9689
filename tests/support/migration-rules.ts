/*
 * Rules for a migration that runs while the service and the release before it are running. The migrator gives every
 * statement in a transaction a time limit for its locks.
 */

/** Rules of every migration: a pattern, and what is wrong with what it finds. */
const everywhere: [RegExp, string][] = [
  [/\bpg_(try_)?advisory/i, 'advisory locks do not work through poolers'],
  [/\b(LISTEN|NOTIFY)\b/i, 'notifications do not work through poolers'],
  [
    /\bCREATE (OR REPLACE )?(TRIGGER|FUNCTION|PROCEDURE|EXTENSION|RULE|SEQUENCE)\b/i,
    'the database runs no code of its own',
  ],
  [/\b(BIG|SMALL)?SERIAL\b|\bGENERATED (ALWAYS|BY DEFAULT) AS\b/i, 'ids and values are made by the service'],
  [
    /\bINHERITS\b|\bUNLOGGED\b|\bTEMP(ORARY)? TABLE\b|\bEXCLUDE USING\b|\bDEFERRABLE\b/i,
    'not every database has it',
  ],
  [/\bSET (?!LOCAL\b)(SESSION )?\w+_timeout\b/i, 'a setting of the session leaks through a pooler'],
  [/\bDEFAULT (now\(\)|CURRENT_TIMESTAMP|gen_random_uuid\(\))/i, 'times and ids are made by the service'],
]

/** Rules of statements about tables that an earlier migration made. */
const onOldTables: [RegExp, string][] = [
  [/\bCREATE (UNIQUE )?INDEX (?!CONCURRENTLY\b)/i, 'an index is built concurrently'],
  [/\bDROP (TABLE|COLUMN)\b|\bRENAME\b/i, 'what the release before uses goes a release later'],
  [/\bALTER COLUMN "?\w+"? (SET DATA )?TYPE\b/i, 'a changed type rewrites the table'],
  [/\bSET NOT NULL\b/i, 'reads the whole table under a lock; the release before may write nulls'],
  [
    /\bADD COLUMN (?:IF NOT EXISTS )?"?\w+"? (?!.*\bDEFAULT\b).*\bNOT NULL\b/i,
    'the release before does not write it',
  ],
  [/\bADD CONSTRAINT\b(?!.*\bNOT VALID\b)/i, 'reads the whole table under a lock'],
  [/^(UPDATE|DELETE FROM)\b/i, 'rows are changed in the background, not in a migration'],
]

/** Rules of migrations with indexes that are built concurrently: what was interrupted begins anew. */
const repeatable: [RegExp, string][] = [
  [/\bINDEX CONCURRENTLY (?!IF (NOT )?EXISTS "\w+")/i, 'begins anew where it was interrupted'],
  [/\bADD COLUMN (?!IF NOT EXISTS\b)/i, 'begins anew where it was interrupted'],
  [/\bCREATE TABLE (?!IF NOT EXISTS\b)/i, 'begins anew where it was interrupted'],
]

/** Returns the rules that a migration breaks. */
export function mistakesIn(migration: string): string[] {
  const statements = migration
    .split('--> statement-breakpoint')
    .map((statement) =>
      statement
        .replaceAll(/^\s*--.*$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((statement) => statement !== '')
  const made = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/i.exec(statement)?.[1] ?? []),
  )
  const isConcurrent = statements.some((statement) => /\bINDEX CONCURRENTLY\b/i.test(statement))
  return statements.flatMap((statement) => {
    const table = /(?:\bON|\bALTER TABLE(?: ONLY)?|^UPDATE|^DELETE FROM) "?(\w+)"?/i.exec(statement)?.[1]
    const isOfNew = table !== undefined && made.has(table)
    const rules = [...everywhere, ...(isOfNew ? [] : onOldTables), ...(isConcurrent ? repeatable : [])]
    return rules.flatMap(([pattern, mistake]) =>
      pattern.test(statement) ? [`${mistake}: ${statement}`] : [],
    )
  })
}
