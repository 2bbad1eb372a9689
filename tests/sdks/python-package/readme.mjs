import { readFileSync } from 'node:fs'

/* Prints the programs of a README as one, in the order in which it has them, against the service that is tried. */

const text = readFileSync(process.argv[2], 'utf8')
const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
console.log(blocks.join('\n\n').replaceAll('"http://localhost:3000"', 'os.environ["BASE_URL"]'))
