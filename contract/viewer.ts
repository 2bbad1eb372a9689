import { boundedArray } from './bot-document/bounded-array.ts'
import { publicId } from './bots/schemas.ts'
import { recordId } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { anyone, define, type Operation } from './operation.ts'
import { exampleIds } from './shared.ts'

/*
 * Operations at the paths of the viewer and the web component of Typebot, which this service has elsewhere. They are
 * served if the configuration says so, and are not part of the document: the guide to moving describes them.
 */

const forViewers = {
  method: 'post',
  tag: 'chat',
  access: anyone,
  isCrossOrigin: true,
  dispatches: true,
  success: { status: 200, description: 'As the viewer reads it.', body: z.unknown(), examples: {} },
} as const satisfies Partial<Operation>

const params = z.object({
  sessionId: recordId('Id of the chat session, as start chat returns it.', exampleIds.session),
})

const upload = {
  ...forViewers,
  summary: 'Reject a file of a viewer',
  description: 'Says that files need the page or the script of this service.',
  body: z.looseObject({}),
} as const

export const viewerOperations = define({
  startViewerChat: {
    ...forViewers,
    path: '/api/v1/typebots/{publicId}/startChat',
    summary: 'Start a chat of a viewer',
    description: 'Starts a chat, with the fields that viewers know.',
    params: z.object({ publicId }),
    body: z.looseObject({}),
  },
  saveViewerLogs: {
    ...forViewers,
    path: '/api/v1/sessions/{sessionId}/clientLogs',
    summary: 'Save the log of a viewer',
    description: 'Saves what viewers before version 0.3 log.',
    params,
    body: z.looseObject({ clientLogs: boundedArray(z.unknown(), { maximum: 100 }) }),
  },
  prepareViewerUpload: { ...upload, path: '/api/v3/generate-upload-url' },
  prepareOlderViewerUpload: { ...upload, path: '/api/v2/generate-upload-url' },
})

/** A header that these viewers send with each request. It names the page of a frame, which cannot be verified. */
export const VIEWER_HEADER = 'X-Typebot-Iframe-Referrer-Origin'
