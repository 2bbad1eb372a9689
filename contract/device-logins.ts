import { recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { anyone, define } from './operation.ts'
import { exampleIds } from './shared.ts'
import { createdApiToken, exampleToken, expiresInDays, scopeList, tokenName } from './tokens.ts'

/*
 * Logins of programs without a browser of their own, in the shape of RFC 8628: the program shows a short code, a user
 * allows it on a page of the service, and the program polls until then.
 */

/** Time in which a user can decide. */
export const DEVICE_LOGIN_MINUTES = 10

/** Logins that a network can start in that time. */
export const MAX_LOGINS_PER_NETWORK = 50

/** Seconds between two requests of a program; a request that comes too early adds as many. */
export const POLL_INTERVAL_SECONDS = 5

const deviceCode = text(64, 1).meta({
  description: 'The secret code of the program, as start device login returns it. Show it to nobody.',
  example: 'EXAMPLEexampleEXAMPLEexample00000000000000',
})

const interval = z.int().min(1).max(3_600).meta({
  format: 'int32',
  description: 'Minimum seconds to wait before the next request.',
  example: POLL_INTERVAL_SECONDS,
})

export const deviceLogins = define({
  startDeviceLogin: {
    method: 'post',
    path: '/v1/deviceLogins',
    tag: 'tokens',
    summary: 'Start the login of a program',
    description: `Starts a login in the shape of RFC 8628, for a program that has no browser of its own. Show \`userCode\` and \`verificationUri\` to the user: on that page, signed in, they see the request, compare the code, and allow or deny it. Meanwhile send \`deviceCode\` to continue device login. The codes work for ${DEVICE_LOGIN_MINUTES} minutes. The body describes the token, as create token takes it; the user cannot allow a workspace in which they have no role. A network can start ${MAX_LOGINS_PER_NETWORK} logins in that time; more are rejected with \`TOO_MANY_REQUESTS\` and the issue \`rate_exceeded\`.`,
    access: anyone,
    body: z
      .strictObject({
        name: tokenName,
        expiresInDays,
        scopes: scopeList.optional().meta({
          description: 'Maximum rights of the token; absent means all rights of its owner.',
          example: ['read', 'write'],
        }),
        workspaceId: recordId(
          'Id of the workspace to bind the token to; absent means none.',
          exampleIds.workspace,
        ).optional(),
      })
      .meta({ id: 'DeviceLoginStart', description: 'The token that a program requests from a user.' }),
    requestExamples: {
      command: { summary: 'A command', value: { name: 'bots on laptop', expiresInDays: 90 } },
    },
    success: {
      status: 200,
      description: 'The codes of the login.',
      body: z
        .object({
          deviceCode,
          userCode: text(9).meta({
            description: 'Short code to show to the user, who compares it.',
            example: 'WDJB-MJHT',
          }),
          verificationUri: text(2048).meta({
            description: 'The page on which the user enters the code.',
            example: 'http://localhost:3000/device',
          }),
          verificationUriComplete: text(2048).meta({
            description: 'The same page with the code filled in. Show the code nevertheless.',
            example: 'http://localhost:3000/device?code=WDJB-MJHT',
          }),
          expiresIn: z
            .int()
            .min(1)
            .max(3_600)
            .meta({
              format: 'int32',
              description: 'Seconds for which the codes work.',
              example: DEVICE_LOGIN_MINUTES * 60,
            }),
          interval,
        })
        .meta({
          id: 'StartedDeviceLogin',
          description: 'The codes of a login, for the program and the user.',
        }),
      examples: {
        started: {
          summary: 'Started',
          value: {
            deviceCode: 'EXAMPLEexampleEXAMPLEexample00000000000000',
            userCode: 'WDJB-MJHT',
            verificationUri: 'http://localhost:3000/device',
            verificationUriComplete: 'http://localhost:3000/device?code=WDJB-MJHT',
            expiresIn: DEVICE_LOGIN_MINUTES * 60,
            interval: POLL_INTERVAL_SECONDS,
          },
        },
      },
    },
  },
  continueDeviceLogin: {
    method: 'post',
    path: '/v1/deviceLogins/continue',
    tag: 'tokens',
    summary: 'Poll for the token of a login',
    description: `Returns the decision of the user. While the \`status\` is \`pending\`, send the request again after \`interval\` seconds. A request that comes earlier gets \`slowDown\` and adds ${POLL_INTERVAL_SECONDS} seconds to the interval. With \`allowed\` the response has the \`apiToken\`, and no other response shows it: the code is used up. \`denied\` ends the login. A code that was used, has expired or never existed is not found: start again.`,
    access: anyone,
    body: z
      .strictObject({ deviceCode })
      .meta({ id: 'DeviceLoginContinue', description: 'The login to poll for.' }),
    requestExamples: {
      ask: { summary: 'Ask', value: { deviceCode: 'EXAMPLEexampleEXAMPLEexample00000000000000' } },
    },
    success: {
      status: 200,
      description: 'The decision, with the token if it was allowed.',
      body: z
        .object({
          status: z
            .enum(['pending', 'slowDown', 'allowed', 'denied'])
            .meta({ description: 'Decision of the user, or `slowDown` if the program polls too often.' }),
          interval,
          apiToken: createdApiToken.optional(),
        })
        .meta({ id: 'DeviceLogin', description: 'The state of a login.' }),
      examples: {
        pending: {
          summary: 'Not decided yet',
          value: { status: 'pending', interval: POLL_INTERVAL_SECONDS },
        },
        allowed: {
          summary: 'Allowed',
          value: {
            status: 'allowed',
            interval: POLL_INTERVAL_SECONDS,
            apiToken: { ...exampleToken, token: 'botb_pat_EXAMPLEexampleEXAMPLEexample0000000000' },
          },
        },
      },
    },
    errors: ['NOT_FOUND'],
    errorExamples: {
      NOT_FOUND: {
        summary: 'The code is used up',
        issues: [
          {
            path: ['body', 'deviceCode'],
            code: 'unknown_device_code',
            message: 'The code was used, has expired, or never was: start the login again',
          },
        ],
      },
    },
  },
})
