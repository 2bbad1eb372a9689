/** Document versions whose entry point is the start event. Both have one shape; 6.1 changes theme defaults. */
export const currentVersions = ['6', '6.1'] as const

/** Document versions whose entry point is a start block inside a group. */
export const legacyVersions = ['3', '4', '5'] as const

type CurrentVersion = (typeof currentVersions)[number]
export type LegacyVersion = (typeof legacyVersions)[number]
export type DocumentVersion = CurrentVersion | LegacyVersion
