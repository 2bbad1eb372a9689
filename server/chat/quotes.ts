/** Where in JavaScript code one is: in code, in a quoted text, or in the `${}` of a template. */
export type QuoteState = '"' | "'" | '`' | '${' | null

const ends: Record<NonNullable<QuoteState> | 'code', RegExp> = {
  code: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|["'`]/g,
  '"': /\\[\s\S]|"/g,
  "'": /\\[\s\S]|'/g,
  '`': /\\[\s\S]|`|\$\{/g,
  '${': /\}/g,
}

/** The state behind a piece of code. Regular expressions with quotes in them are not recognised. */
export function quoteAfter(code: string, before: QuoteState): QuoteState {
  let state = before
  let position = 0
  for (;;) {
    const end = ends[state ?? 'code']
    end.lastIndex = position
    const found = end.exec(code)?.[0]
    if (found === undefined) return state
    position = end.lastIndex
    if (state === null) state = found.length === 1 ? (found as QuoteState) : null
    else if (state === '${') state = '`'
    else if (found === '${') state = '${'
    else if (found === state) state = null
  }
}
