import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../server/root.ts'
import { type App, startApp } from './support/app.ts'
import { endpoints, published, resolve } from './support/published.ts'
import { makeWorld, type World } from './support/world.ts'

/* The workflows and the overlay beside openapi.yaml: the former are gone, step by step, the latter leads somewhere. */

type Values = Record<string, unknown>

interface Step {
  stepId: string
  operationId: string
  parameters?: { name: string; in: 'path'; value: string }[]
  requestBody?: { payload: unknown }
  successCriteria: { condition: string }[]
  outputs?: Record<string, string>
}

interface Workflow {
  workflowId: string
  steps: Step[]
  outputs: Record<string, string>
}

const read = (name: string) => parse(readFileSync(new URL(`generated/${name}`, root), 'utf8'))
const { workflows } = read('arazzo.yaml') as { workflows: Workflow[] }

let app: App
let world: World
beforeAll(async () => {
  app = await startApp()
  world = await makeWorld(app)
})
afterAll(() => app.stop())

/** The value of an expression such as `$steps.create.outputs.id` or `$response.body#/bot/id`. */
function resolved(expression: string, known: Values): unknown {
  const [place = '', pointer] = expression.slice(1).split('#/')
  const path = [...place.split('.'), ...(pointer?.split('/') ?? [])]
  return path.reduce<unknown>((inner, key) => (inner as Values | undefined)?.[key], known)
}

const filled = (value: unknown, known: Values): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner) =>
      typeof inner === 'string' && inner.startsWith('$') ? resolved(inner, known) : inner,
    ),
  )

async function go(workflowId: string, inputs: Values) {
  const workflow = workflows.find((one) => one.workflowId === workflowId)
  if (!workflow) throw new Error(`No workflow ${workflowId}`)
  const steps: Record<string, { outputs: Values }> = {}
  for (const {
    stepId,
    operationId,
    parameters = [],
    requestBody,
    successCriteria,
    outputs,
  } of workflow.steps) {
    const endpoint = endpoints.find(({ operation }) => operation.operationId === operationId)
    if (!endpoint) throw new Error(`No operation ${operationId}`)
    const known: Values = { inputs, steps }
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(filled(parameters.find((one) => one.name === name)?.value, known)),
    )
    const isOpen = endpoint.operation.security.length === 0
    const { status, body } = await app.client.send(endpoint.method, path, {
      as: isOpen ? undefined : world.here.admin,
      body: requestBody && filled(requestBody.payload, known),
    })
    Object.assign(known, { statusCode: status, response: { body } })
    for (const { condition } of successCriteria) {
      const [left = '', right = ''] = condition.split(' == ')
      const wanted = right.startsWith('$') ? resolved(right, known) : JSON.parse(right.replaceAll("'", '"'))
      expect([stepId, condition, resolved(left, known)]).toEqual([stepId, condition, wanted])
    }
    steps[stepId] = { outputs: filled(outputs ?? {}, known) as Values }
  }
  return filled(workflow.outputs, { steps }) as Values
}

describe('workflows', () => {
  test('lead from nothing to a published bot with a result', async () => {
    const outputs = await go('fromNothingToAResult', { publicId: 'from-nothing-1' })
    expect(outputs).toEqual({ botId: expect.any(String), resultId: expect.any(String) })
  })

  test('edit safely beside a faster edit', async () => {
    const { id: botId } = world.here.draft
    const outputs = await go('editSafely', { botId, name: 'Edited', staleTime: '2020-01-01T00:00:00.000Z' })
    const { bot } = await app.client.ok('getBot', { as: world.here.admin, params: { botId } })
    expect([bot.name, bot.updatedAt]).toEqual(['Edited', outputs.updatedAt])
  })

  test('are served beside the document', async () => {
    for (const name of ['arazzo.yaml', 'openapi-overlay.yaml']) {
      expect((await app.client.send('GET', `/${name}`)).text).toBe(
        readFileSync(new URL(`generated/${name}`, root), 'utf8'),
      )
    }
  })
})

interface Retries {
  'x-speakeasy-retries'?: { statusCodes: string[] }
}

describe('the overlay', () => {
  const { actions } = read('openapi-overlay.yaml') as { actions: { target: string; update: Values }[] }

  test('retries a 429 everywhere and a 503 only where a repeat does no harm', () => {
    const codesAt = (wanted: string) =>
      actions.flatMap(({ target, update }) =>
        target === wanted ? ((update as Retries)['x-speakeasy-retries']?.statusCodes ?? []) : [],
      )
    expect(codesAt('$')).toEqual(['429'])
    for (const { path, method, operation } of endpoints) {
      const isSafe = method === 'GET' || (method === 'DELETE' && operation.operationId !== 'deleteResults')
      expect(codesAt(`$.paths['${path}'].${method.toLowerCase()}`)).toEqual(isSafe ? ['429', '503'] : [])
    }
  })

  test('declares for every paged list where its entries and the next cursor are', () => {
    const lists = endpoints.flatMap(({ path, method, operation }) => {
      const isPaged = (operation.parameters ?? []).some((parameter) => resolve(parameter).name === 'cursor')
      // An export has its next cursor in a header, which the overlay has no word for.
      const isList = isPaged && operation.operationId !== 'exportResults'
      return isList ? [`$.paths['${path}'].${method.toLowerCase()}`] : []
    })
    const pages = actions.filter(({ update }) => 'x-speakeasy-pagination' in update)
    expect(pages.map(({ target }) => target)).toEqual(lists)
    for (const { target, update } of pages) {
      const [, path = '', method = ''] = /^\$\.paths\['(.*)'\]\.(\w+)$/.exec(target) ?? []
      const response = published.paths[path]?.[method]?.responses[200]
      const page = resolve(
        resolve(response ?? { description: '', content: {} }).content?.['application/json']?.schema ?? {},
      )
      const { outputs } = update['x-speakeasy-pagination'] as { outputs: Record<string, string> }
      for (const place of Object.values(outputs)) expect(page.properties).toHaveProperty(place.slice(2))
    }
  })
})
