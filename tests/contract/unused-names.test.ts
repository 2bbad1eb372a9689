import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { blockCatalogue, settings, theme } from '../../contract/bot-document/index.ts'
import { issueCodes } from '../../contract/errors.ts'
import { eventTypes } from '../../contract/events.ts'
import { z } from '../../contract/kit/zod.ts'
import { root } from '../../server/root.ts'

/*
 * Names that the contract or the configuration has and no code uses: each would be accepted, documented and without
 * effect. A word somewhere in the service is a weak proof, but a name that is nowhere at all does nothing.
 */

const top = fileURLToPath(root)

function sourcesIn(folder: string, ...without: string[]): string {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !without.some((part) => path.includes(part)))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

/** Code that writes, converts or lists documents says nothing about their effect. */
const service = sourcesIn(
  'server',
  '/node_modules/',
  '/command/',
  '/templates/',
  '/documents/conversion/',
  '/pages/members/app/',
  'server/config.ts',
)
const words = new Set(service.match(/[A-Za-z_][\w]*/g))

/** Rows of vendors read their own options: each name stands there where it is declared, and again where it is read. */
const rows = sourcesIn('contract/bot-document/blocks/vendors').match(/[A-Za-z_][\w]*/g) ?? []
const counts = new Map<string, number>()
for (const word of rows) counts.set(word, (counts.get(word) ?? 0) + 1)

const isRead = (name: string) => words.has(name) || (counts.get(name) ?? 0) > 1

/** Paths of all properties of a schema that no code reads. */
function unreadIn(schema: unknown, path: string, seen = new Set<unknown>()): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unreadIn(schema.unwrap(), path, seen)
  if (seen.has(schema)) return []
  seen.add(schema)
  if (schema instanceof z.ZodArray) return unreadIn(schema.element, path, seen)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unreadIn(option, path, seen))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, inner]) =>
    isRead(name) ? unreadIn(inner, `${path}.${name}`, seen) : [`${path}.${name}`],
  )
}

test('finds a setting that no code reads', () => {
  const schema = z.object({
    general: z.object({ isBrandingEnabled: z.boolean(), isNowhereRead: z.boolean() }),
  })
  expect(unreadIn(schema, 'settings')).toEqual(['settings.general.isNowhereRead'])
})

/**
 * Kept for editors and other builders, or of services that their vendors have ended; a new name does not belong here.
 */
const keptOnly = [
  'ClassicOpenAiBlock.options.advancedOptions',
  'CodeBlock.options.shouldExecuteInParentContext',
  'HttpRequestBlock.options.isAdvancedConfig',
  'HttpRequestBlock.options.variablesForTest',
  'LegacyHttpRequestBlock.options.isAdvancedConfig',
  'LegacyHttpRequestBlock.options.variablesForTest',
  'OpenAiBlock.options.additionalInstructions',
  'OpenAiBlock.options.assistantId',
  'SetVariableBlock.options.expressionDescription',
  'settings.general.isTypingEmulationEnabled',
  'settings.general.systemMessages.messagingPictureChoiceSelectLabel',
  'settings.messaging.errorAndMarketingStatusWebhookForwardUrl',
  'settings.messaging.isWebhookForwardingEnabled',
  'settings.messaging.sessionExpiryTimeout',
  'settings.messaging.startCondition',
  'settings.messaging.webhookForwardingEventTypes',
]

/** Forwarded to the vendor of payments as a whole. */
const forwarded = ['line1', 'line2'].map(
  (name) => `PaymentInput.options.additionalInformation.address.${name}`,
)

test('every setting, property of a theme and option of a block is read by the service', () => {
  const seen = new Set<unknown>()
  const unread = [
    ...unreadIn(settings, 'settings', seen),
    ...unreadIn(theme, 'theme', seen),
    ...blockCatalogue.flatMap(({ schema, component }) => unreadIn(schema, component, seen)),
  ]
  const known = [...keptOnly, ...forwarded]
  expect([
    ...unread.filter((name) => !known.includes(name)).map((name) => `read ${name} somewhere in server/`),
    ...known.filter((name) => !unread.includes(name)).map((name) => `take ${name} away above: it is read`),
  ]).toEqual([])
})

test('every variable of the configuration is read somewhere', () => {
  const config = readFileSync(join(top, 'server/config.ts'), 'utf8')
  const names = [...config.matchAll(/^ {2}([A-Z][A-Z\d_]+): /gm)].map(([, name]) => String(name))
  expect(names.length).toBeGreaterThan(50)
  const unread = names.filter((name) => !words.has(name))
  expect(unread.map((name) => `read ${name} of the configuration somewhere in server/`)).toEqual([])
})

test('every type of event is sent somewhere, and the guide of webhooks names it', () => {
  const guide = readFileSync(join(top, 'contract/guides/webhooks.md'), 'utf8')
  const unsent = eventTypes.filter((type) => !service.includes(`'${type}'`))
  const unnamed = eventTypes.filter((type) => !guide.includes(`\`${type}\``))
  expect([
    ...unsent.map((type) => `send '${type}' somewhere in server/`),
    ...unnamed.map((type) => `name \`${type}\` in contract/guides/webhooks.md`),
  ]).toEqual([])
})

test('every code of an issue is sent somewhere', () => {
  // Zod names these itself.
  const ofSchemas = ['invalid_element', 'invalid_union', 'not_multiple_of']
  // The engine writes its own in capitals.
  const sent = service.toLowerCase()
  const unsent = Object.keys(issueCodes).filter(
    (code) => !ofSchemas.includes(code) && !sent.includes(`'${code}'`),
  )
  expect(unsent.map((code) => `send the code '${code}' somewhere in server/`)).toEqual([])
})
