/** Appearance of a chat: theme, settings and scripts of the bot, with placeholders filled in. */

import { asObject, filledText, valueAt } from '../../json/access.ts'
import type { Execution } from './execution.ts'
import type { Block, FlowIndex } from './flow-index.ts'
import type { BotAppearance, Device, DynamicTheme, StartProps } from './types.ts'
import { fill, fillDeep } from './variables.ts'

/** Theme and settings of the started bot, placeholders filled in. */
export async function readAppearance(run: Execution): Promise<BotAppearance> {
  const own = { ...run, frames: run.frames.slice(0, 1) }
  const { theme, settings } = flowOf(run).flow
  const { general, typingEmulation } = asObject(settings)
  const look: BotAppearance = { theme: asObject(await fillDeep(own, theme)), settings: {} }
  if (general !== undefined) look.settings.general = await fillDeep(own, general)
  if (typingEmulation !== undefined) look.settings.typingEmulation = await fillDeep(own, typingEmulation)
  run.isAborted = own.isAborted
  return look
}

/** Parts of the theme that are variables, with their values of now. */
export async function readDynamicTheme(run: Execution): Promise<DynamicTheme | undefined> {
  const own = { ...run, frames: run.frames.slice(0, 1) }
  const { theme } = flowOf(run).flow
  const sources: [keyof DynamicTheme, unknown][] = [
    ['hostAvatarUrl', valueAt(theme, 'chat', 'hostAvatar', 'url')],
    ['guestAvatarUrl', valueAt(theme, 'chat', 'guestAvatar', 'url')],
    ['backgroundUrl', valueAt(theme, 'general', 'background', 'content')],
  ]
  const dynamic: DynamicTheme = {}
  for (const [key, source] of sources) {
    if (typeof source === 'string' && source.startsWith('{{')) dynamic[key] = await fill(own, source)
  }
  return Object.keys(dynamic).length > 0 ? dynamic : undefined
}

export function hasProgressBar(run: Execution): boolean {
  return (
    run.state.isProgressBarEnabled ||
    valueAt(flowOf(run).flow.theme, 'general', 'progressBar', 'isEnabled') === true
  )
}

/** Trackers and code that the page loads before the chat begins. */
export async function readStartProps(run: Execution): Promise<StartProps | null> {
  const flow = flowOf(run)
  const metadata = asObject(valueAt(flow.flow.settings, 'metadata'))
  const props: StartProps = {}
  const analytics = blocksOf(flow, 'Google Analytics').map((block) => filledText(block.options.trackingId))
  const googleAnalyticsId = analytics.find((id) => id !== undefined)
  if (googleAnalyticsId !== undefined) props.googleAnalyticsId = await fill(run, googleAnalyticsId)
  const pixelIds = new Set<string>()
  for (const block of blocksOf(flow, 'Pixel')) {
    const id = filledText(block.options.pixelId)
    if (id !== undefined && block.options.isInitSkip !== true) pixelIds.add(await fill(run, id))
  }
  if (pixelIds.size > 0) props.pixelIds = [...pixelIds]
  const gtmId = filledText(metadata.tagManagerId)
  if (gtmId !== undefined) props.gtmId = await fill(run, gtmId)
  const customHeadCode = filledText(metadata.customHeadCode)
  if (customHeadCode !== undefined) props.customHeadCode = customHeadCode
  return Object.keys(props).length > 0 ? props : null
}

export function deviceOf(userAgent: string | undefined): Device {
  const agent = (userAgent ?? '').toLowerCase()
  const isAndroidTablet = agent.includes('android') && !agent.includes('mobile')
  if (agent.includes('ipad') || agent.includes('tablet') || isAndroidTablet) return 'tablet'
  return agent.includes('mobi') || agent.includes('iphone') ? 'mobile' : 'desktop'
}

function flowOf(run: Execution): FlowIndex {
  const first = run.frames[0]
  if (first === undefined) throw new Error('A session has at least one bot')
  return first.flowIndex
}

function blocksOf(flow: FlowIndex, type: string): Block[] {
  return [...flow.groups.values()].flatMap((group) => group.blocks.filter((block) => block.type === type))
}
