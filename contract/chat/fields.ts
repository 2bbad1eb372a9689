import { text } from '../kit/fields.ts'
import { z } from '../kit/zod.ts'

/*
 * Requests and responses of chat clients. Bubbles and inputs have the content and options of blocks in the flow,
 * with placeholders filled in, so they are as open as blocks.
 */

export const prose = (description: string, example: string) => text(1_048_576).meta({ description, example })

export const blockId = text(255).meta({ description: 'Id of the block in the flow.', example: 'block-hello' })

export const anyObject = (description: string) =>
  z.record(text(255), z.unknown()).meta({ description, maxProperties: 5000, example: {} })

export const revision = z.int().min(0).max(2_147_483_647).meta({
  description:
    'Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.',
  format: 'int32',
  example: 1,
})
