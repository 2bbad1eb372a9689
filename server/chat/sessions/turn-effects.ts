import { currentTime } from '../../clock.ts'
import type { Contexts } from '../../context.ts'
import { Unavailable } from '../../db/unavailable.ts'
import { newId } from '../../ids.ts'
import type { JsonObject } from '../../json/access.ts'
import type { Slot } from '../../kit/shares/admission-queue.ts'
import { yieldToOthers } from '../../kit/shares/fair-scheduler.ts'
import { withInstalledClient } from '../../outbound/google-account.ts'
import type { SmtpAccount } from '../../outbound/mail.ts'
import { addressOf, storeGenerated, uploadsAmong } from '../../uploads/uploads.ts'
import { openCredentials } from '../../workspaces/credentials.ts'
import type { TurnMemory } from '../engine/memory-budget.ts'
import type { Effects, Flow, SessionState } from '../engine/types.ts'
import { uploadLimits } from '../engine/upload-policy.ts'
import {
  bytesOfFlow,
  findLinkedPublication,
  loadPublication,
  MAX_READ_CHARACTERS,
  readDraftFlow,
  readLastAnswers,
  readLinkedDraft,
  readTranscript,
} from './read-session.ts'
import { reserveSheetRow } from './sheet-rows.ts'
import type { TurnLease } from './turn-lease.ts'

/* Memory and effects of a turn: its means of acting on the outside, and its share of memory meanwhile. */

/** Services of a turn, with or without a request. */
export type Context = Pick<
  Contexts['anyone'],
  'db' | 'keyring' | 'chat' | 'files' | 'publicUrl' | 'config' | 'log' | 'now' | 'quota'
> & { slot: Pick<Slot, 'releaseDuring'>; visitedUrl?: string | undefined }

/** Runs a turn with memory of its workspace. Throws before anything happens if that has none left. */
export async function withTurnMemory<Value>(
  { chat: tools }: Pick<Context, 'chat'>,
  { workspaceId, flow, bytes }: { workspaceId: string; flow: Flow; bytes: number },
  run: (memory: TurnMemory) => Promise<Value>,
): Promise<Value> {
  const memory = tools.memory.open(workspaceId)
  try {
    if (!memory.begin(bytes, { of: flow, bytes: bytesOfFlow(flow) })) throw new Unavailable(noMemoryToBegin)
    return await run(memory)
  } finally {
    memory.end()
  }
}

const noMemoryToBegin = 'The turns of the workspace that wait for other servers hold all of its memory'

interface TurnContext {
  botId: string
  workspaceId: string
  /** Null for a preview. */
  publicationId: string | null
  resultId: string | null
  state?: SessionState
  /** Absent where no turn runs, so that no file can be stored. */
  sessionId?: string
  /** Absent where no turn runs, so that nothing is waited for. */
  memory?: TurnMemory
}

/**
 * Effects of a turn. While it waits for others, the request releases its slot. A first turn needs no lease:
 * no other request runs it.
 */
