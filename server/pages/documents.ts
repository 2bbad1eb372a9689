import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { root } from '../root.ts'
import { cachedAsset } from './cached-asset.ts'

/*
 * Serves the published document, its forms for tools that need less or older ones, documents that belong to it, and
 * the schemas of bots for editors. Values of this installation replace those in the files: its address, its contact
 * and its terms. Files are read on the first request: together they are several megabytes.
 */

/** By the name they are served under. */
const documents = {
  openapi: 'openapi.yaml',
  'openapi-slim': 'generated/openapi-slim.yaml',
  'openapi-slim-3.0': 'generated/openapi-slim-3.0.yaml',
  'openapi-untagged': 'generated/openapi-untagged.yaml',
  'openapi-3.2': 'generated/openapi-3.2.yaml',
}

export interface Installation {
  config: Config
  /** The address of the service for callers; known once it listens. */
  publicUrl: () => string
}

export function serveDocuments(
  serve: (path: string, handler: RequestHandler) => void,
  installation: Installation,
): void {
  // Viewers, editors and clients run in pages of other origins too, and nothing here is secret.
  const servePublic = (path: string, send: RequestHandler) =>
    serve(path, (request, response, next) => {
      response.setHeader('Access-Control-Allow-Origin', '*')
      return send(request, response, next)
    })
  for (const [name, path] of Object.entries(documents)) {
    const yaml = () => adaptDocument(readFileSync(new URL(path, root), 'utf8'), installation)
    servePublic(`/${name}.yaml`, cachedAsset('application/yaml', yaml))
    let json: Promise<string> | undefined
    const convert = () => {
      // For all codings; tried again once it has failed.
      json ??= convertToJson(yaml()).catch((error) => {
        json = undefined
        throw error
      })
      return json
    }
    servePublic(`/${name}.json`, cachedAsset('application/json', convert))
  }
  const beside = {
    '/openapi-overlay.yaml': new URL('generated/openapi-overlay.yaml', root),
    '/arazzo.yaml': new URL('generated/arazzo.yaml', root),
  }
  for (const [path, file] of Object.entries(beside)) {
    servePublic(
      path,
      cachedAsset('application/yaml', () => readFileSync(file)),
    )
  }
  const schemas = new URL('generated/schemas/', root)
  for (const name of readdirSync(schemas)) {
    servePublic(
      `/schemas/${name}`,
      cachedAsset('application/schema+json', () => readFileSync(new URL(name, schemas))),
    )
  }
}

let lastConversion: Promise<unknown> = Promise.resolve()

/**
 * Runs in a thread: parsing takes a second, for which the process would serve nothing else. One at a time, since a
 * thread takes some 100 MB.
 */
function convertToJson(yaml: string): Promise<string> {
  const parser = createRequire(import.meta.url).resolve('yaml')
  const conversion = lastConversion.then(async () => {
    const thread = new Worker(source, { eval: true, execArgv: [], workerData: { parser, yaml } })
    const [json] = await once(thread, 'message')
    return json
  })
  lastConversion = conversion.catch(() => {})
  return conversion
}

const source = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.postMessage(JSON.stringify(require(workerData.parser).parse(workerData.yaml)))`

/** The document of this installation: without configuration it names no contact and no terms. */
function adaptDocument(yaml: string, { config, publicUrl }: Installation): string {
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
