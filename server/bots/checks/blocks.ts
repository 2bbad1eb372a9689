import { blockCatalogue } from '../../../contract/bot-document/index.ts'
import type { FlowFinding } from '../../../contract/publications.ts'
import { namesProxy } from '../../chat/engine/blocks/http-request.ts'
import { isSkipped } from '../../chat/engine/run-blocks.ts'
import { blocksOf, isRecord } from '../../documents/conversion/document.ts'
import { nearest } from '../../kit/issues/nearest.ts'
import { missingContent, unknownFileTypes } from './content.ts'
import { foreignAddress, missingCredentials, skippedAction } from './credentials.ts'
import { type Findings, type Flow, issue, itemsOf, type Path, pathsOf, quote } from './flow.ts'
import { withoutChatHost } from './pages.ts'
import { unknownTimes } from './people.ts'
import { unknownProperties } from './properties.ts'
import { missingEdge, missingJumpTarget, unknownVariables } from './references.ts'
import type { CheckedService } from './service.ts'
import { brokenCode, unknownNames } from './texts.ts'

const knownTypes = new Set<string>(blockCatalogue.map(({ type }) => type))
const runTypes = [...knownTypes].filter((type) => !isSkippedBlock({ type }))

export function* blockIssues(flow: Flow, service: CheckedService): Findings {
  for (const [groupIndex, group] of flow.groups.entries()) {
    for (const [blockIndex, block] of blocksOf(group).entries()) {
      const path = ['groups', groupIndex, 'blocks', blockIndex]
      yield* skippedBlock(flow, block, path)
      yield* withoutChatHost(block, path, service)
      yield
      // The runtime ignores a misspelt property, so its content is missing too: report one issue only.
      if (!(yield* anyOf(unknownProperties(flow, block, path)))) {
        yield* missingContent(block, path, service)
        yield* unknownFileTypes(block, path)
        yield* unknownTimes(block, path)
        yield* foreignAddress(block, path, service)
        if (skippedAction(block) === undefined) yield* missingCredentials(block, path, service.credentials)
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
      const isUndeclared = yield* anyOf(unknownVariables(flow, block, path))
      if (isSkippedBlock(block)) continue
      // The id and the name of a deleted variable are usually both missing: report one issue only.
      if (!isUndeclared) yield* unknownNames(flow, block, path)
      yield* brokenCode(flow, block, path)
    }
  }
}

/** Passes findings on, and returns true if there were any. */
function* anyOf(findings: Findings): Generator<FlowFinding | undefined, boolean> {
  let hasFound = false
  for (const found of findings) {
    hasFound ||= found !== undefined
    yield found
  }
  return hasFound
}

function isSkippedBlock(block: unknown): block is { type: string } {
  if (!isRecord(block) || typeof block.type !== 'string') return false
  return isSkipped(block.type) || skippedAction(block) !== undefined
}

function* skippedBlock({ effort }: Flow, block: unknown, path: Path): Findings {
  if (namesProxy(block)) {
    const message = 'Chats skip this block: the service sends no requests through a proxy.'
    yield issue([...path, 'options', 'proxyCredentialsId'], 'skipped_block', message)
    return
  }
  if (!isSkippedBlock(block)) return
  const { type } = block
  const action = skippedAction(block)
  if (action !== undefined) {
    const key = type === 'OpenAI' ? 'task' : 'action'
    const reason = action.shutdownNotice ?? `the service does not run ${quote(action.name)}`
    const message = `Chats skip this block: ${reason}.`
    yield issue([...path, 'options', key], 'skipped_block', message)
  } else {
    const meant = knownTypes.has(type) ? undefined : nearest(type, runTypes, effort)
    const hint = meant === undefined ? '' : ` Probably ${quote(meant)} is meant.`
    const message = `Chats skip this block: the service does not run blocks of the type ${quote(type)}.${hint}`
    yield issue([...path, 'type'], 'skipped_block', message)
  }
}
