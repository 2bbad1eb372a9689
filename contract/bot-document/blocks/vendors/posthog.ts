import { credentialData, secret, serviceAddress } from '../../../credential-data.ts'
import { component, flag, list, phrase } from '../../fields.ts'
import { type Call, fromPairs, pairs, type VendorRequest, vendor } from './vendor.ts'

const postHogData = credentialData('PostHogData', 'A project of PostHog.', {
  apiKey: secret('Key of the project.', 'phc_example'),
  host: serviceAddress(
    'Address of PostHog. Default https://us.i.posthog.com.',
    'https://eu.i.posthog.com',
  ).optional(),
})

const options = {
  isAnonymous: flag('With action Capture: true if the event has no person profile.').optional(),
  distinctId: phrase('Id of the visitor at the vendor.', '{{User ID}}').optional(),
  event: phrase('With action Capture: name of the event.', 'lead').optional(),
  properties: pairs('Details of the event or of the group.'),
  personProperties: pairs('With action Capture: properties of the person.'),
  groups: list(
    component('PostHogGroup', 'A group that the person belongs to.', {
      type: phrase('Kind of group.', 'company').optional(),
      key: phrase('Key of the group.', '{{Company}}').optional(),
    }),
    'With action Capture: groups that the person belongs to.',
  ).optional(),
  groupType: phrase('With action Identify Group: kind of group.', 'company').optional(),
  groupKey: phrase('With action Identify Group: key of the group.', '{{Company}}').optional(),
}

type PostHogCall = Call<typeof options, typeof postHogData>

function event({ credentials, now, uuid }: PostHogCall, details: Record<string, unknown>): VendorRequest {
  const record = { ...details, timestamp: now.toISOString(), uuid: uuid() }
  return { path: '/batch/', json: { api_key: credentials.apiKey, batch: [record] } }
}

function propertiesOf({ options }: PostHogCall): Record<string, unknown> {
  const person = fromPairs(options.personProperties)
  const groups = (options.groups ?? []).map(({ type, key }) => ({ key: type ?? '', value: key ?? '' }))
  const hasGroups = groups.some(({ key, value }) => key && value)
  return {
    ...fromPairs(options.properties),
    ...(Object.keys(person).length > 0 ? { $set: person } : {}),
    ...(hasGroups ? { $groups: fromPairs(groups) } : {}),
    ...(options.isAnonymous === true ? { $process_person_profile: false } : {}),
  }
}

export const postHog = vendor({
  type: 'posthog',
  prefix: 'PostHog',
  title: 'PostHog',
  base: 'https://us.i.posthog.com',
  baseKey: 'host',
  probes: ({ apiKey }) => [
    { path: '/flags/?v=2', json: { api_key: apiKey, distinct_id: 'credentials-test' } },
  ],
  credentials: postHogData,
  exampleCredentials: { apiKey: 'phc_example' },
  options,
  actions: {
    Capture: {
      required: { event: 'PostHog Capture: Missing required fields' },
      request: (call) => {
        const { isAnonymous, distinctId, event: name } = call.options
        const id = isAnonymous === true ? call.uuid() : distinctId
        if (id === undefined) return { status: 'error', description: 'Distinct ID is required' }
        return event(call, { event: name, distinct_id: id, properties: propertiesOf(call) })
      },
      example: {
        options: {
          event: 'lead',
          distinctId: 'u1',
          personProperties: [{ key: 'plan', value: 'pro' }],
          groups: [{ type: 'company', key: 'acme' }],
        },
        request: {
          path: '/batch/',
          body: {
            api_key: 'phc_example',
            batch: [
              {
                event: 'lead',
                distinct_id: 'u1',
                properties: { $set: { plan: 'pro' }, $groups: { company: 'acme' } },
                timestamp: '<time>',
                uuid: '<uuid>',
              },
            ],
          },
        },
        response: { status: 'Ok' },
      },
    },
    'Identify Group': {
      request: (call) => {
        const { groupType, groupKey, distinctId, properties } = call.options
        if (groupType === undefined || groupKey === undefined) {
          return { status: 'error', description: 'Group type and key are required' }
        }
        return event(call, {
          event: '$groupidentify',
          distinct_id: distinctId ?? `$${groupType}_${groupKey}`,
          properties: { $group_type: groupType, $group_key: groupKey, $group_set: fromPairs(properties) },
        })
      },
      example: {
        options: { groupType: 'company', groupKey: 'acme', properties: [{ key: 'size', value: '10' }] },
        request: {
          path: '/batch/',
          body: {
            api_key: 'phc_example',
            batch: [
              {
                event: '$groupidentify',
                distinct_id: '$company_acme',
                properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: '10' } },
                timestamp: '<time>',
                uuid: '<uuid>',
              },
            ],
          },
        },
        response: { status: 'Ok' },
      },
    },
  },
})
