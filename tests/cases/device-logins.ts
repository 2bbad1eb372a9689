import { expect } from '@jest/globals'
import { claimDeviceLogin, decideDeviceLogin, readUserCode } from '../../server/access/device-logins.ts'
import type { App } from '../support/app.ts'
import { type Cases, missingId } from '../support/cases.ts'
import { anyBody, type BodyOf } from '../support/client.ts'

/** Starts a login, about which a user then decides as on the page. */
async function start(
  { client, db, clock }: App,
  decided: { by?: { id: string }; decision?: 'allowed' | 'denied' } = {},
  body: Partial<BodyOf<'startDeviceLogin'>> = {},
) {
  const login = await client.ok('startDeviceLogin', { body: { name: 'bots on laptop', ...body } })
  const code = readUserCode(login.userCode) as string
  const { by, decision } = decided
  if (by && decision) {
    await claimDeviceLogin(db, code, by.id, clock.now())
    await decideDeviceLogin(db, code, by.id, decision, clock.now())
  }
  return login
}

export const deviceLogins: Cases<'deviceLogins'> = {
  startDeviceLogin: {
    needs: 'nothing',
    ok: {
      'with codes for the program and the person': () => ({
        body: { name: 'bots on laptop' },
        after: ({ body }) => {
          expect(body).toMatchObject({ expiresIn: 600, interval: 5 })
          expect(body.userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
          expect(body.deviceCode).toMatch(/^[\w-]{43}$/)
          expect(body.verificationUriComplete).toBe(`${body.verificationUri}?code=${body.userCode}`)
          expect(body.verificationUri).toMatch(/\/device$/)
        },
      }),
      'with limits, also for a workspace that is not there': () => ({
        body: { name: 'bots on laptop', expiresInDays: 90, scopes: ['read'], workspaceId: missingId },
      }),
    },
    BAD_REQUEST: {
      'without a name': () => ({ body: anyBody({}), at: 'body.name' }),
      'with a scope that does not exist': () => ({
        body: anyBody({ name: 'bots', scopes: ['admin'] }),
        at: 'body.scopes.0',
      }),
    },
  },

  continueDeviceLogin: {
    needs: 'nothing',
    ok: {
      'without a decision': async (_world, app) => ({
        body: { deviceCode: (await start(app)).deviceCode },
        after: ({ body }) => expect(body).toEqual({ status: 'pending', interval: 5 }),
      }),
      'that a user has allowed': async ({ here }, app) => {
        const limits = {
          scopes: ['write', 'read'],
          workspaceId: here.workspaceId,
          expiresInDays: 30,
        } as const
        const { deviceCode } = await start(
          app,
          { by: here.member, decision: 'allowed' },
          {
            ...limits,
            scopes: [...limits.scopes],
          },
        )
        return {
          body: { deviceCode },
          after: async ({ body }) => {
            expect(body).toMatchObject({
              status: 'allowed',
              apiToken: { name: 'bots on laptop', scopes: ['read', 'write'], workspaceId: here.workspaceId },
            })
            const { user } = await app.client.ok('getCurrentUser', { as: { token: body.apiToken.token } })
            expect(user.id).toBe(here.member.id)
            const again = await app.client.call('continueDeviceLogin', { body: { deviceCode } })
            expect(again.status).toBe(404)
          },
        }
      },
      'that a user has declined': async ({ here }, app) => ({
        body: { deviceCode: (await start(app, { by: here.member, decision: 'denied' })).deviceCode },
        after: ({ body }) => expect(body).toEqual({ status: 'denied', interval: 5 }),
      }),
      'that is asked about too early': async (_world, app) => {
        const { deviceCode } = await start(app)
        await app.client.ok('continueDeviceLogin', { body: { deviceCode } })
        return {
          body: { deviceCode },
          after: ({ body }) => expect(body).toEqual({ status: 'slowDown', interval: 10 }),
        }
      },
    },
    BAD_REQUEST: () => ({ body: anyBody({}), at: 'body.deviceCode' }),
    NOT_FOUND: () => ({ body: { deviceCode: 'A'.repeat(43) }, at: 'body.deviceCode' }),
  },
}
