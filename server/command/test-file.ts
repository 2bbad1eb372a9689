import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { z } from '../../contract/kit/zod.ts'
import { fail } from './io.ts'

/*
 * Tests of conversations: `name.test.yaml` beside `name.bot.json`. The file has the replies of the visitor and all
 * data from outside, and the expected messages of the bot.
 */

export const MAX_FILE_BYTES = 2_000_000

const expectedWords = z.union(
  [z.string(), z.strictObject({ contains: z.string().min(1) }), z.strictObject({ image: z.string() })],
  { error: 'Write the text that the bot says, or `contains: part of it`, or `image: its address`' },
)

const reply = z.union(
  [
    z.string(),
    z.number().transform(String),
    z.null(),
    z.strictObject({ command: z.string().min(1) }),
    z.strictObject({ item: z.string().min(1), text: z.string().default('') }),
    z.strictObject({ text: z.string(), files: z.array(z.string()).max(100) }),
    z.strictObject({ audio: z.string().min(1) }),
  ],
  {
    error:
      'Write the reply as a text; or `item: id`, `command: name`, `audio: address`, `text` with `files`; or nothing, which skips',
  },
)

const line = z
  .strictObject({
    bot: z
      .union([expectedWords, z.array(expectedWords).max(1_000)], {
        error: 'Write a text, or a list of texts',
      })
      .optional(),
    visitor: reply.optional(),
    at: z.iso.datetime({ offset: true, error: 'Write a time such as 2026-01-15T10:00:00Z' }).optional(),
  })
  .refine((given) => 'bot' in given !== 'visitor' in given, {
    error: 'Write either `bot: text` or `visitor: text`',
  })
  .refine((given) => given.at === undefined || 'visitor' in given, {
    error: '`at` belongs to a reply of the visitor',
  })

const request = z.strictObject({
  block: z.string().optional(),
  url: z.string().optional(),
  status: z.int().min(100).max(599).optional(),
  body: z.unknown().optional(),
  failure: z
    .enum(['refused', 'time', 'size', 'network'], { error: 'Write refused, time, size or network' })
    .optional(),
})

const sent = z.strictObject({ url: z.string(), contains: z.string().optional() })

const test = z.strictObject({
  name: z.string({ error: 'Write a name for the test' }).min(1).max(200),
  at: line.shape.at,
  group: z.string().optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  branches: z
    .record(
      z.string(),
      z.union([z.enum(['a', 'b']), z.array(z.enum(['a', 'b'])).max(100)], {
        error: 'Write `block: a` or `block: b`',
      }),
    )
    .optional(),
  requests: z.array(request).max(100).optional(),
  chat: z.array(line, { error: 'Write a list of `bot:` and `visitor:`' }).max(2_000),
  expect: z
    .strictObject({
      variables: z.record(z.string(), z.unknown()).optional(),
      answers: z.array(z.string()).optional(),
      sent: z.array(sent).optional(),
      isOver: z.boolean().optional(),
    })
    .optional(),
})

const file = z.strictObject({
  tests: z
    .array(test, { error: 'Write `tests:` with a list of tests' })
    .min(1, { error: 'Write at least one test' })
    .max(1_000),
})

export type ConversationTest = z.output<typeof test> & { line: number }
export type Said = z.output<typeof expectedWords>

export interface TestFile {
  file: string
  tests: ConversationTest[]
}

/** The file of tests that belongs to the file of a bot. */
export const testFileOf = (botFile: string) => botFile.replace(/\.bot\.json$/, '.test.yaml')

/** The tests of a bot; undefined where there is no file. Everything that is wrong is named with its line. */
export function readTests(folder: string, name: string): TestFile | undefined {
  const path = join(folder, name)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    fail(
      `${name}: a file of tests has at most ${MAX_FILE_BYTES} bytes; write several tests into another bot's file`,
    )
  return { file: basename(name), tests: parseTests(name, text) }
}

function parseTests(name: string, text: string): ConversationTest[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const problems = document.errors.map(
    ({ pos: [start], message }) => `${name}:${lines.linePos(start).line}: not valid YAML: ${message}`,
  )
  if (problems.length > 0) fail(problems.join('\n'))
  const lineOf = (path: readonly PropertyKey[]): number => {
    // A missing property gets the line of its parent.
    for (let depth = path.length; depth >= 0; depth--) {
      const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
  // The library rejects aliases that multiply.
  const parsed = file.safeParse(readValue(name, () => document.toJS({ maxAliasCount: 100 })))
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message, code, ...more }) => {
      const keys = code === 'unrecognized_keys' ? (more as { keys: string[] }).keys : undefined
      const at = keys ? lineOf([...path, keys[0] as string]) : lineOf(path)
      const words = keys ? `unknown: ${keys.join(', ')}; it takes ${knownKeys(path)}` : message
      return `${name}:${at}: ${path.map(String).join('.') || 'the file'}: ${words}`
    })
    fail(wrong.join('\n'))
  }
  const { contents } = document
  const list = isMap(contents) ? contents.get('tests', true) : undefined
  return parsed.data.tests.map((one, index) => {
    const node = isSeq(list) ? list.items[index] : undefined
    const range = isNode(node) ? node.range : undefined
    return { ...one, line: range ? lines.linePos(range[0]).line : 1 }
  })
}

function readValue(name: string, read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return fail(`${name}: ${(error as Error).message}`)
  }
}

/** Names that an object at this path takes. */
function knownKeys(path: readonly PropertyKey[]): string {
  const at = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.')
  const shapes: Record<string, object> = {
    '': file.shape,
    'tests.*': test.shape,
    'tests.*.chat.*': line.shape,
    'tests.*.requests.*': request.shape,
    'tests.*.expect': test.shape.expect.unwrap().shape,
    'tests.*.expect.sent.*': sent.shape,
  }
  return Object.keys(shapes[at] ?? {}).join(', ') || 'none'
}
