import { ApiError, client } from '../api.ts'
import { useWorkbench } from '../store/context.ts'
import { useLoaded } from '../ui/hooks.ts'

export interface BlockCounts {
  shown: number
  answered: number
  left: number
}

export type Counts = Map<string, BlockCounts>

/** Chats at each input of the published bot, by the id of its block. */
export function useBlockStats(isWanted: boolean) {
  const { botId } = useWorkbench()
  return useLoaded(
    async (signal): Promise<Counts | undefined> => {
      if (!isWanted) return undefined
      try {
        const { blocks } = await client.blockStats.get(botId, { timeFilter: 'allTime' }, { signal })
        return new Map(blocks.map(({ blockId, ...counts }) => [blockId, counts]))
      } catch (error) {
        if (error instanceof ApiError && error.status === 404)
          throw new Error('The bot is not published: nobody was asked anything yet.')
        throw error
      }
    },
    [botId, isWanted],
  )
}

/** From this share on, an input loses remarkably many. */
const MIN_REMARKABLE_SHARE = 0.3

export function StatsBadge({ counts }: { counts: BlockCounts | undefined }) {
  if (!counts) return null
  const { shown, answered, left } = counts
  const share = shown === 0 ? 0 : left / shown
  return (
    <span
      class={share >= MIN_REMARKABLE_SHARE ? 'block-stats many' : 'block-stats'}
      title={`Shown ${shown}, answered ${answered}, left here ${left}`}
    >
      {shown.toLocaleString('en')} asked, {Math.round(share * 100)} % left
    </span>
  )
}
