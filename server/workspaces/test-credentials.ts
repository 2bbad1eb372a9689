import { vendors } from '../../contract/bot-document/blocks/vendors/all.ts'
import { googleSheets } from '../../contract/bot-document/blocks/vendors/google-sheets.ts'
import { stripe } from '../../contract/bot-document/blocks/vendors/stripe.ts'
import type { Probe, VendorRow } from '../../contract/bot-document/blocks/vendors/vendor.ts'
import type { components } from '../../generated/openapi.ts'
import type { ChatTools } from '../chat-tools.ts'
import {
  asObject,
  asString,
  cutText,
  filledText,
  type JsonObject,
  parseJson,
  storableText,
} from '../json/access.ts'
import { accountOf } from '../outbound/google-account.ts'
import type { SmtpAccount } from '../outbound/mail.ts'
import { withText } from '../outbound/response-body.ts'
import { withoutSecrets } from '../outbound/secrets.ts'
import { trimSlashes } from '../outbound/trim-slashes.ts'
import { encodeRequest } from '../outbound/vendor-request.ts'

/* Tests of credentials: the probe of their row, and the word of the service without the secret. */

type Tested = components['schemas']['CredentialsTest']

const TEST_TIMEOUT_MS = 20_000
const MAX_MESSAGE_CHARACTERS = 1_000

const rows: ReadonlyMap<string, VendorRow> = new Map(
  [...vendors, stripe, googleSheets].map((row): [string, VendorRow] => [row.type, row]),
)

/** The first outcome of these that a part of the credentials has is that of all. */
const gravest = ['rejected', 'unreachable', 'unclear', 'accepted'] as const

export async function testCredentials(
  tools: Pick<ChatTools, 'httpRequest' | 'testMailAccount'>,
  { type, data: given }: { type: string; data: unknown },
  now: Date,
): Promise<Tested> {
  const data = asObject(given)
  const tell = (outcome: Tested['outcome'], status: number | null, words: string): Tested => ({
    outcome,
    status,
    message: cutText(storableText(withoutSecrets(data, words)), MAX_MESSAGE_CHARACTERS),
  })
  if (type === 'smtp') {
    try {
      await tools.testMailAccount(data as unknown as SmtpAccount, TEST_TIMEOUT_MS)
      return tell('accepted', null, 'The mail server accepts the account')
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      return tell(code === 'EAUTH' ? 'rejected' : 'unreachable', null, `The mail server: ${message}`)
    }
  }
  const row = rows.get(type)
  const title = row?.title ?? type
  if (type === 'google sheets' || type === 'gmail') return testAccount(tools, data, title, tell, now)
  if (type === 'chatwoot') return testAgentBot(tools, data, tell)
  const base = trimSlashes(filledText(asString(data[row?.baseKey ?? ''])?.trim()) ?? row?.base ?? '')
  const probes = row?.probes?.(data, base) ?? []
  if (probes.length === 0) return tell('untestable', null, `${title} tells nobody if it accepts a key`)
  const tested = await Promise.all(probes.map((probe) => send(tools, base, probe, title, tell)))
  const worst = gravest.find((outcome) => tested.some((each) => each.outcome === outcome))
  return tested.find(({ outcome }) => outcome === worst) ?? tell('unclear', null, title)
}

type Tell = (outcome: Tested['outcome'], status: number | null, words: string) => Tested

/** An account of Google is good if it gets a token. */
async function testAccount(
  tools: Pick<ChatTools, 'httpRequest'>,
  data: JsonObject,
  title: string,
  tell: Tell,
  now: Date,
): Promise<Tested> {
  const account = accountOf(data)
  const form = account.form(now)
  if (form === null) return tell('rejected', null, `${title}: the private key cannot be used`)
  return send(tools, account.tokenUri, { path: '', form }, title, tell, { rejections: [400, 401, 403] })
}

/**
 * No conversation has the number 0, so an agent bot that Chatwoot knows finds none. Versions that hide all
 * conversations from bots say that only to those with a valid token.
 */
function testAgentBot(tools: Pick<ChatTools, 'httpRequest'>, data: JsonObject, tell: Tell): Promise<Tested> {
  const probe = {
    method: 'GET' as const,
    path: `/api/v1/accounts/${data.accountId}/conversations/0`,
    headers: { api_access_token: asString(data.accessToken) ?? '', accept: 'application/json' },
  }
  const isAccepted = (status: number, text: string) =>
    (status === 404 && filledText(asObject(parseJson(text)).error) !== undefined) ||
    (status === 401 && /not authorized for bots/i.test(text))
  return send(tools, trimSlashes(asString(data.baseUrl) ?? ''), probe, 'Chatwoot', tell, { isAccepted })
}

interface Judgement {
  rejections?: readonly number[]
  isAccepted?: (status: number, text: string) => boolean
}

async function send(
  { httpRequest }: Pick<ChatTools, 'httpRequest'>,
  base: string,
  { part, ...request }: Probe,
  title: string,
  tell: Tell,
  { rejections = [401, 403], isAccepted = (status) => status < 300 }: Judgement = {},
): Promise<Tested> {
  const name = part === undefined ? title : `${title}, ${part}`
  const encoded = await encodeRequest(base, request)
  const response = withText(
    await httpRequest({ ...encoded, milliseconds: TEST_TIMEOUT_MS, redirects: 'none' }),
  )
  if (!response.ok) return tell('unreachable', null, `${name}: ${response.message}`)
  const { status, text } = response
  if (isAccepted(status, text)) return tell('accepted', status, `${name} accepts the credentials`)
  const outcome = rejections.includes(status) ? 'rejected' : 'unclear'
  return tell(outcome, status, `${name}: ${wordsIn(text) || `status ${status}`}`)
}

/** The message in an error of a service, wherever most of them have it; else all that it said. */
function wordsIn(text: string): string {
  const body = asObject(parseJson(text))
  const { error, message, detail, error_description: description, msg } = body
  const found = [asObject(error).message, description, message, asObject(detail).message, detail, msg, error]
  return found.map((each) => filledText(each)).find(Boolean) ?? text
}
