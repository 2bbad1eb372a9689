import type { Flow } from '../../server/chat/engine/types.ts'
import { ask, bot, idOf, type Part, text } from '../support/chat.ts'

/* Bots to fill in on the chat page. Their pictures are in them, since nothing outside may be needed. */

export function drawing(color: string, label: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="270"><rect width="480" height="270" fill="${color}"/><text x="240" y="150" font-family="sans-serif" font-size="40" fill="#fff" text-anchor="middle">${label}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

const image = (color: string, label: string): Part => ({
  type: 'image',
  content: { url: drawing(color, label), clickLink: { alt: label } },
})

/** A studio that wants to know who asks, for what, and with how much time. */
export const leadGeneration: Flow = bot(
  {
    Welcome: [
      text('Welcome to the Paper Boat studio!'),
      image('#20545c', 'Paper Boat'),
      { type: 'choice input', items: [{ id: 'hello', content: 'Hello!', to: 'Name' }] },
    ],
    Name: [text('What is your name?'), ask('Name', { to: 'Email' })],
    Email: [
      text('Nice to meet you, {{Name}}. Where can we write to?'),
      { type: 'email input', options: { variableId: idOf('Email') }, to: 'Services' },
    ],
    Services: [
      text('What are you looking for?'),
      {
        type: 'choice input',
        options: { isMultipleChoice: true, variableId: idOf('Services') },
        items: [
          { id: 'site', content: 'A website' },
          { id: 'shop', content: 'A web shop' },
          { id: 'app', content: 'An app' },
        ],
        to: 'Details',
      },
    ],
    Details: [
      text('Tell us a little more.'),
      {
        type: 'text input',
        options: { isLong: true, variableId: idOf('Details') },
        to: 'Bye',
      },
    ],
    Bye: [text('Thank you! We will write to {{Email}}.')],
  },
  {
    variables: ['Name', 'Email', 'Services', 'Details'],
    theme: { general: { progressBar: { isEnabled: true } } },
    settings: {
      general: { rememberUser: { isEnabled: true, storage: 'local' } },
      typingEmulation: { speed: 4_000, maxDelay: 0.1 },
      metadata: { title: 'Paper Boat', description: 'Tell us what you "need" <now>' },
    },
  },
)

const option = (id: string, more: Part = {}): Part => ({ id, content: id, value: id, ...more })

/** One of each input and bubble, with a theme that changes everything. */
export const everything: Flow = bot(
  {
    Bubbles: [
      {
        type: 'text',
        content: {
          richText: [
            {
              type: 'p',
              children: [
                { text: 'Bold', bold: true },
                { text: ', ' },
                { text: 'italic', italic: true },
                { text: ', ' },
                { text: 'underlined', underline: true },
                { text: ' and ' },
                { type: 'a', url: 'https://example.com/', children: [{ text: 'a link' }] },
                { text: ', but not ' },
                { type: 'a', url: 'javascript:alert(1)', children: [{ text: 'code' }] },
                { text: ' or <img src=x onerror=alert(1)>' },
              ],
            },
            {
              type: 'ul',
              children: ['One', 'Two'].map((item) => ({
                type: 'li',
                children: [{ type: 'lic', children: [{ text: item }] }],
              })),
            },
          ],
        },
      },
      image('#7a3b69', 'A picture'),
      { type: 'Wait', options: { secondsToWaitFor: '0.05', shouldPause: true } },
      {
        type: 'Set variable',
        options: {
          variableId: idOf('Sum'),
          expressionToEvaluate: '{{Two}} * 21',
          isExecutedOnClient: true,
        },
      },
      {
        type: 'Code',
        options: { content: 'parent.document.title = "taken over"', isExecutedOnClient: true, isCode: true },
      },
      text('The page computed {{Sum}}.'),
      ask('Short', {
        options: { variableId: idOf('Short'), labels: { placeholder: 'Short, please', button: 'Go' } },
      }),
      {
        type: 'number input',
        options: { min: 1, max: 20, style: 'currency', currency: 'EUR', locale: 'en' },
      },
      { type: 'email input', options: { retryMessageContent: 'No, an address!' } },
      { type: 'url input' },
      { type: 'phone number input', options: { defaultCountryCode: 'FR' } },
      { type: 'date input', options: { isRange: true } },
      { type: 'time input' },
      {
        type: 'rating input',
        options: { length: 5, buttonType: 'Icons', labels: { left: 'Bad', right: 'Good' } },
      },
      { type: 'rating input', options: { isOneClickSubmitEnabled: true } },
      { type: 'file input', options: { isRequired: false, isMultipleAllowed: true } },
      {
        type: 'choice input',
        options: { isSearchable: true },
        items: ['Apple', 'Banana', 'Cherry', 'Apple pie'].map((id) => option(id)),
      },
      {
        type: 'picture choice input',
        options: { isMultipleChoice: true },
        items: [
          { id: 'sea', title: 'Sea', description: 'Salt and wind', pictureSrc: drawing('#1f5fa8', 'Sea') },
          {
            id: 'hill',
            title: 'Hill',
            description: 'Grass and sheep',
            pictureSrc: drawing('#3d7a34', 'Hill'),
          },
        ],
      },
      {
        type: 'cards',
        items: [
          {
            id: 'boat',
            title: 'Boat',
            description: 'Folded from one sheet',
            imageUrl: drawing('#a85a1f', 'Boat'),
            paths: [
              { id: 'buy-boat', text: 'Buy' },
              { id: 'see-boat', text: 'Look at it' },
            ],
          },
          {
            id: 'hat',
            title: 'Hat',
            imageUrl: drawing('#333a66', 'Hat'),
            paths: [{ id: 'buy-hat', text: 'Buy' }],
          },
        ],
      },
      text('That was all, {{Short}}.'),
    ],
  },
  {
    variables: ['Sum', 'Short'],
    theme: {
      general: {
        font: { type: 'Google', family: 'Georgia' },
        background: { type: 'Color', content: '#14213d' },
        progressBar: { isEnabled: true, placement: 'Bottom', color: '#fca311', thickness: 6 },
      },
      chat: {
        container: { maxWidth: '640px' },
        hostBubbles: {
          backgroundColor: '#24345c',
          color: '#f2f2f2',
          border: { roundeness: 'large', thickness: 0 },
        },
        guestBubbles: {
          backgroundColor: '#fca311',
          color: '#14213d',
          border: { roundeness: 'large', thickness: 0 },
        },
        buttons: {
          backgroundColor: '#fca311',
          color: '#14213d',
          shadow: 'lg',
          border: { roundeness: 'custom', customRoundeness: 12, thickness: 0 },
        },
        inputs: { border: { roundeness: 'none' } },
        guestAvatar: { isEnabled: true, url: drawing('#e5383b', 'You') },
        buttonsInput: { layout: 'vertical' },
      },
      customCss: '.guest-bubble { letter-spacing: 0.5px } @import "https://elsewhere.example/style.css";',
    },
    settings: { typingEmulation: { enabled: false } },
  },
)
// Variables begin with a value where the document gives one.
;(everything.variables as object[]).push({ id: idOf('Two'), name: 'Two', value: '2' })
