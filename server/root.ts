/** The top of the project, seen from the sources as well as from their build in `dist/`. */
export const root = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url)
