import { vendors } from './blocks/vendors/all.ts'
import { googleSheets } from './blocks/vendors/google-sheets.ts'
import { stripe } from './blocks/vendors/stripe.ts'
import type { VendorRow } from './blocks/vendors/vendor.ts'
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

/** Renders the table of outside services for the guide. */
export function renderVendorTable(): string {
  const all: readonly VendorRow[] = [...vendors, googleSheets, stripe]
  const rows = all.map(({ title, type, actions, credentials, base, moreHosts = [] }) => [
    title,
    code(type),
    Object.entries(actions)
      .map(([name, { shutdownNotice }]) => (shutdownNotice === undefined ? name : `${name} (ended)`))
      .join(', ') || 'Payment input',
    credentials === undefined ? 'none' : Object.keys(credentials.shape).map(code).join(', '),
    (base === undefined ? moreHosts : [new URL(base).host, ...moreHosts]).map(code).join(', '),
  ])
  return [
    '| Service | Type | Actions | Credentials | Hosts that get the key |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

function code(name: string): string {
  return `\`${name}\``
}
