import { apiKeyData } from '../../../credential-data.ts'
import { phrase, prose, variableReference } from '../../fields.ts'
import { keyProbe, vendor } from './vendor.ts'

export const elevenLabs = vendor({
  type: 'elevenlabs',
  prefix: 'ElevenLabs',
  title: 'ElevenLabs',
  base: 'https://api.elevenlabs.io/v1',
  probes: keyProbe('/user', (key) => ({ 'xi-api-key': key })),
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'el-example' },
  options: {
    text: prose('Text to speak.', '{{Answer}}').optional(),
    voiceId: phrase('Id of the voice.', 'vceRachel').optional(),
    modelId: phrase('Id of the model.', 'eleven_multilingual_v2').optional(),
    saveUrlInVariableId: variableReference('that stores the address of the sound', 'varSpeech').optional(),
  },
  actions: {
    'Convert text to speech': {
      required: {
        voiceId: 'Voice ID is missing',
        text: 'Text is missing',
        saveUrlInVariableId: 'Save variable is missing',
      },
      context: 'While converting text to ElevenLabs speech',
      timeoutMs: 60_000,
      request: ({ options: { voiceId = '', text, modelId }, credentials }) => ({
        path: `/text-to-speech/${encodeURIComponent(voiceId)}`,
        headers: { 'xi-api-key': credentials.apiKey, accept: 'audio/mpeg' },
        json: { text, model_id: modelId },
      }),
      file: { into: 'saveUrlInVariableId', name: 'speech.mp3', mediaType: 'audio/mpeg' },
      example: {
        options: { text: 'Hello', voiceId: 'v1', modelId: 'eleven_multilingual_v2' },
        request: {
          path: '/text-to-speech/v1',
          headers: { 'xi-api-key': 'el-example' },
          body: { text: 'Hello', model_id: 'eleven_multilingual_v2' },
        },
        response: 'ID3 sound',
        savedValues: { saveUrlInVariableId: '<file>' },
      },
    },
  },
})
