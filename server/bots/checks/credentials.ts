import { vendorRow } from '../../../contract/bot-document/blocks/vendors/all.ts'
import type { VendorRow } from '../../../contract/bot-document/blocks/vendors/vendor.ts'
import { runsVendorAction } from '../../chat/engine/blocks/vendors/run-vendor.ts'
import {
  actionOf,
  asksModel,
  baseUrlOfVendor,
  credentialsTypeOf,
  isModelBlock,
} from '../../chat/engine/models/vendors.ts'
import { isRecord, type JsonRecord } from '../../documents/conversion/document.ts'
import { type Findings, type Flow, hasPlaceholder, isReference, issue, type Path, quote } from './flow.ts'
import type { CheckedService, KnownCredentials } from './service.ts'

/** Returns the action of a vendor block that chats skip although its type is known, and why. */
export function skippedAction(block: unknown): { name: string; shutdownNotice?: string } | undefined {
  if (!isRecord(block) || typeof block.type !== 'string') return undefined
  const name = actionOf({ options: isRecord(block.options) ? block.options : {} }, block.type)
  if (name === undefined) return undefined
  const row = rowOf(block.type)
  const action = row !== undefined && Object.hasOwn(row.actions, name) ? row.actions[name] : undefined
  if (action?.shutdownNotice !== undefined) return { name, shutdownNotice: action.shutdownNotice }
  if (isModelBlock(block.type) && asksModel(block.type, name)) return undefined
  const type = block.type === 'OpenAI' ? 'openai' : block.type
  return row === undefined || runsVendorAction(type, name) ? undefined : { name }
}

/** The row of a block; the older block of OpenAI has that of the newer one. */
function rowOf(type: string): VendorRow | undefined {
  return vendorRow(isModelBlock(type) ? credentialsTypeOf(type) : type)
}

/** A block of a vendor needs an account there. An e-mail block needs the account that it names. */
export function* missingCredentials(
  block: unknown,
  path: Path,
  known: KnownCredentials | undefined,
): Findings {
  if (known === undefined || !isRecord(block) || typeof block.type !== 'string') return
  if (block.type === 'Email') yield* missingAccount(block, path, known)
  if (block.type === 'payment input') yield* missingPayee(block, path, known)
  const options = isRecord(block.options) ? block.options : {}
  const action = actionOf({ options }, block.type)
  // An action that is not chosen yet is an issue of its own.
  if (action === undefined) return
  const row = rowOf(block.type)
  if (row?.credentials === undefined || row.actions[action]?.canRunWithoutCredentials === true) return
  const { type } = row
  const { credentialsId } = options
  const at = isRecord(block.options) ? [...path, 'options', 'credentialsId'] : [...path, 'options']
  const nothing =
    isModelBlock(block.type) && asksModel(block.type, action) ? 'No model is asked' : 'Nothing is sent'
  if (!isReference(credentialsId)) {
    yield issue(at, 'missing_credentials', `${nothing}: the block has no credentials of type ${type}.`)
  } else if (known.get(credentialsId) !== type) {
    const message = `${nothing}: the workspace has no credentials ${quote(credentialsId)} of type ${type}.`
    yield issue(at, 'missing_credentials', message)
  }
}

/** An address of a block that its key is never sent to: a key goes to its vendor, or where its credentials say. */
export function* foreignAddress(
  block: unknown,
  path: Path,
  { findPermanentRejection }: CheckedService,
): Findings {
  if (!isRecord(block) || typeof block.type !== 'string' || !isModelBlock(block.type)) return
  const own = isRecord(block.options) ? block.options.baseUrl : undefined
  if (!isReference(own) || hasPlaceholder(own)) return
  const inside = [...path, 'options', 'baseUrl']
  const rejection = findPermanentRejection?.(own.trim())
  const vendor = new URL(baseUrlOfVendor(block.type)).origin
  if (rejection) yield issue(inside, 'closed_address', `No model is asked at this address. ${rejection}.`)
  else if (!URL.canParse(own) || new URL(own).origin !== vendor) {
    const message = `No model is asked at this address: a key goes to ${vendor}, or to the baseUrl of its credentials.`
    yield issue(inside, 'foreign_address', message)
  }
}

function* missingAccount({ options }: { options?: unknown }, path: Path, known: KnownCredentials): Findings {
  const id = isRecord(options) ? options.credentialsId : undefined
  if (!isReference(id) || id === 'default' || known.get(id) === 'smtp') return
  const message = `No e-mail is sent: the workspace has no credentials ${quote(id)} of type smtp.`
  yield issue([...path, 'options', 'credentialsId'], 'missing_credentials', message)
}

function* missingPayee(block: JsonRecord, path: Path, known: KnownCredentials): Findings {
  const id = isRecord(block.options) ? block.options.credentialsId : undefined
  if (isReference(id) && known.get(id) === 'stripe') return
  const at = isRecord(block.options) ? [...path, 'options', 'credentialsId'] : [...path, 'options']
  const missing = isReference(id) ? `the workspace has no credentials ${quote(id)}` : 'it has no credentials'
  yield issue(at, 'missing_credentials', `Chats end at this block: ${missing} of type stripe.`)
}

/**
 * One finding for all e-mail blocks that go by the mail server of the service where there is none: it is one thing to
 * set.
 */
export function* unsentMails({ groups }: Flow): Findings {
  for (const [groupIndex, group] of groups.entries()) {
    const blocks = isRecord(group) && Array.isArray(group.blocks) ? group.blocks : []
    const index = blocks.findIndex((block) => {
      if (!isRecord(block) || block.type !== 'Email') return false
      const id = isRecord(block.options) ? block.options.credentialsId : undefined
      return !isReference(id) || id === 'default'
    })
    if (index === -1) continue
    const path = ['groups', groupIndex, 'blocks', index, 'type']
    const message =
      'No e-mail is sent: the service has no mail server (SMTP_URL), and the block names no credentials.'
    yield issue(path, 'no_mail_server', message)
    return
  }
}
