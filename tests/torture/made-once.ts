import { type Caller, count, promise, type Run } from './run.ts'

/** Makes folders with keys: of each there is one, however often it had to be sent until it was answered. */
export async function makeFolderOnce(run: Run, caller: Caller) {
  const { workspaceId, database } = run.installation
  const name = `once ${Math.floor(caller.random.float() * 2 ** 48).toString(36)}`
  const made = await caller.once('POST', '/v1/folders', { body: { workspaceId, folder: { name } } })
  promise(made.status === 201, `A creation was answered ${made.status}: ${made.text}`)
  const { rows } = await database.query('SELECT id FROM folders WHERE name = $1', [name])
  const { id } = made.body.folder
  promise(
    rows.length === 1 && rows[0].id === id,
    `The folder ${id} was made ${rows.length} times: ${JSON.stringify(rows)}`,
  )
  count(run, 'folders made once')
  // Few stay, so that looking for one by its name stays quick.
  await caller.settle('DELETE', `/v1/folders/${id}`)
}
