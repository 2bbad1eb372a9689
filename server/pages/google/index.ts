import type express from 'express'
import { pick } from '../../../contract/bot-document/blocks/vendors/vendor.ts'
import { createPageToken, createSecret } from '../../access/browser-sessions.ts'
import type { Services } from '../../context.ts'
import { MS_PER_MINUTE } from '../../durations.ts'
import { asObject, asObjects, asString, parseJson } from '../../json/access.ts'
import { dispatch, type InnerResponse } from '../../kit/dispatch.ts'
import { basePathOf } from '../../kit/paths.ts'
import {
  clearCookie,
  isOfOwnPage,
  queryOf,
  readCookie,
  type Serve,
  sessionOf,
  setCookie,
} from '../sign-in/browser.ts'
import { refuseOrigin } from '../sign-in/index.ts'
import { buttonForm, factList, link, paragraph, sendPage } from '../sign-in/page.ts'
import {
  type Attempt,
  CONSENT_MINUTES,
  type Consent,
  type ConsentRejection,
  type ConsentType,
  consentAddress,
  consentScopes,
  hasGoogleClient,
  readAttempt,
  readConsentError,
  redeemConsent,
} from './consent.ts'

/*
 * The way of a member to the consent page of Google and back. Only the form of the page before it begins a consent, so
 * that no link of others does. Reads and writes of credentials are requests to their operations in the name of the
 * member.
 */

const MAX_NAME_CHARACTERS = 255

/** Serves the page before Google, the way there, which its form takes, and the way back. */
export function serveGoogleConsent(serve: Serve, services: Services): void {
  const { db, now, publicUrl, config } = services
  const callback = () => `${publicUrl()}/credentials/google/callback`

  serve(
    '/credentials/google',
    async (request, response) => {
      const begun = await permittedAttempt(request, response)
      if (!begun) return
      const outcome = await ask(request, 'GET', pathOf(begun.attempt))
      const workspace = asString(pick(parseJson(outcome?.text ?? ''), 'workspace', 'name'))
      if (workspace === undefined) return sendRejection(response, 'not allowed', '../')
      sendConsentForm(response, begun, workspace)
    },
    async (request, response) => {
      if (!isOfOwnPage(request, publicUrl(), config)) return refuseOrigin(request, response, services)
      const begun = await permittedAttempt(request, response)
      if (!begun) return
      const secret = createSecret()
      setCookie(response, 'google', publicUrl(), secret, CONSENT_MINUTES * MS_PER_MINUTE)
      response.redirect(303, consentAddress(services, secret, begun.attempt, callback(), now()))
    },
  )

  serve('/credentials/google/callback', async (request, response) => {
    const [query, secret] = [queryOf(request), readCookie(request, 'google', publicUrl())]
    const session = await sessionOf(request, services)
    const state = query.get('state') ?? ''
    const attempt = secret === undefined ? undefined : readAttempt(services, secret, state, now())
    if (secret === undefined || !attempt || attempt.userId !== session?.user.id)
      return sendRejection(response, 'ended', '../../')
    // Whatever comes of it, this browser does not come back with it.
    clearCookie(response, 'google', publicUrl())
    const code = query.get('code')
    if (!code) {
      const rejection = readConsentError(services, query.get('error') ?? '')
      return sendRejection(response, rejection, '../../')
    }
    const consent = await redeemConsent(services, secret, { state, code, type: attempt.type }, callback())
    if (typeof consent === 'string') return sendRejection(response, consent, '../../')
    const stored = await store(request, attempt, consent)
    const back = `../../${credentialsPage(attempt)}`
    if (stored === undefined || stored.status >= 300) {
      const problem = asObject(parseJson(stored?.text ?? ''))
      const [issue] = asObjects(problem.issues)
      const text = asString(issue?.message) ?? asString(problem.message) ?? 'You are not signed in any more'
      const body = paragraph(`The credentials were not stored: ${text}.`) + link('Back to credentials', back)
      return sendPage(response, { title: 'The account is not connected', body, status: 409, up: '../../' })
    }
    const { credentials } = asObject(parseJson(stored.text))
    const name = asString(asObject(credentials).name) ?? ''
    const body = paragraph(`Blocks can use it as ${name}.`) + link('Back to credentials', back)
    sendPage(response, { title: 'The account is connected', body, up: '../../' })
  })

  /** The attempt that an address names, if the member may make it; else sends a response that says why not. */
  async function permittedAttempt(
    request: express.Request,
    response: express.Response,
  ): Promise<PermittedAttempt | undefined> {
    const session = await sessionOf(request, services)
    if (!session) return void sendToSignIn(request, response)
    if (!hasGoogleClient(services)) return void sendRejection(response, 'not set up', '../')
    const attempt = attemptOf(queryOf(request), session.user.id)
    if (!attempt) return void sendRejection(response, 'not complete', '../')
    const outcome = await ask(request, 'GET', `${pathOf(attempt)}/credentials`)
    const known = asObjects(asObject(parseJson(outcome?.text ?? '')).credentials)
    const replaced = known.find(({ id, type }) => id === attempt.credentialsId && type === attempt.type)
    if (outcome?.status !== 200 || (attempt.credentialsId !== null && !replaced))
      return void sendRejection(response, 'not allowed', '../')
    return { attempt, replaced: replaced && asString(replaced.name) }
  }

  function sendConsentForm(
    response: express.Response,
    { attempt, replaced }: PermittedAttempt,
    workspace: string,
  ) {
    const { service, rights } = uses[attempt.type]
    const facts = factList([
      ['Workspace', workspace],
      ['Service', service],
      ['Bots may', rights],
      ...(replaced === undefined ? [] : [['Replaces', replaced] as [string, string]]),
    ])
    const body =
      paragraph(
        'Continue only if you know this workspace. Its members can build bots that use your account.',
      ) +
      facts +
      buttonForm('Continue with Google') +
      link('Back to credentials', `../${credentialsPage(attempt)}`)
    const formOrigin = new URL(config.GOOGLE_AUTHORIZATION_URL).origin
    sendPage(response, { title: 'Connect your Google account?', body, up: '../', formOrigin })
  }

  function sendToSignIn(request: express.Request, response: express.Response) {
    const base = basePathOf(publicUrl())
    const returnTo = `${base}/credentials/google?${queryOf(request)}`
    response.redirect(303, `${base}/sign-in?returnTo=${encodeURIComponent(returnTo)}`)
  }

  /** Sends a request in the name of the member; undefined once the session has ended. */
  async function ask(
    request: express.Request,
    method: string,
    target: string,
    body?: object,
  ): Promise<InnerResponse | undefined> {
    const cookie = readCookie(request, 'session', publicUrl())
    const page = cookie === undefined ? undefined : await createPageToken(db, cookie, now())
    if (!page) return undefined
    return dispatch(request, { method, target, headers: { authorization: `Bearer ${page.token}` }, body })
  }

  function store(request: express.Request, attempt: Attempt, { data, email }: Consent) {
    const { type, credentialsId } = attempt
    const path = `${pathOf(attempt)}/credentials`
    if (credentialsId !== null)
      return ask(request, 'PATCH', `${path}/${encodeURIComponent(credentialsId)}`, { type, data })
    const name = (email ?? 'Google account').slice(0, MAX_NAME_CHARACTERS)
    return ask(request, 'POST', path, { type, name, data })
  }
}

