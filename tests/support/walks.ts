import { expect } from '@jest/globals'
import type { App } from './app.ts'
import { ask, bot, text } from './chat.ts'
import { logsOf, type Published, reply, start, textsOf, transcriptOf } from './chats.ts'
import type { Site } from './world.ts'

/* Ways through chats and what they leave behind, for tests that look at the statements that are sent meanwhile. */

export const questions = bot(
  { Start: [text('Name?'), ask('Name'), text('Age?'), ask('Age'), text('Bye {{Name}}, {{Age}}.')] },
  { variables: ['Name', 'Age'] },
)

/** Each for the bot that `questions` was published as, which a member of its workspace may read. */
export function walksOf(
  asked: () => { app: App; made: Published; as: Site['member'] },
): Record<string, () => Promise<void>> {
  return {
    'a chat from start to end, and of one who comes back': async () => {
      const { app, made } = asked()
      const { sessionId, resultId } = await start(app, made)
      expect(textsOf(await reply(app, sessionId, 'Ada', 1))).toEqual(['Age?'])
      await app.client.ok('getSession', { params: { sessionId } })
      await app.client.ok('saveClientLogs', {
        params: { sessionId },
        body: { clientLogs: [{ description: 'Slow', status: 'info', details: '', context: '' }] },
      })
      expect(textsOf(await reply(app, sessionId, '36', 2))).toEqual(['Bye Ada, 36.'])
      const again = await start(app, made, { resultId })
      await reply(app, again.sessionId, 'Ben', 1)
    },
    'a chat on another day': async () => {
      const { app, made } = asked()
      const { sessionId } = await start(app, made)
      app.clock.advance(26 * 60 * 60 * 1000)
      await reply(app, sessionId, 'Ada', 1)
    },
    'a preview': async () => {
      const { app, made, as } = asked()
      const params = { botId: made.id }
      const { sessionId } = await app.client.ok('startPreview', { as, params })
      await reply(app, sessionId, 'Ada', 1)
      await app.client.ok('startPreview', { as, params, body: { sessionId } })
    },
    results: async () => {
      const { app, made, as } = asked()
      const params = { botId: made.id }
      const { sessionId, resultId = '' } = await start(app, made)
      await reply(app, sessionId, 'Ada', 1)
      await app.client.ok('listResults', { as, params })
      const query = { answerContains: 'a', variable: 'Name:Ada', status: 'started' } as const
      expect((await app.client.ok('listResults', { as, params, query })).results).not.toEqual([])
      await app.client.ok('getResult', { as, params: { ...params, resultId } })
      await logsOf(app, made.id, resultId, as)
      expect(await transcriptOf(app, made.id, resultId, as)).not.toEqual([])
      expect((await app.client.call('exportResults', { as, params })).text).toContain('Ada')
      await app.client.ok('deleteResults', { as, params, query: { resultIds: resultId } })
    },
    statistics: async () => {
      const { app, made, as } = asked()
      for (const timeFilter of ['allTime', 'last7Days', 'allTime'] as const) {
        const request = { as, params: { botId: made.id }, query: { timeFilter } }
        await app.client.ok('getStats', request)
        await app.client.ok('getBlockStats', request)
      }
    },
  }
}
