/* Bytes of the tokens of JSON. */

/** Nothing above it is white space, and nothing below it may stand in a text. */
export const SPACE = 0x20
export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const POINT = 0x2e
export const ZERO = 0x30
export const NINE = 0x39
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const UNDERSCORE = 0x5f
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
