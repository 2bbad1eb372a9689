import {
  DEVICE_LOGIN_MINUTES,
  MAX_LOGINS_PER_NETWORK,
  POLL_INTERVAL_SECONDS,
} from '../../contract/device-logins.ts'
import type { Issue } from '../../contract/errors.ts'
import { scopes as allScopes } from '../../contract/operation.ts'
import type { DeviceLoginsHandlers } from '../../generated/handlers.ts'
import { continueDeviceLogin, digestNetwork, startDeviceLogin } from '../access/device-logins.ts'
import { toApiToken } from '../access/tokens.ts'
import type { Contexts } from '../context.ts'

const unknownCode: Issue = {
  path: ['body', 'deviceCode'],
  code: 'unknown_device_code',
  message: 'The code was used, has expired, or never was: start the login again',
}

const tooMany: Issue = {
  path: [],
  code: 'rate_exceeded',
  message: `Your network has started ${MAX_LOGINS_PER_NETWORK} logins in ${DEVICE_LOGIN_MINUTES} minutes, the maximum: wait, then start again`,
}

export const deviceLogins: DeviceLoginsHandlers<Contexts> = {
  async startDeviceLogin({ body }, respond, { db, config, cursorKey, network, now, publicUrl }) {
    const { name, expiresInDays, scopes, workspaceId = null } = body
    const wish = {
      name,
      expiresInDays,
      scopes: scopes ? allScopes.filter((scope) => scopes.includes(scope)) : null,
      workspaceId,
    }
    // Without rate limits networks are not counted, since a proxy limits callers.
    const caller = config.RATE_LIMIT ? network() : ''
    const counted = caller === '' ? null : digestNetwork(caller, cursorKey)
    const started = await startDeviceLogin(db, wish, counted, now)
    if (!started) return respond.fail('TOO_MANY_REQUESTS', [tooMany], DEVICE_LOGIN_MINUTES * 60)
    const { deviceCode, userCode } = started
    const verificationUri = `${publicUrl()}/device`
    return respond.ok({
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: `${verificationUri}?code=${userCode}`,
      expiresIn: DEVICE_LOGIN_MINUTES * 60,
      interval: POLL_INTERVAL_SECONDS,
    })
  },

  async continueDeviceLogin({ body }, respond, { db, now }) {
    const login = await continueDeviceLogin(db, body.deviceCode, now)
    if (!login) return respond.fail('NOT_FOUND', [unknownCode])
    const { status, interval } = login
    if (login.status !== 'allowed') return respond.ok({ status, interval })
    const apiToken = { ...toApiToken(login.row, now), token: login.token }
    return respond.ok({ status, interval, apiToken })
  },
}
