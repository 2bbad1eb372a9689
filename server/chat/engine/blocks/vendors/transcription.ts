/** Transcriptions of sounds: of recordings of the visitor, and of sounds of other services. */
import { openAiAccess } from '../../../../../contract/bot-document/blocks/vendors/openai.ts'
import { pick } from '../../../../../contract/bot-document/blocks/vendors/vendor.ts'
import { asString, filledText } from '../../../../json/access.ts'
import { extensionOf } from '../../../../uploads/kinds.ts'
import type { Execution } from '../../execution.ts'
import { readFileAt } from '../../files.ts'
import { setVariable } from '../../variables.ts'
import { failCall, type VendorCall } from './call.ts'
import { reportFailure, reportStatus, sendRequest } from './send.ts'

/** The vendor takes no larger sound. */
const MAX_SOUND_BYTES = 26_214_400

/** Extensions that the vendor knows, by media type. It decides by the name of the file. */
const extensions: Record<string, string> = {
  'audio/flac': 'flac',
  'audio/m4a': 'm4a',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/webm': 'webm',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

export async function createTranscription(run: Execution, made: VendorCall): Promise<void> {
  const { options, credentials } = made.call
  const address = (asString(options.url) ?? '').split(', ')[0] ?? ''
  const sound = await readFileAt(run, address, MAX_SOUND_BYTES, `A sound may have ${MAX_SOUND_BYTES} bytes`)
  if (typeof sound === 'string') {
    return failCall(run, made.block, 'OpenAI: the sound could not be read', sound, made.action.context)
  }
  const prompt = filledText(asString(options.prompt))
  const response = await sendRequest(run, made, {
    path: '/audio/transcriptions',
    ...openAiAccess({ apiKey: String(credentials.apiKey) }, asString(options.apiVersion)),
    parts: {
      file: { name: `audio.${soundExtension(sound)}`, bytes: sound.bytes },
      model: asString(options.model) ?? 'whisper-1',
      ...(prompt === undefined ? {} : { prompt }),
    },
  })
  if (response === null) return
  if (response.status >= 400) return reportStatus(run, made, response)
  const words = pick(response.body, 'text')
  if (typeof words !== 'string') return reportFailure(run, made, 'The answer has no text')
  setVariable(run, options.transcriptionVariableId, words)
}

export function soundExtension({ mediaType, name }: { mediaType: string; name: string }): string {
  const type = mediaType.replace(/;.*$/s, '').trim().toLowerCase()
  const ofName = extensionOf(name)
  return extensions[type] ?? (ofName === 'weba' ? 'webm' : ofName) ?? 'webm'
}