interface PermittedAttempt {
  attempt: Attempt
  /** Name of the credentials that get a new consent; undefined for new ones. */
  replaced: string | undefined
}

/** The rights that a consent of each type gives to bots, as its scope has them. */
const uses: Record<ConsentType, { service: string; rights: string }> = {
  'google sheets': { service: 'Google Sheets', rights: 'read, create, change and delete your spreadsheets' },
  gmail: { service: 'Gmail', rights: 'read and change your mails, and send mails as you' },
}

const pathOf = ({ workspaceId }: Attempt) => `/v1/workspaces/${encodeURIComponent(workspaceId)}`

const credentialsPage = ({ workspaceId }: Attempt) =>
  `credentials?workspace=${encodeURIComponent(workspaceId)}`

function attemptOf(query: URLSearchParams, userId: string): Attempt | undefined {
  const [workspaceId, type] = [query.get('workspaceId'), query.get('type') ?? '']
  if (!workspaceId || !Object.hasOwn(consentScopes, type)) return undefined
  return { userId, workspaceId, type: type as ConsentType, credentialsId: query.get('credentialsId') }
}

type Rejection = ConsentRejection | 'not set up' | 'not complete' | 'not allowed'

const messages: Record<Rejection, { status: number; title: string; text: string }> = {
  'not set up': {
    status: 404,
    title: 'Google is not set up',
    text: 'The operator has to set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET. Until then, paste the data of an account into the credentials.',
  },
  'not complete': {
    status: 400,
    title: 'This address is not complete',
    text: 'Begin at the credentials page of your workspace.',
  },
  'not allowed': {
    status: 403,
    title: 'You may not do this',
    text: 'Your role cannot change credentials of this workspace, or these credentials were deleted. Ask an admin of the workspace.',
  },
  ended: {
    status: 400,
    title: 'This consent has ended',
    text: `It was used already, was begun in another browser or by another user, or took longer than ${CONSENT_MINUTES} minutes. Begin again at the credentials page.`,
  },
  declined: {
    status: 403,
    title: 'The account is not connected',
    text: 'Google says that you did not agree. Begin again at the credentials page to agree after all.',
  },
  incomplete: {
    status: 403,
    title: 'The account is not connected',
    text: 'You did not agree to everything that the blocks need. Begin again, and tick all boxes at Google.',
  },
  misconfigured: {
    status: 502,
    title: 'Google refuses this service',
    text: 'The operator has to check GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and the redirect address of the client in Google Cloud. The log of the service says more.',
  },
  unavailable: {
    status: 503,
    title: 'Google does not respond',
    text: 'Begin again at the credentials page.',
  },
}

function sendRejection(response: express.Response, rejection: Rejection, up: string) {
  const { status, title, text } = messages[rejection]
  if (status === 503) response.setHeader('Retry-After', 60)
  sendPage(response, {
    title,
    body: paragraph(text) + link('Go to credentials', `${up}credentials`),
    status,
    up,
  })
}
