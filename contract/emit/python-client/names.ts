/* Names of the contract as Python writes them. */

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** In snake case, with an underscore behind it where Python has another use for the word. */
export function pythonName(name: string): string {
  const snake = snakeCase(name)
  return keywords.has(snake) ? `${snake}_` : snake
}

/** Whether a property can be written in a class. */
export function isName(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && !keywords.has(name)
}
