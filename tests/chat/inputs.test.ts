import { afterAll, describe, expect, test } from '@jest/globals'
import type { Execution } from '../../server/chat/engine/execution.ts'
import type { Block } from '../../server/chat/engine/flow-index.ts'
import { readPhone } from '../../server/chat/engine/inputs/contact.ts'
import type { Message } from '../../server/chat/engine/types.ts'
import { ask, bot, chat, closeSandbox, idOf, type Part, text } from '../support/chat.ts'
import { cpuGrowth } from '../support/cpu.ts'

afterAll(closeSandbox)

const invalidMessage = 'That answer cannot be used here. Please try again.'

function input(type: string, options: Record<string, unknown> = {}, items?: Part[]): Part {
  return { id: 'in', type, options: { variableId: idOf('Answer'), ...options }, ...(items ? { items } : {}) }
}

const after = { g: [text('Thanks {{Answer}}')] }
const withInput = (block: Part, more = {}) =>
  bot({ a: [block], ...after, b: [text('B')] }, { variables: ['Answer', 'Other', 'List', 'Urls'], ...more })

/** Asserts what a reply becomes: `null` means that the input asks again. */
async function expectReply(block: Part, reply: Message | null, content: string | null) {
  const client = await chat(withInput(block))
  expect(client.outcome.input).toMatchObject({ id: 'in', type: block.type })
  await client.say(reply)
  if (content === null) {
    expect(client.outcome.answers).toEqual([])
    expect(client.texts()).toHaveLength(1)
    expect(client.outcome.input).toMatchObject({ id: 'in' })
    expect(client.outcome.hasStarted).toBe(false)
    return client
  }
  expect(client.outcome.answers).toEqual([{ blockId: 'in', content }])
  expect(client.value('Answer')).toBe(content)
  const sent = typeof reply === 'object' ? (reply && 'url' in reply ? reply.url : '') : reply
  expect(client.outcome.lastMessageNewFormat).toBe(content === sent ? undefined : content)
  expect(client.outcome).toMatchObject({ state: null, hasStarted: true, isCompleted: true })
  return client
}

