import type * as Given from '../support.ts'

/*
 * The story, told with the package that the project makes itself: with either of its module forms, and in browsers,
 * hence without anything of Node.
 */

type Sdk = typeof import('bot-builder-client')

export async function story(
  { createClient, ...errors }: Sdk,
  given: Omit<typeof Given, 'flowOf'>,
  tell: (step: string) => void,
) {
  const { baseUrl, token, guestToken, answeredBotId, resultIds, currentDocument, legacyDocument } = given
  const client = createClient({ baseUrl, token })
  const guest = createClient({ baseUrl, token: async () => guestToken })

  const { workspace } = await client.workspaces.create({ name: 'Acme' })
  const name: string = workspace.name
  equal([name, workspace.plan, workspace.settings], ['Acme', 'FREE', null])
  tell('create a workspace')

  const workspaceId = workspace.id
  const { folder } = await client.folders.create({ workspaceId, folder: { name: 'Quotes' } })
  tell('create a folder')

  const { bot } = await client.bots.create({ workspaceId, bot: { ...currentDocument, folderId: folder.id } })
  if (bot.version !== '6.1') throw new Error(bot.version)
  equal(flowOf(bot), flowOf(currentDocument))
  const block = bot.groups[0]?.blocks[2]
  if (block?.type !== 'choice input') throw new Error(block?.type)
  equal(block.items[0]?.content, 'Beagle')
  tell('create a bot from a document')

  // Somebody else is faster twice, so the change is made three times.
  let turns = 0
  const edited = await client.bots.edit(bot.id, async (read) => {
    if (turns++ < 2) await client.bots.update(bot.id, { bot: { version: '6.1', name: `Turn ${turns}` } })
    return { name: `${read.name}, edited` }
  })
  equal([edited.bot.name, turns], ['Turn 2, edited', 3])
  equal(flowOf(edited.bot), flowOf(currentDocument))
  tell('update in current shape')

  const stale = { version: '6.1', name: 'Too late', updatedAt: bot.updatedAt } as const
  const late = await failure(client.bots.update(bot.id, { bot: stale }))
  if (!(late instanceof errors.ConflictError)) throw late
  equal(
    [late.status, late.code, late.issues[0]?.current],
    [409, 'CONFLICT', { updatedAt: edited.bot.updatedAt }],
  )
  tell('meet a 409')

  const converted = await client.bots.update(bot.id, { bot: legacyDocument }).withResponse()
  equal(converted.body.bot.version, '5')
  equal(flowOf(converted.body.bot), flowOf(legacyDocument))
  tell('update in legacy shape')

  const ifMatch = converted.response.headers.get('etag') ?? ''
  equal((await client.bots.publish(bot.id, { ifMatch })).message, 'success')
  tell('publish')

  const { publishedBot } = await client.publishedBots.get(bot.id)
  equal([publishedBot.version, publishedBot.botId], ['5', bot.id])
  equal(flowOf(publishedBot), flowOf(legacyDocument))
  tell('read the published bot')

  const nameless = await failure(client.workspaces.create({ name: '' }))
  if (!(nameless instanceof errors.BadRequestError)) throw nameless
  equal([nameless.status, nameless.issues[0]?.path], [400, ['body', 'name']])
  tell('meet a 400')

  const refused = await failure(guest.bots.publish(bot.id))
  if (!(refused instanceof errors.ForbiddenError)) throw refused
  equal([refused.status, typeof refused.requestId], [403, 'string'])
  tell('meet a 403')

  const missing = await failure(client.bots.get('unknown'))
  if (!(missing instanceof errors.NotFoundError && missing instanceof errors.ApiError)) throw missing
  tell('meet a 404')

  const found: string[] = []
  for await (const result of client.results.list(answeredBotId, { limit: 2, cursor: undefined }))
    found.push(result.id)
  equal(found, resultIds)
  tell('page through results')

  equal((await client.bots.delete(bot.id)).message, 'success')
  equal(((await failure(client.bots.get(bot.id))) as InstanceType<Sdk['ApiError']>).code, 'NOT_FOUND')
  await client.folders.delete(folder.id)
  await client.workspaces.delete(workspaceId)
  tell('delete')
}

function flowOf({ groups, events, edges, variables, theme, settings }: Record<string, unknown>) {
  return { groups, events, edges, variables, theme, settings }
}

function equal(actual: unknown, expected: unknown) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${left} is not ${right}`)
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => new Error('It succeeded'),
    (error: unknown) => error,
  )
