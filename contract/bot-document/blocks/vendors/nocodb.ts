import { credentialData, secret, serviceAddress } from '../../../credential-data.ts'
import { comparisonOperator, logicalOperator } from '../../conditions.ts'
import { component, list, oneOf, phrase, prose, variableReference } from '../../fields.ts'
import { fromPairs, keyProbe, pairs, vendor } from './vendor.ts'

const nocoDbData = credentialData('NocoDbData', 'An account of NocoDB.', {
  apiKey: secret('Token of the account.', 'nc-example'),
  baseUrl: serviceAddress(
    'Address of NocoDB. Default https://app.nocodb.com.',
    'https://nocodb.example.com',
  ).optional(),
})

const nocoDbFilter = component('NocoDbFilter', 'Selects records by their fields.', {
  comparisons: list(
    component('NocoDbComparison', 'Compares a field of the record with a text.', {
      input: phrase('Name of the field.', 'Email').optional(),
      operator: comparisonOperator.optional(),
      value: prose('The text to compare with.', '{{Email}}').optional(),
    }),
    'Comparisons with the fields of a record.',
  ),
  joiner: logicalOperator.optional(),
})

const tableId = 'Table ID is required'

export const nocoDb = vendor({
  type: 'nocodb',
  prefix: 'NocoDb',
  title: 'NocoDB',
  base: 'https://app.nocodb.com',
  probes: keyProbe('/api/v2/meta/bases', (key) => ({ 'xc-token': key })),
  credentials: nocoDbData,
  exampleCredentials: { apiKey: 'nc-example' },
  options: {
    tableId: phrase('Id of the table.', 'tbl_leads').optional(),
    viewId: phrase('Id of the view.', 'viw_open').optional(),
    returnType: oneOf(
      ['All', 'First', 'Last', 'Random'],
      'With action Search Records: records to read of those found.',
    ).optional(),
    filter: nocoDbFilter.optional(),
    fields: pairs('With action Create Record: the fields of the new record.'),
    updates: list(
      component('NocoDbUpdate', 'The new value of a field.', {
        fieldName: phrase('Name of the field.', 'Status').optional(),
        value: prose('The value.', 'Booked').optional(),
      }),
      'With action Update Existing Record: the fields that change.',
    ).optional(),
    responseMapping: list(
      component('NocoDbMapping', 'Stores one field of the found records in a variable.', {
        fieldName: phrase('Name of the field.', 'Email').optional(),
        variableId: variableReference('that stores the values').optional(),
      }),
      'With action Search Records: fields and the variables that store them.',
    ).optional(),
  },
  actions: {
    'Search Records': { required: { tableId }, context: 'While searching NocoDB records' },
    'Create Record': {
      required: { tableId, fields: 'NocoDB: nothing was sent, since there are no fields' },
      context: 'While creating NocoDB record',
      request: ({ options: { tableId = '', fields }, credentials }) => ({
        path: `/api/v2/tables/${encodeURIComponent(tableId)}/records`,
        headers: { 'xc-token': credentials.apiKey },
        json: fromPairs(fields),
      }),
      example: {
        options: {
          tableId: 't1',
          fields: [
            { key: 'Email', value: 'ada@example.com' },
            { key: '', value: 'x' },
          ],
        },
        request: {
          path: '/api/v2/tables/t1/records',
          headers: { 'xc-token': 'nc-example' },
          body: { Email: 'ada@example.com' },
        },
        response: { Id: 1 },
      },
    },
    'Update Existing Record': {
      required: {
        tableId,
        filter: 'At least one filter is required',
        updates: 'At least one update is required',
      },
      context: 'While updating NocoDB existing record',
    },
  },
})
