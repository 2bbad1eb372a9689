import { apiKeyData } from '../../../credential-data.ts'
import { phrase, prose, variableReference } from '../../fields.ts'
import { vendor } from './vendor.ts'

export const elevenLabs = vendor({
  type: 'elevenlabs',
  prefix: 'ElevenLabs',
  title: 'ElevenLabs',
  base: 'https://api.elevenlabs.io/v1',
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'el-example' },
  options: {
    text: prose('What is spoken.', '{{Answer}}').optional(),
    voiceId: phrase('Id of the voice.', 'vceRachel').optional(),
    modelId: phrase('Id of the model.', 'eleven_multilingual_v2').optional(),
    saveUrlInVariableId: variableReference('that takes the address of the sound', 'varSpeech').optional(),
  },
  actions: {
    'Convert text to speech': {
      required: {
        voiceId: 'Voice ID is missing',
        text: 'Text is missing',
        saveUrlInVariableId: 'Save variable is missing',
      },
      context: 'While converting text to ElevenLabs speech',
    },
  },
})
