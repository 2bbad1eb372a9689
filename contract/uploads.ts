import { recordId, text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { anyone, define } from './operation.ts'
import { exampleIds } from './shared.ts'

const exampleUpload = {
  url: `https://bots.example.com/files/${exampleIds.bot}/01jr5x9n7x8f2a6e1w3y5z7b9d3f0c1b2a4e5d6c7b8a9f0e1d2c/plan.pdf`,
  name: 'plan.pdf',
  size: 48_213,
  mediaType: 'application/octet-stream',
}

export const uploads = define({
  uploadFile: {
    method: 'post',
    path: '/api/v1/sessions/{sessionId}/uploads',
    tag: 'chat',
    summary: 'Upload a file for a chat',
    description:
      'Stores a file for the input that the chat waits at: an input for files, or one for text that takes attachments or recordings. The reply then names the `url`, in `attachedFileUrls` or as the `url` of a recording. A file that no reply names is removed after a day, the others with their result. A file that the input does not take, and more than 100 files of a chat, is invalid input. An address, and all visitors of a bot together, have a daily limit: more is rejected with `TOO_MANY_REQUESTS` and the issue `daily_quota_exceeded`. While the disk of the installation is nearly full, files are rejected with `SERVICE_UNAVAILABLE` and the issue `disk_full`. Files are served as downloads, pictures as what they are. Only members with a token can read files of an input with the visibility `Private`.',
    access: anyone,
    isCrossOrigin: true,
    params: z.object({
      sessionId: recordId('Id of the chat session, as start chat returns it.', exampleIds.session),
    }),
    query: z.strictObject({
      fileName: text(255, 1)
        .refine((value) => !value.includes('\0'), { error: 'Expected text without U+0000' })
        .meta({
          description: 'Name of the file. Its extension is the type that the input checks.',
          example: 'plan.pdf',
          minLength: 1,
          maxLength: 255,
          pattern: '^[^\\x00]+$',
        }),
    }),
    fileBody:
      'At most 10 MiB, unless the input (`upload.maximumSize`) or the installation sets another limit: the bytes of a file of any type.',
    success: {
      status: 200,
      description: 'The file is stored; name it in a reply.',
      body: z
        .object({
          upload: z
            .object({
              url: text(2048).meta({
                description: 'URL of the file, for the reply.',
                example: exampleUpload.url,
              }),
              name: text(255).meta({
                description:
                  'Name of the file as stored, without characters that file names may not have everywhere.',
                example: exampleUpload.name,
              }),
              size: z
                .int()
                .min(1)
                .max(9_007_199_254_740_991)
                .meta({ description: 'Size in bytes.', format: 'int64', example: exampleUpload.size }),
              mediaType: text(255).meta({
                description:
                  'Media type of the download: for a picture, that of its bytes, otherwise `application/octet-stream`.',
                example: exampleUpload.mediaType,
              }),
            })
            .meta({ id: 'Upload', description: 'A file that was sent into a chat.' }),
        })
        .meta({ id: 'UploadBody', description: 'A file that was uploaded.' }),
      examples: { document: { summary: 'A document', value: { upload: exampleUpload } } },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  },
})
