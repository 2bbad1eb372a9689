import {
  component,
  flag,
  id,
  list,
  number,
  oneOf,
  phrase,
  prose,
  reference,
  url,
  variableReference,
} from '../fields.ts'
import { block } from './block.ts'

/** Blocks that send an HTTP request: the plain one, and those of automation services. */

const requestPair = component('HttpRequestPair', 'A header or a query parameter.', {
  id: id('Id of the pair.', 'prmLang'),
  key: phrase('Name; may hold placeholders.', 'lang').optional(),
  value: prose('Value; may hold placeholders.', 'en').optional(),
})

const requestShape = {
  url: url(
    'Address the request is sent to; may hold placeholders.',
    'https://api.example.com/leads',
  ).optional(),
  method: oneOf(
    ['POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'CONNECT', 'OPTIONS', 'TRACE'],
    'HTTP method. Default POST.',
  ).optional(),
  headers: list(requestPair, 'Headers of the request.').optional(),
  queryParams: list(requestPair, 'Query parameters added to the address.').optional(),
  body: prose('Body of the request; may hold placeholders.', '{"email": "{{Email}}"}').optional(),
}

const testVariable = component('HttpTestVariable', 'Value of a variable in test requests of the editor.', {
  id: id('Id of the entry.', 'tstEmail'),
  variableId: variableReference('that has the value').optional(),
  value: prose('The value.', 'ada@example.com').optional(),
})

export const responseVariableMapping = list(
  component('HttpResponseMapping', 'Stores one part of a received body in a variable.', {
    id: id('Id of the entry.', 'mapPlan'),
    variableId: variableReference('that takes the part', 'varPlan').optional(),
    bodyPath: phrase('Where the part is found.', 'data.plan').optional(),
  }),
  'Which parts of the received body are stored where.',
)

const optionsShape = {
  variablesForTest: list(testVariable, 'Values of variables in test requests.').optional(),
  responseVariableMapping: responseVariableMapping.optional(),
  isCustomBody: flag('Whether the body is the given one instead of all answers. Default false.').optional(),
  isExecutedOnClient: flag('Whether the browser of the visitor sends the request. Default false.').optional(),
  timeout: number('Longest wait for the answer, in seconds. Default 10.', {
    min: 1,
    max: 120,
    example: 10,
  }).optional(),
  proxyCredentialsId: reference(
    'Id of the credentials of a proxy that the request goes through. This service offers none: a request with one is not sent.',
    'crdProxy',
  ).optional(),
  isAdvancedConfig: flag('Whether the editor shows all properties, in older documents.').optional(),
}

const options = component('HttpRequestOptions', 'Which request is sent and what is stored of the answer.', {
  ...optionsShape,
  webhook: component('HttpRequestDefinition', 'The HTTP request to send.', requestShape).optional(),
}).optional()

const legacyOptions = component(
  'LegacyHttpRequestOptions',
  'Which request is sent and what is stored of the answer, in versions 3, 4 and 5.',
  {
    ...optionsShape,
    webhook: component('LegacyHttpRequestDefinition', 'The request, in versions 3, 4 and 5.', {
      id: reference('Id of the request. Required in versions 4 and 5.', 'reqLead').optional(),
      ...requestShape,
    }).optional(),
  },
).optional()

export const httpRequests = [
  block('HttpRequestBlock', 'Webhook', 'Sends an HTTP request. The type keeps its old name.', { options }),
  block('ZapierBlock', 'Zapier', 'Starts a Zap by an HTTP request.', { options }),
  block('MakeComBlock', 'Make.com', 'Starts a Make.com scenario by an HTTP request.', { options }),
  block('PabblyBlock', 'Pabbly', 'Starts a Pabbly workflow by an HTTP request.', { options }),
] as const

/**
 * Up to version 3 the request is stored outside the document, so its id may be absent. From version 4 on the document
 * contains the request, and the id links both.
 */
export function legacyHttpRequests(isRequestIdRequired: boolean) {
  const shape = {
    webhookId: reference(
      'Id of the request, which version 3 keeps outside the document.',
      'reqLead',
    ).optional(),
    options: legacyOptions,
  }
  const rules = isRequestIdRequired ? [withRequestId] : []
  return [
    block(
      'LegacyHttpRequestBlock',
      'Webhook',
      'Sends an HTTP request, in versions 3, 4 and 5.',
      shape,
      ...rules,
    ),
    block(
      'LegacyZapierBlock',
      'Zapier',
      'Starts a Zap by an HTTP request, in versions 3, 4 and 5.',
      shape,
      ...rules,
    ),
    block(
      'LegacyMakeComBlock',
      'Make.com',
      'Starts a Make.com scenario by an HTTP request, in versions 3, 4 and 5.',
      shape,
      ...rules,
    ),
    block(
      'LegacyPabblyBlock',
      'Pabbly',
      'Starts a Pabbly workflow by an HTTP request, in versions 3, 4 and 5.',
      shape,
      ...rules,
    ),
  ] as const
}

function withRequestId(block: { options?: { webhook?: { id?: string } } }) {
  const request = block.options?.webhook
  return request && request.id === undefined
    ? { path: ['options', 'webhook', 'id'], message: 'The request needs an id in versions 4 and 5' }
    : undefined
}
