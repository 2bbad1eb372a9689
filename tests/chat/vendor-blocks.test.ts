import { describe, expect, test } from '@jest/globals'
import { vendorRow, vendors } from '../../contract/bot-document/blocks/vendors/all.ts'
import type { VendorRow } from '../../contract/bot-document/blocks/vendors/vendor.ts'
import { z } from '../../contract/kit/zod.ts'
import { skippedAction } from '../../server/bots/checks/credentials.ts'
import type { Effects } from '../../server/chat/engine/types.ts'
import type { OutboundRequest, OutboundResponse } from '../../server/outbound/client.ts'
import { boundNamed } from '../support/bounds.ts'
import { ask, bot, type Client, chat, idOf, type Part, text, type World } from '../support/chat.ts'

/* Blocks of outside services: each row against a double that compares the request with the example of the row. */

const json = (body: unknown, status = 200): OutboundResponse => ({
  ok: true,
  status,
  contentType: 'application/json',
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const examples = vendors.flatMap(({ type, actions }) =>
  Object.entries(actions).flatMap(([action, { example }]) => (example ? [{ type, action, example }] : [])),
)

const variables = ['Question', 'Saved', 'Other', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh']

/** A world in which the workspace has credentials of every type, under the type as id. */
function world(reply: World['reply'], more: World = {}): World {
  return {
    reply,
    findCredentials: async (id, type) => (id === type ? { ...vendorRow(type)?.exampleCredentials } : null),
    ...more,
  }
}

const noFiles: Effects['uploads'] = {
  maximumSize: 1,
  find: async () => new Map(),
  read: async () => undefined,
  store: async ({ name }) => ({ upload: { botId: 'b', id: 'f', name }, address: '<file>' }),
}

function block(type: string, action: string, options: object = {}): Part {
  return { type, options: { credentialsId: type, action, ...options } }
}

/** Chats with a bot that runs the block after a question. */
async function run(part: Part, given: World): Promise<Client> {
  const client = await chat(bot({ g: [ask('Question'), part, text('and on')] }, { variables }), given)
  await client.say('Ada')
  return client
}

/** The body of a request, with placeholders for what differs each time. */
function bodyOf({ body }: OutboundRequest): unknown {
  if (body === undefined) return undefined
  const plain = String(body)
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '<uuid>')
    .replaceAll('2024-05-01T09:30:00.000Z', '<time>')
  return JSON.parse(plain)
}

describe('rows', () => {
  test.each(examples)(
    '$type, $action sends the request and saves the parts of its example',
    async ({ type, action, example }) => {
      const row = vendorRow(type)
      const saves = Object.entries(example.savedValues ?? {})
      const isOption = (name: string) => Object.hasOwn(row?.optionsShape ?? {}, name)
      const options = {
        ...example.options,
        ...Object.fromEntries(
          saves.flatMap(([name], index) =>
            isOption(name) ? [[name, idOf(variables[index + 1] ?? '')]] : [],
          ),
        ),
        ...(saves.length === 0
          ? {}
          : {
              responseMapping: saves.flatMap(([item], index) =>
                isOption(item) ? [] : [{ item, variableId: idOf(variables[index + 1] ?? '') }],
              ),
            }),
      }
      const client = await run(
        block(type, action, options),
        world(json(example.response), { uploads: noFiles }),
      )
      expect(client.outcome.logs).toEqual([])
      expect(client.texts()).toEqual(['and on'])
      const [sent] = client.requests
      expect(client.requests).toHaveLength(1)
      expect(sent).toMatchObject({
        url: `${row?.base}${example.request.path}`,
        method: example.request.method ?? 'POST',
        headers: example.request.headers ?? {},
        redirects: 'none',
      })
      expect(bodyOf(sent as OutboundRequest)).toEqual(example.request.body)
      const stored = Object.fromEntries(
        saves.map(([name], index) => [name, client.value(variables[index + 1] ?? '')]),
      )
      expect(stored).toEqual(example.savedValues ?? {})
    },
  )

  test('the example of a request saves every part of the response that documents may store', () => {
    const unsaved = (vendors as readonly VendorRow[]).flatMap(({ type, actions }) =>
      Object.entries(actions).flatMap(([action, { request, items = [], example }]) =>
        items
          .filter((item) => request !== undefined && !Object.hasOwn(example?.savedValues ?? {}, item))
          .map((item) => `add '${item}' to savedValues in the example of ${type}, ${action}`),
      ),
    )
    expect(unsaved).toEqual([])
  })

  test('every vendor has credentials that its type accepts, and actions that run', () => {
    for (const { type, credentials, exampleCredentials, actions } of vendors) {
      if (credentials !== undefined) expect(z.safeParse(credentials, exampleCredentials).success).toBe(true)
      for (const [name, { request, example }] of Object.entries(actions)) {
        if (request !== undefined)
          expect({ type, name, hasExample: example !== undefined }).toEqual({ type, name, hasExample: true })
      }
    }
    const skipped = vendors.flatMap(({ type, actions }) =>
      Object.keys(actions)
        .filter((action) => skippedAction({ type, options: { action } }) !== undefined)
        .map((action) => `${type}: ${action}`),
    )
    expect(skipped).toEqual(['openai: Ask Assistant'])
  })
})

const segment = (options: object = {}) =>
  block('segment', 'Track', { userId: 'u1', eventName: '{{Question}}', ...options })

describe('a block of a vendor', () => {
  test('reads a response of as many bytes as the table says', async () => {
    const client = await run(segment(), world(json({})))
    expect(client.requests[0]?.maximumBytes).toBe(boundNamed('MAX_VENDOR_RESPONSE_BYTES'))
  })

  test('sends filled-in placeholders, and the key to the address of its credentials alone', async () => {
    const client = await run(
      segment(),
      world(json({}), {
        findCredentials: async () => ({ apiKey: 'k', baseUrl: 'https://eu1.example.com/v1/' }),
      }),
    )
    expect(client.requests[0]?.url).toBe('https://eu1.example.com/v1/batch')
    expect(bodyOf(client.requests[0] as OutboundRequest)).toMatchObject({ batch: [{ event: 'Ada' }] })
  })

  test.each<[string, Part, World, string]>([
    ['without an action', { type: 'segment', options: {} }, {}, 'segment is not configured'],
    [
      'with an unknown action',
      block('segment', 'Fly'),
      {},
      'segment: this service does not run "Fly", it was skipped',
    ],
    [
      'without credentials',
      segment({ credentialsId: undefined }),
      {},
      'Could not find credentials for block segment',
    ],
    [
      'with those of another type',
      segment({ credentialsId: 'openai' }),
      {},
      'Could not find credentials for block segment',
    ],
    [
      'with an empty option',
      segment({ userId: '{{Saved}}' }),
      {},
      'Segment: nothing was sent, since userId is empty',
    ],
    [
      'with an option of the wrong form',
      segment({ userId: { a: 1 } }),
      {},
      'Segment: nothing was sent, since userId is empty',
    ],
    ['that is rejected', segment(), { reply: json({ message: 'no' }, 401) }, 'Segment answered 401'],
    [
      'whose vendor is down',
      segment(),
      { reply: { ok: false, reason: 'network', message: 'gone' } },
      'Segment: the request failed',
    ],
  ])('continues with an error in the log: %s', async (_, part, given, description) => {
    const client = await run(part, world(json({}), given))
    expect(client.logs()).toEqual([description])
    expect(client.texts()).toEqual(['and on'])
  })

  test('keeps the key out of the log', async () => {
    const reply = json({ message: 'write-key is no key' }, 401)
    const [entry] = (await run(segment(), world(reply))).outcome.logs
    expect(entry?.details).toBe('{"message":"… is no key"}')
  })

  test('logs that its vendor has shut the service down, and its successor', async () => {
    const client = await run(
      block('openai', 'Ask Assistant', { assistantId: 'a', message: 'Hi' }),
      world(json({})),
    )
    expect(client.logs()).toEqual([
      'openai: "Ask Assistant" was skipped. OpenAI shut its Assistants API down on 26 August 2026. Use the action Ask Model',
    ])
    expect(client.requests).toEqual([])
  })
})

test.each([
  [{ event: 'lead' }, 'Distinct ID is required'],
  [{ distinctId: 'u' }, 'PostHog Capture: Missing required fields'],
])('PostHog Capture logs an error with %j', async (options, description) => {
  expect((await run(block('posthog', 'Capture', options), world(json({})))).logs()).toEqual([description])
})

test('PostHog takes an anonymous event without an id, and the properties of the person without others', async () => {
  const options = { event: 'lead', isAnonymous: true, personProperties: [{ key: 'a', value: '1' }] }
  const client = await run(block('posthog', 'Capture', options), world(json({})))
  expect(bodyOf(client.requests[0] as OutboundRequest)).toMatchObject({
    batch: [{ distinct_id: '<uuid>', properties: { $process_person_profile: false, $set: { a: '1' } } }],
  })
})

describe('Dify', () => {
  const stream = (...events: object[]) =>
    json(events.map((event) => `data: ${JSON.stringify(event)}`).join('\n\n'))
  const dify = (options: object = {}) =>
    block('dify-ai', 'Create Chat Message', {
      query: 'Hi',
      conversationVariableId: idOf('Question'),
      ...options,
    })

  test('starts a new conversation where the vendor has forgotten the earlier one', async () => {
    const reply = ({ body }: OutboundRequest) =>
      JSON.parse(String(body)).conversation_id === 'Ada'
        ? json({ code: 'not_found' }, 404)
        : stream(
            { event: 'message', answer: 'Good', conversation_id: 'c2' },
            { event: 'message_end', conversation_id: 'c2' },
          )
    const client = await run(dify(), world(reply))
    expect(client.requests.map(({ body }) => JSON.parse(String(body)).conversation_id)).toEqual(['Ada', ''])
    expect(client.value('Question')).toBe('c2')
    expect(client.logs()).toEqual([])
  })

  test('logs an error of the stream, and keys that are missing', async () => {
    const failed = await run(dify(), world(stream({ event: 'error', status: 400, message: 'No model' })))
    expect(failed.outcome.logs[0]).toMatchObject({
      description: 'Dify: the request failed',
      details: 'No model',
      context: 'While creating Dify chat message',
    })
    const keyless = await run(dify(), world(json({}), { findCredentials: async () => ({}) }))
    expect(keyless.logs()).toEqual(['No API key provided'])
  })

  test('message_replace replaces what was said before', async () => {
    const options = { responseMapping: [{ item: 'Answer', variableId: idOf('Saved') }] }
    const events = [
      { event: 'message', answer: 'bad' },
      { event: 'message_replace', answer: 'good' },
    ]
    expect((await run(dify(options), world(stream(...events)))).value('Saved')).toBe('good')
  })
})

describe('NocoDB', () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => ({ Id: index, Email: `e${index}` }))
  const filter = (value: string, operator = 'Equal to') => ({
    comparisons: [{ input: 'Email', operator, value }],
  })
  const table = (request: OutboundRequest) => {
    const url = new URL(request.url)
    if (url.pathname.includes('/meta/')) {
      return json({ columns: [{ id: 'c9', title: 'Orders', uidt: 'LinkToAnotherRecord' }] })
    }
    if (request.method !== 'GET') return json({})
    const offset = Number(url.searchParams.get('offset'))
    return json({ list: rows.slice(offset, offset + 1_000), pageInfo: { totalRows: rows.length } })
  }
  const search = (options: object) =>
    block('nocodb', 'Search Records', {
      tableId: 't',
      responseMapping: [{ fieldName: 'Email', variableId: idOf('Saved') }],
      ...options,
    })

  test('reads all pages, so that the last record is the last one', async () => {
    const client = await run(search({ returnType: 'Last' }), world(table))
    expect(client.value('Saved')).toBe('e2499')
    expect(client.requests).toHaveLength(3)
  })

  test('writes the filter in the syntax of the vendor', async () => {
    const comparisons = [
      { input: 'Email', operator: 'Contains', value: '{{Question}}' },
      { input: 'Age', operator: 'Is set' },
    ]
    const client = await run(search({ filter: { comparisons, joiner: 'OR' } }), world(json({ list: [] })))
    expect(new URL(client.requests[0]?.url ?? '').searchParams.get('where')).toBe(
      '(Email,like,%Ada%)~or(Age,isnot,null)',
    )
    expect(client.logs()).toEqual(["Couldn't find any rows matching the filter"])
  })

  test.each(['a,b', 'a)~or(Id,gt,0', 'a~b'])(
    'sends nothing where the value %j would change the filter',
    async (value) => {
      const update = {
        tableId: 't',
        filter: filter('{{Question}}'),
        updates: [{ fieldName: 'A', value: '1' }],
      }
      const client = await chat(
        bot({ g: [ask('Question'), block('nocodb', 'Update Existing Record', update)] }, { variables }),
        world(table),
      )
      await client.say(value)
      expect(client.logged('would') ?? client.logged('has a comma')).toBeDefined()
      expect(client.requests).toEqual([])
    },
  )

  test('updates the fields of all matching records, and sets links apart', async () => {
    const update = {
      tableId: 't',
      filter: filter('e1'),
      updates: [
        { fieldName: 'Status', value: '' },
        { fieldName: 'Orders', value: '[7, 8]' },
      ],
    }
    const one = (request: OutboundRequest) =>
      request.method === 'GET' && !request.url.includes('/meta/')
        ? json({ list: [{ Id: 5 }], pageInfo: { totalRows: 1 } })
        : table(request)
    const client = await run(block('nocodb', 'Update Existing Record', update), world(one))
    const written = client.requests.filter(({ method }) => method !== 'GET')
    expect(
      written.map(({ method, url, body }) => [method, new URL(url).pathname, JSON.parse(String(body))]),
    ).toEqual([
      ['PATCH', '/api/v2/tables/t/records', [{ Id: 5, Status: null }]],
      ['POST', '/api/v2/tables/t/links/c9/records/5', [{ Id: 7 }, { Id: 8 }]],
    ])
  })

  test.each([
    ['Search Records', { tableId: '' }, 'Table ID is required'],
    ['Update Existing Record', { tableId: 't', updates: [{}] }, 'At least one filter is required'],
    ['Update Existing Record', { tableId: 't', filter: filter('a') }, 'At least one update is required'],
  ])('logs an error: %s with %j', async (action, options, description) => {
    expect((await run(block('nocodb', action, options), world(table))).logs()).toEqual([description])
  })

  test('names an unknown field of the table, and the context of an error', async () => {
    const mapping = { responseMapping: [{ fieldName: 'Nothing', variableId: idOf('Saved') }] }
    expect((await run(search(mapping), world(json({ list: [{ Id: 1 }] })))).logs()).toEqual([
      'Field Nothing does not exist in the table',
    ])
    const failed = await run(search({}), world(json({ msg: 'no' }, 403)))
    expect(failed.outcome.logs[0]).toMatchObject({
      description: 'NocoDB answered 403',
      context: 'While searching NocoDB records',
      details: '{"msg":"no"}',
    })
  })
})

