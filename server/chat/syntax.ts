import { Script } from 'node:vm'

/** Longer code is not parsed: parsing takes time, and a caller waits for the response. */
const MAX_PARSED_CHARACTERS = 100_000

/** The syntax error of code that is neither an expression nor statements. The code is parsed, never run. */
export function syntaxFault(code: string): string | undefined {
  // Pages of scripts may be wrapped in tags; a placeholder is a value.
  const plain = code.trim()
  if (plain === '' || plain.length > MAX_PARSED_CHARACTERS || plain.startsWith('<')) return undefined
  const filled = plain.replace(/\{\{=|=\}\}/g, '').replace(/\{\{[^{}]*\}\}/g, 'value')
  return parseFault(`(async () => (${filled}\n))`) && parseFault(`(async () => {${filled}\n})`)
}

function parseFault(code: string): string | undefined {
  try {
    new Script(code)
    return undefined
  } catch (error) {
    // By its name: the error may be of another realm than this file. Others, such as too deep nesting, say nothing.
    const { name, message } = error as Error
    return name === 'SyntaxError' ? message : undefined
  }
}
