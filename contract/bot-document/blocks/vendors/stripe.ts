import { credentialData, plainText, secret, serviceAddress } from '../../../credential-data.ts'
import { z } from '../../../kit/zod.ts'
import { bearer, type Probe, type VendorRow } from './vendor.ts'

/* Payments. Their block is an input, so the row has no action: see `server/chat/engine/payments/payment.ts`. */

const publicKey = (example: string) =>
  plainText(
    'Public key of the account. With it, hosts that serve chats alone show the form of Stripe.',
    example,
  )

const webhookSecret = secret(
  'Signing secret of the Stripe webhook that calls this service. With it, a payment counts even if the visitor has closed the page.',
  'whsec_example',
)

const liveKeys = credentialData('StripeLiveKeys', 'Keys that move money, for published bots.', {
  secretKey: secret('Secret or restricted key of the live mode.', 'sk_live_example').refine(
    (key) => !/^[a-z]+_test_/.test(key),
    { error: 'This is a key of the test mode: send it as test.secretKey' },
  ),
  publicKey: publicKey('pk_live_example')
    .refine((key) => !/^pk_test_/.test(key), {
      error: 'This is a key of the test mode: send it as test.publicKey',
    })
    .optional(),
  webhookSecret: webhookSecret.optional(),
})

const testKeys = credentialData('StripeTestKeys', 'Keys that move no money, for previews.', {
  secretKey: secret('Secret or restricted key of the test mode.', 'sk_test_example').refine(
    (key) => !/^[a-z]+_live_/.test(key),
    { error: 'This is a key of the live mode: send it as live.secretKey' },
  ),
  publicKey: publicKey('pk_test_example')
    .refine((key) => !/^pk_live_/.test(key), {
      error: 'This is a key of the live mode: send it as live.publicKey',
    })
    .optional(),
  webhookSecret: webhookSecret.optional(),
})

export const stripeData = z
  .strictObject({
    live: liveKeys.optional(),
    test: testKeys.optional(),
    baseUrl: serviceAddress(
      'Address of the API, if not that of Stripe.',
      'https://stripe.example.com',
    ).optional(),
  })
  .refine(({ live, test }) => live !== undefined || test !== undefined, {
    error: 'Expected live, test or both',
  })
  // A component loses its name when a rule is added to it.
  .meta({
    id: 'StripeData',
    description:
      'An account of Stripe. Published bots need live keys to take payments. Previews need test keys to show payments.',
  })

type Keys = z.output<typeof liveKeys> | undefined

function probe(part: string, keys: Keys): Probe | undefined {
  return (
    keys && { part, method: 'GET', path: '/v1/checkout/sessions?limit=1', headers: bearer(keys.secretKey) }
  )
}

export const stripe: VendorRow = {
  type: 'stripe',
  title: 'Stripe',
  base: 'https://api.stripe.com',
  baseKey: 'baseUrl',
  optionsShape: {},
  credentials: stripeData,
  exampleCredentials: { live: { secretKey: 'sk_live_example' } },
  probes: ({ live, test }) =>
    [probe('live', live as Keys), probe('test', test as Keys)].filter((each) => each !== undefined),
  actions: {},
}
