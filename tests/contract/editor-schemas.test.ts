import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { getLanguageService, TextDocument } from 'vscode-json-languageservice'
import { exampleBot, exampleLegacyBot } from '../../contract/bots/examples.ts'
import { defaultOf } from '../../contract/emit/editor-schemas.ts'
import { root } from '../../server/root.ts'
import { published } from '../support/published.ts'

/* The JSON Schemas of bots, used as an editor uses them. */

const schemaText = (version: string) =>
  readFileSync(new URL(`generated/schemas/bot-${version}.json`, root), 'utf8')

const languageService = getLanguageService({
  schemaRequestService: async (uri) => schemaText(/bot-([\d.]+)\.json$/.exec(uri)?.[1] ?? ''),
})
languageService.configure({ validate: true, allowComments: false })

const open = (text: string) => {
  const document = TextDocument.create('file:///bot.json', 'json', 1, text)
  return { document, json: languageService.parseJSONDocument(document) }
}

async function findings(value: object, version = '6.1') {
  const { document, json } = open(
    JSON.stringify({ $schema: `https://bots.example.com/schemas/bot-${version}.json`, ...value }, null, 2),
  )
  const found = await languageService.doValidation(document, json)
  return found.map(({ message, range }) => `${document.getText(range)}: ${message}`)
}

/** Returns the completions of the editor at the mark `|`. */
async function offered(value: object): Promise<string[]> {
  const marked = JSON.stringify(
    { $schema: 'https://bots.example.com/schemas/bot-6.1.json', ...value },
    null,
    2,
  )
  const offset = marked.indexOf('|')
  const { document, json } = open(marked.replace('|', ''))
  const list = await languageService.doComplete(document, document.positionAt(offset), json)
  return (list?.items ?? []).map(({ label }) => label)
}

const withBlock = (block: object) => ({
  version: '6.1',
  groups: [{ id: 'g', title: 'Group', graphCoordinates: { x: 0, y: 0 }, blocks: [{ id: 'b', ...block }] }],
})

describe('an editor', () => {
  test('finds nothing in the documented bots', async () => {
    expect(await findings(exampleBot)).toEqual([])
    expect(await findings(exampleLegacyBot, '5')).toEqual([])
  })

  test('finds a misspelt property of a block, and nothing else', async () => {
    const found = await findings(withBlock({ type: 'email input', options: { variableID: 'v' } }))
    expect(found).toEqual(['"variableID": Property variableID is not allowed.'])
  })

  test('finds a misspelt type of a block and lists the right ones', async () => {
    const [found = '', ...others] = await findings(withBlock({ type: 'emial input' }))
    expect(found).toMatch(/^"emial input": Value is not accepted\. Valid values: .*"email input"/)
    expect(others).toEqual([])
  })

  test('finds a misspelt property of the bot and of its theme', async () => {
    expect(await findings({ version: '6.1', nmae: 'x' })).toEqual(['"nmae": Property nmae is not allowed.'])
    const found = await findings({ version: '6.1', theme: { general: { fnot: 'Arial' } } })
    expect(found).toEqual(['"fnot": Property fnot is not allowed.'])
  })

  test('offers the types of blocks, and then the properties of the chosen one', async () => {
    expect(await offered(withBlock({ type: '|' }))).toEqual(
      expect.arrayContaining(['"text"', '"email input"', '"Condition"']),
    )
    const keys = await offered(withBlock({ type: 'email input', options: { '|': '' } }))
    expect(keys).toEqual(expect.arrayContaining(['labels', 'variableId', 'retryMessageContent']))
    expect(keys).not.toContain('isLong')
  })

  test('shows what a property means', async () => {
    const { document, json } = open(
      JSON.stringify({ $schema: 'https://bots.example.com/schemas/bot-6.1.json', version: '6.1', icon: 'x' }),
    )
    const at = document.positionAt(document.getText().indexOf('icon'))
    const hover = await languageService.doHover(document, at, json)
    expect(JSON.stringify(hover?.contents)).toMatch(/emoji/)
  })
})

/** Names of schemas whose values depend on something beside the version. */
const depending = [
  'DateInputOptions.format',
  'EmailOptions.isCustomBody',
  'ThemeButtons.shadow',
  'ThemeContainer.color',
  'ThemeContainer.shadow',
  'ThemeGuestBubbles.shadow',
  'ThemeHostBubbles.shadow',
  'ThemeInputs.shadow',
]

describe('defaults', () => {
  test('are those of the version', () => {
    const background = (version: string) =>
      JSON.parse(schemaText(version)).definitions.ThemeBackground.properties.content.default
    expect([background('6'), background('6.1')]).toEqual(['#FFFFFF', '#F8F8F8'])
    const flag = { type: 'boolean', description: 'Whether. Default false, in versions 3, 4 and 5 true.' }
    expect([defaultOf(flag, '5'), defaultOf(flag, '6')]).toEqual([true, false])
  })

  test('exist wherever the description names one value', () => {
    const silent = Object.entries(published.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([key, schema]) =>
        /\bDefault [^:]/.test(String(schema.description)) && defaultOf(schema, '6.1') === undefined
          ? [`${name}.${key}: ${schema.description}`]
          : [],
      ),
    )
    expect(silent.map((line) => line.split(':')[0])).toEqual(depending)
  })

  test('are valid in their own schema', async () => {
    const { definitions } = JSON.parse(schemaText('6.1'))
    for (const { properties = {} } of Object.values<{ properties?: Record<string, { default?: unknown }> }>(
      definitions,
    )) {
      for (const schema of Object.values(properties)) {
        if (schema.default === undefined) continue
        const { document, json } = open(JSON.stringify(schema.default))
        const found = await languageService.doValidation(document, json, undefined, {
          ...schema,
          definitions,
        } as never)
        expect(found).toEqual([])
      }
    }
  })
})

const corpus = new URL('../shared/corpus/', root)
const real = existsSync(corpus) ? readdirSync(corpus).filter((name) => /^v6.*\.json$/.test(name)) : []

describe('real documents of a current version', () => {
  const describing = real.length > 0 ? test.each(real) : test.skip.each(['none'])
  describing('%s: nothing to complain of in its groups', async (name) => {
    const document = JSON.parse(readFileSync(new URL(name, corpus), 'utf8'))
    const found = await findings({ version: document.version, groups: document.groups }, document.version)
    expect(found).toEqual([])
  })
})
