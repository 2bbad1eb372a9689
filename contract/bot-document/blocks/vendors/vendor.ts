import { z } from '../../../kit/zod.ts'
import { component, list, name, notOneOf, phrase, prose, reference, variableReference } from '../../fields.ts'
import { block } from '../block.ts'

/*
 * One row per outside service. Everything about a vendor follows from its row: the shape of its block, the type of
 * its credentials, the findings of a check, the table of the guide, the hosts that get its key, the request of an
 * action and the variables that take the response.
 */

/** An action as chats run it. Without `request` it has a runner in `server/chat/engine/blocks/vendors`. */
export interface Action<Shape extends z.ZodRawShape = z.ZodRawShape, Data extends z.ZodObject = z.ZodObject> {
  /** Options without which nothing is sent, each with the entry of the log. */
  required?: { [Key in keyof Shape]?: string }
  /** Parts of the response that documents may store in variables, by `responseMapping`. */
  items?: readonly string[]
  /** Start of the entry in the log when the vendor responds with an error. */
  context?: string
  /** Sentence about an action that the vendor has shut down: since when, and its replacement. */
  shutdownNotice?: string
  /** Milliseconds for the request. Default `DEFAULT_VENDOR_TIMEOUT_MS` of the server. */
  timeoutMs?: number
  /** The action runs without an account at the vendor. */
  canRunWithoutCredentials?: boolean
  /** The one request of the action. It depends on the call alone. */
  request?: (call: Call<Shape, Data>) => VendorRequest | SkipReason
  /** Returns a second and last request after a status over 399. */
  requestAgain?: (status: number, call: Call<Shape, Data>) => VendorRequest | undefined
  /** Reads the response: its JSON, or its text if it is not JSON. */
  read?: (body: unknown, call: Call<Shape, Data>) => ActionResult
  /** The response is a file: it is stored with the result, and its address goes into the variable of that option. */
  file?: { into: keyof Shape & string; name: string; mediaType: string }
  /** The action makes a file, so it needs storage for files. */
  hasFileOutput?: boolean
  /** A request and its response. Tests compare the request with that of a chat. */
  example?: Example
}

export interface Call<Shape extends z.ZodRawShape = z.ZodRawShape, Data extends z.ZodObject = z.ZodObject> {
  /** Options with filled-in placeholders, without empty and malformed ones. */
  options: { [Key in keyof Shape]?: NonNullable<z.output<Shape[Key]>> }
  credentials: z.output<Data>
  /** Base of requests: the address of the credentials, else that of the vendor; without a slash at the end. */
  base: string
  /** Text of the variable that has this id; undefined if it is empty. */
  valueOf: (variableId: string | undefined) => string | undefined
  /** The same id in all turns of a visitor. */
  visitorId: string
  now: Date
  uuid: () => string
}

/** A request with at most one of the bodies. */
export interface VendorRequest {
  /** Default POST. */
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Behind the base. Encode values with `encodeURIComponent`. */
  path: string
  query?: Record<string, string | undefined>
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string | undefined>
  parts?: Record<string, string | { name: string; bytes: Uint8Array; mediaType?: string }>
}

/** A request that changes nothing and shows if the vendor accepts credentials. */
export interface Probe extends VendorRequest {
  /** Part of the credentials that the probe tests, if there are several. */
  part?: string
}

/** Reason in the log for sending no request. */
export interface SkipReason {
  status: 'error' | 'info'
  description: string
}

export interface ActionResult {
  /** By names that `responseMapping` uses. */
  items?: Record<string, unknown>
  /** By names of options that hold the id of a variable. */
  variables?: Record<string, unknown>
  /** The response says that the action failed. */
  error?: string
}

interface Example {
  options: Record<string, unknown>
  /** `<uuid>` and `<time>` stand for values that differ. */
  request: {
    method?: string
    path: string
    headers?: Record<string, string>
    body?: unknown
  }
  /** JSON, or a text. */
  response: unknown
  /** Values by item of `responseMapping`, or by option that names the variable. `<file>` is the address of a file. */
  savedValues?: Record<string, unknown>
}

/** A row without its types, for code that handles every vendor. */
export interface VendorRow {
  type: string
  title: string
  base?: string
  /** Other hosts than that of the base that receive the key or a token made from it. */
  moreHosts?: readonly string[]
  baseKey: string
  optionsShape: z.ZodRawShape
  credentials: z.ZodObject | undefined
  exampleCredentials: Record<string, unknown>
  /** Undefined if the vendor offers no request that tests a key. */
  probes?: (credentials: Record<string, unknown>, base: string) => Probe[]
  actions: Readonly<Record<string, Action>>
  /** Entries of the log if the block names no credentials, or unknown ones. */
  noCredentials?: string
  unknownCredentials?: string
}

interface VendorDefinition<Type extends string, Shape extends z.ZodRawShape, Data extends z.ZodObject> {
  type: Type
  /** Prefix of the names of its components. */
  prefix: string
  /** Its name, for descriptions. */
  title: string
  /** Address of the API. The key goes there, or to the address in the credentials. */
  base?: string
  /** Other hosts than that of the base that receive the key or a token made from it. */
  moreHosts?: readonly string[]
  /** Property of the credentials with another address. Default `baseUrl`. */
  baseKey?: string
  /** Data of credentials of its type; undefined if it needs none. */
  credentials?: Data
  exampleCredentials?: z.input<NoInfer<Data>>
  /** One probe for each part of the credentials. Undefined if the vendor offers no request that tests a key. */
  probes?: (credentials: z.output<NoInfer<Data>>, base: string) => Probe[]
  options: Shape
  actions: Record<string, Action<NoInfer<Shape>, NoInfer<Data>>>
}

