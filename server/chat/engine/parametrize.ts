/** Code with `{{...}}` in it becomes code with parameters: values get in as values, never as code. */
import { randomBytes } from 'node:crypto'
import jsTokens, { type Token } from 'js-tokens'

const MAX_CODE_CHARACTERS = 100_000

/** `text`: the parameter is used inside a quoted text, and holds the value as it appears in texts. */
export interface Parameter {
  name: string
  variable: string
  kind: 'value' | 'text'
}

/** `pieces` of code and the `variables` between them, one fewer. */
export function parametrize(
  pieces: string[],
  variables: string[],
): { code: string; parameters: Parameter[] } {
  const all = pieces.join('')
  // Names that the code itself does not use.
  const mark = `_${randomBytes(6).toString('hex')}_`
  const suffix = /(?:variable|text)\d+_/.test(all) ? mark : '_'
  const numbers = new Map<string, number>()
  for (const variable of variables) if (!numbers.has(variable)) numbers.set(variable, numbers.size)
  const marked = pieces.reduce(
    (code, piece, index) => `${code}variable${numbers.get(variables[index - 1] ?? '')}${mark}${piece}`,
  )
  const used = new Set<string>()
  const use = (name: string) => {
    used.add(name)
    return name
  }
  const valueName = (number: string) => use(`variable${number}${suffix}`)
  const textName = (number: string) => use(`text${number}${suffix}`)

  // Code beyond that length does not run, and reading it would block the thread.
  const isRead = /["'`/]/.test(all) && all.length <= MAX_CODE_CHARACTERS
  const tokens: Token[] = isRead ? [...jsTokens(marked)] : [{ type: 'IdentifierName', value: marked }]
  const code = tokens.map((token, index) => {
    const parts = partsOf(token.value, mark)
    if (parts.length === 1) return token.value
    if (token.type === 'StringLiteral') {
      const quote = token.value[0]
      const text = parts
        .map((part, at) => (at % 2 === 0 ? dropOddBackslash(part) : `${quote}+${textName(part)}+${quote}`))
        .join('')
      return isKey(tokens, index) ? `[${text}]` : `(${text})`
    }
    if (/Template/.test(token.type))
      return parts
        .map((part, at) => (at % 2 === 0 ? dropOddBackslash(part) : `\${${textName(part)}}`))
        .join('')
    if (token.type === 'RegularExpressionLiteral') {
      const end = token.value.lastIndexOf('/')
      const pattern = partsOf(token.value.slice(1, end), mark)
      const source = pattern
        .map((part, at) => (at % 2 === 0 ? JSON.stringify(part) : textName(part)))
        .join('+')
      return `new RegExp(${source},${JSON.stringify(token.value.slice(end + 1))})`
    }
    return parts.map((part, at) => (at % 2 === 0 ? part : valueName(part))).join('')
  })
  const parameters = [...numbers].flatMap(([variable, number]): Parameter[] => [
    { name: `variable${number}${suffix}`, variable, kind: 'value' },
    { name: `text${number}${suffix}`, variable, kind: 'text' },
  ])
  return { code: code.join(''), parameters: parameters.filter(({ name }) => used.has(name)) }
}

/** Splits code into the texts between the marked names and the numbers of these names, alternating. */
function partsOf(code: string, mark: string): string[] {
  const ends = code.split(mark)
  const last = ends.pop() ?? ''
  return [...ends.flatMap((end) => split(end, end.lastIndexOf('variable'))), last]
}

function split(end: string, at: number): [string, string] {
  return [end.slice(0, at), end.slice(at + 'variable'.length)]
}

/** Removes a backslash at the end, which would now escape the first character of the parameter. */
function dropOddBackslash(part: string): string {
  let backslashes = 0
  while (part[part.length - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 0 ? part : part.slice(0, -1)
}

/** True if the token is a key of an object, where an expression needs brackets around it. */
function isKey(tokens: Token[], index: number): boolean {
  const neighbour = (step: number): string | undefined => {
    let at = index + step
    while (/WhiteSpace|LineTerminator|Comment/.test(tokens[at]?.type ?? '')) at += step
    return tokens[at]?.value
  }
  return neighbour(1) === ':' && /^[{,]$/.test(neighbour(-1) ?? '')
}
