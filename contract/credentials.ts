import { vendors } from './bot-document/blocks/vendors/all.ts'
import { googleSheetsData } from './bot-document/blocks/vendors/google-sheets.ts'
import { stripeData } from './bot-document/blocks/vendors/stripe.ts'
import { chatwootData } from './chatwoot.ts'
import { name, readOnly, recordId, text, timestamp } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, type Operation, workspace } from './operation.ts'
import { emailAddress, exampleIds } from './shared.ts'

const workspaceId = recordId('Id of the workspace, as create and list return it.', exampleIds.workspace)
const credentialsId = recordId('Id of the credentials.', exampleIds.credentials)

/** Services whose blocks need an API key. Each name is both a type of credentials and a type of block. */
export const modelVendors = [
  'openai',
  'anthropic',
  'mistral',
  'groq',
  'together-ai',
  'open-router',
  'perplexity',
  'deepseek',
] as const

export type ModelVendor = (typeof modelVendors)[number]

const smtpData = z
  .strictObject({
    host: z
      .string()
      .max(255)
      .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, {
        error: 'Expected the name or the IPv4 address of a host',
      })
      .meta({ maxLength: 255, description: 'Mail server.', example: 'mail.example.com' }),
    port: z.int().min(1).max(65_535).meta({
      format: 'int32',
      description:
        'Port of the mail server: 25, 465, 587 or 2525, or another one that the installation allows.',
      example: 587,
    }),
    username: text(255, 1).optional().meta({ description: 'Name of the account.', example: 'bots' }),
    password: text(1000, 1)
      .optional()
      .meta({ format: 'password', description: 'Password of the account.', example: 'example-password' }),
    isTlsEnabled: z.boolean().optional().meta({
      description:
        'True to encrypt the connection from its beginning, as on port 465. Otherwise it is encrypted once the server offers that. Default false.',
    }),
    from: z
      .strictObject({
        email: emailAddress('Address of the sender.', 'bots@example.com'),
        name: text(255).optional().meta({ description: 'Name of the sender.', example: 'Acme bots' }),
      })
      .meta({ id: 'SmtpSender', description: 'Sender of the e-mails.' }),
  })
  .meta({ id: 'SmtpData', description: 'An account on a mail server.' })

const readOnlyProperties = {
  id: readOnly('id of the credentials'),
  workspaceId: readOnly('id of the workspace'),
  createdAt: readOnly('time of creation'),
  updatedAt: readOnly('time of the last change'),
}

const nameOf = name('Name to choose the credentials by.', 'Company account')

const typeOf = <const Type extends string>(type: Type) =>
  z.enum([type]).meta({ description: 'Type of the credentials: the service they are for.' })

function branches<const Type extends string, Data extends z.ZodType>(type: Type, label: string, data: Data) {
  return {
    create: z
      .strictObject({
        type: typeOf(type),
        name: nameOf,
        data,
        ...readOnlyProperties,
      })
      .meta({ id: `${label}CredentialsCreate`, description: `New credentials of type ${type}.` }),
    update: z
      .strictObject({
        type: typeOf(type),
        name: nameOf.optional(),
        data: data.optional(),
        ...readOnlyProperties,
      })
      .meta({ id: `${label}CredentialsUpdate`, description: `A change of credentials of type ${type}.` }),
  }
}

/** The branches of one row, with its own types. */
type BranchesOf<Row> = Row extends {
  type: infer Type extends string
  credentials: infer Data extends z.ZodObject
}
  ? string extends keyof Data['shape']
    ? never
    : ReturnType<typeof branches<Type, Data>>
  : never

const ofVendors = vendors.flatMap(({ type, prefix, credentials }) =>
  credentials === undefined ? [] : [branches(type, prefix, credentials)],
) as BranchesOf<(typeof vendors)[number]>[]

const smtp = branches('smtp', 'Smtp', smtpData)
const sheets = branches('google sheets', 'GoogleSheets', googleSheetsData)
const payments = branches('stripe', 'Stripe', stripeData)
const chatwoot = branches('chatwoot', 'Chatwoot', chatwootData)

const credentialsCreate = z
  .discriminatedUnion('type', [
    smtp.create,
    sheets.create,
    payments.create,
    chatwoot.create,
    ...ofVendors.map(({ create }) => create),
  ])
  .meta({ id: 'CredentialsCreate', description: 'New credentials; the type decides about their data.' })

