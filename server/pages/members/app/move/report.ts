import type { Finding } from '../model/findings.ts'

/* The report on each bot that was moved, from the remarks of the import and the findings of the check. */

export type Verdict = 'runs' | 'needs' | 'partly' | 'unchecked' | 'failed'

export interface Report {
  file: string
  verdict: Verdict
  /** Absent where the file was not imported. */
  bot?: { id: string; name: string }
  /** Parts that chats skip. */
  skipped: string[]
  /** Things to set before it runs as it did. */
  needed: string[]
  /** Everything else that was noticed. */
  remarks: string[]
}

/** Findings that a setting ends: here or for the whole service. */
const settable = new Set([
  'missing_credentials',
  'no_mail_server',
  'no_file_store',
  'closed_address',
  'needs_chat_host',
])

export function reportOn(
  file: string,
  bot: { id: string; name: string },
  warnings: readonly string[],
  findings: readonly Finding[],
): Report {
  const of = (isOf: (finding: Finding) => boolean) => countEqual(findings.filter(isOf).map(wordsOf))
  const skipped = of(({ code }) => code === 'skipped_block')
  const needed = of(({ code }) => settable.has(code))
  const others = of(
    ({ code, severity }) => code !== 'skipped_block' && !settable.has(code) && severity === 'error',
  )
  // The import and the check have the same messages about each block that is skipped, or has no credentials.
  const messages = new Set(findings.map(({ message }) => message))
  const remarks = [...others, ...countEqual(warnings.filter((warning) => !messages.has(warning)))]
  const verdict = skipped.length > 0 ? 'partly' : needed.length > 0 ? 'needs' : 'runs'
  return { file, verdict, bot, skipped, needed, remarks }
}

export function failure(file: string, message: string): Report {
  return { file, verdict: 'failed', skipped: [], needed: [], remarks: [message] }
}

/** The report on an imported bot whose check failed. */
export function reportWithoutCheck(
  file: string,
  bot: { id: string; name: string },
  warnings: readonly string[],
  message: string,
): Report {
  const remarks = [message, ...countEqual(warnings)]
  return { file, verdict: 'unchecked', bot, skipped: [], needed: [], remarks }
}

/** Numbers of each verdict, the most urgent first. */
export function countVerdicts(reports: readonly Report[]): [Verdict, number][] {
  const order: Verdict[] = ['runs', 'needs', 'partly', 'unchecked', 'failed']
  return order.map((verdict) => [verdict, reports.filter((report) => report.verdict === verdict).length])
}

const wordsOf = ({ message }: Finding) => message

/** Equal texts once, with their number. */
function countEqual(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
}
