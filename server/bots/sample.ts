import type { AuditAction } from '../audit/log.ts'
import type { Transaction } from '../db/client.ts'
import { WELCOME_ID, welcome } from '../templates/welcome.ts'
import { initialColumns, insertBot, newDraft } from './create.ts'
import { copyDraft } from './publish.ts'

/** Makes and publishes the bot that an installation has from the first start on. */
export async function insertSample(
  tx: Transaction,
  workspaceId: string,
  userId: string,
  now: Date,
): Promise<void> {
  const deed: AuditAction = { by: { userId, tokenId: null }, operation: 'first start' }
  const { name, icon, version, ...parts } = welcome.bot
  const row = {
    ...initialColumns(now),
    workspaceId,
    folderId: null,
    name,
    icon,
    version,
    publicId: WELCOME_ID,
    selectedThemeTemplateId: null,
    resultsTablePreferences: null,
    isClosed: false,
  }
  const texts = Object.entries(parts).map(
    ([part, value]) => [part, Buffer.from(JSON.stringify(value))] as const,
  )
  const rejection = await insertBot(tx, row, newDraft(new Map(texts), now), deed)
  if (rejection) throw new Error('The sample bot cannot be made: its workspace or its public id is taken')
  await copyDraft(tx, deed, row, [], now)
}
