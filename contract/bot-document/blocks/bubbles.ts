import { z } from '../../kit/zod.ts'
import { boundedArray } from '../bounded-array.ts'
import {
  component,
  flag,
  name,
  numberOrText,
  oneOf,
  phrase,
  picture,
  prose,
  url,
  variableReference,
} from '../fields.ts'
import { limits } from '../limits.ts'
import { block } from './block.ts'

/** Messages of the bot, and the start block of legacy versions. Their properties are in `content`. */

export const startBlock = block(
  'StartBlock',
  'start',
  'Where a chat begins in versions 3, 4 and 5. Versions 6 and 6.1 tolerate it and skip it: they begin at the start event.',
  { label: name('Text on the block in the editor.', 'Start') },
)

const textBubble = block('TextBubble', 'text', 'Shows a formatted text.', {
  content: component('TextBubbleContent', 'What the message says.', {
    richText: boundedArray(z.unknown(), { maximum: limits.richTextLines })
      .meta({
        description:
          'The text as a tree. Elements have a type (p, a, ul, ol, li, lic or any other container), children, and for a an url; leaves have text and may be bold, italic or underline. Each line is one p. The tree is not checked.',
        example: [{ type: 'p', children: [{ text: 'Hello {{Name}}!', bold: true }] }],
      })
      .optional(),
    html: prose('The text as HTML, in older documents.', '<div>Hello!</div>').optional(),
    plainText: prose('The text without marks, in older documents.', 'Hello!').optional(),
  }).optional(),
})

const imageBubble = block('ImageBubble', 'image', 'Shows a picture by its address.', {
  content: component('ImageBubbleContent', 'Which picture is shown.', {
    url: picture('Address of the picture.').optional(),
    clickLink: component('ImageClickLink', 'What a click on the picture opens.', {
      url: url('Address that is opened.', 'https://www.example.com/cats').optional(),
      alt: phrase('Alternative text of the picture.', 'A sleeping cat').optional(),
    }).optional(),
  }).optional(),
})

const videoBubble = block('VideoBubble', 'video', 'A video from a file or from a video platform.', {
  content: component('VideoBubbleContent', 'Which video is shown and how.', {
    url: url('Address of the video.', 'https://www.youtube.com/watch?v=aqz-KE-bpKQ').optional(),
    id: name('Id of the video on its platform.', 'aqz-KE-bpKQ').optional(),
    type: oneOf(
      ['url', 'youtube', 'vimeo', 'tiktok', 'gumlet'],
      'Where the video is: a file or a platform.',
    ).optional(),
    height: numberOrText('Height in CSS pixels. Default 400.', 400).optional(),
    aspectRatio: name('Ratio of width to height. Default 16/9.', '16/9').optional(),
    maxWidth: name('Greatest width as a CSS length. Default 100%.', '100%').optional(),
    queryParamsStr: url(
      'Query string passed to the platform, with the question mark.',
      '?start=30',
    ).optional(),
    areControlsDisplayed: flag('Whether the player shows its controls. Default true.').optional(),
    isAutoplayEnabled: flag('Whether the video starts by itself. Default true.').optional(),
  }).optional(),
})

const embedBubble = block('EmbedBubble', 'embed', 'Another page shown inside the chat.', {
  content: component('EmbedBubbleContent', 'Which page is shown and how.', {
    url: url('Address of the page.', 'https://www.example.com/map').optional(),
    height: numberOrText('Height in CSS pixels. Default 400.', 400).optional(),
    waitForEvent: component('EmbedWaitForEvent', 'Holds the chat until the page sends an event.', {
      isEnabled: flag('Whether the chat waits. Default false.').optional(),
      name: name('Name of the event.', 'seat-chosen').optional(),
      saveDataInVariableId: variableReference('that takes the data of the event', 'varSeat').optional(),
    }).optional(),
  }).optional(),
})

const audioBubble = block('AudioBubble', 'audio', 'Plays a sound by its address.', {
  content: component('AudioBubbleContent', 'Which sound is played.', {
    url: url('Address of the sound.', 'https://files.example.com/hello.mp3').optional(),
    isAutoplayEnabled: flag('Whether the sound starts by itself. Default true.').optional(),
  }).optional(),
})

export const bubbles = [textBubble, imageBubble, videoBubble, embedBubble, audioBubble] as const
