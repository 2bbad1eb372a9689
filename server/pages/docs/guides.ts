import { readFileSync } from 'node:fs'
import { root } from '../../root.ts'

/** Guides for callers, in the order in which a newcomer needs them. */
const forCallers = [
  'first-steps',
  'flows',
  'embedding',
  'files',
  'people',
  'chatwoot',
  'authentication',
  'errors',
  'retries',
  'limits',
  'webhooks',
  'paging',
  'concurrent-edits',
  'legacy-bots',
  'moving',
  'moving-from-typebot',
  'clients',
  'command',
  'agents',
  'sandbox',
]

/** Guides for operators, in the order in which they need them. */
const forOperators = [
  'configuration',
  'users',
  'deployment',
  'sizing',
  'proxy',
  'chat-hosts',
  'postgresql',
  'backup',
  'upgrades',
  'monitoring',
  'troubleshooting',
  'limits',
  'retention',
  'credentials',
  'visitors-files',
  'models',
  'vendors',
  'workers',
  'pooler',
  'standby',
  'partitions',
  'cluster',
]

export interface Guide {
  /** Also the fragment under which the reference page shows it. */
  name: string
  title: string
  /** Markdown, with the title. */
  text: string
}

export function readGuides(): Guide[] {
  return forCallers.map((name) => readGuide(`contract/guides/${name}.md`, name))
}

/** Returns the guides for operators. Links to guides become places of pages, and links to other files plain text. */
export function readOperatorGuides(): Guide[] {
  return forOperators.map((name) => {
    const guide = readGuide(`server/guides/${name}.md`, name)
    const text = guide.text
      .replaceAll(/\]\(([\w-]+)\.md(?:#[\w-]+)?\)/g, '](/docs/operating#$1)')
      .replaceAll(/\]\(\.\.\/\.\.\/contract\/guides\/([\w-]+)\.md\)/g, '](/docs#$1)')
      .replaceAll(/\[([^[\]\n]*)\]\(\.\.\/[^()\s]*\)/g, '$1')
    return { ...guide, text }
  })
}

function readGuide(path: string, name: string): Guide {
  const text = readFileSync(new URL(path, root), 'utf8')
  return { name, title: /^# (.*)/.exec(text)?.[1] ?? name, text }
}
