import { readdirSync, readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { root } from '../root.ts'
import { kept } from './kept.ts'

/*
 * The published document, its forms for tools that need less or older ones, what belongs to it, and the schemas of
 * bots for editors. What is known only here stands in for what the files show: the address of the installation,
 * whom to ask, and its terms. Files are read when somebody asks: together they are several megabytes.
 */

const documents = ['openapi', 'openapi-slim', 'openapi-slim-3.0']

export interface Installation {
  config: Config
  /** Where callers reach the service; known once it listens. */
  publicUrl: () => string
}

export function serveDocuments(
  serve: (path: string, handler: RequestHandler) => void,
  installation: Installation,
): void {
  for (const name of documents) {
    const yaml = () => published(readFileSync(new URL(`${name}.yaml`, root), 'utf8'), installation)
    serve(`/${name}.yaml`, kept('application/yaml', yaml))
    serve(
      `/${name}.json`,
      kept('application/json', async () => {
        const { parse } = await import('yaml')
        return JSON.stringify(parse(yaml()))
      }),
    )
  }
  for (const name of ['openapi-overlay.yaml', 'arazzo.yaml']) {
    serve(
      `/${name}`,
      kept('application/yaml', () => readFileSync(new URL(name, root))),
    )
  }
  const schemas = new URL('generated/schemas/', root)
  for (const name of readdirSync(schemas)) {
    const send = kept('application/schema+json', () => readFileSync(new URL(name, schemas)))
    serve(`/schemas/${name}`, (request, response, next) => {
      // Editors run in pages of other origins too, and there is nothing in a schema to keep from them.
      response.setHeader('Access-Control-Allow-Origin', '*')
      return send(request, response, next)
    })
  }
}

/** The document of this installation: without configuration it names nobody and no terms. */
function published(yaml: string, { config, publicUrl }: Installation): string {
  const contact = Object.entries({
    name: config.CONTACT_NAME,
    url: config.CONTACT_URL,
    email: config.CONTACT_EMAIL,
  }).flatMap(([key, value]) => (value === undefined ? [] : [`    ${key}: ${JSON.stringify(value)}\n`]))
  return yaml
    .replace(/^ {2}contact:\n(?: {4}.*\n)+/m, () =>
      contact.length > 0 ? `  contact:\n${contact.join('')}` : '',
    )
    .replace(/^ {2}termsOfService: .*\n/m, () =>
      config.TERMS_URL ? `  termsOfService: ${JSON.stringify(config.TERMS_URL)}\n` : '',
    )
    .replace(/^ {2}url: http:\/\/localhost:3000\/docs\n/m, () => `  url: ${publicUrl()}/docs\n`)
    .replace(/^ {2}- url: \/\n/m, () => `  - url: ${publicUrl()}\n`)
}
