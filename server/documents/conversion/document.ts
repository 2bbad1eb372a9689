/**
 * The parts of a bot that make its flow, as parsed JSON. Loose on purpose: documents come from every version, from
 * imports and from vendors, so each step reads only the parts that it needs.
 */
export interface FlowDocument {
  version?: string | null
  groups?: unknown
  events?: unknown
  edges?: unknown
  variables?: unknown
  theme?: unknown
  settings?: unknown
  [unknown: string]: unknown
}

/** Returns the version of a document. Without one, events mean that it is not a legacy document. */
export function versionOf({ version, events }: FlowDocument): string {
  return version ?? (listOf(events).length > 0 ? '6' : '3')
}

/** A JSON object with unknown keys. */
export type JsonRecord = Record<string, unknown>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for null and for missing values, the two forms of "nothing" in JSON. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

/** The list, or an empty one where something else stands. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Like `map`, but gives back the very same list when no member changed, so that callers can compare parts. */
export function mapShared(
  list: readonly unknown[],
  change: (member: unknown) => unknown,
): readonly unknown[] {
  let changed = false
  const result = list.map((member) => {
    const after = change(member)
    if (after !== member) changed = true
    return after
  })
  return changed ? result : list
}

/** Like `filter`, but gives back the very same list when every member stays. */
export function filterShared(
  list: readonly unknown[],
  keep: (member: unknown) => boolean,
): readonly unknown[] {
  const result = list.filter(keep)
  return result.length === list.length ? list : result
}

/** The blocks of a group, or of anything else none. */
export function blocksOf(group: unknown): readonly unknown[] {
  return isRecord(group) ? listOf(group.blocks) : []
}

export function isStartBlock(block: unknown): block is JsonRecord {
  return isRecord(block) && block.type === 'start'
}

/** A start block with the group that holds it and its place there. */
export interface StartBlock {
  group: JsonRecord
  groupIndex: number
  block: JsonRecord
  blockIndex: number
}

/** Returns the start of a bot of version 3, 4 or 5: the first start block of the first group that has one. */
export function findStartBlock(groups: readonly unknown[]): StartBlock | undefined {
  for (const [groupIndex, group] of groups.entries()) {
    if (!isRecord(group)) continue
    for (const [blockIndex, block] of blocksOf(group).entries()) {
      if (isStartBlock(block)) return { group, groupIndex, block, blockIndex }
    }
  }
  return undefined
}

/**
 * Returns the target group of a `Jump`, or of a `Bot link` into its own bot: an id, or a text with a placeholder that
 * is only known while the bot runs. Undefined for other blocks and for links to other bots.
 */
export function jumpTarget(block: unknown): string | undefined {
  if (!isRecord(block) || !isRecord(block.options)) return undefined
  const { botId, groupId } = block.options
  const staysInBot = block.type === 'Jump' || (block.type === 'Bot link' && botId === 'current')
  return staysInBot && typeof groupId === 'string' && groupId !== '' ? groupId : undefined
}
