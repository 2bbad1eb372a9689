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
  url: url('Address of the request; may hold placeholders.', 'https://api.example.com/leads').optional(),
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
    variableId: variableReference('that stores the part', 'varPlan').optional(),
    bodyPath: phrase('Path of the part in the body.', 'data.plan').optional(),
  }),
  'Parts of the received body and the variables that store them.',
)

const optionsShape = {
  variablesForTest: list(testVariable, 'Values of variables in test requests.').optional(),
  responseVariableMapping: responseVariableMapping.optional(),
  isCustomBody: flag('True if the request sends `body` instead of all answers. Default false.').optional(),
  isExecutedOnClient: flag('True if the browser of the visitor sends the request. Default false.').optional(),
  timeout: number('Timeout for the response, in seconds. Default 10.', {
    min: 1,
    max: 120,
    example: 10,
  }).optional(),
  proxyCredentialsId: reference(
    'Id of the credentials of a proxy. This service supports no proxies and does not send such a request.',
    'crdProxy',
  ).optional(),
  isAdvancedConfig: flag('True if the editor shows all properties, in older documents.').optional(),
}

const options = component('HttpRequestOptions', 'Request to send, and parts of the response to store.', {
  ...optionsShape,
  webhook: component('HttpRequestDefinition', 'The HTTP request to send.', requestShape).optional(),
}).optional()

const legacyOptions = component(
  'LegacyHttpRequestOptions',
  'Request to send, and parts of the response to store, in versions 3, 4 and 5.',
  {
    ...optionsShape,
    webhook: component('LegacyHttpRequestDefinition', 'The request, in versions 3, 4 and 5.', {
      id: reference('Id of the request. Required in versions 4 and 5.', 'reqLead').optional(),
      ...requestShape,
    }).optional(),
  },
).optional()

export const httpRequests = [
  block('HttpRequestBlock', 'Webhook', 'Sends an HTTP request. The type still has its old name.', {
    options,
  }),
  block('ZapierBlock', 'Zapier', 'Starts a Zap by an HTTP request.', { options }),
  block('MakeComBlock', 'Make.com', 'Starts a Make.com scenario by an HTTP request.', { options }),
  block('PabblyBlock', 'Pabbly', 'Starts a Pabbly workflow by an HTTP request.', { options }),
] as const

/**
 * Version 3 stores the request outside the document, so the id may be missing. From version 4 on the document contains
 * the request, and the id links both.
 */
export function legacyHttpRequests(isRequestIdRequired: boolean) {
  const shape = {
    webhookId: reference(
      'Id of the request, which version 3 stores outside the document.',
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
