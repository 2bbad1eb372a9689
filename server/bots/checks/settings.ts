import { readAllowedOrigin } from '../../chat/sessions/origin-check.ts'
import { isRecord, listOf } from '../../documents/conversion/document.ts'
import { type Findings, type Flow, issue, quote } from './flow.ts'
import { wordsOfMissingHost } from './pages.ts'
import type { CheckedService } from './service.ts'

/** Settings that cannot work, or that say more than it seems. */
export function* settingIssues({ settings }: Flow, { hasChatHost }: CheckedService): Findings {
  const metadata = isRecord(settings) && isRecord(settings.metadata) ? settings.metadata : {}
  for (const key of ['tagManagerId', 'customHeadCode']) {
    if (hasChatHost !== false || typeof metadata[key] !== 'string' || metadata[key].trim() === '') continue
    yield issue(['settings', 'metadata', key], 'needs_chat_host', wordsOfMissingHost)
  }
  const security = isRecord(settings) && isRecord(settings.security) ? settings.security : {}
  for (const [index, entry] of listOf(security.allowedOrigins).entries()) {
    const path = ['settings', 'security', 'allowedOrigins', index]
    const read = readAllowedOrigin(entry)
    if (read === '*') {
      yield issue(path, 'open_origins', 'The origin * allows every page, whatever else is listed.')
    } else if (read === undefined) {
      const message = `No page has the origin ${quote(String(entry))}. Write it as https://shop.example or https://*.shop.example.`
      yield issue(path, 'unmatched_origin', message)
    }
  }
}