const credentialsUpdate = z
  .discriminatedUnion('type', [
    smtp.update,
    sheets.update,
    payments.update,
    chatwoot.update,
    ...ofVendors.map(({ update }) => update),
  ])
  .meta({
    id: 'CredentialsUpdate',
    description: 'A change of credentials. The type is the stored one; given data replace all stored data.',
  })

// Schemas of responses

const record = z
  .object({
    id: credentialsId,
    workspaceId,
    type: text(64).meta({
      description: 'Type of the credentials: `smtp`, `chatwoot`, or the type of the blocks that use them.',
      example: 'openai',
    }),
    name: nameOf,
    createdAt: timestamp('When they were created.'),
    updatedAt: timestamp('When they were last changed.'),
  })
  .meta({
    id: 'StoredCredentials',
    description: 'Credentials of a workspace, without their secrets.',
  })

const credentialsBody = z
  .object({ credentials: record })
  .meta({ id: 'CredentialsBody', description: 'One record of credentials.' })

const credentialsTest = z
  .object({
    outcome: z.enum(['accepted', 'rejected', 'unclear', 'unreachable', 'untestable']).meta({
      description:
        '`accepted` and `rejected`: the verdict of the service. `unclear`: it responded with something else, such as a limit. `unreachable`: it did not respond, or may not be called. `untestable`: it offers no test.',
      example: 'accepted',
    }),
    status: z.int().min(100).max(999).nullable().meta({
      format: 'int32',
      description: 'Status of its response; null without one.',
      example: 200,
    }),
    message: text(1_000).meta({
      description: 'Message of the service, without the secret.',
      example: 'OpenAI accepts the credentials',
    }),
  })
  .meta({ id: 'CredentialsTest', description: 'The outcome of a test of credentials.' })

const exampleCredentials = {
  id: exampleIds.credentials,
  workspaceId: exampleIds.workspace,
  type: 'openai',
  name: 'Company account',
  createdAt: '2026-03-04T10:15:30.120Z',
  updatedAt: '2026-03-04T10:15:30.120Z',
}

const params = z.object({ workspaceId })
const credentialsParams = z.object({ workspaceId, credentialsId })

const noKey: Operation['errorExamples'] = {
  SERVICE_UNAVAILABLE: {
    summary: 'The installation has no key to encrypt with',
    issues: [
      {
        path: ['body', 'data'],
        code: 'no_encryption_key',
        message: 'Nothing can be encrypted: the operator has to set ENCRYPTION_KEY',
      },
    ],
  },
}