describe('Cal.com', () => {
  const calendar = (options: object = {}) =>
    block('cal-com', 'Book event', {
      link: 'ada/30min',
      saveBookedDateInVariableId: idOf('Saved'),
      ...options,
    })

  test('shows the calendar with the known values, and continues with the booked date', async () => {
    const options = {
      layout: 'Weekly',
      name: '{{Question}}',
      phone: '+33 6',
      anyPrefilledInformations: [{ questionId: 'company', value: 'Acme' }],
    }
    const client = await run(calendar(options), {})
    const [action] = client.outcome.clientSideActions ?? []
    expect(action).toMatchObject({ type: 'calendar', expectsDedicatedReply: true })
    const url = new URL((action as { calendar: { url: string } }).calendar.url)
    expect(url.origin + url.pathname).toBe('https://app.cal.com/ada/30min/embed')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      embed: 'chat',
      embedType: 'inline',
      layout: 'week_view',
      name: 'Ada',
      location: '{"value":"phone","optionValue":"+33 6"}',
      company: 'Acme',
    })
    await client.say('2026-12-01T10:00:00.000Z')
    expect(client.value('Saved')).toBe('2026-12-01T10:00:00.000Z')
    expect(client.texts()).toEqual(['and on'])
  })

  test('accepts a whole address, and logs an invalid one', async () => {
    const client = await run(calendar({ link: 'https://cal.example.com/ada/30min/' }), {})
    const [action] = client.outcome.clientSideActions ?? []
    expect((action as { calendar: { url: string } }).calendar.url).toMatch(
      /^https:\/\/cal\.example\.com\/ada\/30min\/embed\?/,
    )
    expect((await run(calendar({ baseUrl: 'ftp://x' }), {})).logs()).toEqual([
      'Cal.com: the address of the event is not valid',
    ])
    expect((await run(calendar({ link: undefined }), {})).logs()).toEqual([
      'Cal.com: the block has no link to an event',
    ])
  })
})

