import { apiKeyData } from '../../../credential-data.ts'
import { phrase } from '../../fields.ts'
import { type Call, fromPairs, pairs, type VendorRequest, vendor } from './vendor.ts'

const missingOption = (option: string) => `Segment: nothing was sent, since ${option} is empty`

const options = {
  userId: phrase('Id of the visitor at the vendor; may hold placeholders.', '{{User ID}}').optional(),
  previousId: phrase('With action Alias: earlier id of the visitor.', '{{Old ID}}').optional(),
  email: phrase('E-mail address of the visitor.', '{{Email}}').optional(),
  traits: pairs('With action Identify User: traits of the visitor.'),
  name: phrase('With action Page: name of the reported page.', 'Pricing').optional(),
  category: phrase('With action Page: category of the page.', 'Bot').optional(),
  eventName: phrase('With action Track: name of the event.', 'Lead').optional(),
  properties: pairs('With the actions Page and Track: properties of the event.'),
}

/** A batch of one, as the libraries of the vendor send it. */
function event(
  { credentials, now, uuid }: Call<typeof options, typeof apiKeyData>,
  details: Record<string, unknown>,
): VendorRequest {
  const time = now.toISOString()
  return {
    path: '/batch',
    headers: { authorization: `Basic ${Buffer.from(`${credentials.apiKey}:`).toString('base64')}` },
    json: { batch: [{ ...details, messageId: uuid(), timestamp: time }], sentAt: time },
  }
}

export const segment = vendor({
  type: 'segment',
  prefix: 'Segment',
  title: 'Segment',
  base: 'https://api.segment.io/v1',
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'write-key' },
  options,
  actions: {
    Alias: {
      required: { userId: missingOption('userId'), previousId: missingOption('previousId') },
      request: (call) => {
        const { userId, previousId } = call.options
        return event(call, { type: 'alias', userId, previousId })
      },
      example: {
        options: { userId: 'u1', previousId: 'u0' },
        request: {
          path: '/batch',
          headers: { authorization: 'Basic d3JpdGUta2V5Og==' },
          body: {
            batch: [
              { type: 'alias', userId: 'u1', previousId: 'u0', messageId: '<uuid>', timestamp: '<time>' },
            ],
            sentAt: '<time>',
          },
        },
        response: { success: true },
      },
    },
    'Identify User': {
      required: { userId: missingOption('userId'), email: missingOption('email') },
      request: (call) => {
        const { userId, email, traits } = call.options
        return event(call, { type: 'identify', userId, traits: { ...fromPairs(traits), email } })
      },
      example: {
        options: { userId: 'u1', email: 'ada@example.com', traits: [{ key: 'plan', value: 'pro' }] },
        request: {
          path: '/batch',
          body: {
            batch: [
              {
                type: 'identify',
                userId: 'u1',
                traits: { plan: 'pro', email: 'ada@example.com' },
                messageId: '<uuid>',
                timestamp: '<time>',
              },
            ],
            sentAt: '<time>',
          },
        },
        response: { success: true },
      },
    },
    Page: {
      required: { userId: missingOption('userId'), name: missingOption('name') },
      request: (call) => {
        const { userId, name, category, properties } = call.options
        return event(call, { type: 'page', userId, name, category, properties: fromPairs(properties) })
      },
      example: {
        options: { userId: 'u1', name: 'Pricing', category: 'Bot' },
        request: {
          path: '/batch',
          body: {
            batch: [
              {
                type: 'page',
                userId: 'u1',
                name: 'Pricing',
                category: 'Bot',
                properties: {},
                messageId: '<uuid>',
                timestamp: '<time>',
              },
            ],
            sentAt: '<time>',
          },
        },
        response: { success: true },
      },
    },
    Track: {
      required: { userId: missingOption('userId'), eventName: missingOption('eventName') },
      request: (call) => {
        const { userId, eventName, properties } = call.options
        return event(call, { type: 'track', userId, event: eventName, properties: fromPairs(properties) })
      },
      example: {
        options: { userId: 'u1', eventName: 'Lead', properties: [{ key: 'source', value: 'bot' }] },
        request: {
          path: '/batch',
          body: {
            batch: [
              {
                type: 'track',
                userId: 'u1',
                event: 'Lead',
                properties: { source: 'bot' },
                messageId: '<uuid>',
                timestamp: '<time>',
              },
            ],
            sentAt: '<time>',
          },
        },
        response: { success: true },
      },
    },
  },
})
