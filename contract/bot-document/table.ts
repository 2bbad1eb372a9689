import { blockCatalogue } from './catalogue.ts'

/** Renders the table of block types for the README. Columns are not aligned, so a change stays on one line. */
export function renderCatalogueTable(): string {
  const rows = blockCatalogue.map(({ type, family, component, versions, options }) => [
    code(type),
    family,
    code(component),
    versions.join(', '),
    options.map(code).join(', '),
  ])
  return [
    '<!-- biome-ignore format: generated -->',
    '',
    '| Type | Family | Component | Versions | Options (bubbles: content) |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

function code(name: string): string {
  return `\`${name}\``
}