describe('Zendesk', () => {
  const widget = (options: object = {}) =>
    block('zendesk', 'Open Web Widget', { webWidgetKey: 'w', ...options })

  test('opens the widget, and signs in a visitor with an id', async () => {
    const client = await run(widget({ userId: '{{Question}}', email: 'ada@example.com' }), world(json({})))
    const [action] = client.outcome.clientSideActions ?? []
    const { args } = (action as { zendesk: { scriptToExecute: { args: { id: string; value: string }[] } } })
      .zendesk.scriptToExecute
    expect(args[0]).toEqual({ id: 'key', value: 'w' })
    const [head, claims] = String(args[1]?.value)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
    expect(JSON.parse(head ?? '')).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'app_example' })
    expect(JSON.parse(claims ?? '')).toEqual({
      scope: 'user',
      external_id: 'Ada',
      email: 'ada@example.com',
      email_verified: true,
      exp: Date.parse('2024-05-01T10:30:00.000Z') / 1_000,
    })
  })

  test('needs credentials only for a visitor with an id', async () => {
    const without = await run(widget({ credentialsId: undefined }), world(json({})))
    expect(without.outcome.clientSideActions).toHaveLength(1)
    const known = await run(widget({ credentialsId: undefined, userId: 'u' }), world(json({})))
    expect(known.logs()).toEqual(['Could not find credentials for block zendesk'])
    expect(known.outcome.clientSideActions).toBeUndefined()
  })
})

