import type { Issue } from '../../contract/errors.ts'
import type { UploadsHandlers } from '../../generated/handlers.ts'
import { filesForPeople, refusedType, uploadInputOf, uploadLimits } from '../chat/engine/upload-policy.ts'
import { decodeState } from '../chat/sessions/codec.ts'
import { checkOrigin } from '../chat/sessions/origin-check.ts'
import { findVisitorSession } from '../chat/sessions/read-session.ts'
import { createEffects } from '../chat/sessions/turn-effects.ts'
import type { Contexts } from '../context.ts'
import { safeName } from '../uploads/kinds.ts'
import { addressOf, receive, reserve } from '../uploads/uploads.ts'

export const uploads: UploadsHandlers<Contexts> = {
  async uploadFile({ params, query, body, header }, respond, context) {
    const { db, now, config, files, publicUrl, log, quota } = context
    const session = await findVisitorSession(context, params.sessionId)
    const state = session && decodeState(session)
    if (!session || !state) return respond.fail('NOT_FOUND')
    const origin = checkOrigin(session.flow, header, context.visitedUrl)
    if (origin) return respond.fail('FORBIDDEN', [origin])
    const input =
      session.handledBy === null
        ? await uploadInputOf(session.flow, state, createEffects(context, { ...session, state }))
        : filesForPeople(session.botId, state)
    if (!input) return respond.fail('BAD_REQUEST', [notWaiting])
    if (!files) return respond.fail('BAD_REQUEST', [notKept])
    const name = safeName(query.fileName)
    const wrongType = refusedType(input, name)
    if (wrongType !== undefined) {
      return respond.fail('BAD_REQUEST', [
        { path: ['query', 'fileName'], code: 'invalid_value', message: wrongType },
      ])
    }
    const limits = uploadLimits(config)
    const maximum = Math.min(input.maximumSize ?? limits.file, limits.chat)
    if (body.length !== undefined && body.length > maximum) {
      return respond.fail('PAYLOAD_TOO_LARGE', [tooLarge(maximum)])
    }

    const { sessionId, botId: sessionBotId } = session
    const size = body.length ?? maximum
    // A running upload counts with its announced size.
    const reserved = quota().reserve('uploads', input.botId, size)
    if ('issue' in reserved) return respond.fail('TOO_MANY_REQUESTS', [reserved.issue])
    let storedBytes = 0
    try {
      if (files.hasRoom && !(await files.hasRoom(size))) {
        log.error('files are refused: the disk has less room than DISK_MIN_FREE')
        return respond.fail('SERVICE_UNAVAILABLE', [diskFull])
      }
      const upload = await reserve(
        db,
        { ...input, sessionId, sessionBotId },
        { name, isPrivate: input.isPrivate, size },
        limits.chat,
        now,
      )
      if (!upload) return respond.fail('BAD_REQUEST', [tooMany(limits.chat)])
      const received = await context.slot.releaseDuring(() =>
        receive(db, files, upload, body.bytes, maximum, now),
      )
      if (received === 'deleted') return respond.fail('NOT_FOUND')
      if (received === 'too large') return respond.fail('PAYLOAD_TOO_LARGE', [tooLarge(maximum)])
      if (received === 'empty') return respond.fail('BAD_REQUEST', [empty])
      if (received === 'incomplete') return respond.fail('BAD_REQUEST', [incomplete])
      if ('fault' in received) {
        log.error({ err: received.fault }, 'a file could not be kept')
        return respond.fail('SERVICE_UNAVAILABLE')
      }
      storedBytes = received.size
      return respond.ok({ upload: { url: addressOf(publicUrl(), upload), name, ...received } })
    } finally {
      reserved.settle(storedBytes)
    }
  },
}

const notWaiting: Issue = {
  path: ['path', 'sessionId'],
  code: 'not_waiting',
  message: 'The chat does not wait at an input that takes files',
}

const notKept: Issue = {
  path: ['path', 'sessionId'],
  code: 'files_not_kept',
  message: 'This installation has no place for files',
}

const diskFull: Issue = {
  path: ['body'],
  code: 'disk_full',
  message:
    'The disk of the installation has too little room left for files; send the file again later, or tell the operator',
}

const empty: Issue = { path: ['body'], code: 'too_small', message: 'The file is empty' }

const incomplete: Issue = {
  path: ['body'],
  code: 'incomplete',
  message: 'The body did not arrive completely',
}

const tooLarge = (limit: number): Issue => ({
  path: ['body'],
  code: 'too_large',
  message: `The file may have at most ${limit} bytes`,
})

const tooMany = (bytes: number): Issue => ({
  path: ['path', 'sessionId'],
  code: 'too_many_files',
  message: `A chat may have at most 100 files and ${bytes} bytes of them`,
})
