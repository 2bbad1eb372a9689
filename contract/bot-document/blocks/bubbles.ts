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
  'Start of a chat in versions 3, 4 and 5. Versions 6 and 6.1 accept and skip it: they begin at the start event.',
  { label: name('Text on the block in the editor.', 'Start') },
)

const textBubble = block('TextBubble', 'text', 'Shows a formatted text.', {
  content: component('TextBubbleContent', 'Text of the message.', {
    richText: boundedArray(z.unknown(), { maximum: limits.richTextLines })
      .meta({
        description:
          'The text as a tree, which the service does not validate. Elements have a type (p, a, ul, ol, li, lic or another container), children, and with type a an url. Leaves have text and may be bold, italic or underline. Each line is one p.',
        example: [{ type: 'p', children: [{ text: 'Hello {{Name}}!', bold: true }] }],
      })
      .optional(),
    html: prose('The text as HTML, in older documents.', '<div>Hello!</div>').optional(),
    plainText: prose('The text without formatting, in older documents.', 'Hello!').optional(),
  }).optional(),
})

const imageBubble = block('ImageBubble', 'image', 'Shows a picture by its address.', {
  content: component('ImageBubbleContent', 'Picture that the block shows.', {
    url: picture('Address of the picture.').optional(),
    clickLink: component('ImageClickLink', 'Link that a click on the picture opens.', {
      url: url('Address to open.', 'https://www.example.com/cats').optional(),
      alt: phrase('Alternative text of the picture.', 'A sleeping cat').optional(),
    }).optional(),
  }).optional(),
})

const videoBubble = block('VideoBubble', 'video', 'Shows a video from a file or from a video platform.', {
  content: component('VideoBubbleContent', 'Video that the block shows, and settings of its player.', {
    url: url('Address of the video.', 'https://www.youtube.com/watch?v=aqz-KE-bpKQ').optional(),
    id: name('Id of the video on its platform.', 'aqz-KE-bpKQ').optional(),
    type: oneOf(
      ['url', 'youtube', 'vimeo', 'tiktok', 'gumlet'],
      'Location of the video: a file or a platform.',
    ).optional(),
    height: numberOrText('Height in CSS pixels. Default 400.', 400).optional(),
    aspectRatio: name('Ratio of width to height. Default 16/9.', '16/9').optional(),
    maxWidth: name('Maximum width as a CSS length. Default 100%.', '100%').optional(),
    queryParamsStr: url(
      'Query string passed to the platform, with the question mark.',
      '?start=30',
    ).optional(),
    areControlsDisplayed: flag('True if the player shows its controls. Default true.').optional(),
    isAutoplayEnabled: flag('True if the video starts by itself. Default true.').optional(),
  }).optional(),
})

const embedBubble = block('EmbedBubble', 'embed', 'Shows another page inside the chat.', {
  content: component('EmbedBubbleContent', 'Page that the block shows, and its settings.', {
    url: url('Address of the page.', 'https://www.example.com/map').optional(),
    height: numberOrText('Height in CSS pixels. Default 400.', 400).optional(),
    waitForEvent: component('EmbedWaitForEvent', 'Makes the chat wait until the page sends an event.', {
      isEnabled: flag('True if the chat waits. Default false.').optional(),
      name: name('Name of the event.', 'seat-chosen').optional(),
      saveDataInVariableId: variableReference('that stores the data of the event', 'varSeat').optional(),
    }).optional(),
  }).optional(),
})

const audioBubble = block('AudioBubble', 'audio', 'Plays a sound by its address.', {
  content: component('AudioBubbleContent', 'Sound that the block plays.', {
    url: url('Address of the sound.', 'https://files.example.com/hello.mp3').optional(),
    isAutoplayEnabled: flag('True if the sound starts by itself. Default true.').optional(),
  }).optional(),
})

export const bubbles = [textBubble, imageBubble, videoBubble, embedBubble, audioBubble] as const
