import type { TurnOutcome } from '../../server/chat/engine/types.ts'
import type { TurnToWrite } from '../../server/chat/sessions/write-turn.ts'

/**
 * The first turn of a chat, as it is given to `saveStep`; `outcome` is what it has beside an empty one. Its state may
 * lack what writing does not look at.
 */
export function firstStep(
  session: { id: string; botId: string },
  result: { id: string; isNew: boolean },
  outcome: Partial<Omit<TurnOutcome, 'state'>> & { state: object | null },
): TurnToWrite {
  const empty = {
    messages: [],
    logs: [],
    answers: [],
    variables: [],
    transcript: [],
    said: [],
    linkedResults: [],
    uploads: [],
    hasStarted: false,
    isCompleted: false,
  }
  return {
    session: { ...session, workspaceId: 'workspace', publicationId: 'publication' },
    subscribedEvents: null,
    revision: 0,
    resultId: result.id,
    isNewResult: result.isNew,
    outcome: { ...empty, ...outcome } as TurnOutcome,
    lastDigest: null,
    response: '{}',
  }
}
