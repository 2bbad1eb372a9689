import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { writeFlushed } from './folder.ts'
import type { FileStore } from './store.ts'

type Settings = Pick<
  Config,
  'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_REGION' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY'
>

/** Timeouts for a store, in milliseconds. A request without a file is retried twice before it fails. */
const usualTimeouts = {
  connectionTimeout: 10_000,
  /** For the head of a response. */
  requestTimeout: 30_000,
  /** Maximum time without data: longer than a caller may pause the download of a file (`kit/server.ts`). */
  socketTimeout: 90_000,
}

/**
 * Files in a bucket of a store that speaks the protocol of S3, for any number of processes. A file comes onto the disk
 * of this machine first: the store wants to know its size, and is to get it whole or not at all.
 */
export function openBucket(settings: Settings, timeouts: Partial<typeof usualTimeouts> = {}): FileStore {
  const { S3_BUCKET: Bucket } = settings
  let opened: ReturnType<typeof connect> | undefined
  const client = () => {
    opened ??= connect(settings, { ...usualTimeouts, ...timeouts })
    return opened
  }
  return {
    async write(key, bytes) {
      const { s3, PutObjectCommand } = await client()
      const folder = await mkdtemp(join(tmpdir(), 'upload-'))
      try {
        const path = join(folder, 'file')
        await writeFlushed(path, bytes)
        const { size } = await stat(path)
        const Body = createReadStream(path)
        try {
          const put = new PutObjectCommand({ Bucket, Key: key, Body, ContentLength: size })
          // The response comes after the file, which may take long as long as bytes move.
          await s3.send(put, { requestTimeout: 0 })
        } finally {
          // The rest of an aborted response is never read, and would leave the file open on the disk.
          Body.destroy()
        }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    async read(key, range) {
      const { s3, GetObjectCommand } = await client()
      const Range = range && `bytes=${range.start}-${range.end}`
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: key, Range }))
        return Body as Readable | undefined
      } catch (error) {
        if ((error as S3ServiceException).$metadata?.httpStatusCode === 404) return undefined
        throw error
      }
    },
    async check() {
      const { s3, HeadBucketCommand } = await client()
      try {
        await s3.send(new HeadBucketCommand({ Bucket }))
      } catch (error) {
        const status = (error as S3ServiceException).$metadata?.httpStatusCode
        // A key that may do nothing else with the bucket can still be one for its files.
        if (status === 403) return
        throw status === 404 ? new Error(`There is no bucket ${Bucket}`, { cause: error }) : error
      }
    },
    async remove(key) {
      const { s3, DeleteObjectCommand } = await client()
      await s3.send(new DeleteObjectCommand({ Bucket, Key: key }))
    },
  }
}

/** The client is read when it is first needed: most installations need none. */
async function connect(
  {
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  }: Settings,
  timeouts: typeof usualTimeouts,
) {
  const sdk = await import('@aws-sdk/client-s3')
  const s3: S3Client = new sdk.S3Client({
    endpoint,
    region,
    // Without keys they are looked for where those of the machine are.
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    forcePathStyle: true,
    // Some stores do not support checksums beside those of the connection.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Without the last one a request that takes too long is only logged.
    requestHandler: { ...timeouts, throwOnRequestTimeout: true },
  })
  return { s3, ...sdk }
}
