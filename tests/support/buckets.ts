import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { readConfig } from '../../server/config.ts'
import { openBucket } from '../../server/uploads/bucket.ts'
import type { FileStore } from '../../server/uploads/store.ts'

const { S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID = '', S3_TEST_SECRET_ACCESS_KEY = '' } = process.env

export const hasTestBuckets = S3_TEST_ENDPOINT !== undefined

/** A new bucket of the server that `S3_TEST_ENDPOINT` names. */
export async function makeBucket(): Promise<FileStore> {
  const credentials = { accessKeyId: S3_TEST_ACCESS_KEY_ID, secretAccessKey: S3_TEST_SECRET_ACCESS_KEY }
  const S3_BUCKET = `files-${randomBytes(6).toString('hex')}`
  const admin = new S3Client({
    endpoint: S3_TEST_ENDPOINT,
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
  })
  await admin.send(new CreateBucketCommand({ Bucket: S3_BUCKET }))
  const read = readConfig({
    S3_ENDPOINT: S3_TEST_ENDPOINT,
    S3_BUCKET,
    S3_ACCESS_KEY_ID: S3_TEST_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: S3_TEST_SECRET_ACCESS_KEY,
  })
  if ('problems' in read) throw new Error(read.problems.join())
  return openBucket(read.config)
}