export const credentials = define({
  listCredentials: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/credentials',
    tag: 'credentials',
    summary: 'List the credentials of a workspace',
    description:
      'Returns the credentials that bots of the workspace can use, newest first. Secrets are never shown.',
    tool: {
      name: 'list_credentials',
      description:
        'Lists the accounts and keys of outside services that blocks of a workspace may name as `credentialsId`. Secrets are never shown.',
    },
    access: workspace('MEMBER'),
    params,
    success: {
      status: 200,
      description: 'The credentials, newest first.',
      body: z
        .object({
          credentials: z.array(record).max(200).meta({ description: 'The credentials, newest first.' }),
        })
        .meta({ id: 'CredentialsList', description: 'The credentials of a workspace.' }),
      examples: { one: { summary: 'One account', value: { credentials: [exampleCredentials] } } },
    },
  },
  createCredentials: {
    method: 'post',
    path: '/v1/workspaces/{workspaceId}/credentials',
    tag: 'credentials',
    summary: 'Create credentials',
    description:
      'Stores encrypted credentials for the bots of the workspace; blocks name them with `credentialsId`. The secret part cannot be read again and is used only for the service of the type. Without an encryption key, the installation returns 503 with an issue that says so. A workspace can have 200; more are rejected with 403.',
    preparesFirst: true,
    access: workspace('MEMBER'),
    isAudited: true,
    params,
    body: credentialsCreate,
    requestExamples: {
      openai: {
        summary: 'A key of a language model',
        value: { type: 'openai', name: 'Company account', data: { apiKey: 'sk-example' } },
      },
      chatwoot: {
        summary: 'An agent bot of Chatwoot',
        value: {
          type: 'chatwoot',
          name: 'Support',
          data: {
            baseUrl: 'https://chatwoot.example.com',
            accountId: 1,
            accessToken: 'chatwoot-token-example',
            secret: 'chatwoot-secret-example',
          },
        },
      },
      smtp: {
        summary: 'A mail server',
        value: {
          type: 'smtp',
          name: 'Newsletter',
          data: {
            host: 'mail.example.com',
            port: 587,
            username: 'bots',
            password: 'example-password',
            from: { email: 'bots@example.com', name: 'Acme bots' },
          },
        },
      },
    },
    success: {
      status: 201,
      description: 'The new credentials, without their secrets.',
      body: credentialsBody,
      location: '/v1/workspaces/{credentials.workspaceId}/credentials/{credentials.id}',
      examples: { created: { summary: 'Created', value: { credentials: exampleCredentials } } },
    },
    errorExamples: noKey,
  },
  getCredentials: {
    method: 'get',
    path: '/v1/workspaces/{workspaceId}/credentials/{credentialsId}',
    tag: 'credentials',
    summary: 'Get credentials',
    description: 'Returns credentials without their secrets.',
    access: workspace('MEMBER'),
    params: credentialsParams,
    isConditional: true,
    success: {
      status: 200,
      description: 'The credentials, without their secrets.',
      body: credentialsBody,
      examples: { one: { summary: 'One account', value: { credentials: exampleCredentials } } },
    },
  },
  updateCredentials: {
    method: 'patch',
    path: '/v1/workspaces/{workspaceId}/credentials/{credentialsId}',
    tag: 'credentials',
    summary: 'Update credentials',
    description:
      'Changes the name of credentials, or replaces all of their data, effective with the next turn of every chat. The type decides about the data and has to be the stored one.',
    preparesFirst: true,
    access: workspace('MEMBER'),
    isAudited: true,
    params: credentialsParams,
    body: credentialsUpdate,
    requestExamples: {
      rename: { summary: 'Another name', value: { type: 'openai', name: 'Marketing account' } },
      replace: { summary: 'Another key', value: { type: 'openai', data: { apiKey: 'sk-another' } } },
    },
    isConditional: true,
    success: {
      status: 200,
      description: 'The credentials as they are now.',
      body: credentialsBody,
      examples: {
        renamed: {
          summary: 'Renamed',
          value: { credentials: { ...exampleCredentials, name: 'Marketing account' } },
        },
      },
    },
    errorExamples: noKey,
  },
  testCredentials: {
    method: 'post',
    path: '/v1/workspaces/{workspaceId}/credentials/{credentialsId}/test',
    tag: 'credentials',
    summary: 'Test credentials',
    description:
      'Sends a request that changes nothing to the service of the credentials, and returns its verdict. With a mail server it signs in, and sends no mail. The secret is sent to that service alone, and is never part of the response. Some vendors offer no test: their credentials are `untestable`. The test takes at most 20 seconds.',
    preparesFirst: true,
    access: workspace('MEMBER'),
    params: credentialsParams,
    success: {
      status: 200,
      description: 'The verdict of the service.',
      body: z.object({ test: credentialsTest }).meta({
        id: 'CredentialsTestBody',
        description: 'The verdict of the service on credentials.',
      }),
      examples: {
        accepted: {
          summary: 'The service accepts them',
          value: { test: { outcome: 'accepted', status: 200, message: 'OpenAI accepts the credentials' } },
        },
        rejected: {
          summary: 'The service rejects them',
          value: {
            test: { outcome: 'rejected', status: 401, message: 'OpenAI: Incorrect API key provided' },
          },
        },
      },
    },
    errorExamples: {
      SERVICE_UNAVAILABLE: {
        summary: 'The credentials cannot be read',
        issues: [
          {
            path: ['path', 'credentialsId'],
            code: 'no_encryption_key',
            message: 'The credentials cannot be read: the log of the service says why',
          },
        ],
      },
    },
  },
  deleteCredentials: {
    method: 'delete',
    path: '/v1/workspaces/{workspaceId}/credentials/{credentialsId}',
    tag: 'credentials',
    summary: 'Delete credentials',
    description:
      'Deletes credentials and returns their last state. Blocks that name them stay as they are and no longer work: their chats log an error and continue.',
    access: workspace('MEMBER'),
    isAudited: true,
    params: credentialsParams,
    isConditional: true,
    success: {
      status: 200,
      description: 'The credentials that were deleted.',
      body: credentialsBody,
      examples: { deleted: { summary: 'Deleted', value: { credentials: exampleCredentials } } },
    },
  },
})
