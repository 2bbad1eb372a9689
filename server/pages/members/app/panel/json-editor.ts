import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { syntaxTree } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { basicSetup, EditorView } from 'codemirror'
import { resolve, type Schema } from '../model/schema.ts'

/* The JSON editor: CodeMirror in a shadow root, whose styles a strict Content-Security-Policy allows. */

export interface JsonEditor {
  setText(text: string): void
  close(): void
}

interface Options {
  text: string
  root: Schema | undefined
  schema: Schema | undefined
  label: string
  isReadOnly: boolean
  onChange: (text: string) => void
}

const look = EditorView.theme({
  '&': {
    fontSize: '13px',
    color: 'var(--ink)',
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
  },
  '.cm-scroller': { maxHeight: '60vh', fontFamily: 'ui-monospace, monospace' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-content span': { color: 'inherit' },
})

export function openJsonEditor(host: HTMLElement, options: Options): JsonEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  let isSetting = false
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        basicSetup,
        json(),
        linter(jsonParseLinter()),
        autocompletion({ override: [completionOf(options.root, options.schema)] }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) options.onChange(update.state.doc.toString())
        }),
        look,
      ],
    }),
  })
  return {
    setText(text) {
      isSetting = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      isSetting = false
    },
    close: () => view.destroy(),
  }
}

/** Offers the properties of the object around the cursor, and the values of a property. */
function completionOf(root: Schema | undefined, schema: Schema | undefined) {
  return (context: CompletionContext): CompletionResult | null => {
    if (!root || !schema) return null
    const node = syntaxTree(context.state).resolveInner(context.pos, -1)
    const word = context.matchBefore(/"?[\w .()]*/)
    if (!context.explicit && (!word || word.from === word.to)) return null
    const from = word?.from ?? context.pos
    const path: (string | number)[] = []
    let isValue = false
    for (let at: typeof node | null = node; at; at = at.parent) {
      if (at.name === 'Property') {
        const name = at.getChild('PropertyName')
        if (!name) continue
        if (context.pos > name.to) {
          path.unshift(JSON.parse(context.state.sliceDoc(name.from, name.to)) as string)
          if (path.length === 1 && node.name !== '{')
            isValue = node.name !== 'Object' && node.name !== 'PropertyName'
        }
      } else if (at.name === 'Array') path.unshift(0)
    }
    const target = path.reduce<Schema | undefined>((inner, key) => {
      const own = inner && resolve(root, inner)
      return typeof key === 'number' ? own?.items : own?.properties?.[key]
    }, schema)
    const found = target && resolve(root, target)
    if (!found) return null
    const quoteText = (text: string) => JSON.stringify(text)
    if (isValue) {
      const values = found.enum ?? (found.type === 'boolean' ? [] : undefined)
      if (!values) return null
      return { from, options: values.map((value) => ({ label: quoteText(value), type: 'enum' })) }
    }
    const names = Object.entries(found.properties ?? {})
    return {
      from,
      options: names.map(([name, property]) => ({
        label: quoteText(name),
        apply: `${quoteText(name)}: `,
        info: resolve(root, property).description,
        type: 'property',
      })),
    }
  }
}
