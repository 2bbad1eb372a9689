import { Script } from 'node:vm'

/** Longer or deeper nested code is not parsed: an engine may take quadratic time for it, and a caller waits. */
const MAX_PARSED_CHARACTERS = 100_000
const MAX_PARSED_DEPTH = 100

/** The syntax error of code that is neither an expression nor statements. The code is parsed, never run. */
export function syntaxFault(code: string): string | undefined {
  // Pages of scripts may be wrapped in tags; a placeholder is a value.
  const plain = code.trim()
  if (plain === '' || plain.length > MAX_PARSED_CHARACTERS || plain.startsWith('<')) return undefined
  if (isDeep(plain)) return undefined
  const filled = plain.replace(/\{\{=|=\}\}/g, '').replace(/\{\{[^{}]*\}\}/g, 'value')
  return parseFault(`(async () => (${filled}\n))`) && parseFault(`(async () => {${filled}\n})`)
}

/** Brackets in texts and comments count as well: the result is true too often rather than too seldom. */
function isDeep(code: string): boolean {
  let depth = 0
  for (const [bracket] of code.matchAll(/[([{}\])]/g)) {
    depth += '}])'.includes(bracket) ? -1 : 1
    if (depth > MAX_PARSED_DEPTH) return true
  }
  return false
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
