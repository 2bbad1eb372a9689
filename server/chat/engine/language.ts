/** The language of a chat: the one that the bot names, else the first of the visitor's that the service has. */
import { valueAt } from '../../json/access.ts'
import type { Execution } from './execution.ts'
import { sentences } from './sentences.ts'

/** An honest header has some ten languages. */
const MAX_HEADER_CHARACTERS = 1_000

/** The tag that the settings of the started bot name, if it is one. */
export function readLanguage(run: Execution): string | undefined {
  const named = valueAt(run.frames[0]?.flowIndex.flow.settings, 'general', 'language')
  return typeof named === 'string' && isTag(named) ? named : undefined
}

/** The tag that dates are read in. */
export function readingLanguage(run: Execution): string | undefined {
  return readLanguage(run) ?? run.state.language
}

/** The sentences of the service for this chat. Regions are passed over: `de-CH` is `de`. */
export function sentencesOf(run: Execution) {
  const named = matchLanguage(readLanguage(run))
  return sentences[named ?? run.state.language ?? 'en'] ?? (sentences.en as (typeof sentences)[string])
}

/** The language of an `Accept-Language` header that the service has; English, like none, is left out. */
export function visitorLanguage(header: string | undefined): string | undefined {
  const accepted = (header ?? '')
    .slice(0, MAX_HEADER_CHARACTERS)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';')
      const quality = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean)
      return { language: matchLanguage(tag.trim()), quality: Number(quality ?? 1) }
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .sort((a, b) => b.quality - a.quality)
  const language = accepted[0]?.language
  return language === 'en' ? undefined : language
}

function matchLanguage(tag: string | undefined): string | undefined {
  const language = tag?.toLowerCase().split('-')[0]
  return language !== undefined && Object.hasOwn(sentences, language) ? language : undefined
}

function isTag(tag: string): boolean {
  return tag.length <= 35 && /^[a-z]{2,3}(-[a-z\d]{1,8})*$/i.test(tag)
}
