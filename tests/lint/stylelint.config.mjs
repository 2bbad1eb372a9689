import { browsers } from './browsers.mjs'

/*
 * Rejects in the styles of pages what the promised browsers lack. What they support in part, and need for nothing that
 * the pages do, is listed.
 */

const partial = ['css-unicode-bidi', 'css-masks', 'css-clip-path', 'intrinsic-width', 'extended-system-fonts']

export default {
  plugins: ['stylelint-no-unsupported-browser-features'],
  rules: {
    'plugin/no-unsupported-browser-features': [
      true,
      { browsers, ignore: partial, ignorePartialSupport: false },
    ],
  },
}
