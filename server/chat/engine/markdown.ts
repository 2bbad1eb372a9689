/**
 * Markdown in values of variables, as the nodes that rich texts are made of. Elements that rich texts lack stay text.
 */
import { Lexer, type Token, type Tokens } from 'marked'
import type { JsonObject } from '../../json/access.ts'
import type { Execution } from './execution.ts'

/** Longer values are texts as they are. Reading takes up to the square of the length, some 30 ms for this one. */
const MAX_VALUE_CHARACTERS = 8_000
const MAX_FORMATTED_CHARACTERS = 40_000

/** Deeper lists and quotes are left out: no person writes them. */
const MAX_NESTING_DEPTH = 16

/**
 * One more mark of a list or quote than that in one line: for many, the lexer takes its stack and a quarter of a
 * second.
 */
const nested = /^[ \t]*(?:(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])[ \t]*){17}/m

/** Nothing is Markdown without one of these, except numbered lists and headings with a line below them. */
const marks = /[*_`[#>]|^ *(?:[-+]|1[.)]) |^ *(?:-+|=+) *$/m

/** Paragraphs and lists for a value that stands alone in its paragraph; `null` where nothing in it is Markdown. */
export function markdownBlocks(run: Execution, value: string): JsonObject[] | null {
  const tokens = read(run, value, (lexer) => lexer.lex(value))
  const nodes = tokens === null ? [] : blocksOf(tokens, 0)
  return nodes.some(isFormatted) ? nodes : null
}

/** Leaves and links for a value within a line; `null` where nothing in it is Markdown. */
export function markdownLeaves(run: Execution, value: string): JsonObject[] | null {
  const tokens = read(run, value, (lexer) => lexer.inlineTokens(value))
  const nodes = tokens === null ? [] : leavesOf(tokens, {}, 0)
  return nodes.some(isFormatted) ? nodes : null
}

/** Nodes of a text that is written in Markdown. Lines of a paragraph stay lines, as people write them. */
export function markdownNodes(value: string): JsonObject[] {
  if (nested.test(value)) return [paragraph([{ text: value }])]
  try {
    return blocksOf(new Lexer({ gfm: false, breaks: true }).lex(value), 0)
  } catch {
    return [paragraph([{ text: value }])]
  }
}

function read(run: Execution, value: string, lex: (lexer: Lexer) => Token[]): Token[] | null {
  if (value.length > MAX_VALUE_CHARACTERS || !marks.test(value) || nested.test(value)) return null
  run.spent.formattedCharacters += value.length
  if (run.spent.formattedCharacters > MAX_FORMATTED_CHARACTERS) return null
  try {
    return lex(new Lexer({ gfm: false }))
  } catch {
    // Lists or quotes nested so deeply that the lexer runs out of stack.
    return null
  }
}

/** Anything but plain text in plain paragraphs. */
function isFormatted(node: JsonObject): boolean {
  if (typeof node.text === 'string') return Object.keys(node).length > 1
  return node.type !== 'p' || (node.children as JsonObject[]).some(isFormatted)
}

function blocksOf(tokens: Token[], depth: number): JsonObject[] {
  return depth > MAX_NESTING_DEPTH ? [] : tokens.flatMap((token, index) => blockOf(token, index, depth))
}

function blockOf(token: Token, index: number, depth: number): JsonObject[] {
  switch (token.type) {
    case 'space':
      // Every empty line between two paragraphs is an empty paragraph.
      return Array.from({ length: index === 0 ? 0 : token.raw.split('\n').length - 2 }, () => paragraph([]))
    case 'paragraph':
    case 'text':
      return [paragraph(leavesOf(token.tokens ?? [token], {}, depth))]
    case 'heading':
      return [paragraph(leavesOf(token.tokens ?? [], { bold: true }, depth))]
    case 'blockquote':
      return blocksOf(token.tokens ?? [], depth + 1)
    case 'list':
      return [listOf(token as Tokens.List, depth)]
    case 'code':
      if (token.codeBlockStyle !== 'indented') return [paragraph([{ text: token.text, code: true }])]
  }
  return [paragraph([{ text: token.raw.replace(/\n$/, '') }])]
}

function paragraph(children: JsonObject[]): JsonObject {
  return { type: 'p', children: children.length > 0 ? children : [{ text: '' }] }
}

/** A list that does not begin with 1 would lose its numbers. */
function listOf({ ordered, start, items, raw }: Tokens.List, depth: number): JsonObject {
  if (ordered && start !== 1) return paragraph([{ text: raw.replace(/\n$/, '') }])
  const children = items.map((item) => ({
    type: 'li',
    children: blocksOf(item.tokens, depth + 1).map((block) =>
      block.type === 'p' ? { ...block, type: 'lic' } : block,
    ),
  }))
  return { type: ordered ? 'ol' : 'ul', children }
}

type Style = { bold?: true; italic?: true; code?: true }

function leavesOf(tokens: Token[], style: Style, depth: number): JsonObject[] {
  const leaves: JsonObject[] = []
  if (depth > MAX_NESTING_DEPTH) return leaves
  for (const token of tokens) {
    for (const leaf of inlineOf(token, style, depth)) {
      const last = leaves.at(-1)
      const isSame =
        typeof last?.text === 'string' && typeof leaf.text === 'string' && haveSameStyle(last, leaf)
      if (isSame) leaves[leaves.length - 1] = { ...last, text: `${last.text}${leaf.text}` }
      else leaves.push(leaf)
    }
  }
  return leaves
}

function haveSameStyle(one: JsonObject, other: JsonObject): boolean {
  return one.bold === other.bold && one.italic === other.italic && one.code === other.code
}

function inlineOf(token: Token, style: Style, depth: number): JsonObject[] {
  switch (token.type) {
    case 'strong':
      return leavesOf(token.tokens ?? [], { ...style, bold: true }, depth + 1)
    case 'em':
      return leavesOf(token.tokens ?? [], { ...style, italic: true }, depth + 1)
    case 'codespan':
      return [{ text: token.text, ...style, code: true }]
    case 'br':
      return [{ text: '\n', ...style }]
    case 'escape':
      return [{ text: token.text, ...style }]
    case 'link':
    case 'image': {
      const words = leavesOf(token.tokens ?? [], style, depth + 1).filter((leaf) => leaf.text !== undefined)
      const children = words.length > 0 ? words : [{ text: token.text || token.href, ...style }]
      // Addresses that run code stay text, and so do those in angle brackets, which people write as they are.
      const isLink = !token.raw.startsWith('<') && /^(https?:\/\/|mailto:|tel:)/i.test(token.href)
      return isLink ? [{ type: 'a', url: token.href, children }] : [{ text: token.raw, ...style }]
    }
    case 'text':
      if (token.tokens !== undefined) return leavesOf(token.tokens, style, depth + 1)
  }
  return [{ text: token.raw, ...style }]
}
