import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import ts from 'typescript'
import { sentences } from '../../server/chat/engine/sentences.ts'
import { languages } from '../../server/pages/texts/index.ts'
import { root } from '../../server/root.ts'

/* Everything that the service says to visitors is in every language, and nothing is said past the texts. */

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

function filesIn(folder: string, ending: string) {
  return readdirSync(new URL(folder, root), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith(ending))
    .map((file) => ({ file, text: read(`${folder}${file}`) }))
}

const pageFiles = [...filesIn('server/pages/chat/', '.js'), ...filesIn('server/pages/embed/', '.js')]

describe.each([
  ['of the pages', languages],
  ['of the chat', sentences],
])('texts %s', (_name, texts: Record<string, object>) => {
  const english: Record<string, string> = { ...texts.en }

  test.each(Object.keys(languages))(
    '%s has all of them, each translated and with the same placeholders',
    (tag) => {
      const own: Record<string, string> = { ...texts[tag] }
      const placeholders = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
      expect(Object.keys(own)).toEqual(Object.keys(english))
      for (const [key, text] of Object.entries(english)) {
        expect([key, placeholders(own[key])]).toEqual([key, placeholders(text)])
        // A sentence reads the same in no two languages; a word such as `Video` may.
        if (tag !== 'en' && /\s/.test(text)) expect([key, own[key]]).not.toEqual([key, text])
      }
    },
  )
})

test('every text of the pages is used', () => {
  const all = [
    ...pageFiles.map(({ text }) => text),
    read('server/pages/chat/page.html'),
    read('server/pages/not-found/page.html'),
    read('server/pages/payment/page.html'),
  ].join('\n')
  const unused = Object.keys(languages.en ?? {}).filter(
    (key) => !new RegExp(`\\btexts\\.${key}\\b|%${key}%`).test(all),
  )
  expect(unused).toEqual([])
})

/** Attributes that are read out or shown, and calls that show what they get. */
const shownAttribute =
  /^['"]?(?:title|placeholder|alt|label|aria-label|aria-description|aria-roledescription)['"]?$/
const showingCall = /(?:^|\.)(?:append|prepend|replaceChildren|replaceWith|say|spoken|askToProceed)$/

/** Literals of a script that are shown as they stand, but for units and signs. */
function wordsIn(text: string): string[] {
  const found: string[] = []
  const source = ts.createSourceFile('page.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const visit = (node: ts.Node, isShown: boolean) => {
    if (ts.isCallExpression(node)) {
      const called = node.expression.getText()
      visit(node.expression, false)
      for (const [index, argument] of node.arguments.entries()) {
        const isChild = called === 'element' ? index > 1 : showingCall.test(called)
        visit(argument, isChild)
      }
      return
    }
    if (ts.isPropertyAssignment(node)) {
      visit(node.initializer, shownAttribute.test(node.name.getText()))
      return
    }
    if (ts.isConditionalExpression(node)) {
      visit(node.condition, false)
      visit(node.whenTrue, isShown)
      visit(node.whenFalse, isShown)
      return
    }
    const isComparison = ts.isBinaryExpression(node) && /^[=!]==$/.test(node.operatorToken.getText())
    if (isShown && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))) {
      const parts = ts.isTemplateExpression(node)
        ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text)
        : [node.text]
      const words = parts.join(' ').replaceAll(/https?:\/\/|\b[KM]B\b/g, '')
      if (/\p{L}{2}/u.test(words)) found.push(words)
    }
    node.forEachChild((child) => visit(child, isShown && !isComparison))
  }
  visit(source, false)
  return found
}

test('the search finds words that a script shows past the texts', () => {
  const script = `
    element('p', { class: 'one', title: 'Two' }, texts.three, 'Four', isFive ? 'Six' : \`Seven \${eight}\`)
    status.replaceChildren('Nine', element('b', {}, own ?? 'Ten'))
    const attributes = { 'aria-label': 'Eleven', role: 'log' }
    if (name === 'Twelve') throw new Error('Thirteen')`
  expect(wordsIn(script)).toEqual(['Two', 'Four', 'Six', 'Seven  ', 'Nine', 'Ten', 'Eleven'])
})

test('no script of a page for visitors has words of its own', () => {
  const found = pageFiles.flatMap(({ file, text }) => wordsIn(text).map((words) => ({ file, words })))
  expect(found).toEqual([])
})

test('the chat has no sentence beside those in every language', () => {
  const engine = filesIn('server/chat/engine/', '.ts').filter(({ file }) => file !== 'sentences.ts')
  const found = engine.flatMap(({ file, text }) =>
    [...text.matchAll(/sendPlainText\(\w+, *(['"`][^)]*)/g)].map(([, words]) => ({ file, words })),
  )
  expect(found).toEqual([])
})
