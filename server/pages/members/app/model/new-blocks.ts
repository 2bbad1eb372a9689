import { type Block, type Item, newId } from './draft.ts'
import { type Family, kindOf } from './words.ts'

/* The blocks that can be added, in the order in which they are offered. */

export const addableTypes: Record<Family, string[]> = {
  bubble: ['text', 'image', 'video', 'audio', 'embed'],
  input: [
    'choice input',
    'text input',
    'email input',
    'number input',
    'phone number input',
    'date input',
    'time input',
    'url input',
    'rating input',
    'file input',
    'picture choice input',
    'cards',
    'payment input',
  ],
  logic: [
    'Condition',
    'Set variable',
    'Jump',
    'Bot link',
    'Redirect',
    'Wait',
    'wait until',
    'handoff',
    'AB test',
    'Code',
    'Return',
    'webhook',
  ],
  integration: [
    'Webhook',
    'Email',
    'Google Sheets',
    'openai',
    'anthropic',
    'mistral',
    'groq',
    'deepseek',
    'together-ai',
    'open-router',
    'perplexity',
    'dify-ai',
    'elevenlabs',
    'nocodb',
    'cal-com',
    'zendesk',
    'gmail',
    'segment',
    'posthog',
    'qr-code',
    'chat-node',
    'blink',
    'Google Analytics',
    'Pixel',
    'Chatwoot',
    'Zapier',
    'Make.com',
    'Pabbly',
  ],
}

export const familyNames: Record<Family, string> = {
  bubble: 'Messages',
  input: 'Questions',
  logic: 'Logic',
  integration: 'Integrations',
}

const item = (more: object): Item => ({ id: newId(), ...more })

const beginnings: Record<string, () => Partial<Block>> = {
  text: () => ({ content: { richText: [{ type: 'p', children: [{ text: '' }] }] } }),
  'choice input': () => ({ items: [item({ content: 'Yes' }), item({ content: 'No' })] }),
  'picture choice input': () => ({ items: [item({})] }),
  cards: () => ({ items: [item({ paths: [item({ text: 'Choose' })] })] }),
  Condition: () => ({ items: [item({ content: { comparisons: [] } })] }),
  handoff: () => ({ items: [item({ path: 'unanswered' }), item({ path: 'closed' })] }),
  'AB test': () => ({ items: [item({ path: 'a' }), item({ path: 'b' })] }),
}

/** A block as its type begins. */
export function newBlock(type: string): Block {
  const more = beginnings[type]?.() ?? (kindOf(type).family === 'bubble' ? { content: {} } : {})
  return { id: newId(), type, ...more }
}