export function createEffects(
  { db, keyring, chat: tools, files, publicUrl, visitedUrl, config, log, now, slot, quota }: Context,
  turn: TurnContext,
  lease?: TurnLease,
  emit?: Effects['emit'],
): Effects {
  const { botId, workspaceId, publicationId, resultId, memory } = turn
  const isStored = publicationId !== null && resultId !== null && memory !== undefined
  const { httpRequest, sendEmail } = tools
  const canCallOut = async () => lease === undefined || (await lease.takeOrCheck())
  const otherRequestMessage = 'Another request runs this turn'
  const createMemoryOptions = (milliseconds: number) =>
    memory && { reserveMemory: (bytes: number) => memory.take(bytes, milliseconds) }
  /** Counts the flow of a linked bot. */
  const countFlow = <Loaded extends Flow | null>(flow: Loaded): Loaded => {
    if (flow && memory && !memory.begin(0, { of: flow, bytes: bytesOfFlow(flow) })) {
      throw new Unavailable(noMemoryToBegin)
    }
    return flow
  }
  return {
    now: currentTime,
    random: Math.random,
    newId: () => newId(currentTime()),
    // The page at this address reports the payment to the chat, and reaches only pages of its own origin.
    checkout: {
      sessionId: turn.sessionId ?? '',
      returnUrl: `${visitedUrl ?? publicUrl()}/chat/~payment`,
      // Code of the vendor runs on hosts that serve chats alone.
      ...(visitedUrl !== undefined &&
        visitedUrl !== config.PUBLIC_URL && { formUrl: `${visitedUrl}/chat/~pay` }),
    },
    canCallOut,
    async shareRequest(work) {
      if (await canCallOut()) await slot.releaseDuring(work)
    },
    yieldToOthers: () => slot.releaseDuring(() => yieldToOthers(workspaceId)),
    evaluate: (request) => slot.releaseDuring(() => tools.evaluate({ ...request, workspaceId })),
    emit,
    async httpRequest(request) {
      return (await canCallOut())
        ? slot.releaseDuring(() => httpRequest({ ...request, ...createMemoryOptions(request.milliseconds) }))
        : { ok: false, reason: 'refused', message: otherRequestMessage }
    },
    async findCredentials(id, type) {
      const found = await openCredentials(db, keyring, workspaceId, id).catch((error) => {
        // Members read the log of a result: causes are for operators.
        log.error({ err: error, credentialsId: id }, 'credentials cannot be read')
        throw new Error('The credentials cannot be read now: the log of the service says why')
      })
      return found?.type === type ? withInstalledClient(found.data as JsonObject, config) : null
    },
    async askModel(request) {
      return (await canCallOut())
        ? slot.releaseDuring(() =>
            tools.askModel({ ...request, ...createMemoryOptions(request.milliseconds) }),
          )
        : { ok: false, message: otherRequestMessage }
    },
    async sendEmailBy(account, mail, milliseconds) {
      if (!(await canCallOut())) throw new Error(otherRequestMessage)
      await slot.releaseDuring(() => tools.sendEmailBy(account as unknown as SmtpAccount, mail, milliseconds))
    },
    sendEmail:
      sendEmail &&
      (async (mail, milliseconds) => {
        if (!(await canCallOut())) throw new Error(otherRequestMessage)
        await slot.releaseDuring(() => sendEmail(mail, milliseconds))
      }),
    uploads: files && {
      maximumSize: uploadLimits(config).file,
      find: (addresses) => uploadsAmong(db, publicUrl(), turn.sessionId ?? '', addresses, now),
      read: ({ id }) => files.read(id),
      async store(file, owner) {
        const size = file.bytes.length
        const reserved = quota().reserve('uploads', owner.botId, size)
        if ('issue' in reserved) return reserved.issue.message
        const session = { sessionId: turn.sessionId ?? '', sessionBotId: botId }
        const limit = uploadLimits(config).chat
        let storedBytes = 0
        try {
          const stored = await slot.releaseDuring(() =>
            storeGenerated(db, files, { ...session, ...owner }, file, limit, now),
          )
          if (typeof stored === 'string') return stored
          storedBytes = size
          return { upload: stored, address: addressOf(publicUrl(), stored) }
        } finally {
          reserved.settle(storedBytes)
        }
      },
    },
    async findLinkedFlow(linkedId) {
      if (publicationId !== null) {
        const linked = await findLinkedPublication(db, tools, linkedId, workspaceId)
        return linked && { flow: countFlow(linked.flow), flowId: `${linkedId}/${linked.publicationId}` }
      }
      const flow = await readLinkedDraft(db, linkedId, workspaceId)
      return flow && { flow: countFlow(flow), flowId: linkedId }
    },
    async loadFlow(flowId) {
      const [linkedId = '', linkedPublicationId] = flowId.split('/')
      if (linkedPublicationId === undefined) return countFlow((await readDraftFlow(db, linkedId)) ?? null)
      return countFlow(await loadPublication(db, tools, linkedId, linkedPublicationId))
    },
    async earlierAnswers(resultId) {
      const frame = turn.state?.frames.find((one) => one.resultId === resultId)
      return readLastAnswers(db, frame?.botId ?? botId, resultId)
    },
    async earlierTranscript() {
      const { resultId } = turn
      return resultId === null ? [] : readTranscript(db, botId, resultId, MAX_READ_CHARACTERS)
    },
    ...(isStored && { reserveSheetRow: (bytes: number) => reserveSheetRow(db, turn, bytes) }),
    ...(memory && {
      memory: { ...memory, take: (...what) => slot.releaseDuring(() => memory.take(...what)) },
    }),
  }
}
