import { ApiError, ConnectionError, client, wordsOf } from '../api.ts'
import type { Draft } from '../model/draft.ts'
import { draftOf, partNames } from '../model/draft.ts'
import type { Remote, Stored } from './editor.ts'

const legacyVersions = ['3', '4', '5']

type Update = Parameters<typeof client.bots.update>[1]

/**
 * Reads and writes the draft of a bot. One in a legacy version is edited in the latest one, to which the first change
 * converts it.
 */
export function remoteOf(botId: string): Remote & { storedVersion: () => string | undefined } {
  let storedVersion: string | undefined

  async function read(): Promise<Stored> {
    const { body, response } = await client.bots.get(botId).withResponse()
    storedVersion = body.bot.version
    if (!legacyVersions.includes(storedVersion)) return storedOf(body.bot, response)
    const converted = await client.bots.get(botId, { migrateToLatestVersion: true }).withResponse()
    return storedOf(converted.body.bot, converted.response)
  }

  return {
    storedVersion: () => storedVersion,
    read,
    async write({ version, parts, tag }) {
      if (storedVersion !== version) {
        // A document has one version: none of its parts may stay in another one.
        const { draft } = await read()
        parts = { ...Object.fromEntries(partNames.map((name) => [name, draft[name]])), ...parts }
      }
      const body = { bot: { version, ...parts } } as Update
      const { response } = await client.bots
        .update(botId, body, { ifMatch: tag, minimal: true })
        .withResponse()
      storedVersion = version
      return tagOf(response)
    },
    kindOf(error) {
      if (error instanceof ConnectionError) return 'away'
      if (!(error instanceof ApiError)) return 'rejected'
      if (error.status === 412 || error.status === 409) return 'stale'
      return error.status === 429 || error.status >= 500 ? 'away' : 'rejected'
    },
    wordsOf,
  }
}

function storedOf(bot: object, response: Response): Stored {
  return { draft: draftOf(bot) satisfies Draft, tag: tagOf(response) }
}

function tagOf(response: Response): string {
  const tag = response.headers.get('etag')
  if (tag === null)
    throw new Error('A proxy took the entity tag out of the response, so nothing can be saved safely.')
  return tag
}
