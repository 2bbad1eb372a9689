import { blockCatalogue } from './catalogue.ts'

/** The table of block types for the README: one line per shape, as the contract has it. */
export function renderCatalogueTable(): string {
  const rows = blockCatalogue.map(({ type, family, component, versions, options }) =>
    [
      `\`${type}\``,
      family,
      `\`${component}\``,
      versions.join(', '),
      options.map((key) => `\`${key}\``).join(', '),
    ].join(' | '),
  )
  return [
    '| Type | Family | Component | Versions | Options (bubbles: content) |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
