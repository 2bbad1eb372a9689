import type { FlowFinding } from '../../../contract/publications.ts'
import { blocksOf, type FlowDocument, isRecord, type JsonRecord, listOf, mapShared } from './document.ts'

/**
 * Products name their link block after themselves: `<Name> link`, with the linked bot in `<name>Id`. It becomes a
 * `Bot link` with `botId`. Its other options, and their order, stay. A block without such an id links nothing and
 * stays too.
 */
export function neutralLinks(groups: unknown): unknown {
  if (!Array.isArray(groups)) return groups
  return mapShared(groups, (group) => {
    if (!isRecord(group)) return group
    const blocks = mapShared(blocksOf(group), neutralLink)
    return blocks === group.blocks || !Array.isArray(group.blocks) ? group : { ...group, blocks }
  })
}

function neutralLink(block: unknown): unknown {
  const key = namedIdKey(block)
  if (key === undefined) return block
  const { options } = block as { options: JsonRecord }
  const renamed = Object.entries(options).map(([name, value]) => [name === key ? 'botId' : name, value])
  return { ...(block as JsonRecord), type: 'Bot link', options: Object.fromEntries(renamed) }
}

/** The option that names the linked bot in the words of a product, if the block is such a link. */
function namedIdKey(block: unknown): string | undefined {
  if (!isRecord(block) || typeof block.type !== 'string' || !isRecord(block.options)) return undefined
  const { type, options } = block
  if (type === 'Bot link' || !type.endsWith(' link') || Object.hasOwn(options, 'botId')) return undefined
  const wanted = `${type.slice(0, -' link'.length)}id`.toLowerCase()
  return Object.keys(options).find((key) => key.toLowerCase() === wanted)
}

/** Returns the ids of other bots that are linked, with the path of the first link of each. */
export function linkedBots(document: FlowDocument): Map<string, FlowFinding['path']> {
  const found = new Map<string, FlowFinding['path']>()
  for (const [groupIndex, group] of listOf(document.groups).entries()) {
    for (const [blockIndex, block] of blocksOf(group).entries()) {
      if (!isRecord(block) || block.type !== 'Bot link' || !isRecord(block.options)) continue
      const { botId } = block.options
      if (typeof botId !== 'string' || botId === '' || botId === 'current' || found.has(botId)) continue
      found.set(botId, ['groups', `${groupIndex}`, 'blocks', `${blockIndex}`, 'options', 'botId'])
    }
  }
  return found
}
