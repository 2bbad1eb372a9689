/** Blocks that work in the visitor's page, where each becomes an action for the client, and code for the server. */

import { asObject, asString, filledText } from '../../../json/access.ts'
import {
  type BlockOutcome,
  type Execution,
  followBlockEdge,
  isPreview,
  log,
  sendAction,
  sendAwaitedAction,
} from '../execution.ts'
import type { Block } from '../flow-index.ts'
import type { Position, Script } from '../types.ts'
import { evaluateCode, fill, fillAddress, fillDeep, fillNumber, setAssignedVariables } from '../variables.ts'
import { scriptOf } from './set-variable.ts'

/** A day. The contract publishes it. */
export const MAX_WAIT_SECONDS = 86_400

export async function runRedirect(run: Execution, block: Block): Promise<BlockOutcome> {
  const target = await fillAddress(run, asString(block.options.url) ?? '')
  const url = redirectUrl(target)
  if (url === null) {
    if (target !== '')
      log(run, 'error', 'Redirect: not a web address', { details: target, context: block.id })
    return followBlockEdge(run, block)
  }
  const redirect: { url: string; isNewTab?: boolean } = { url }
  if (typeof block.options.isNewTab === 'boolean') redirect.isNewTab = block.options.isNewTab
  sendAction(run, { type: 'redirect', redirect })
  return followBlockEdge(run, block)
}

/** Pages, e-mail and phone links. Schemes that run code are rejected; an address without a scheme is a web address. */
function redirectUrl(target: string): string | null {
  if (target === '') return null
  if (/^(https?|mailto|tel|sms):/i.test(target) || /^[/#]/.test(target)) return target
  // Behind `host:` there is a port.
  const hasOtherScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(target)
  return hasOtherScheme ? null : `https://${target}`
}

export async function runWait(run: Execution, block: Block, position: Position): Promise<BlockOutcome> {
  const given = block.options.secondsToWaitFor
  const filled = typeof given === 'number' ? String(given) : await fill(run, asString(given) ?? '')
  // The number at the beginning counts, so that "5s" and "2 seconds" are waits.
  const seconds = Number.parseFloat(filled.trim().replace(',', '.'))
  if (!(seconds > 0 && Number.isFinite(seconds))) return followBlockEdge(run, block)
  const wait = { secondsToWaitFor: Math.min(seconds, MAX_WAIT_SECONDS) }
  if (seconds > MAX_WAIT_SECONDS) {
    log(run, 'error', `Wait: cut to ${MAX_WAIT_SECONDS} seconds`, { details: filled, context: block.id })
  }
  if (block.options.shouldPause === true) return sendAwaitedAction(run, { type: 'wait', wait }, position)
  sendAction(run, { type: 'wait', wait })
  return followBlockEdge(run, block)
}

/** Only `isExecutedOnClient: false` means the server. Such code may hold keys, so neither it nor its error is sent. */
export async function runScript(run: Execution, block: Block): Promise<BlockOutcome> {
  const content = filledText(block.options.content)
  if (content === undefined) return followBlockEdge(run, block)
  if (block.options.isExecutedOnClient !== false) {
    sendAction(run, { type: 'scriptToExecute', scriptToExecute: scriptOf(run, content, block) })
    return followBlockEdge(run, block)
  }
  const evaluation = await evaluateCode(run, content, 'body')
  if (evaluation.ok) setAssignedVariables(run, evaluation.assignments)
  else {
    log(run, 'error', 'Code: the script failed', {
      details: evaluation.message,
      context: block.id,
      isInternal: true,
    })
  }
  return followBlockEdge(run, block)
}

export async function runChatwoot(run: Execution, block: Block): Promise<BlockOutcome> {
  const isClosing = block.options.task === 'Close widget'
  const options = asObject(await fillDeep(run, block.options))
  const isConfigured = filledText(options.websiteToken) !== undefined
  if (!isClosing && !isConfigured) return skipUnconfigured(run, block)
  if (isSkippedInPreview(run, block)) return followBlockEdge(run, block)
  sendAction(run, {
    type: 'chatwoot',
    chatwoot: { scriptToExecute: isClosing ? closeChatwoot : openChatwoot(options) },
  })
  return followBlockEdge(run, block)
}

export async function runGoogleAnalytics(run: Execution, block: Block): Promise<BlockOutcome> {
  if (filledText(block.options.trackingId) === undefined) return skipUnconfigured(run, block)
  if (isSkippedInPreview(run, block)) return followBlockEdge(run, block)
  const googleAnalytics = asObject(await fillDeep(run, block.options))
  if (googleAnalytics.value !== undefined) googleAnalytics.value = await fillNumber(run, block.options.value)
  sendAction(run, { type: 'googleAnalytics', googleAnalytics })
  return followBlockEdge(run, block)
}

export async function runPixel(run: Execution, block: Block): Promise<BlockOutcome> {
  if (filledText(block.options.pixelId) === undefined) return skipUnconfigured(run, block)
  if (filledText(block.options.eventType) === undefined || isSkippedInPreview(run, block))
    return followBlockEdge(run, block)
  sendAction(run, { type: 'pixel', pixel: asObject(await fillDeep(run, block.options)) })
  return followBlockEdge(run, block)
}

function skipUnconfigured(run: Execution, block: Block): BlockOutcome {
  log(run, 'info', `${block.type}: skipped, it is not configured`, { context: block.id, isInternal: true })
  return followBlockEdge(run, block)
}

/** Trying out a bot must not count in anybody's statistics. */
function isSkippedInPreview(run: Execution, block: Block): boolean {
  if (isPreview(run)) log(run, 'info', `${block.type}: not run in previews`, { context: block.id })
  return isPreview(run)
}

const closeChatwoot: Script = {
  content: `if (window.$chatwoot) {
  window.$chatwoot.toggle('close')
  window.$chatwoot.toggleBubbleVisibility('hide')
}`,
  isCode: true,
  args: [],
}

function openChatwoot(options: Record<string, unknown>): Script {
  const user = asObject(options.user)
  const value = (id: string, given: unknown) => ({ id, value: filledText(given) ?? null })
  return {
    content: `const open = () => {
  if (userId || email) {
    window.$chatwoot.setUser(userId || email, { email, name, avatar_url: avatarUrl, phone_number: phoneNumber })
  }
  window.$chatwoot.toggleBubbleVisibility('show')
  window.$chatwoot.toggle('open')
}
if (window.$chatwoot) return open()
window.addEventListener('chatwoot:ready', open, { once: true })
const script = document.createElement('script')
script.src = baseUrl.replace(/\\/$/, '') + '/packs/js/sdk.js'
script.async = true
script.onload = () => window.chatwootSDK.run({ websiteToken, baseUrl })
document.head.appendChild(script)`,
    isCode: true,
    args: [
      { id: 'baseUrl', value: filledText(options.baseUrl) ?? 'https://app.chatwoot.com' },
      value('websiteToken', options.websiteToken),
      value('userId', user.id),
      value('email', user.email),
      value('name', user.name),
      value('avatarUrl', user.avatarUrl),
      value('phoneNumber', user.phoneNumber),
    ],
  }
}
