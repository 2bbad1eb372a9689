import type { Request } from 'express'
import { escapeHtml } from '../../html.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fa } from './fa.ts'
import { fr } from './fr.ts'
import { he } from './he.ts'
import { id } from './id.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import { ru } from './ru.ts'
import { tr } from './tr.ts'
import { uk } from './uk.ts'
import { zh } from './zh.ts'

export const languages: Record<string, Texts> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  tr,
  ru,
  uk,
  ar,
  fa,
  he,
  zh,
  ja,
  ko,
  id,
}

/** Languages that are written from right to left. */
const rightToLeft = ['ar', 'fa', 'he']

export interface PageLanguage {
  /** A language that the page has, such as `de`. */
  language: string
  direction: 'ltr' | 'rtl'
  texts: Texts
}

/**
 * The language of a chat page: the one that the bot's settings name, else the first one of the browser's that the
 * page has, else English. Regions are passed over: `de-CH` is `de`.
 */
export function languageOf(settings: unknown, request: Request): PageLanguage {
  const named = (settings as { general?: { language?: unknown } } | undefined)?.general?.language
  const own = typeof named === 'string' ? named.toLowerCase().split('-')[0] : undefined
  const language =
    own !== undefined && Object.hasOwn(languages, own)
      ? own
      : request.acceptsLanguages(Object.keys(languages)) || 'en'
  const direction = rightToLeft.includes(language) ? 'rtl' : 'ltr'
  return { language, direction, texts: languages[language] ?? en }
}

/** Fills the placeholders of a page, such as `%title%`, and names its language. */
export function fillPage(
  page: string,
  { language, direction }: PageLanguage,
  words: Record<string, string>,
): string {
  return page
    .replace('lang="en" dir="ltr"', `lang="${language}" dir="${direction}"`)
    .replaceAll(/%(\w+)%/g, (_placeholder, name: string) => escapeHtml(words[name] ?? ''))
}
