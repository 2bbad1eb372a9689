import { readdirSync, readFileSync } from 'node:fs'
import { readGuides } from '../pages/docs/guides.ts'
import { root } from '../root.ts'

/* Guides and schemas as resources. Both are files of the project, which are found by their place in this list alone. */

const schemaFolder = new URL('generated/schemas/', root)

interface Listed {
  uri: string
  name: string
  title: string
  mimeType: string
  read(): string
}

let listed: Listed[] | undefined

export function resources(): Listed[] {
  listed ??= [
    ...readGuides().map(({ name, title, text }) => ({
      uri: `bots://guides/${name}`,
      name,
      title,
      mimeType: 'text/markdown',
      read: () => text,
    })),
    ...readdirSync(schemaFolder)
      .sort()
      .map((file) => ({
        uri: `bots://schemas/${file}`,
        name: file,
        title: `JSON Schema of a bot: ${file}`,
        mimeType: 'application/schema+json',
        read: () => readFileSync(new URL(file, schemaFolder), 'utf8'),
      })),
  ]
  return listed
}
