/** The only import of zod: every schema of the project is built with this `z`. */
export { z } from 'zod'