describe('Blink', () => {
  test('reads name and size of an uploaded attachment without a request', async () => {
    const address = 'https://bots.test/files/bot1/abc/plan.pdf'
    const upload = { botId: 'bot1', id: 'abc', name: 'plan.pdf', mediaType: 'application/pdf', size: 12 }
    const client = await run(
      block('blink', 'Send Feed Event', {
        categoryId: 'c',
        userIds: 'u',
        sections: [{ type: 'Attachment', url: address }],
      }),
      world(json({ id: 'e1' }), { uploads: { ...noFiles, find: async () => new Map([[address, upload]]) } }),
    )
    expect(client.requests.map(({ method }) => method)).toEqual(['POST'])
    expect(String(client.requests[0]?.body)).toContain(
      '"file_name":"plan.pdf","file_ext":"pdf","file_size":12',
    )
  })

  const feed = (sections: unknown) =>
    block('blink', 'Send Feed Event', {
      categoryId: 'c',
      sections,
      userIds: '{{Question}}, u2',
      pushNotification: { title: 'News', text: '{{Question}}' },
      responseMapping: [{ item: 'Event ID', variableId: idOf('Saved') }],
    })

  test('sends an event with sections of every kind', async () => {
    const sections = [
      { type: 'Header', title: 'Hi {{Question}}', iconUrl: 'https://x.test/i.png' },
      { type: 'Image gallery', imageUrls: ['https://x.test/1.png'] },
      { type: 'YouTube', link: 'https://youtu.be/abc' },
      { type: 'Link', url: 'https://x.test', description: 'More', imagePlacement: 'left' },
      {
        type: 'Buttons',
        buttons: [{ label: 'Go', clientAction: { type: 'Open Webview', url: 'https://x.test' } }],
      },
      { type: 'Attachment', url: 'https://x.test/a.pdf' },
      { type: 'Horizontal Bar Chart', total: '10', data: [{ name: 'a', value: '3', label: 'three' }] },
    ]
    const reply = ({ method }: OutboundRequest): OutboundResponse =>
      method === 'HEAD'
        ? {
            ok: true,
            status: 200,
            contentType: '',
            headers: { 'content-length': '7' },
            body: Buffer.alloc(0),
          }
        : json({ data: { event_id: 'e1' } })
    const client = await run(feed(sections), world(reply))
    expect(client.logs()).toEqual([])
    expect(client.value('Saved')).toBe('e1')
    expect(JSON.parse(String(client.requests.at(-1)?.body))).toEqual({
      body: {
        sections: [
          { type: 'header', title: 'Hi Ada', icon_url: 'https://x.test/i.png', is_markdown: true },
          { type: 'gallery', data: [{ type: 'gallery_image', image_url: 'https://x.test/1.png' }] },
          { type: 'youtube', video_id: 'abc' },
          { type: 'link', url: 'https://x.test', image_placement: 'left', subtitle: 'More' },
          {
            type: 'buttons',
            data: [{ label: 'Go', client_action: 'blink:webview?url=aHR0cHM6Ly94LnRlc3Q=&action=open' }],
          },
          {
            type: 'attachment',
            file_name: 'a.pdf',
            file_ext: 'pdf',
            file_size: 7,
            download_url: 'https://x.test/a.pdf',
            open_url: 'https://x.test/a.pdf',
          },
          {
            type: 'horizontal_bar_chart',
            total_raw_value: 10,
            data: [{ name: 'a', raw_value: 3, display_value: 'three' }],
          },
        ],
      },
      category: 'c',
      user_ids: ['Ada', 'u2'],
      notification_title: 'News',
      notification_text: 'Ada',
    })
  })

  test.each([
    [[{ type: 'YouTube', link: 'https://x.test' }], 'the address of a YouTube video is not valid'],
    [[{ type: 'Attachment', url: 'x' }], 'the address of an attachment is not valid'],
    [[{ title: 'x' }], 'a section has no type'],
    [['x'], 'there are no sections'],
  ])('logs sections that cannot be sent: %j', async (sections, reason) => {
    const client = await run(feed(sections), world(json({})))
    expect(client.logs()).toEqual([`Blink: no event was sent, since ${reason}`])
    expect(client.requests).toEqual([])
  })

  test('opens addresses of its app and of the web alone', async () => {
    const open = (url: string) =>
      run(block('blink', 'Redirect', { credentialsId: undefined, url }), world(json({})))
    const redirectOf = (client: Client) =>
      (client.outcome.clientSideActions?.[0] as { redirect?: object } | undefined)?.redirect
    expect(redirectOf(await open('blink:folder?action=open&id=1'))).toEqual({
      url: 'blink:folder?action=open&id=1',
      isNewTab: false,
    })
    expect(redirectOf(await open('https://x.test'))).toEqual({ url: 'https://x.test', isNewTab: true })
    expect((await open('javascript:alert(1)')).logs()).toEqual(['Blink: not a web address'])
  })
})
