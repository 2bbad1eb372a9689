/** Schemas of bot documents in every version. See README.md beside this file. */
export { blockCatalogue, group, groups, legacyGroupsByVersion } from './catalogue.ts'
export { edge, edges, events, legacyEdges, legacyEvents, variable, variables } from './flow.ts'
export { settings } from './settings.ts'
export { renderCatalogueTable, renderVendorTable } from './table.ts'
export { theme } from './theme.ts'
export { currentVersions, type DocumentVersion, legacyVersions } from './versions.ts'
