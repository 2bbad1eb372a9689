import type { FlowFinding } from '../../../contract/publications.ts'
import { namesProxy } from '../../chat/http-request.ts'
import { isSkipped } from '../../chat/walk.ts'
import { blocksOf, isRecord } from '../../conversion/document.ts'
import { missingContent } from './content.ts'
import { type KnownCredentials, missingCredentials, skippedAction } from './credentials.ts'
import { type Flow, issue, itemsOf, type Path, pathsOf, quote } from './flow.ts'
import { unknownProperties } from './properties.ts'
import { missingEdge, missingJumpTarget, unknownVariables } from './references.ts'
import { brokenCode, unknownNames } from './texts.ts'

export function* blockIssues(flow: Flow, credentials?: KnownCredentials): Generator<FlowFinding> {
  for (const [groupIndex, group] of flow.groups.entries()) {
    for (const [blockIndex, block] of blocksOf(group).entries()) {
      const path = ['groups', groupIndex, 'blocks', blockIndex]
      yield* skippedBlock(block, path)
      const unknown = [...unknownProperties(flow, block, path)]
      yield* unknown
      // What a misspelt property says is not there for a chat, and that is one mistake.
      if (unknown.length === 0) {
        yield* missingContent(block, path)
        if (skippedAction(block) === undefined) yield* missingCredentials(block, path, credentials)
      }
      yield* missingEdge(flow, block, path, 'block')
      for (const [itemIndex, item] of itemsOf(block).entries()) {
        const itemPath = [...path, 'items', itemIndex]
        yield* missingEdge(flow, item, itemPath, 'item')
        for (const [pathIndex, cardPath] of pathsOf(item).entries()) {
          yield* missingEdge(flow, cardPath, [...itemPath, 'paths', pathIndex], 'path')
        }
      }
      yield* missingJumpTarget(flow, block, path)
      const undeclared = [...unknownVariables(flow, block, path)]
      yield* undeclared
      if (isSkippedBlock(block)) continue
      // A variable that was deleted is usually missed by its id and by its name, which is one mistake.
      if (undeclared.length === 0) yield* unknownNames(flow, block, path)
      yield* brokenCode(flow, block, path)
    }
  }
}

function isSkippedBlock(block: unknown): block is { type: string } {
  if (!isRecord(block) || typeof block.type !== 'string') return false
  return block.type === 'payment input' || isSkipped(block.type) || skippedAction(block) !== undefined
}

function* skippedBlock(block: unknown, path: Path): Generator<FlowFinding> {
  if (namesProxy(block)) {
    const message = 'Chats skip this block: the service sends no requests through a proxy.'
    yield issue([...path, 'options', 'proxyCredentialsId'], 'skipped_block', message)
    return
  }
  if (!isSkippedBlock(block)) return
  const { type } = block
  const action = skippedAction(block)
  if (type === 'payment input') {
    const message = 'Chats end at this block: the service does not offer payments.'
    yield issue([...path, 'type'], 'skipped_block', message)
  } else if (action !== undefined) {
    const key = type === 'OpenAI' ? 'task' : 'action'
    const message = `Chats skip this block: the service does not run ${quote(action)}.`
    yield issue([...path, 'options', key], 'skipped_block', message)
  } else {
    const message = `Chats skip this block: the service does not run blocks of the type ${quote(type)}.`
    yield issue([...path, 'type'], 'skipped_block', message)
  }
}
