import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type ProviderClass from 'oidc-provider'

/* A provider of OpenID Connect, at which the person of the moment is signed in as soon as a browser comes. */

export interface Account {
  email?: string
  email_verified?: unknown
  name?: string
}

export const client = { OIDC_CLIENT_ID: 'bots', OIDC_CLIENT_SECRET: 'secret-of-the-service' }

export async function startOpenidProvider(callback: () => string) {
  // It logs what to set in production. The console is that of one test file.
  Object.assign(console, { warn: () => {}, info: () => {} })
  const { default: Provider } = await import('oidc-provider')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state = {
    issuer,
    /** Undefined declines. */
    account: { email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' } as Account | undefined,
    /** Requests of the service that came, by path. */
    paths: [] as string[],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  let provider: ProviderClass | undefined
  // The address of the service is known later.
  const open = () =>
    new Provider(issuer, {
      clients: [
        {
          client_id: client.OIDC_CLIENT_ID,
          client_secret: client.OIDC_CLIENT_SECRET,
          redirect_uris: [callback()],
        },
      ],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['key'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/interaction' },
      // An account is the text of its id, so that each of them keeps what it was.
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, ...JSON.parse(accountId.replace(/^\d+ /, '')) }),
      }),
      // No consent is requested.
      async loadExistingGrant({
        oidc,
      }: {
        oidc: { client: { clientId: string }; session: { accountId: string } }
      }) {
        const { clientId } = oidc.client
        const { accountId } = oidc.session
        const grant = new (provider as ProviderClass).Grant({ clientId, accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      // Without it claims are in the ID token, too.
      conformIdTokenClaims: true,
    })
  let people = 0
  server.on('request', (request, response) => {
    provider ??= open()
    const path = (request.url ?? '').replace(/\?.*/, '')
    state.paths.push(path)
    if (path !== '/interaction') return void provider.callback()(request, response)
    const { account } = state
    const result = account
      ? { login: { accountId: `${people++} ${JSON.stringify(account)}` } }
      : { error: 'access_denied', error_description: '<b>no</b>' }
    void provider.interactionFinished(request, response, result)
  })
  return state
}
