/**
 * Inserts the table of generators of tests/sdks/README.md into the guide of clients. Links to its stories are removed,
 * since only the sources have them.
 */
export function withGenerators(guide: string, readme: string): string {
  const [table] = /^\| Language \| Generator.*\n(?:\|.*\n)+/m.exec(readme) ?? []
  if (table === undefined) throw new Error('tests/sdks/README.md has no table of generators')
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split(' | ').slice(0, 2).join(' | '))
    .map((row) => `${row.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/ \|$/, '')} |`)
  const [before, , after] = guide.split(/<!-- generators:(?:begin|end) -->/)
  return `${before}<!-- generators:begin -->\n\n${rows.join('\n')}\n\n<!-- generators:end -->${after}`
}
