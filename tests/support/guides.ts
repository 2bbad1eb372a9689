import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../server/root.ts'

const top = fileURLToPath(root)

/** Returns the shell blocks of a page in order, without the indentation of the list that they stand in. */
export function shellBlocksOf(text: string): string[] {
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

/** Returns the files of folders of the project, without what is installed or built. */
export function readOwnFiles(folders: string[], pattern: RegExp): { file: string; text: string }[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((file) => pattern.test(file) && !/node_modules|\.venv|\/(target|generated)\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(top, file), 'utf8') }))
}

/** Returns every page of the project in Markdown. */
export function readPages(): { file: string; text: string }[] {
  const own = readdirSync(top)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ file, text: readFileSync(join(top, file), 'utf8') }))
  return [...own, ...readOwnFiles(['contract', 'server', 'tests', 'generated'], /\.md$/)]
}