/**
 * A block of an outside service, versions 6 and 6.1 only. Its options are one flat component with the properties of
 * all its actions, because the tag may be missing. Vendors add actions, so unlisted ones are preserved, and parts of a
 * response are validated for listed ones only.
 */
export function vendor<
  const Type extends string,
  Shape extends z.ZodRawShape,
  Data extends z.ZodObject = z.ZodObject,
>(row: VendorDefinition<Type, Shape, Data>) {
  const { type, prefix, title, credentials } = row
  const actions = Object.keys(row.actions)
  const endedActions = actions.filter((action) => row.actions[action]?.shutdownNotice !== undefined)
  const items = itemsByAction(row.actions)
  const options = component(
    `${prefix}Options`,
    `Options of the ${title} block. The action decides which other properties apply.`,
    {
      credentialsId: reference('Id of the credentials of the account.', 'crdVendor').optional(),
      action: name(
        `Action of the block: ${actions.join(', ')}. The service preserves other texts. Without an action the block does nothing.`,
        actions[0] ?? '',
      ).optional(),
      ...row.options,
    },
    ...((items.size > 0 ? [mapsKnownItems(items)] : []) as never[]),
  )
  const needs = credentials === undefined ? '' : `, with credentials of type ${type}`
  const skips = endedActions.length === 0 ? '' : `; the vendor has shut down ${endedActions.join(', ')}`
  return {
    type,
    prefix,
    title,
    ...(row.base === undefined ? {} : { base: row.base }),
    ...(row.moreHosts === undefined ? {} : { moreHosts: row.moreHosts }),
    baseKey: row.baseKey ?? 'baseUrl',
    credentials: credentials as Data,
    exampleCredentials: (row.exampleCredentials ?? {}) as Record<string, unknown>,
    ...(row.probes === undefined ? {} : { probes: row.probes as VendorRow['probes'] }),
    optionsShape: row.options as z.ZodRawShape,
    actions: row.actions as unknown as Readonly<Record<string, Action>>,
    block: block(
      `${prefix}Block`,
      type,
      `Works with ${title}. Chats run it${needs}${skips}. Versions 6 and 6.1 only.`,
      { options: options.optional() },
    ),
  }
}

function itemsByAction(actions: Record<string, { items?: readonly string[] }>) {
  return new Map(Object.entries(actions).flatMap(([action, { items }]) => (items ? [[action, items]] : [])))
}

const answerMapping = component('VendorAnswerMapping', 'Stores one part of a response in a variable.', {
  item: phrase('Part of the response.', 'Message content').optional(),
  variableId: variableReference('that stores the part', 'varReply').optional(),
})

/** The property `responseMapping`. The sentence lists the items. */
export function responseMapping(items: string) {
  return list(answerMapping, `Parts of the response and the variables that store them. ${items}`).optional()
}

function mapsKnownItems(itemsByAction: Map<string, readonly string[]>) {
  return ({ action, responseMapping = [] }: { action?: string; responseMapping?: { item?: string }[] }) => {
    const allowed = itemsByAction.get(action ?? '')
    if (allowed === undefined) return undefined
    const index = responseMapping.findIndex(({ item }) => item !== undefined && !allowed.includes(item))
    return index < 0 ? undefined : notOneOf(['responseMapping', index, 'item'], allowed)
  }
}

const keyValuePair = component('KeyValuePair', 'A name and its value, such as a header.', {
  key: phrase('Name; may hold placeholders.', 'plan').optional(),
  value: prose('Value; may hold placeholders.', '{{Plan}}').optional(),
})

export function pairs(description: string) {
  return list(keyValuePair, description).optional()
}

/** The pairs that have a name and a value, as an object. */
export function fromPairs(
  keyValuePairs: readonly { key?: string; value?: string }[] | undefined,
): Record<string, string> {
  const filled = keyValuePairs?.filter(({ key, value }) => key && value) ?? []
  return Object.fromEntries(filled.map(({ key, value }) => [key as string, value as string]))
}

/** A property of any type, since the vendor alone decides it. */
export function anyValue(description: string, example: unknown) {
  return z
    .unknown()
    .meta({ description: `${description} Any JSON value.`, example })
    .optional()
}

/** A value inside of JSON by its keys; undefined if one is missing. */
export function pick(body: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    body,
  )
}

/** A list inside of JSON; empty if there is none. */
export function pickList(body: unknown, ...keys: (string | number)[]): unknown[] {
  const found = pick(body, ...keys)
  return Array.isArray(found) ? found : []
}

/** The probe of a vendor with one key. */
export function keyProbe(path: string, headers: (apiKey: string) => Record<string, string> = bearer) {
  return ({ apiKey }: { apiKey: string }): Probe[] => [{ method: 'GET', path, headers: headers(apiKey) }]
}

export function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}
