import { credentialData, plainText, serviceAddress } from '../../../credential-data.ts'
import { text } from '../../../kit/fields.ts'
import { z } from '../../../kit/zod.ts'
import { sheetOptions } from '../sheets.ts'
import { googleOAuth } from './google-oauth.ts'
import type { VendorRow } from './vendor.ts'

const serviceAccount = credentialData(
  'GoogleServiceAccount',
  'The JSON key of a service account, as Google Cloud issues it. Share the sheet with its address.',
  {
    client_email: plainText('Address of the account.', 'bots@project.iam.gserviceaccount.com'),
    private_key: text(10_000, 1).meta({
      format: 'password',
      description: 'Private key, in PEM.',
      example: '-----BEGIN PRIVATE KEY-----\nexample\n-----END PRIVATE KEY-----\n',
    }),
    token_uri: serviceAddress(
      'Address that issues tokens. Default https://oauth2.googleapis.com/token.',
      'https://oauth2.googleapis.com/token',
    ).optional(),
    type: plainText('Kind of the key; not used.', 'service_account').optional(),
    project_id: plainText('Project of the account; not used.', 'project').optional(),
    private_key_id: plainText('Id of the key; not used.', 'a1b2').optional(),
    client_id: plainText('Id of the account; not used.', '1234').optional(),
    auth_uri: plainText('Not used.', 'https://accounts.google.com/o/oauth2/auth').optional(),
    auth_provider_x509_cert_url: plainText(
      'Not used.',
      'https://www.googleapis.com/oauth2/v1/certs',
    ).optional(),
    client_x509_cert_url: plainText('Not used.', 'https://www.googleapis.com/robot/v1').optional(),
    universe_domain: plainText('Not used.', 'googleapis.com').optional(),
  },
)

export const googleSheetsData = z
  .strictObject({
    serviceAccount: serviceAccount.optional(),
    oauth: googleOAuth.optional(),
    baseUrl: serviceAddress(
      'Address of the API, if not that of Google.',
      'https://sheets.example.com',
    ).optional(),
  })
  .refine(({ serviceAccount, oauth }) => (serviceAccount === undefined) !== (oauth === undefined), {
    error: 'Expected either `serviceAccount` or `oauth`',
  })
  .meta({
    id: 'GoogleSheetsData',
    description:
      'An account that reads and writes sheets: a service account, or the account of a Google user.',
  })

const noSpreadsheet = 'Missing credentialsId or spreadsheetId'
const required = {
  spreadsheetId: noSpreadsheet,
  sheetId: 'Google Sheets: no sheet is chosen',
}

/** The block is in every version, so its shape is beside the others of its kind. */
export const googleSheets: VendorRow = {
  type: 'google sheets',
  title: 'Google Sheets',
  base: 'https://sheets.googleapis.com',
  moreHosts: ['oauth2.googleapis.com'],
  baseKey: 'baseUrl',
  optionsShape: sheetOptions,
  credentials: googleSheetsData,
  exampleCredentials: {},
  noCredentials: noSpreadsheet,
  unknownCredentials: 'Credentials not found',
  actions: {
    'Get data from sheet': {
      required: { ...required, cellsToExtract: 'Google Sheets: there are no cells to extract' },
      context: 'While getting data from the sheet',
    },
    'Insert a row': {
      required: { ...required, cellsToInsert: 'Google Sheets: there are no cells to insert' },
      context: 'While inserting a row in the sheet',
    },
    'Update a row': {
      required: { ...required, cellsToUpsert: 'Google Sheets: there are no cells to update' },
      context: 'While updating the sheet',
    },
  },
}