describe('replies that are accepted or asked for again', () => {
  test.each<[string, Record<string, unknown>, Message | null, string | null]>([
    ['text input', {}, ' As it is ', ' As it is '],
    ['text input', {}, '{{Answer}} {{= 1 =}}', '{{Answer}} {{= 1 =}}'],
    ['text input', {}, '', null],
    ['text input', {}, null, null],
    ['number input', {}, '42', '42'],
    ['number input', {}, '3,5', '3.5'],
    ['number input', {}, '1,234.5', '1234.5'],
    ['number input', {}, '-7', '-7'],
    ['number input', {}, '007', '007'],
    ['number input', {}, 'seven', null],
    ['number input', {}, '0x10', null],
    ['number input', {}, 'Infinity', null],
    ['number input', {}, '24 years', '24'],
    ['number input', {}, '24years, I think', '24'],
    ['number input', {}, '3,5 kg', '3.5'],
    ['number input', {}, '12 000 €', '12000'],
    ['number input', {}, '24.', '24'],
    ['number input', {}, '+7', '7'],
    ['number input', {}, '3.50', '3.5'],
    ['number input', {}, '1e3', '1000'],
    ['number input', {}, '1e999', null],
    ['number input', {}, '12345678901234567890', '12345678901234567890'],
    ['number input', {}, 'about 24', null],
    ['number input', {}, '1'.repeat(101), null],
    ['number input', { max: 20 }, '24 years', null],
    ['number input', {}, '1.2.3', null],
    ['number input', { min: 5 }, '5', '5'],
    ['number input', { min: 5 }, '4', null],
    ['number input', { max: '10' }, '11', null],
    ['number input', { min: 0 }, '-1', null],
    ['number input', { min: '0' }, '-0.5', null],
    ['number input', { max: 0 }, '5', null],
    ['number input', { min: 0, max: 0 }, '0', '0'],
    ['number input', { step: 1 }, '2.5', null],
    ['number input', { step: '0.1' }, '0.3', '0.3'],
    ['number input', { step: 0.1 }, '1234567.7', '1234567.7'],
    ['number input', { step: 0.1 }, '0.35', null],
    ['number input', { min: 1, step: 2 }, '5', '5'],
    ['number input', { min: 1, step: 2 }, '4', null],
    ['number input', { min: -1.5, step: 0.5 }, '-1', '-1'],
    ['number input', { step: 0 }, '2.5', '2.5'],
    ['number input', { step: '{{Other}}' }, '2.5', '2.5'],
    ['number input', { step: 3 }, '12345678901234567893', '12345678901234567893'],
    ['number input', { step: 3 }, '12345678901234567892', null],
    ['number input', { max: 1e-7 }, '0.0000001', '0.0000001'],
    ['number input', {}, '1,234,567', '1234567'],
    ['number input', {}, '1.234.567', '1234567'],
    ['number input', {}, '1.234,5', '1234.5'],
    ['number input', {}, "1'234'567.5", '1234567.5'],
    ['number input', {}, '12,34,567.5', '1234567.5'],
    ['number input', {}, '1,23,45', null],
    ['number input', {}, '1.2,3.4', null],
    ['number input', {}, '１２．５', '12.5'],
    ['number input', {}, '٣٫٥', '3.5'],
    ['number input', {}, '१२', '12'],
    ['number input', {}, '−7', '-7'],
    ['number input', {}, '€ 12', '12'],
    ['number input', {}, 'US$12.50', '12.5'],
    ['number input', {}, '2½', '2'],
    ['number input', { locale: 'pt-BR' }, '1.500', '1500'],
    ['number input', { locale: 'pt-BR' }, '1.5', '1.5'],
    ['number input', { locale: 'de-DE' }, '1.234,56', '1234.56'],
    ['number input', { locale: 'de-DE' }, '1,234.56', '1234.56'],
    ['number input', { locale: 'de-DE' }, '12.5', '12.5'],
    ['number input', { locale: 'de-DE' }, '0.125', '0.125'],
    ['number input', { locale: 'de-DE', min: 1000 }, '1.500', '1500'],
    ['number input', { locale: 'de-CH' }, "1'234.50", '1234.5'],
    ['number input', { locale: 'de-CH' }, '1’234.50', '1234.5'],
    ['number input', { locale: 'fr-FR' }, '1\u202f234,5', '1234.5'],
    ['number input', { locale: 'fr-FR' }, '1.500', '1.5'],
    ['number input', { locale: 'en-US' }, '1,234', '1234'],
    ['number input', { locale: 'en-US' }, '1,5', '1.5'],
    ['number input', { locale: 'en-IN' }, '12,34,567', '1234567'],
    ['number input', { locale: 'ar-EG' }, '١٬٢٣٤٫٥', '1234.5'],
    ['number input', { locale: 'no tag' }, '1,5', '1.5'],
    ['number input', { locale: 'en-US', style: 'currency', currency: 'USD' }, '$12.50', '12.5'],
    ['number input', { locale: 'en-US', style: 'currency', currency: 'USD' }, '-$1,250', '-1250'],
    ['number input', { locale: 'en-US', style: 'currency', currency: 'USD' }, 'USD 12', '12'],
    ['number input', { locale: 'de-CH', style: 'currency', currency: 'CHF' }, 'CHF 12.50', '12.5'],
    ['number input', { locale: 'da-DK', style: 'currency', currency: 'DKK' }, 'kr. 12,50', '12.5'],
    ['number input', { style: 'currency', currency: 'nope' }, '12', '12'],
    ['number input', { locale: 'tr', style: 'percent' }, '%12', '12'],
    [
      'number input',
      { locale: 'ja', style: 'unit', unit: 'kilometer-per-hour' },
      '時速 12 キロメートル',
      '12',
    ],
    ['number input', { style: 'unit', unit: 'nope' }, '12 km', '12'],
    ['rating input', { startsAt: 1, length: 5 }, '0', null],
    ['rating input', { startsAt: '1', length: 5 }, '1', '1'],
    ['rating input', { length: 5 }, '3.5', null],
    ['rating input', { length: 5 }, '3.0', '3'],
    ['rating input', { length: 5 }, '-1', null],
    ['rating input', { length: 5, startsAt: -2 }, '-1', '-1'],
    ['rating input', { length: 5, buttonType: 'Icons' }, '0', null],
    ['rating input', { length: 5, startsAt: 9 }, '5', '5'],
    ['rating input', { length: 5 }, '４', '4'],
    ['rating input', { length: 5 }, '3 stars', null],
    ['email input', {}, ' Ada@Example.COM ', 'ada@example.com'],
    ['email input', {}, 'ada+bots@mail.example.co.uk', 'ada+bots@mail.example.co.uk'],
    ['email input', {}, 'ada@example', null],
    ['email input', {}, 'ada@@example.com', null],
    ['email input', {}, '.ada@example.com', null],
    ['email input', {}, 'ada@-example.com', null],
    ['email input', {}, 'a b@example.com', null],
    ['url input', {}, 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['url input', {}, 'example.com', 'example.com'],
    ['url input', {}, 'http://192.0.2.1:8080', 'http://192.0.2.1:8080'],
    ['url input', {}, 'example', null],
    ['url input', {}, 'not a url.com', null],
    ['url input', {}, 'javascript:alert(1)', null],
    ['url input', {}, 'ftp://example.com', null],
    ['url input', {}, '13/06/2026', null],
    ['url input', {}, 'mailto:ada@example.com', null],
    ['url input', {}, 'mailto:@example.com', null],
    ['url input', {}, 'example.com:8080/a', 'example.com:8080/a'],
    ['phone number input', {}, '+33 6 12 34 56 78', '+33612345678'],
    ['phone number input', { defaultCountryCode: 'FR' }, '06 12 34 56 78', '+33612345678'],
    ['phone number input', {}, '06 12 34 56 78', null],
    ['phone number input', { defaultCountryCode: 'XX' }, '06 12 34 56 78', null],
    ['phone number input', {}, '+33 1', null],
    ['phone number input', {}, 'call me', null],
    ['phone number input', {}, 'My number is +33 6 12 34 56 78, call me.', '+33612345678'],
    ['phone number input', { defaultCountryCode: 'fr' }, 'It is 06 12 34 56 78 (mobile)', '+33612345678'],
    ['rating input', {}, '10', '10'],
    ['rating input', {}, '11', null],
    ['rating input', { length: 5 }, '6', null],
    ['rating input', {}, 'great', null],
    ['time input', {}, '9:05', '09:05'],
    ['time input', {}, '9pm', '21:00'],
    ['time input', { format: 'h:mm a' }, '21:05', '9:05 PM'],
    ['time input', {}, 'later', null],
    ['time input', {}, '25:00', null],
    ['date input', {}, '2024-05-01', '01/05/2024'],
    ['date input', {}, '3/4/2024', '03/04/2024'],
    ['date input', { format: 'MM/dd/yyyy' }, '3/4/2024', '03/04/2024'],
    ['date input', { format: "EEEE d MMMM yyyy 'at' HH" }, '2024-05-01', 'Wednesday 1 May 2024 at 00'],
    ['date input', { format: 'yy-M-d' }, 'May 1st 2024', '24-5-1'],
    ['date input', {}, 'tomorrow', '02/05/2024'],
    ['date input', { format: 'DD/MM/YYYY' }, '2024-06-15', '167/06/2024'],
    ['date input', { format: 'do MMMM' }, '2024-06-15', '15th June'],
    ['date input', { format: 'PPP' }, '2024-06-15', 'June 15th, 2024'],
    ['date input', { format: 'Pp', hasTime: true }, '2024-06-15 16:45', '06/15/2024, 4:45 PM'],
    ['date input', { format: "'unclosed" }, '2024-06-15', 'unclosed'],
    ['date input', { format: 'no date' }, '2024-06-15', '15/06/2024'],
    ['time input', { format: 'n' }, '21:05', '21:05'],
    ['date input', { hasTime: true }, '2024-05-01T16:45', '01/05/2024 16:45'],
    ['date input', {}, '2024-02-31', null],
    ['date input', {}, 'no idea', null],
    ['date input', { isRange: true }, '2024-05-01 to 2024-05-03', '01/05/2024 to 03/05/2024'],
    [
      'date input',
      { isRange: true, labels: { separator: 'bis' } },
      '2024-05-01 bis 2024-05-03',
      '01/05/2024 bis 03/05/2024',
    ],
    ['date input', { isRange: true }, 'from 01/01/2024 to 05/01/2024', '01/01/2024 to 05/01/2024'],
    [
      'date input',
      { isRange: true, labels: { separator: 'tot' } },
      'from 01/01/2024 to 05/01/2024',
      '01/01/2024 tot 05/01/2024',
    ],
    [
      'date input',
      { isRange: true, labels: { separator: '{{Other}}' } },
      '2024-05-01 to 2024-05-03',
      '01/05/2024 to 03/05/2024',
    ],
    ['date input', { isRange: true }, '2024-05-03 to 2024-05-01', null],
    ['date input', { isRange: true }, '2024-05-01', null],
    ['date input', { min: '2024-05-02' }, '2024-05-01', null],
    ['date input', { min: '2024-05-02' }, '2024-05-02', '02/05/2024'],
    ['date input', { max: '2024-05-02' }, '2024-05-03', null],
    ['date input', { hasTime: true, max: '2024-05-02' }, '2024-05-02T20:00', '02/05/2024 20:00'],
    ['date input', { hasTime: true, min: '2024-05-02T10:00' }, '2024-05-02T09:59', null],
    ['file input', {}, 'https://files.test/a.png', 'https://files.test/a.png'],
    ['file input', {}, 'a.png', null],
    ['file input', {}, 'file:///etc/passwd', null],
    ['file input', {}, null, null],
    ['file input', {}, 'https://files.test/a.png, https://files.test/b.png', null],
  ])('%s %j: %j', async (type, options, reply, content) => {
    await expectReply(input(type, options), reply, content)
  })
})

test('a range input fills in its separator', async () => {
  const block = input('date input', { isRange: true, labels: { separator: '{{Other}}' } })
  const client = await chat(withInput(block), { options: { prefilledVariables: { Other: 'tot' } } })
  await client.say('2024-05-01 tot 2024-05-03')
  expect(client.value('Answer')).toBe('01/05/2024 tot 03/05/2024')
})

test('a range input shows a dash where it names no separator, since `to` is English', async () => {
  const shown = async (options: object) => {
    const flow = withInput(input('date input', { isRange: true, ...options }), {
      settings: { general: { language: 'ar' } },
    })
    const client = await chat(flow)
    await client.say('2024-05-01 – 2024-05-03')
    return [client.value('Answer'), client.outcome.said.find(({ role }) => role === 'user')?.text]
  }
  expect(await shown({})).toEqual(['01/05/2024 to 03/05/2024', '01/05/2024 – 03/05/2024'])
  const own = '01/05/2024 إلى 03/05/2024'
  expect(await shown({ labels: { separator: 'إلى' } })).toEqual([own, own])
})

test('a date input uses the beginning of a format that is too long', async () => {
  const client = await chat(withInput(input('date input', { format: 'P'.repeat(100_000) })))
  await client.say('2024-06-15')
  expect(client.value('Answer')).toBe('Saturday, June 15th, 2024')
})

test('a date input logs a format without a meaning', async () => {
  const client = await chat(withInput(input('date input', { format: 'no date' })))
  await client.say('2024-06-15')
  expect(client.logged('"no date" is no format of a date')).toMatchObject({ status: 'error', context: 'in' })
})

describe('asking again', () => {
  test.each([
    ['the text of the block', { retryMessageContent: 'Again, {{Name}}!' }, {}, 'email input', 'Again, Ada!'],
    ['the text of the settings', {}, { invalidMessage: 'No.' }, 'number input', 'No.'],
    ['a text for e-mails', {}, { invalidMessage: 'No.' }, 'email input', /e-mail/],
    ['a built-in text', {}, {}, 'number input', invalidMessage],
  ])('%s', async (_name, options, systemMessages, type, expected) => {
    const flow = withInput(input(type, options), {
      settings: { general: { systemMessages } },
      variables: ['Name'],
    })
    const client = await chat(flow, { options: { prefilledVariables: { Name: 'Ada' } } })
    await client.say('nonsense')
    if (typeof expected === 'string') expect(client.texts()).toEqual([expected])
    else expect(client.texts()[0]).toMatch(expected)
    expect(client.transcript.map((entry) => entry.role)).toEqual(['user', 'bot'])
  })
})

describe('text inputs', () => {
  const url = 'https://files.test/a.pdf'
  test('accept attachments where they are switched on', async () => {
    const block = input('text input', { attachments: { isEnabled: true, saveVariableId: idOf('Urls') } })
    const client = await chat(withInput(block))
    await client.say({ type: 'text', text: 'See', attachedFileUrls: [url] })
    expect(client.outcome.answers).toEqual([{ blockId: 'in', content: 'See', attachedFileUrls: [url] }])
    expect(client.value('Urls')).toBe(url)
    const several = await chat(withInput(block))
    await several.say({ type: 'text', text: 'See', attachedFileUrls: [url, `${url}?2`] })
    expect(several.value('Urls')).toEqual([url, `${url}?2`])
    const collecting = await chat(withInput(block), { options: { prefilledVariables: { Urls: ['old'] } } })
    await collecting.say({ type: 'text', text: 'See', attachedFileUrls: [url] })
    expect(collecting.value('Urls')).toEqual(['old', url])
    const second = await chat(withInput(block))
    await second.say({ type: 'text', text: 'See', attachedFileUrls: ['javascript:alert(1)'] })
    expect(second.outcome.answers).toEqual([])
  })

  test('leave attachments out where they are switched off', async () => {
    const client = await chat(withInput(input('text input')))
    await client.say({ type: 'text', text: 'See', attachedFileUrls: [url] })
    expect(client.outcome.answers).toEqual([{ blockId: 'in', content: 'See' }])
  })

  test('accept recordings where they are switched on', async () => {
    const block = input('text input', { audioClip: { isEnabled: true, saveVariableId: idOf('Other') } })
    const client = await expectReply(
      block,
      { type: 'audio', url: 'https://files.test/a.mp3' },
      'https://files.test/a.mp3',
    )
    expect(client.value('Other')).toBe('https://files.test/a.mp3')
    expect(client.transcript[0]).toEqual({ role: 'user', type: 'audio', audio: 'https://files.test/a.mp3' })
    await expectReply(input('text input'), { type: 'audio', url: 'https://files.test/a.mp3' }, null)
  })
})

describe('file inputs', () => {
  const types = { isEnabled: true, types: ['.pdf', 'image/*', 'text/csv'] }
  test.each([
    ['https://files.test/a.pdf', true],
    ['https://files.test/a.PNG?x=.exe', true],
    ['https://files.test/a.csv', true],
    ['https://files.test/a.exe', false],
    ['https://files.test/a', false],
    ['https://files.pdf/', false],
  ])('%s with restricted types', async (url, isAllowed) => {
    await expectReply(input('file input', { allowedFileTypes: types }), url, isAllowed ? url : null)
  })

  test('several files are accepted by an input for several', async () => {
    const client = await chat(withInput(input('file input', { isMultipleAllowed: true })))
    const urls = ['https://files.test/a.png', 'https://files.test/b.png']
    await client.say({ type: 'text', text: '', attachedFileUrls: urls })
    expect(client.outcome.answers).toEqual([{ blockId: 'in', content: urls.join(', ') }])
    expect(client.value('Answer')).toBe(urls.join(', '))
    const options = { prefilledVariables: { Answer: ['https://files.test/old.png'] } }
    const collecting = await chat(withInput(input('file input', { isMultipleAllowed: true })), { options })
    await collecting.say(urls.join(', '))
    expect(collecting.value('Answer')).toEqual(['https://files.test/old.png', ...urls])
  })

  test('a file input that is not required is skipped without a message', async () => {
    const client = await chat(withInput({ ...input('file input', { isRequired: false }), to: 'g' }))
    await client.say()
    expect(client.outcome).toMatchObject({ answers: [], state: null, hasStarted: false, isCompleted: false })
    expect(client.texts()).toEqual(['Thanks '])
  })
})

async function expectChoice(block: Part, reply: Message, content: string | null) {
  const client = await chat(withInput(block))
  await client.say(reply)
  expect(client.outcome.answers.map((answer) => answer.content)).toEqual(content === null ? [] : [content])
}

describe('choices', () => {
  const items: Part[] = [
    { id: 'i1', content: 'Apple', to: 'g' },
    { id: 'i2', content: 'Apple pie', value: 'pie', to: 'b' },
    { id: 'i3', content: 'Pear 2' },
  ]
  test.each<[Message, string | null, string[]]>([
    ['Apple', 'Apple', ['Thanks Apple']],
    ['  Apple ', 'Apple', ['Thanks Apple']],
    ['Apple pie', 'pie', ['B']],
    ['pie', 'pie', ['B']],
    ['i2', 'pie', ['B']],
    [{ type: 'text', text: 'whatever', metadata: { replyId: 'i1' } }, 'Apple', ['Thanks Apple']],
    ['Pear 2', 'Pear 2', []],
    ['apple', 'Apple', ['Thanks Apple']],
    ['APPLE  PIE', 'pie', ['B']],
    ['PIE', 'pie', ['B']],
    ['app', null, []],
    ['Banana', null, []],
    ['', null, []],
  ])('one choice is read from %j', async (reply, content, texts) => {
    const client = await expectReply(input('choice input', {}, items), reply, content)
    if (content !== null) expect(client.texts()).toEqual(texts)
  })

  test('one of two items with the same label is the one that the reply names by its id', async () => {
    const next = [
      { id: 'm1', content: 'Next', to: 'g' },
      { id: 'm2', content: 'Next', value: 'second', to: 'b' },
    ]
    const says = (replyId: string) => ({ type: 'text' as const, text: 'Next', metadata: { replyId } })
    for (const type of ['choice input', 'picture choice input']) {
      const named = next.map((item) => ({ ...item, title: 'Next' }))
      await expectChoice(input(type, {}, named), says('m2'), 'second')
      await expectChoice(input(type, {}, named), says('m1'), 'Next')
      await expectChoice(input(type, { isMultipleChoice: true }, named), says('m2'), 'second')
      // Only one of them may fit where case is passed over.
      await expectChoice(input(type, {}, named), 'next', null)
      await expectChoice(input(type, {}, named), 'SECOND', 'second')
    }
    const cards = [
      { id: 'c1', title: 'One', paths: [{ id: 'p1', text: 'Take' }] },
      {
        id: 'c2',
        title: 'Two',
        paths: [
          { id: 'p2', text: 'Take', to: 'b' },
          { id: 'p3', text: 'Leave' },
        ],
      },
    ]
    await expectChoice(input('cards', {}, cards), { ...says('p2'), text: 'Take' }, 'Take')
    await expectChoice(input('cards', {}, cards), 'take', null)
    await expectChoice(input('cards', {}, cards), 'LEAVE', 'Leave')
    await expectChoice(input('cards', {}, cards), 'TWO', 'Take')
  })

  test.each<[Message, string | null]>([
    ['Apple, Pear 2', 'Apple, Pear 2'],
    ['Pear 2 and Apple pie please', 'pie, Pear 2'],
    ['Apple pie', 'pie'],
    ['Apple, Apple pie', 'Apple, pie'],
    ['1, 3', 'Apple, Pear 2'],
    ['3', 'Pear 2'],
    ['Pear 2', 'Pear 2'],
    ['PEAR  2 and\napple', 'Apple, Pear 2'],
    [' apple PIE ', 'pie'],
    ['I1, PIE', 'Apple, pie'],
    ['Applesauce', null],
    ['4', null],
    [{ type: 'text', text: 'x', metadata: { replyId: 'i2' } }, 'pie'],
  ])('several choices are read from %j', async (reply, content) => {
    await expectReply(input('choice input', { isMultipleChoice: true }, items), reply, content)
  })

  test.each([
    ['1 and second item, id3', ['item', 'second item', 'third item'], 'item, second item, third item'],
    ['2 and item', ['item', 'second item'], 'item, second item'],
    ['4, 2, 1', ['6', '5', '4', '3', '2', '1'], '4, 2, 1'],
    ['item and second item', ['item\n', ' second item '], 'item, second item'],
    [' item and second item \n', ['item', 'second item'], 'item, second item'],
    ['tests', ['Just a few tests'], null],
    ['아이템', ['아이템'], '아이템'],
  ])('several choices are read as in the reference product from %j', async (reply, labels, content) => {
    const numbered = labels.map((label, index) => ({ id: `id${index + 1}`, content: label }))
    await expectReply(input('choice input', { isMultipleChoice: true }, numbered), reply, content)
  })

  describe('an input with the maximum of items', () => {
    const labelled = (count: number, labelOf: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({ id: `i${index}`, content: labelOf(index) }))
    const several = (items: Part[]) => input('choice input', { isMultipleChoice: true }, items)

    test('accepts all in one reply', async () => {
      const items = labelled(1_000, (index) => `No. ${index}`)
      const reply = items.map(({ content }) => content).join(', ')
      await expectReply(several(items), reply, reply)
    })

    test('finds them in a long text whose words contain them', async () => {
      const letters = [...'abcdefghijklmnopqrstuvwxyz']
      const pairs = letters.flatMap((first) => letters.map((second) => first + second))
      const sentence = 'Somebody who writes at length has most pairs of letters somewhere between others. '
      const items = labelled(pairs.length, (index) => pairs[index] ?? '')
      await expectReply(several(items), sentence.repeat(120), 'at, of')
    })

    test('takes about four times as long for four times as many in a reply', async () => {
      const replying = async (count: number, reply: string) => {
        const client = await chat(withInput(several(labelled(count, () => 'a'))))
        return async () => {
          await client.say(reply)
          expect(client.outcome.answers).toEqual([])
        }
      }
      const small = await replying(250, 'a'.repeat(2_500))
      expect(await cpuGrowth(small, await replying(1_000, 'a'.repeat(10_000)))).toBeLessThan(9)
    })
  })

  test('several choices leave by the edge of the block', async () => {
    const block = { ...input('choice input', { isMultipleChoice: true }, items), to: 'g' }
    const client = await chat(withInput(block))
    await client.say('Apple pie')
    expect(client.texts()).toEqual(['Thanks pie'])
  })

  test('items that are not displayed cannot be chosen', async () => {
    const hide = (value: string) => ({
      isEnabled: true,
      condition: {
        comparisons: [{ id: 'c', variableId: idOf('Other'), comparisonOperator: 'Equal to', value }],
      },
    })
    const flow = withInput(
      input('choice input', {}, [
        { id: 'i1', content: 'Yes {{Other}}', displayCondition: hide('yes') },
        { id: 'i2', content: 'No', displayCondition: hide('no') },
        {
          id: 'i3',
          content: 'Always',
          displayCondition: { isEnabled: false, condition: { comparisons: [] } },
        },
      ]),
    )
    const client = await chat(flow, { options: { prefilledVariables: { Other: 'yes' } } })
    expect(client.outcome.input?.items).toEqual([
      { id: 'i1', content: 'Yes yes' },
      { id: 'i3', content: 'Always' },
    ])
    await client.say('No')
    expect(client.outcome.answers).toEqual([])
    await client.say('Yes yes')
    expect(client.value('Answer')).toBe('Yes yes')
  })

  test('items come from a list variable', async () => {
    const flow = withInput(
      input('choice input', { dynamicVariableId: idOf('List') }, [{ id: 'x', content: 'static' }]),
    )
    const client = await chat(flow, { options: { prefilledVariables: { List: ['A', 'B'] } } })
    expect(client.outcome.input?.items).toEqual([
      { id: 'item1', content: 'A' },
      { id: 'item2', content: 'B' },
    ])
    await client.say('B')
    expect(client.value('Answer')).toBe('B')
  })

  test('items from a list have each value once', async () => {
    const flow = withInput(input('choice input', { dynamicVariableId: idOf('List') }, []))
    const List = ['A', '', 'B', 'A', '  ', null, 'B']
    const client = await chat(flow, { options: { prefilledVariables: { List } } })
    expect(client.outcome.input?.items).toEqual([
      { id: 'item1', content: 'A' },
      { id: 'item2', content: 'B' },
    ])
  })

  test('an input without items is skipped, since no answer is possible', async () => {
    const client = await chat(withInput({ ...input('choice input', {}, []), to: 'g' }))
    expect(client.texts()).toEqual(['Thanks '])
    expect(client.logged('without items')).toBeDefined()
  })

  test('a list variable collects the replies', async () => {
    const flow = withInput(input('choice input', { variableId: idOf('List') }, items))
    const client = await chat(flow, { options: { prefilledVariables: { List: ['old'] } } })
    await client.say('Apple')
    expect(client.value('List')).toEqual(['old', 'Apple'])
  })
})

describe('picture choices', () => {
  test('are chosen by title, value or id', async () => {
    const items: Part[] = [
      { id: 'p1', title: 'Cat', pictureSrc: 'https://img.test/cat.png', description: 'Miaow' },
      { id: 'p2', title: 'Dog', value: 'D' },
      { id: 'p3', pictureSrc: 'https://img.test/bird.png' },
    ]
    await expectReply(input('picture choice input', {}, items), 'Cat', 'Cat')
    await expectReply(input('picture choice input', {}, items), 'Dog', 'D')
    await expectReply(input('picture choice input', {}, items), 'p3', 'https://img.test/bird.png')
    await expectReply(input('picture choice input', { isMultipleChoice: true }, items), 'Dog, Cat', 'Cat, D')
    await expectReply(input('picture choice input', {}, items), 'Cow', null)
  })

  test('accept pictures that are in the document itself, which have no other name', async () => {
    const sources = ['A', 'B'].map((letter) => `data:image/png;base64,${letter.repeat(20_000)}`)
    const items = sources.map((pictureSrc, index) => ({ id: `p${index}`, pictureSrc }))
    const [, second = ''] = sources
    for (const isMultipleChoice of [false, true]) {
      const client = await chat(withInput(input('picture choice input', { isMultipleChoice }, items)))
      await client.say({ type: 'text', text: second, metadata: { replyId: 'p1' } })
      expect(client.value('Answer')).toBe(second)
    }
    await expectReply(input('picture choice input', {}, items), second, second)
    const several = input('picture choice input', { isMultipleChoice: true }, items)
    await expectReply(several, 'p0, p1', sources.join(', '))
    await expectReply(several, sources.join(', '), null)
  })

  test('have items from list variables', async () => {
    const dynamicItems = {
      isEnabled: true,
      titlesVariableId: idOf('List'),
      pictureSrcsVariableId: idOf('Urls'),
    }
    const client = await chat(withInput(input('picture choice input', { dynamicItems }, [])), {
      options: { prefilledVariables: { List: ['A', 'B'], Urls: ['https://img.test/a.png'] } },
    })
    expect(client.outcome.input?.items).toEqual([
      { id: 'item1', title: 'A', pictureSrc: 'https://img.test/a.png' },
      { id: 'item2', title: 'B' },
    ])
  })
})

describe('cards', () => {
  const saveResponseMapping = [
    { field: 'Title', variableId: idOf('Other') },
    { field: 'Button', variableId: idOf('List') },
    { field: 'Nonsense', variableId: idOf('Urls') },
  ]
  const cards: Part[] = [
    {
      id: 'c1',
      title: 'Small',
      imageUrl: 'https://img.test/s.png',
      description: null,
      options: { internalValue: 'S' },
      paths: [
        { id: 'p1', text: 'Buy', to: 'g' },
        { id: 'p2', text: 'Info', to: 'b' },
      ],
    },
    { id: 'c2', title: 'Large', paths: [{ id: 'p3', text: 'Buy', to: 'b' }] },
    {
      id: 'c3',
      title: 'Hidden',
      options: { displayCondition: { isEnabled: true, condition: {} } },
      paths: [],
    },
  ]
  test.each<[Message, string | null, string[]]>([
    ['p1', 'S', ['Thanks S']],
    ['Buy', 'S', ['Thanks S']],
    ['S', 'S', ['Thanks S']],
    ['p3', 'Buy', ['B']],
    ['Large', 'Buy', ['B']],
    [{ type: 'text', text: '', metadata: { replyId: 'p2' } }, 'S', ['B']],
    ['Hidden', null, []],
    ['other', null, []],
  ])('%j', async (reply, content, texts) => {
    const client = await expectReply(input('cards', { saveResponseMapping }, cards), reply, content)
    if (content === null) return
    expect(client.texts()).toEqual(texts)
    const isLarge = content === 'Buy'
    expect(client.value('Other')).toBe(isLarge ? 'Large' : 'Small')
    expect(client.value('Urls')).toBeUndefined()
  })

  test('cards from a list are one for each value', async () => {
    const card: Part = {
      id: 'c',
      title: '{{List}}',
      imageUrl: '{{Urls}}',
      description: 'From {{Other}}',
      options: { internalValue: '{{List}}' },
      paths: [{ id: 'buy', text: 'Buy', to: 'b' }],
    }
    const prefilledVariables = {
      List: ['Tea', 'Milk {{Other}}'],
      Urls: ['https://img.test/t.png'],
      Other: 'us',
    }
    const client = await chat(withInput(input('cards', { saveResponseMapping }, [card])), {
      options: { prefilledVariables },
    })
    const first = { title: 'Tea', imageUrl: 'https://img.test/t.png', options: { internalValue: 'Tea' } }
    const second = { title: 'Milk {{Other}}', options: { internalValue: 'Milk {{Other}}' } }
    expect(client.outcome.input?.items).toEqual(
      [first, second].map((shown, index) => ({
        id: `dynamic-card-${index}`,
        description: 'From us',
        paths: [{ id: `dynamic-card-${index}-path-0`, text: 'Buy', outgoingEdgeId: expect.any(String) }],
        ...shown,
      })),
    )
    await client.say({ type: 'text', text: 'Buy', metadata: { replyId: 'dynamic-card-1-path-0' } })
    expect(client.outcome.answers).toEqual([{ blockId: 'in', content: 'Milk {{Other}}' }])
    expect(client.value('Other')).toBe('Milk {{Other}}')
    expect(client.texts()).toEqual(['B'])
  })

  test('a list among several cards stays a text', async () => {
    const several = [
      { id: 'c1', title: '{{List}}', paths: [] },
      { id: 'c2', title: 'Other', paths: [] },
    ]
    const client = await chat(withInput(input('cards', {}, several)), {
      options: { prefilledVariables: { List: ['a', 'b'] } },
    })
    expect(client.outcome.input?.items).toMatchObject([{ title: '["a","b"]' }, { title: 'Other' }])
  })

  test('hidden cards and conditions are not sent', async () => {
    const client = await chat(withInput(input('cards', {}, cards)))
    const items = client.outcome.input?.items as Record<string, unknown>[]
    expect(items.map((card) => card.id)).toEqual(['c1', 'c2'])
    expect(JSON.stringify(items)).not.toContain('displayCondition')
  })
})

test('inputs are shown with their placeholders filled in and their numbers as numbers', async () => {
  const block = input('number input', {
    min: '{{Other}}',
    max: '7,5',
    step: 'x',
    labels: { button: 'Go {{Other}}' },
  })
  const client = await chat(withInput(block), { options: { prefilledVariables: { Other: '3' } } })
  expect(client.outcome.input?.options).toEqual({
    variableId: idOf('Answer'),
    min: 3,
    max: 7.5,
    labels: { button: 'Go 3' },
  })
})

test('inputs are prefilled when the settings say so', async () => {
  const settings = { general: { isInputPrefillEnabled: true } }
  const prefilledVariables = { Answer: 'Known' }
  const on = await chat(withInput(input('text input'), { settings }), { options: { prefilledVariables } })
  expect(on.outcome.input?.prefilledValue).toBe('Known')
  const off = await chat(withInput(input('text input')), { options: { prefilledVariables } })
  expect(off.outcome.input?.prefilledValue).toBeUndefined()
})

describe('a message that starts a chat', () => {
  const flow = (first: Part[]) =>
    bot({ a: [...first, ask('Answer'), text('Hello {{Answer}}')] }, { variables: ['Answer'] })
  test('answers the first input when nothing is shown before it', async () => {
    const client = await chat(flow([]), { options: { message: 'Ada' } })
    expect(client.texts()).toEqual(['Hello Ada'])
    expect(client.outcome).toMatchObject({ state: null, isCompleted: true })
  })

  test('is ignored otherwise', async () => {
    const bubble = await chat(flow([text('Hi')]), { options: { message: 'Ada' } })
    expect(bubble.outcome.input).toBeDefined()
    const choice = await chat(withInput(input('choice input', {}, [{ id: 'i', content: 'Ada' }])), {
      options: { message: 'Ada' },
    })
    expect(choice.outcome.input).toBeDefined()
    const empty = await chat(flow([]), { options: { message: '' } })
    expect(empty.outcome.messages).toEqual([])
  })
})

test('texts are cleaned of characters that no column can store', async () => {
  const client = await chat(withInput(input('text input')))
  await client.say('a\0b\ud800c😀')
  expect(client.outcome.answers[0]?.content).toBe('ab\ufffdc😀')
})

test('loading the library that reads phone numbers counts as waiting, not as work of the turn', async () => {
  const run = { spent: { waitingMs: 0 } } as Execution
  const block = { id: 'b', type: 'phone number input', options: {} } as unknown as Block
  await readPhone(run, block, { text: '+33 1 23 45 67 89' } as never)
  expect(run.spent.waitingMs).toBeGreaterThan(0)
})
