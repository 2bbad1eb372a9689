import { colour, component, flag, name, number, oneOf, picture, url } from './fields.ts'
import { limits } from './limits.ts'
import { quickText } from './quick.ts'
import { selectUnion, wrongType } from './union.ts'

/*
 * The renderer of a chat applies the defaults; documents never contain them. If versions 6 and 6.1 differ, a
 * description names both.
 */

const fontFamily = quickText(limits.name)

const fontSource = component(
  'FontSource',
  'A font and its source. The chat page always loads fonts that rules in `css` name. It loads Google fonts (from fonts.bunny.net) and style sheets by address only on a host that serves chats alone. Elsewhere the device of the visitor must have the font.',
  {
    type: oneOf(['Google', 'Custom'], 'Source of the font: Google Fonts or own style sheet.'),
    family: name('Font family name. Default Open Sans.', 'Open Sans').optional(),
    css: url(
      'Address of a style sheet that declares the font, or the rules themselves.',
      'https://files.example.com/brand-font.css',
    ).optional(),
    url: url(
      'Address of a style sheet. `css` overrides it.',
      'https://files.example.com/brand-font.css',
    ).optional(),
  },
)

const font = selectUnion([fontFamily, fontSource], (value) => {
  if (typeof value === 'string') return fontFamily
  if (typeof value === 'object' && value !== null) return fontSource
  return wrongType('Expected a font family name or a font object')
}).meta({
  description: 'Font of the chat: a Google Fonts family name, or an object with its source.',
  example: 'Open Sans',
})

const background = component('ThemeBackground', 'Background of the chat.', {
  type: oneOf(['Color', 'Image', 'None'], 'Kind of background. Default Color.').optional(),
  content: picture(
    'A colour, or the address of the image. Default #FFFFFF in version 6, #F8F8F8 in 6.1.',
    '#F8F8F8',
  ).optional(),
})

const progressBar = component('ThemeProgressBar', 'Bar that shows the progress of the visitor.', {
  isEnabled: flag('True if the chat shows the bar. Default false.').optional(),
  placement: oneOf(['Top', 'Bottom'], 'Edge the bar sits at. Default Top.').optional(),
  position: oneOf(['fixed', 'absolute'], 'CSS positioning of the bar. Default absolute.').optional(),
  color: colour(
    'Colour of the completed part. Default #e0edff in version 6, #ff5924 in 6.1.',
    '#ff5924',
  ).optional(),
  backgroundColor: colour(
    'Colour of the remaining part. Default #f1f1f1 in version 6, #8d8d8d in 6.1.',
    '#8d8d8d',
  ).optional(),
  thickness: pixels('Height of the bar', 4).optional(),
})

const border = component('ThemeBorder', 'The border of a part of the chat.', {
  thickness: pixels(
    'Width of the border',
    1,
    ' Default: 0 in version 6; in 6.1 0 for the container, else 1.',
  ).optional(),
  color: colour('Colour of the border. Its default depends on the part.', '#dfdfdf').optional(),
  roundeness: oneOf(
    ['none', 'medium', 'large', 'custom'],
    'Roundness of the corners: 0, 6 or 20 CSS pixels, or customRoundeness. Default medium.',
  ).optional(),
  customRoundeness: pixels('Corner radius with roundeness custom', 6, ' Default 6.').optional(),
  opacity: opacity('Opacity of the border').optional(),
})

const container = component('ThemeContainer', 'The box that holds the conversation.', {
  maxWidth: name('Maximum width as a CSS length. Default 800px.', '800px').optional(),
  maxHeight: name('Maximum height as a CSS length. Default 100%.', '100%').optional(),
  ...surface('transparent', 'Default dark or light grey, whichever reads better on the background.'),
})

const hostBubbles = component('ThemeHostBubbles', 'The messages of the bot.', {
  ...surface('#F7F8FF in version 6, #ffffff in 6.1', 'Default #202020.'),
})

const guestBubbles = component('ThemeGuestBubbles', 'The answers of the visitor.', {
  ...surface('#FF8E21 in version 6, #c2410c in 6.1', 'Default #ffffff.'),
})

const buttons = component('ThemeButtons', 'Buttons that the visitor can press.', {
  ...surface('#0042DA in version 6, #c2410c in 6.1', 'Default #ffffff.'),
})

const inputs = component('ThemeInputs', 'Fields that the visitor can fill in.', {
  ...surface('#FFFFFF', 'Default #202020.'),
  placeholderColor: colour('Colour of the placeholder text. Default #6e7480.', '#6e7480').optional(),
})

const hostAvatar = component('ThemeHostAvatar', 'The picture beside the messages of the bot.', {
  isEnabled: flag('True if the chat shows the picture. Default true.').optional(),
  url: picture('Address of the picture, or a {{variable}} that holds one.').optional(),
})

const guestAvatar = component('ThemeGuestAvatar', 'The picture beside the answers of the visitor.', {
  isEnabled: flag('True if the chat shows the picture. Default false.').optional(),
  url: picture('Address of the picture, or a {{variable}} that holds one.').optional(),
})

const buttonsInput = component('ThemeButtonsInput', 'Layout of a list of buttons.', {
  layout: oneOf(
    ['wrap', 'vertical'],
    'Side by side with line breaks, or one below the other. Default wrap.',
  ).optional(),
})

const general = component('ThemeGeneral', 'Style of the page around the chat.', {
  font: font.optional(),
  background: background.optional(),
  progressBar: progressBar.optional(),
})

const chat = component('ThemeChat', 'Style of the conversation.', {
  container: container.optional(),
  hostAvatar: hostAvatar.optional(),
  guestAvatar: guestAvatar.optional(),
  hostBubbles: hostBubbles.optional(),
  guestBubbles: guestBubbles.optional(),
  buttons: buttons.optional(),
  inputs: inputs.optional(),
  buttonsInput: buttonsInput.optional(),
  roundness: oneOf(
    ['none', 'medium', 'large'],
    'Roundness of every part without a border of its own. Older documents only; border.roundeness replaces it.',
  ).optional(),
})

export const theme = component(
  'Theme',
  'Visual style of a bot. All versions have the same shape; only defaults differ.',
  {
    general: general.optional(),
    chat: chat.optional(),
    customCss: quickText(limits.customCss)
      .meta({ description: 'Style sheet added to the chat.', example: '.host-bubble { font-weight: 500 }' })
      .optional(),
  },
)

function pixels(description: string, example: number, defaults = '') {
  return number(`${description}, in CSS pixels.${defaults}`, { min: 0, max: limits.pixels, example })
}

function opacity(description: string) {
  return number(`${description}, from 0 (invisible) to 1. Default 1.`, { min: 0, max: 1, example: 0.9 })
}

/** Properties of every visible part of the chat. */
function surface(defaultBackground: string, defaultColor: string) {
  return {
    backgroundColor: colour(`Colour of the surface. Default ${defaultBackground}.`, '#F7F8FF').optional(),
    color: colour(`Colour of the text. ${defaultColor}`, '#202020').optional(),
    blur: number('Blur of the backdrop, in CSS pixels. Default 0.', {
      min: 0,
      max: limits.pixels,
      example: 8,
    }).optional(),
    opacity: opacity('Opacity of the surface').optional(),
    shadow: oneOf(
      ['none', 'sm', 'md', 'lg', 'xl', '2xl'],
      'Size of the shadow. Default none; for inputs md in version 6.',
    ).optional(),
    border: border.optional(),
  }
}
