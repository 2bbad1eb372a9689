import { readFileSync } from 'node:fs'
import { root } from '../../root.ts'

/** In the order in which a newcomer needs them. */
const names = [
  'first-steps',
  'flows',
  'embedding',
  'files',
  'authentication',
  'errors',
  'retries',
  'limits',
  'webhooks',
  'paging',
  'concurrent-edits',
  'legacy-bots',
  'moving',
  'clients',
]

export interface Guide {
  /** Also the fragment under which the reference page shows it. */
  name: string
  title: string
  /** Markdown, with the title. */
  text: string
}

export function readGuides(): Guide[] {
  return names.map((name) => {
    const text = readFileSync(new URL(`contract/guides/${name}.md`, root), 'utf8')
    return { name, title: /^# (.*)/.exec(text)?.[1] ?? name, text }
  })
}
