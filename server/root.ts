const isSource = new URL(import.meta.url).pathname.endsWith('.ts')

/** The top of the project, seen from the sources as well as from their build in `dist/`. */
export const root = new URL(isSource ? '../' : '../../', import.meta.url)
