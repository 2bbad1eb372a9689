import { browsers } from './browsers.mjs'

/*
 * Rejects in the styles of pages what the promised browsers lack. What they support in part, and need for nothing that
 * the pages do, is listed.
 */

const partial = [
  'css-unicode-bidi',
  'css-masks',
  'css-clip-path',
  'intrinsic-width',
  'extended-system-fonts',
  // Grids and flex boxes have column-gap everywhere.
  'multicolumn',
  // Phones have no mouse pointer to show and no corner to drag.
  'css3-cursors-grab',
  'css-resize',
  // Safari lacks values other than none, manipulation and auto.
  'css-touch-action',
]

export default {
  plugins: ['stylelint-no-unsupported-browser-features'],
  rules: {
    'plugin/no-unsupported-browser-features': [
      true,
      { browsers, ignore: partial, ignorePartialSupport: false },
    ],
  },
}
