/* Names of the contract in Python style. */

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** Converts to snake case, with a trailing underscore if the word is a keyword of Python. */
export function pythonName(name: string): string {
  const snake = snakeCase(name)
  return keywords.has(snake) ? `${snake}_` : snake
}

/** True if a property name is a valid attribute of a class. */
export function isName(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && !keywords.has(name)
}
