import { isDeepStrictEqual } from 'node:util'
import { changedDocument } from '../json/changed-text.ts'
import type { JsonText } from '../kit/json/json-text.ts'

/** Settings of the access to a bot and of the pages that may embed it. */
export const securitySettings = ['security', 'publicShare'] as const

type Settings = Partial<Record<(typeof securitySettings)[number], unknown>>

/** Names of those settings whose values differ; null stands for a bot that did not exist before. */
export function changedSecurity(before: JsonText | null, after: JsonText): string[] {
  if (before?.text === after.text || (before === null && after.text === '{}')) return []
  const [one, other] = [parse(before), parse(after)]
  return securitySettings.filter((name) => !isDeepStrictEqual(one[name], other[name]))
}

/** The settings with the public sharing of others. All else retains its text. */
export function withSharingOf(settings: JsonText, others: JsonText): JsonText {
  const [own, { publicShare }] = [parse(settings), parse(others)]
  if (isDeepStrictEqual(own.publicShare, publicShare)) return settings
  const { publicShare: _, ...rest } = own
  return changedDocument(publicShare === undefined ? rest : { ...rest, publicShare }, own, settings)
}

function parse(settings: JsonText | null): Settings {
  return settings === null ? {} : (JSON.parse(settings.text) as Settings)
}
