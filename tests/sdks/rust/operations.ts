import { readFileSync } from 'node:fs'
import type { Call } from '../call.ts'
import { given } from '../support.ts'

/* Writes a line per operation for the macro of src/bin/walk.rs, since Rust finds no function by its name at run time. */

const calls: Call[] = JSON.parse(readFileSync(given('CALLS'), 'utf8'))

const lines = calls.map(({ operationId, tag, parameters, contentType, errors }) => {
  const positions = [...parameters.keys(), ...(contentType === undefined ? [] : [parameters.length])]
  const variants = [...new Set(errors.map(({ status }) => `Status${status}`))]
  const error = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Error`
  return `"${operationId}" => ${snake(tag)}_api::${snake(operationId)}(${positions.join(', ')}), ${error} { ${variants.join(' ')} };`
})
console.log(`operations! {\n${lines.map((line) => `    ${line}\n`).join('')}}`)

function snake(words: string): string {
  return words.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(/[ -]/g, '_')
}
