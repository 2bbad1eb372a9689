import type { FlowFinding } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { countOf } from '../ui/count.ts'
import { Dialog } from '../ui/dialog.tsx'

export interface Published {
  errorsFound: number
  warningsFound: number
  firstErrors: FlowFinding[]
}

export async function publish(botId: string): Promise<Published> {
  const { errorsFound, warningsFound, firstErrors } = await client.bots.publish(botId)
  return { errorsFound, warningsFound, firstErrors }
}

/** Lists the parts that do not work in a chat with the published bot. */
export function PublishedDialog({ published, onClose }: { published: Published; onClose: () => void }) {
  const { errorsFound, firstErrors } = published
  return (
    <Dialog title="Published, with errors" onClose={onClose}>
      <p>
        The bot is live. A chat cannot do everything that the flow says: {countOf(errorsFound, 'error')}{' '}
        found.
      </p>
      <ul class="findings">
        {firstErrors.map(({ message }, index) => (
          <li key={index}>{message}</li>
        ))}
        {errorsFound > firstErrors.length && <li>… and {errorsFound - firstErrors.length} more</li>}
      </ul>
      <footer class="actions">
        <button type="button" class="main" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}
